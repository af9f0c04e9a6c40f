/** For tests: a server that hands on what it receives, and answers as the test says. */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'

type Reply = { status: number; type: string; text: string; headers?: Record<string, string> }

export async function listen(
  receive: (body: Buffer, headers: IncomingHttpHeaders) => void,
  answer: (path: string, method: string) => Reply = () => ({
    status: 200,
    type: 'text/plain',
    text: '',
  }),
): Promise<Server> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => {
        receive(Buffer.concat(chunks), request.headers)
        const { status, type, text, headers } = answer(request.url ?? '', request.method ?? '')
        response
          .writeHead(status, {
            ...headers,
            'content-type': type,
            ...(status === 307 && { location: 'http://127.0.0.1:9/' }),
          })
          .end(text)
      })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return server
}
