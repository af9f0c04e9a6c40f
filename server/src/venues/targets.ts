/**
 * Where venues lie. What the configuration file says is the operator's word. What was declared over
 * the API is judged, as the addresses of webhooks are.
 */
import { ApiError } from '../core/errors.ts'
import type { ErrorDetail } from '../core/errors.ts'
import { canonicalJson } from '../core/json.ts'
import { judgedAddresses, objectionToHost, targetRulesOf } from '../core/targets.ts'
import type { TargetRules } from '../core/targets.ts'

/** Options that say where a venue lies, and whom it is taken for. */
const ADDRESSES = ['base_url', 'websocket_url', 'private_websocket_url'] as const
const PLACES = ['exchange', ...ADDRESSES, 'sftp_host', 'sftp_port', 'sftp_host_key'] as const
const JUDGING_MILLISECONDS = 15_000

type Options = Readonly<Record<string, string>>

/**
 * KONTOR_VENUE_NETWORKS: networks that are not public and may hold venues that are declared over
 * the API, divided by commas. KONTOR_VENUE_PLAIN=on: connections without TLS will do.
 */
export const venueRulesFrom = ({
  KONTOR_VENUE_NETWORKS: networks,
  KONTOR_VENUE_PLAIN: plain,
}: Readonly<Record<string, string | undefined>>): TargetRules =>
  targetRulesOf('KONTOR_VENUE_NETWORKS', { networks, plain })

/** The same for two declarations that send secrets to the same place. */
export const placeOfVenue = (options: Options = {}): string =>
  canonicalJson(Object.fromEntries(PLACES.map((name) => [name, options[name]])))

/** What of its addresses can be refused without a look-up; `path` is that of the options. */
export function problemsOfPlace(options: Options, rules: TargetRules, path: string): ErrorDetail[] {
  const problem = (name: string, objection: string): ErrorDetail => {
    const place = `${path}.${name}`
    return { path: place, code: 'FORMAT', message: `${place}: ${objection}` }
  }
  const odd = ADDRESSES.flatMap((name) => {
    const objection = options[name] === undefined ? undefined : objectionToForm(name, options[name])
    return objection === undefined ? [] : [problem(name, objection)]
  })
  const hosts = hostsOf(options).flatMap(({ name, url, isSafe }) => {
    const objection =
      isSafe || rules.plain ? objectionToHost(url, rules) : 'its connections must be encrypted'
    return objection === undefined ? [] : [problem(name, objection)]
  })
  return [...odd, ...hosts]
}

/** A password in an address would be read by everybody who reads the declaration. */
function objectionToForm(name: (typeof ADDRESSES)[number], text: string): string | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, username, password, search, hash } = new URL(text)
  const wanted = name === 'base_url' ? ['https:', 'http:'] : ['wss:', 'ws:']
  if (!wanted.includes(protocol)) return `it must begin with ${wanted.join('// or ')}//`
  if (username !== '' || password !== '') return 'it must not name a user or a password'
  return search !== '' || hash !== '' || /[{}]|[?#]$/.test(text)
    ? 'it must be a plain address, without a query, a fragment or braces'
    : undefined
}

/** Throws 2003. A name is looked up anew each time. */
export async function assertMayBeCalled(
  { label }: { label: string },
  options: Options,
  rules: TargetRules,
): Promise<void> {
  const [problem] = problemsOfPlace(options, rules, label)
  if (problem !== undefined) throw new ApiError('VenueUnreachable', problem.message)
  const leaving = AbortSignal.timeout(JUDGING_MILLISECONDS)
  for (const { url } of hostsOf(options))
    await judgedAddresses(url, rules, leaving).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      throw new ApiError('VenueUnreachable', `${label}: ${reason}`)
    })
}

function hostsOf(options: Options) {
  const addresses = ADDRESSES.flatMap((name) => {
    const text = options[name]
    if (text === undefined || !URL.canParse(text)) return []
    const url = new URL(text)
    return [{ name, url, isSafe: /^(https|wss):$/.test(url.protocol) }]
  })
  const { sftp_host: hostname } = options
  const sftp =
    hostname === undefined ? [] : [{ name: 'sftp_host', url: { hostname }, isSafe: true }]
  return [...addresses, ...sftp]
}
