/**
 * Where webhooks may go. An address says nothing of where it leads: names are looked up anew for
 * each call, every answer is judged, and the connection goes to what was judged. So no name that
 * changes in between leads into the operator's networks.
 */
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { refuse } from '../core/errors.ts'
import { addressesIn, isPublicAddress } from '../core/networks.ts'
import { UsageError } from '../core/usage.ts'
import { MAXIMUM_URL } from './webhooks.schema.ts'

export type Address = { address: string; family: 4 | 6 }

export type TargetRules = {
  /** Whether calls may go to an address that is not public. */
  isAllowed(address: string): boolean
  /** HTTP without TLS will do. */
  plain: boolean
  /** Authorities beside the known ones, in PEM. */
  ca?: string
  /** DNS when absent. */
  resolve?(name: string, leaving: AbortSignal): Promise<Address[]>
}

const RESOLVE_MILLISECONDS = 3_000
const RESOLVE_TRIES = 2
/** RFC 6761: no server is asked for it. */
const LOCALHOST = /(^|\.)localhost\.?$/i
const OF_LOCALHOST: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * KONTOR_WEBHOOK_NETWORKS: networks that are not public and may be called, divided by commas.
 * KONTOR_WEBHOOK_PLAIN=on: HTTP without TLS will do.
 */
export function targetRulesFrom({
  KONTOR_WEBHOOK_NETWORKS: networks = '',
  KONTOR_WEBHOOK_PLAIN: plain,
}: Readonly<Record<string, string | undefined>>): TargetRules {
  try {
    return { isAllowed: addressesIn(networks), plain: plain === 'on' }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`KONTOR_WEBHOOK_NETWORKS: ${reason}`, { cause: error })
  }
}

/** Refuses FORMAT for an address to which nothing will ever be sent. Answers its one spelling. */
export function assertTarget(text: string, rules: TargetRules): string {
  const wrong = (message: string) => refuse('FORMAT', 'url', message)
  if (!URL.canParse(text)) throw wrong('url is no address')
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(rules.plain && url.protocol === 'http:'))
    throw wrong('url must begin with https://')
  if (url.username !== '' || url.password !== '')
    throw wrong('url must not name a user: deliveries are signed')
  if (url.hash !== '') throw wrong('url must not have a fragment')
  const literal = literalOf(url)
  const known = literal === undefined ? [] : [literal]
  for (const { address } of LOCALHOST.test(url.hostname) ? OF_LOCALHOST : known)
    if (!mayCall(address, rules)) throw wrong(whyNot(address))
  if (url.href.length > MAXIMUM_URL) throw wrong(`url has more than ${MAXIMUM_URL} characters`)
  return url.href
}

/** To which addresses a call to this host may go. Throws a sentence where one may not be called. */
export async function judgedAddresses(
  url: URL,
  rules: TargetRules,
  leaving: AbortSignal,
): Promise<Address[]> {
  const addresses = await addressesOf(url, rules, leaving)
  if (addresses.length === 0) throw new Error(`${url.hostname} has no address`)
  for (const { address } of addresses)
    if (!mayCall(address, rules)) throw new Error(whyNot(address))
  return addresses
}

async function addressesOf(
  url: URL,
  { resolve = lookUp }: TargetRules,
  leaving: AbortSignal,
): Promise<Address[]> {
  const literal = literalOf(url)
  if (literal !== undefined) return [literal]
  return LOCALHOST.test(url.hostname) ? [...OF_LOCALHOST] : resolve(url.hostname, leaving)
}

const mayCall = (address: string, { isAllowed }: TargetRules): boolean =>
  isPublicAddress(address) || isAllowed(address)

const whyNot = (address: string): string =>
  `${address} is no public address, and the operator does not allow it (KONTOR_WEBHOOK_NETWORKS)`

function literalOf({ hostname }: URL): Address | undefined {
  const address = hostname.replace(/^\[|\]$/g, '')
  const version = isIP(address)
  return version === 0 ? undefined : { address, family: version === 4 ? 4 : 6 }
}

/** Of DNS alone: the system's own way would take a thread that others need, for as long. */
async function lookUp(name: string, leaving: AbortSignal): Promise<Address[]> {
  const resolver = new Resolver({ timeout: RESOLVE_MILLISECONDS, tries: RESOLVE_TRIES })
  const cancel = (): void => {
    resolver.cancel()
  }
  leaving.addEventListener('abort', cancel)
  try {
    const [four, six] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
    if (four.status === 'rejected' && six.status === 'rejected')
      throw new Error(`${name} was not found: ${codeOf(four.reason)}`, { cause: four.reason })
    return [
      ...addressesFrom(four).map((address) => ({ address, family: 4 as const })),
      ...addressesFrom(six).map((address) => ({ address, family: 6 as const })),
    ]
  } finally {
    leaving.removeEventListener('abort', cancel)
  }
}

const addressesFrom = (found: PromiseSettledResult<string[]>): string[] =>
  found.status === 'fulfilled' ? found.value : []

const codeOf = (error: unknown): string => (error as { code?: string }).code ?? String(error)
