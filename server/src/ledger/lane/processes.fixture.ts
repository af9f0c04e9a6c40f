/**
 * For tests: the service as processes of their own on one database, killed and ended as an operator
 * would.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import http from 'node:http'
import { createInterface } from 'node:readline'

type Reply = {
  status: number
  body: { success: boolean; data: Record<string, unknown>; error_code?: number }
}

export type Service = {
  /** Rejects when the connection ends before the whole answer is there. */
  call(
    method: 'GET' | 'POST',
    path: string,
    options?: { token?: string; body?: unknown; key?: string },
  ): Promise<Reply>
  port: number
  signal(name: 'SIGTERM' | 'SIGKILL'): void
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | string | null>
}

const MAIN = new URL('../../main.ts', import.meta.url).pathname
export const ADMIN = { email: 'admin@kontor.test', password: 'correct horse battery staple' }

export async function startService(database_url: string): Promise<Service> {
  const child = spawn(process.execPath, [MAIN], {
    env: {
      ...process.env,
      DATABASE_URL: database_url,
      PORT: '0',
      LOG_LEVEL: 'fatal',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(
    ([code, signal]: (number | string | null)[]) => code ?? signal ?? null,
  )
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.startsWith('{"ready":true')) return (JSON.parse(line) as { port: number }).port
    throw new Error('the service ended before it was ready')
  })()
  const port = await ready
  const agent = new http.Agent({ keepAlive: true, maxSockets: 64 })
  return {
    port,
    signal: (name) => {
      child.kill(name)
    },
    ended,
    call: (method, path, { token, body, key } = {}) =>
      new Promise((resolve, reject) => {
        const request = http.request(
          {
            port,
            agent,
            method,
            path: `/api${path}`,
            headers: {
              'content-type': 'application/json',
              ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
              ...(key === undefined ? {} : { 'idempotency-key': key }),
            },
          },
          (response) => {
            const parts: Buffer[] = []
            response.on('data', (part: Buffer) => parts.push(part))
            response.on('error', reject)
            response.on('end', () => {
              try {
                resolve({
                  status: response.statusCode ?? 0,
                  body: JSON.parse(Buffer.concat(parts).toString()) as Reply['body'],
                })
              } catch (error) {
                reject(error as Error)
              }
            })
          },
        )
        request.on('error', reject)
        request.end(body === undefined ? undefined : JSON.stringify(body))
      }),
  }
}
