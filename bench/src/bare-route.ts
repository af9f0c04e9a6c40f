/**
 * A Fastify route that answers BENCH_ANSWER, a whole answer with its head, at BENCH_PATH; says its
 * port and ends with its standard input.
 */
import Fastify from 'fastify'

/** Written by the runtime itself or by Fastify. */
const OWN = new Set(['content-length', 'date', 'connection', 'keep-alive'])

const { BENCH_ANSWER: answer = '', BENCH_PATH: path = '/' } = process.env
const [head = '', body = ''] = answer.split('\r\n\r\n')
const headers = Object.fromEntries(
  head
    .split('\r\n')
    .slice(1)
    .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const)
    .filter(([name]) => !OWN.has(name.toLowerCase())),
)
const server = Fastify({ forceCloseConnections: true })
server.get(path, (_request, reply) => reply.headers(headers).send(body))
await server.listen({ host: '127.0.0.1', port: 0 })
const address = server.server.address()
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
process.stdin
  .on('end', () => {
    process.exit(0)
  })
  .resume()
process.on('SIGTERM', () => {
  process.exit(0)
})
