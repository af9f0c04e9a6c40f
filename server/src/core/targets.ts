/**
 * Where calls may go that somebody asks for over the API. An address says nothing of where it
 * leads: a name is looked up when it is called, and every answer is judged. So no name that changes
 * in between leads into the operator's networks.
 */
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { refuse } from './errors.ts'
import { addressesIn, isPublicAddress } from './networks.ts'
import { UsageError } from './usage.ts'

export type Address = { address: string; family: 4 | 6 }

export type TargetRules = {
  /** Whether calls may go to an address that is not public. */
  isAllowed(address: string): boolean
  /** A connection without TLS will do. */
  plain: boolean
  /** By which the operator says which networks may be called. */
  variable: string
  /** Authorities beside the known ones, in PEM. */
  ca?: string
  /** DNS when absent. */
  resolve?(name: string, leaving: AbortSignal): Promise<Address[]>
}

/** Of an address. */
type HostOf = Pick<URL, 'hostname'>

const RESOLVE_MILLISECONDS = 3_000
const RESOLVE_TRIES = 2
/** RFC 6761: no server is asked for it. */
const LOCALHOST = /(^|\.)localhost\.?$/i
const OF_LOCALHOST: readonly Address[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/** `networks`: those that are not public and may be called, divided by commas. */
export function targetRulesOf(
  variable: string,
  { networks = '', plain }: { networks?: string | undefined; plain?: string | undefined },
): TargetRules {
  try {
    return { isAllowed: addressesIn(networks), plain: plain === 'on', variable }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`${variable}: ${reason}`, { cause: error })
  }
}

/** Why nothing will ever be sent to this host, as far as its name says it. */
export function objectionToHost({ hostname }: HostOf, rules: TargetRules): string | undefined {
  const literal = literalOf({ hostname })
  const known = literal === undefined ? [] : [literal]
  const refused = (LOCALHOST.test(hostname) ? OF_LOCALHOST : known).find(
    ({ address }) => !mayCall(address, rules),
  )
  return refused && whyNot(refused.address, rules)
}

/** Refuses FORMAT for an address to which nothing will ever be sent. */
export function judgedUrl(text: string, path: string, rules: TargetRules): URL {
  const wrong = (message: string) => refuse('FORMAT', path, message)
  if (!URL.canParse(text)) throw wrong(`${path} is no address`)
  const url = new URL(text)
  if (url.protocol !== 'https:' && !(rules.plain && url.protocol === 'http:'))
    throw wrong(`${path} must begin with https://`)
  if (url.username !== '' || url.password !== '') throw wrong(`${path} must not name a user`)
  const objection = objectionToHost(url, rules)
  if (objection !== undefined) throw wrong(objection)
  return url
}

/** To which addresses a call to this host may go. Throws a sentence where one may not be called. */
export async function judgedAddresses(
  url: HostOf,
  rules: TargetRules,
  leaving: AbortSignal,
): Promise<Address[]> {
  const addresses = await addressesOf(url, rules, leaving)
  if (addresses.length === 0) throw new Error(`${url.hostname} has no address`)
  for (const { address } of addresses)
    if (!mayCall(address, rules)) throw new Error(whyNot(address, rules))
  return addresses
}

async function addressesOf(
  url: HostOf,
  { resolve = lookUp }: TargetRules,
  leaving: AbortSignal,
): Promise<Address[]> {
  const literal = literalOf(url)
  if (literal !== undefined) return [literal]
  return LOCALHOST.test(url.hostname) ? [...OF_LOCALHOST] : resolve(url.hostname, leaving)
}

const mayCall = (address: string, { isAllowed }: TargetRules): boolean =>
  isPublicAddress(address) || isAllowed(address)

const whyNot = (address: string, { variable }: TargetRules): string =>
  `${address} is no public address, and the operator does not allow it (${variable})`

function literalOf({ hostname }: HostOf): Address | undefined {
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
