/** Requests as an attacker sends them: whatever they hold, from any address of this machine. */
import { once } from 'node:events'
import http from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export type Ask = {
  method: string
  /** As it stands in the first line of the request. */
  path: string
  token?: string | undefined
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is. */
  payload?: string | Buffer
  headers?: Readonly<Record<string, string>>
  /** The address that it comes from. */
  from?: string
}

export type Answer = {
  status: number
  text: string
  headers: http.IncomingHttpHeaders
  ms: number
}

type Envelope<Data> = { success: boolean; data: Data; error_code?: number }

const HOME_ADDRESS = '127.0.0.1'
const SOCKETS = 64
const PATIENCE_MILLISECONDS = 120_000

export class AttackClient {
  readonly port: number
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: SOCKETS })

  constructor(port: number) {
    this.port = port
  }

  /** Throws when there is no answer at all. */
  async ask({ method, path, token, body, payload, headers, from }: Ask): Promise<Answer> {
    const content = payload ?? (body === undefined ? undefined : JSON.stringify(body))
    const start = performance.now()
    const request = http.request({
      port: this.port,
      host: HOME_ADDRESS,
      agent: this.#agent,
      method,
      path,
      localAddress: from ?? HOME_ADDRESS,
      timeout: PATIENCE_MILLISECONDS,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(content === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(content) }),
        ...headers,
      },
    })
    request.on('timeout', () => request.destroy(new Error(`${method} ${path}: no answer`)))
    request.end(content)
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const parts: Buffer[] = []
    for await (const part of response) parts.push(part as Buffer)
    return {
      status: response.statusCode ?? 0,
      text: Buffer.concat(parts).toString(),
      headers: response.headers,
      ms: performance.now() - start,
    }
  }

  /** A connection on which this is sent, and which stays open. */
  open(text: string | Buffer, from = HOME_ADDRESS): Socket {
    const socket = this.#connect(from)
    socket.once('connect', () => socket.write(text))
    return socket
  }

  /** All that comes back; nothing is sent after this. */
  async raw(text: string | Buffer, from = HOME_ADDRESS): Promise<string> {
    const socket = this.#connect(from)
    socket.once('connect', () => socket.end(text))
    return told(socket)
  }

  #connect(localAddress: string): Socket {
    const socket = connect({ port: this.port, host: HOME_ADDRESS, localAddress })
    return socket.on('error', () => undefined)
  }

  close(): void {
    this.#agent.destroy()
  }
}

/** Also when it was closed with an error. */
export function closed(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve()
  return new Promise((resolve) => {
    socket.once('close', () => {
      resolve()
    })
  })
}

export async function told(socket: Socket): Promise<string> {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  await closed(socket)
  return Buffer.concat(parts).toString('latin1')
}

/** Undefined where the answer is not the envelope. */
export function envelopeOf<Data = unknown>({ text }: Answer): Envelope<Data> | undefined {
  try {
    const parsed = JSON.parse(text) as Envelope<Data> | null
    return typeof parsed?.success === 'boolean' ? parsed : undefined
  } catch {
    return undefined // as it is said above
  }
}

export const codeOf = (answer: Answer): number | undefined => envelopeOf(answer)?.error_code

export const shown = ({ method, path }: Ask, { status, text }: Answer): string =>
  `${method} ${path.slice(0, 120)} → ${status} ${text.slice(0, 200)}`
