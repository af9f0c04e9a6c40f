/**
 * Every answer of the service as the runtime writes it: with the security headers, and with the
 * request that it answers.
 */
import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { SECURITY_HEADERS, STRICT_TRANSPORT } from './security-headers.ts'

type Headers = Readonly<Record<string, unknown>> | readonly unknown[] | null | undefined

declare module 'http' {
  interface OutgoingMessage {
    /**
     * Where the runtime makes the head one text. Its documents do not name this method, so a
     * runtime without it is refused below.
     */
    _storeHeader(firstLine: string, headers: Headers): void
  }
}

if (typeof ServerResponse.prototype._storeHeader !== 'function')
  throw new Error(
    `Node ${process.version} writes heads in another way than the security headers are added in`,
  )

const POLICY = 'content-security-policy'
const { [POLICY]: policy = '', ...others } = SECURITY_HEADERS
const OTHERS = Object.entries(others)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('')
const ALL = `${POLICY}: ${policy}\r\n${OTHERS}`
const STRICT = `strict-transport-security: ${STRICT_TRANSPORT}\r\n`

export class Answer<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** The request, and when it came. */
  received: { request: FastifyRequest; at: number } | undefined = undefined
  /** Tells a browser to ask this host over HTTPS alone. */
  isStrict = false

  /**
   * Adds the id of the request, and the security headers as one text that is ready: set one by one
   * for each answer, they cost a tenth of a small request.
   */
  override _storeHeader(firstLine: string, headers: Headers): void {
    const hasPolicy = typeof headers === 'object' && headers !== null && POLICY in headers
    const secure = hasPolicy ? OTHERS : ALL
    const id = this.received === undefined ? '' : `x-request-id: ${this.received.request.id}\r\n`
    super._storeHeader(firstLine + id + (this.isStrict ? secure + STRICT : secure), headers)
  }
}
