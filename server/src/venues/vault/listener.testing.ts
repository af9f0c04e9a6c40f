/** For tests: a server that hands on what it receives, and answers as the test says. */
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, Server } from 'node:http'

export async function listen(
  receive: (body: Buffer, headers: IncomingHttpHeaders) => void,
  answer: (path: string) => { status: number; type: string; text: string } = () => ({
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
        const { status, type, text } = answer(request.url ?? '')
        response
          .writeHead(status, {
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
