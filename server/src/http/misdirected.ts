/**
 * Requests that are not for us, or have not come as they must (RFC 9110, part 7.4). A page of
 * somebody else's can make its own name lead to our address (DNS rebinding), and what came over
 * plain HTTP from another machine was open to all on the way.
 */
import type { IncomingMessage } from 'node:http'
import type { TLSSocket } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { ApiError, refuse } from '../core/errors.ts'
import { canonicalAddress, isLoopback } from '../core/networks.ts'
import type { Answer } from './answer.ts'
import { hostIn } from './door.ts'
import type { Door } from './door.ts'
import { isHealthProbe } from './probes.ts'

type Arrival = {
  /** Nobody could read it on the way from its sender. */
  https: boolean
  /** It was sent to a name that operators gave the service, and that is its own. */
  named: boolean
}

/** Throws what refuses the request. */
export type Receive = (request: IncomingMessage) => Arrival

declare module 'fastify' {
  interface FastifyRequest {
    https: boolean
  }
}

const LOOPBACK_NAMES: readonly string[] = ['localhost', '127.0.0.1', '::1']
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i
const FORWARDED: readonly string[] = ['x-forwarded-proto', 'x-forwarded-for', 'forwarded']
const SHOWN_CHARACTERS = 100

/** Health probes are answered all the same: a load balancer has names and ways of its own. */
export function refuseMisdirected(server: FastifyInstance, door: Door): void {
  const receive = receiverOf(door)
  server.decorateRequest('https', false)
  server.addHook('onRequest', (request, reply, done) => {
    try {
      const { https, named } = receive(request.raw)
      request.https = https
      ;(reply.raw as Answer).isStrict = https && named
    } catch (error) {
      if (!isHealthProbe(request.routeOptions.url)) throw error
    }
    done()
  })
}

export function receiverOf(door: Door): Receive {
  const known = new Set([...LOOPBACK_NAMES, ...door.names])
  // Of a name that many programs of a machine share, a rule for one would bind all of them.
  const given = new Set(door.names.filter((name) => !LOOPBACK_NAMES.includes(name)))
  const takesPlain = door.plain || (isLoopback(door.host) && door.isProxy === undefined)
  return (request) => {
    const name = nameOf(request)
    if (!known.has(name) && name !== canonicalAddress(request.socket.localAddress ?? ''))
      throw new ApiError('Misdirected', `${shown(name)} is no name of this service (KONTOR_HOSTS)`)
    const https = isHttps(request, door)
    if (!https && !takesPlain) assertInside(request, door)
    return { https, named: given.has(name) }
  }
}

/** The one host that the request names, wherever it does. */
function nameOf({ headers: { host = '' }, rawHeaders, url = '' }: IncomingMessage): string {
  // The runtime takes the first of several, and a proxy before us perhaps the last.
  if (rawHeaders.filter(isHostField).length > 1)
    throw refuse('DUPLICATE', 'Host', 'the request names its host several times')
  const [, target] = url.startsWith('/') ? [] : (ABSOLUTE.exec(url) ?? [])
  const name = hostIn(host)?.name
  if (name === undefined || (target !== undefined && hostIn(target)?.name !== name))
    throw refuse('FORMAT', 'Host', 'the request does not name one host as HTTP demands')
  return name
}

const isHostField = (text: string, at: number): boolean =>
  at % 2 === 0 && text.length === 'host'.length && text.toLowerCase() === 'host'

/** What a trusted proxy says counts, also where it speaks TLS with us itself. */
function isHttps(
  { headers: { 'x-forwarded-proto': said }, socket }: IncomingMessage,
  { isProxy }: Door,
): boolean {
  if (said !== undefined && isProxy?.(socket.remoteAddress ?? '') === true)
    return String(said)
      .split(',')
      .every((protocol) => protocol.trim().toLowerCase() === 'https')
  return (socket as Partial<TLSSocket>).encrypted === true
}

/** Plain HTTP is for programs of this machine, and not for what a proxy hands on. */
function assertInside({ headers, socket }: IncomingMessage, { isProxy }: Door): void {
  const { remoteAddress = '' } = socket
  const isOfProxy = isProxy?.(remoteAddress) === true
  const isHandedOn = isOfProxy && FORWARDED.some((field) => headers[field] !== undefined)
  if (isLoopback(remoteAddress) && !isHandedOn) return
  throw new ApiError(
    'Misdirected',
    isOfProxy
      ? 'the proxy does not say that the request came over HTTPS (X-Forwarded-Proto)'
      : 'this service is asked over HTTPS',
  )
}

const shown = (name: string): string => name.slice(0, SHOWN_CHARACTERS)
