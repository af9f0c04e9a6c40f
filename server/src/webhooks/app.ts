/** What the files of this folder share. */
import type { WrappingKey } from '../store/wrapping-key.ts'
import type { Clock } from '../core/clock.ts'
import type { Mailer } from '../events/index.ts'
import type { Db } from '../store/db.ts'
import type { TargetRules } from '../core/targets.ts'

export type WebhooksApp = {
  db: Db
  clock: Clock
  /** Where deliveries may go. */
  targets: TargetRules
  /** Wraps the secrets; without it there are no webhooks. */
  wrapping: WrappingKey | undefined
  mailer: Mailer | undefined
  log: { info(fields: object, message: string): void; warn(fields: object, message: string): void }
}

/** Who has done what no person did. */
export const WORKER = 'webhooks'
/** Delivers what is due to one webhook; its subject is the webhook. */
export const DELIVER_TASK = 'deliver_webhook'
