/** For tests: a service on a real socket that answers as the test says. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TestContext } from 'node:test'

type Got = {
  /** E.g. `GET /api/bookings`. */
  line: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: unknown
  /** How many came before on this line. */
  nth: number
}

type Script = (got: Got, response: ServerResponse) => unknown

export type Scripted = { base_url: string; requests: Got[]; count(line: string): number }

/** Ends with the test. */
export async function scripted(t: TestContext, script: Script): Promise<Scripted> {
  const requests: Got[] = []
  const count = (line: string) => requests.filter((request) => request.line === line).length
  const server = createServer((request, response) => {
    text(request).then((body) => {
      const url = new URL(request.url ?? '/', 'http://kontor')
      const line = `${request.method} ${url.pathname}`
      const got: Got = {
        line,
        query: url.searchParams,
        headers: request.headers,
        body: body === '' ? undefined : JSON.parse(body),
        nth: count(line),
      }
      requests.push(got)
      script(got, response)
    }, response.destroy.bind(response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { base_url: `http://127.0.0.1:${port}`, requests, count }
}

export function answer(
  response: ServerResponse,
  data: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(200, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify({ success: true, data }))
}

export function refuse(
  response: ServerResponse,
  [status, error_code]: readonly [number, number],
  headers: Record<string, string> = {},
  details: readonly object[] = [],
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'x-request-id': 'of-header',
    ...headers,
  })
  const error_message = `message of ${error_code}`
  response.end(
    JSON.stringify({ success: false, error_code, error_message, error_details: details }),
  )
}

/** What the work threw. Throws when it did not. */
export async function thrownBy(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    (value) => {
      throw new Error(`nothing was thrown, but answered: ${JSON.stringify(value)}`)
    },
    (thrown: unknown) => thrown,
  )
}
