/** A Fastify route that answers BENCH_BODY at BENCH_PATH; says its port and ends with its standard input. */
import Fastify from 'fastify'

const { BENCH_BODY: body = '', BENCH_PATH: path = '/' } = process.env
const server = Fastify({ forceCloseConnections: true })
server.get(path, (_request, reply) => reply.header('content-type', 'application/json; charset=utf-8').send(body))
await server.listen({ host: '127.0.0.1', port: 0 })
const address = server.server.address()
process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`)
process.stdin.on('end', () => { process.exit(0) }).resume()
process.on('SIGTERM', () => { process.exit(0) })
