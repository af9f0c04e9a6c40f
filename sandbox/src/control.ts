/**
 * The control interface over the whole world, below /control. Parts add their own routes (chain,
 * bank, kraken, fireblocks).
 *   GET    /control            the list of all routes
 *   GET    /control/counts     what each venue received: {venue, operation, reference, count}
 *   GET    /control/faults     the faults that are set
 *   POST   /control/faults     sets one: {venue, operation, kind, remaining?, delay_ms?}
 *   DELETE /control/faults     removes all, or those of ?venue=
 *   GET    /control/clock      world time and pace
 *   POST   /control/clock      {pace?, advance_ms?}
 *   GET    /control/holdings   every holder by the books of every part, and the sums per asset
 */
import type { FastifyInstance } from 'fastify'
import { amount, plain } from './amount.ts'
import type { FaultKind } from './faults.ts'
import type { Part } from './part.ts'
import type { World } from './world.ts'

const KINDS: readonly FaultKind[] = [
  'REFUSE',
  'TIMEOUT_AFTER_ACCEPT',
  'LATE',
  'TWICE',
  'DOWN',
  'CUT',
  'LIMIT',
  'ODD',
]
/** The world is moved from this machine: a page whose own name leads here is somebody else's. */
const HERE = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]+)?$/i
const LONGEST_DELAY_MILLISECONDS = 3_600_000
const FASTEST_PACE = 10_000

const text = { type: 'string', minLength: 1, maxLength: 100 }
const faultSchema = {
  body: {
    type: 'object',
    required: ['venue', 'operation', 'kind'],
    additionalProperties: false,
    properties: {
      venue: text,
      operation: text,
      kind: { enum: KINDS },
      remaining: { type: 'integer', minimum: -1, maximum: 1_000_000, default: 1 },
      delay_ms: { type: 'integer', minimum: 0, maximum: LONGEST_DELAY_MILLISECONDS, default: 0 },
    },
  },
}
const clockSchema = {
  body: {
    type: 'object',
    additionalProperties: false,
    properties: {
      pace: { type: 'number', minimum: 0, maximum: FASTEST_PACE },
      advance_ms: { type: 'integer', minimum: 0, maximum: 366 * 86_400_000 },
    },
  },
}

/** Mounts the routes; call before those of the parts, so that the index sees them all. */
export function mountControl(server: FastifyInstance, world: World, parts: readonly Part[]): void {
  const index: string[] = []
  server.addHook('onRequest', (request, _reply, done) => {
    const isControl = request.routeOptions.url?.startsWith('/control') === true
    if (!isControl || HERE.test(request.headers.host ?? '')) done()
    else done(Object.assign(new Error('the control interface is localhost'), { statusCode: 421 }))
  })
  server.addHook('onRoute', ({ method, url }) => {
    if (url.startsWith('/control') && method !== 'HEAD')
      index.push(...[method].flat().map((name) => `${name} ${url}`))
  })
  const clock = () => ({
    now: world.now(),
    time: new Date(world.now()).toISOString(),
    pace: world.pace(),
  })

  server.get('/control', (_request, reply) => reply.send(index.toSorted()))
  server.get('/control/counts', (_request, reply) => reply.send(world.counts()))

  server.get('/control/faults', (_request, reply) => reply.send(world.faults.list()))
  server.post<{
    Body: { venue: string; operation: string; kind: FaultKind; remaining: number; delay_ms: number }
  }>('/control/faults', { schema: faultSchema }, (request, reply) =>
    reply.send(world.faults.add(request.body)),
  )
  server.delete<{ Querystring: { venue?: string } }>('/control/faults', (request, reply) => {
    world.faults.clear(request.query.venue)
    return reply.send(world.faults.list())
  })

  server.get('/control/clock', (_request, reply) => reply.send(clock()))
  server.post<{ Body: { pace?: number; advance_ms?: number } }>(
    '/control/clock',
    { schema: clockSchema },
    (request, reply) => {
      if (request.body.pace !== undefined) world.setPace(request.body.pace)
      if (request.body.advance_ms !== undefined) world.advance(request.body.advance_ms)
      return reply.send(clock())
    },
  )

  server.get('/control/holdings', (_request, reply) =>
    reply.send(world.commit(() => holdingsOf(parts))),
  )
}

function holdingsOf(parts: readonly Part[]): { holdings: object[]; totals: object[] } {
  const holdings = parts.flatMap((part) =>
    (part.holdings?.() ?? []).map((holding) => ({ part: part.name, ...holding })),
  )
  const sums = new Map<string, bigint>()
  for (const { part, asset, quantity } of holdings)
    sums.set(`${part} ${asset}`, (sums.get(`${part} ${asset}`) ?? 0n) + amount(quantity))
  const totals = Array.from(sums, ([key, sum]) => {
    const [part, asset] = key.split(' ')
    return { part, asset, quantity: plain(sum) }
  })
  return { holdings, totals }
}
