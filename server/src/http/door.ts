/**
 * How a port is reached. On the machine itself plain HTTP will do. From other machines callers come
 * over TLS, through named proxies that speak it, or over plain HTTP where somebody asked for that.
 */
import { isIPv6 } from 'node:net'
import { addressesIn, canonicalAddress, isLoopback } from '../core/networks.ts'
import { UsageError } from '../core/usage.ts'
import type { CertificateFiles } from './certificate.ts'

type Env = Readonly<Record<string, string | undefined>>

export type Door = {
  /** Where it listens. */
  host: string
  /** With them the port itself speaks TLS. */
  tls?: CertificateFiles
  /** Whose word counts on where a request comes from, and over what. */
  isProxy?: (address: string) => boolean
  /** Plain HTTP is taken from everybody. */
  plain: boolean
  /** What callers call the service, beside the address itself and the names of loopback. */
  names: readonly string[]
}

const USUAL_HOST = '127.0.0.1'
const EVERYWHERE: readonly string[] = ['0.0.0.0', '::']
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9_-][a-z0-9_.-]*))(:[0-9]{0,5})?$/i

/** Of the API and the console. Throws a sentence that names the variables. */
export function doorFrom(env: Env): Door {
  const tls = filesFrom(env)
  const plain = isOn(env, 'KONTOR_PLAIN_HTTP')
  if (plain && tls !== undefined)
    throw new UsageError('KONTOR_PLAIN_HTTP and KONTOR_TLS_CERTIFICATE exclude each other: set one')
  return safeDoor(env, { host: 'HOST', plain: 'KONTOR_PLAIN_HTTP' }, { tls, plain })
}

/** Of the metrics. On the machine itself they are read over plain HTTP, whatever else is set. */
export function metricsDoorFrom(env: Env): Door {
  const plain = isOn(env, 'KONTOR_METRICS_PLAIN_HTTP')
  const isInside = isLoopback(listenAddress(env, 'KONTOR_METRICS_HOST'))
  const tls = plain || isInside ? undefined : filesFrom(env)
  const variables = { host: 'KONTOR_METRICS_HOST', plain: 'KONTOR_METRICS_PLAIN_HTTP' }
  return safeDoor(env, variables, { tls, plain })
}

function safeDoor(
  env: Env,
  variables: { host: string; plain: string },
  { tls, plain }: { tls: CertificateFiles | undefined; plain: boolean },
): Door {
  const { KONTOR_TRUSTED_PROXIES: proxies, KONTOR_HOSTS: names } = env
  const host = listenAddress(env, variables.host)
  if (!isLoopback(host) && !plain && tls === undefined && !proxies)
    throw new UsageError(
      `${variables.host}=${host} is reached from other machines, and over plain HTTP anybody on ` +
        'the way can read and change what is sent: set KONTOR_TLS_CERTIFICATE and ' +
        'KONTOR_TLS_KEY, or name the proxies that speak HTTPS in KONTOR_TRUSTED_PROXIES, or ask ' +
        `for plain HTTP with ${variables.plain}=on (docs/operations.md, TLS)`,
    )
  return {
    host,
    plain,
    names: namesFrom(names),
    ...(tls === undefined ? {} : { tls }),
    ...(proxies ? { isProxy: proxiesIn(proxies) } : {}),
  }
}

function proxiesIn(list: string): (address: string) => boolean {
  try {
    return addressesIn(list)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new UsageError(`KONTOR_TRUSTED_PROXIES: ${reason}`, { cause: error })
  }
}

/** One address: where a name has several, each would be a server with limits of its own. */
function listenAddress(env: Env, variable: string): string {
  const host = env[variable] || USUAL_HOST
  return host.toLowerCase() === 'localhost' ? USUAL_HOST : host
}

function filesFrom({
  KONTOR_TLS_CERTIFICATE: certificate,
  KONTOR_TLS_KEY: key,
}: Env): CertificateFiles | undefined {
  if (!certificate && !key) return undefined
  if (!certificate || !key)
    throw new UsageError('KONTOR_TLS_CERTIFICATE and KONTOR_TLS_KEY belong together: set both')
  return { certificate, key }
}

function isOn(env: Env, variable: string): boolean {
  const text = env[variable] || 'off'
  if (text !== 'on' && text !== 'off')
    throw new UsageError(`${variable} must be on or off, not ${text}`)
  return text === 'on'
}

function namesFrom(list = ''): string[] {
  const entries = list.split(',').map((entry) => entry.trim())
  return entries
    .filter((entry) => entry !== '')
    .map((entry) => {
      const { name, port } = hostIn(isIPv6(entry) ? `[${entry}]` : entry) ?? {}
      if (name === undefined || port !== undefined)
        throw new UsageError(
          `KONTOR_HOSTS must hold names such as kontor.example.com, without https:// and port, ` +
            `divided by commas, not ${entry}`,
        )
      return name
    })
}

/** What `Host` says, in one spelling; undefined when it is malformed. */
export function hostIn(text: string): { name: string; port: string | undefined } | undefined {
  const [, address, name, port] = HOST.exec(text) ?? []
  if (address !== undefined)
    return isIPv6(address) ? { name: canonicalAddress(address), port } : undefined
  return name === undefined ? undefined : { name: name.toLowerCase().replace(/\.$/, ''), port }
}

/** Where to find the service, as far as it knows itself. */
export function urlOf({ host, tls, names }: Door, port: number): string {
  const own = isLoopback(host) || EVERYWHERE.includes(host) ? 'localhost' : host
  const [name = own] = tls === undefined ? [own] : names
  return `${tls === undefined ? 'http' : 'https'}://${isIPv6(name) ? `[${name}]` : name}:${port}`
}
