/** For tests: a receiver over HTTPS that does to each request what a test says. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { selfSigned } from '../http/certificates.testing.ts'
import type { TargetRules } from '../core/targets.ts'

type Received = {
  path: string
  headers: IncomingMessage['headers']
  body: string
  /** Of the body. */
  event: { id: string; type: string; sequence: number; resource_id: string; data: object }
}

type Behaviour = (
  response: ServerResponse,
  received: Received,
  request: IncomingMessage,
) => void | Promise<void>

/** With this status and nothing else. */
export const answering =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end()
  }

export class Receiver {
  readonly received: Received[] = []
  /** By path; 204 for any other. */
  readonly behaviours = new Map<string, Behaviour>()
  readonly #server
  readonly #sockets = new Set<Socket>()
  readonly cert: string

  static async open(): Promise<Receiver> {
    const receiver = new Receiver()
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  private constructor() {
    const pair = selfSigned(['receiver.test', 'localhost', '127.0.0.1'])
    this.cert = pair.cert
    this.#server = createServer(pair, (request, response) => {
      void this.#take(request, response)
    })
    // What a client breaks off is a client's own.
    this.#server.on('tlsClientError', () => undefined)
    this.#server.on('clientError', () => undefined)
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  url(path = '/'): string {
    return `https://127.0.0.1:${this.port}${path}`
  }

  /** It may be called, and its certificate counts. */
  get rules(): TargetRules {
    return {
      isAllowed: (address) => address === '127.0.0.1',
      plain: false,
      variable: 'KONTOR_WEBHOOK_NETWORKS',
      ca: this.cert,
    }
  }

  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path)
  }

  reset(): void {
    this.received.length = 0
    this.behaviours.clear()
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    const body = Buffer.concat(parts).toString()
    const path = request.url ?? ''
    const event = JSON.parse(body || '{}') as Received['event']
    const received = { path, headers: request.headers, body, event }
    this.received.push(received)
    const behave = this.behaviours.get(path) ?? answering(204)
    await behave(response, received, request)
  }
}

/** As a receiver checks it, written from the text of the standard. */
export function isSignedBy(secret: string, { headers, body }: Received): boolean {
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  const wanted = createHmac('sha256', key).update(signed).digest()
  return String(headers['webhook-signature'])
    .split(' ')
    .filter((one) => one.startsWith('v1,'))
    .map((one) => Buffer.from(one.slice('v1,'.length), 'base64'))
    .some((given) => given.length === wanted.length && timingSafeEqual(given, wanted))
}
