/** Every answer of the service as the runtime writes it: with the security headers, and with what it answers. */
import { ServerResponse } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { SECURITY_HEADERS } from './security-headers.ts'

type Headers = Readonly<Record<string, unknown>> | readonly unknown[] | null | undefined

declare module 'http' {
  interface OutgoingMessage {
    /** Where the runtime makes the head one text. Not in its documents: one that has it no more is refused below. */
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

export class Answer<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  /** What is answered and since when it is asked. */
  received: { request: FastifyRequest; at: number } | undefined = undefined

  /** As a text that is ready: checked and put together one by one for each answer, they cost a tenth of a small request. */
  override _storeHeader(firstLine: string, headers: Headers): void {
    const hasPolicy = typeof headers === 'object' && headers !== null && POLICY in headers
    super._storeHeader(firstLine + (hasPolicy ? OTHERS : ALL), headers)
  }
}
