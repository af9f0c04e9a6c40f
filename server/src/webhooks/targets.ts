/** Where webhooks may go. */
import { refuse } from '../core/errors.ts'
import { judgedUrl, targetRulesOf } from '../core/targets.ts'
import type { TargetRules } from '../core/targets.ts'
import { MAXIMUM_URL } from './webhooks.schema.ts'

/**
 * KONTOR_WEBHOOK_NETWORKS: networks that are not public and may be called, divided by commas.
 * KONTOR_WEBHOOK_PLAIN=on: HTTP without TLS will do.
 */
export const targetRulesFrom = ({
  KONTOR_WEBHOOK_NETWORKS: networks,
  KONTOR_WEBHOOK_PLAIN: plain,
}: Readonly<Record<string, string | undefined>>): TargetRules =>
  targetRulesOf('KONTOR_WEBHOOK_NETWORKS', { networks, plain })

/** Refuses FORMAT for an address to which nothing will ever be sent. Answers its one spelling. */
export function assertTarget(text: string, rules: TargetRules): string {
  const wrong = (message: string) => refuse('FORMAT', 'url', message)
  const url = judgedUrl(text, 'url', rules)
  if (url.hash !== '') throw wrong('url must not have a fragment')
  if (url.href.length > MAXIMUM_URL) throw wrong(`url has more than ${MAXIMUM_URL} characters`)
  return url.href
}
