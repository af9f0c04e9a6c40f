import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import Fastify from 'fastify'
import type { FastifyInstance } from 'fastify'
import { manualClock } from './core/clock.ts'
import { ApiError } from './core/errors.ts'
import { newId } from './core/ids.ts'
import type { WorkspaceId } from './core/ids.ts'
import { until } from './core/testing.ts'
import { useTracing } from './core/tracing.ts'
import { settingsFrom } from './environment.ts'
import { createFirstUser } from './access/index.ts'
import { traceRequests } from './http/traced-requests.ts'
import { openBooks, openLane } from './ledger/index.ts'
import { sql } from './store/sql.ts'
import { runTasks } from './store/task-runner.ts'
import { putTasks } from './store/tasks.ts'
import { testDatabase } from './store/testing.ts'
import { openTraces } from './traces.ts'
import type { Traces } from './traces.ts'
import type { Venue } from './venues/index.ts'
import { tracedVenue } from './venues/traced.ts'
import { callReceiver } from './core/calling.ts'

const { db, drop } = await testDatabase({ maximumConnections: 3 })
const clock = manualClock(Date.UTC(2027, 0, 1))
const SECRET = 'hidden4711'

type Attribute = { key: string; value: { stringValue?: string; intValue?: number } }
type SentSpan = {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  kind: number
  status: { code?: number }
  attributes: Attribute[]
}
type Sent = { resourceSpans: { resource: object; scopeSpans: { spans: SentSpan[] }[] }[] }

/** A collector, and whoever else is called: what they were sent. */
const bodies: string[] = []
const calls: IncomingMessage[] = []
const collector = createServer((request, response) => {
  let text = ''
  request.on('data', (piece) => (text += piece))
  request.on('end', () => {
    if (request.url === '/v1/traces') bodies.push(text)
    else calls.push(request)
    response.setHeader('content-type', 'application/json').end('{}')
  })
})
let traces: Traces
let server: FastifyInstance

before(async () => {
  collector.listen(0, '127.0.0.1')
  await once(collector, 'listening')
  const { traces: wanted } = settingsFrom({
    DATABASE_URL: 'postgres://x',
    OTEL_EXPORTER_OTLP_ENDPOINT: addressOfCollector(),
  })
  const warned: object[] = []
  const log = { warn: (fields: object) => void warned.push(fields) }
  traces = openTraces({ ...(wanted ?? assert.fail()), role: 'all', log })
  useTracing(traces)
  server = Fastify({ genReqId: () => 'request-1' })
  traceRequests(server, traces)
})
after(async () => {
  useTracing(undefined)
  collector.close()
  await drop()
})

const addressOfCollector = (): string =>
  `http://127.0.0.1:${(collector.address() as AddressInfo).port}`

const spansSent = (): SentSpan[] =>
  bodies.flatMap((body) =>
    (JSON.parse(body) as Sent).resourceSpans.flatMap(({ scopeSpans }) =>
      scopeSpans.flatMap(({ spans }) => spans),
    ),
  )

const attributesOf = ({ attributes }: SentSpan): Record<string, unknown> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  )

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const CALLER = 'b7ad6b7169203331'

/** A commit, a call of a venue and a call of a webhook, as an endpoint or a task does them. */
async function work(workspace: WorkspaceId): Promise<void> {
  const lane = openLane(db, clock)
  await lane.commit({ workspace, class: 'fact', by: 'test' })
  await lane.close()
  const venue = {
    kind: 'BANK',
    balances: async () => [],
    transfers: {
      send: async () => Promise.reject(new ApiError('VenueUnreachable', SECRET)),
    },
    budget: () => ({ used: 0, waiting: 0 }),
  } as unknown as Venue
  const traced = tracedVenue(venue, { 'kontor.venue': 'v1' }, traces)
  await traced.balances()
  assert.deepEqual(traced.budget?.(), { used: 0, waiting: 0 })
  await assert.rejects(async () => traced.transfers?.send({} as never))
  await callReceiver(
    { url: `${addressOfCollector()}/hook`, headers: {}, body: SECRET },
    { rules: { isAllowed: () => true, plain: true, variable: '' } },
  )
}

/** Answers whose task it was. */
async function runTask(workspace: WorkspaceId): Promise<string> {
  const subject_id = newId()
  let ran = false
  const runner = runTasks(db, clock, {
    handlers: {
      snapshot_venue: async () => {
        await work(workspace)
        ran = true
        return 'done'
      },
    },
    onError: (_task, error) => assert.fail(String(error)),
  })
  await db.tx((tx) =>
    putTasks(tx, [{ workspace, kind: 'snapshot_venue', subject_id, due_at: clock.now() }]),
  )
  runner.wake()
  await until('the task has run', () => ran)
  await runner.stop()
  return subject_id
}

test('requests, commits, tasks and calls are spans, and do not tell what is said', async () => {
  await createFirstUser(db, clock, { email: `${SECRET}@example.com`, password: SECRET.repeat(2) })
  const [main] = await db.query<{ id: WorkspaceId }>(sql`
    select id
    from workspaces`)
  const { id: workspace } = main ?? assert.fail()
  await db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock }))
  server.post('/api/things/:id', async () => work(workspace))
  server.get('/api/broken', async () => Promise.reject(new Error(SECRET)))
  await server.listen({ port: 0, host: '127.0.0.1' })
  const url = `http://127.0.0.1:${(server.server.address() as AddressInfo).port}/api`
  const headers = { 'content-type': 'application/json', authorization: SECRET }
  const traceparent = `00-${TRACE}-${CALLER}-01`
  const post = { method: 'POST', headers: { ...headers, traceparent }, body: `{"x":"${SECRET}"}` }
  assert.equal((await fetch(`${url}/things/${SECRET}?token=${SECRET}`, post)).status, 200)
  assert.equal((await fetch(`${url}/broken`, { headers: { traceparent: 'nonsense' } })).status, 500)
  const subject_id = await runTask(workspace)
  await server.close()
  await traces.close()

  const spans = spansSent()
  const named = (wanted: string): SentSpan =>
    spans.find(({ name }) => name === wanted) ?? assert.fail(wanted)
  const request = named('POST /api/things/:id')
  assert.deepEqual([request.traceId, request.parentSpanId], [TRACE, CALLER])
  assert.deepEqual(attributesOf(request), {
    'http.request.method': 'POST',
    'http.route': '/api/things/:id',
    'kontor.request_id': 'request-1',
    'http.response.status_code': 200,
  })
  const task = named('task snapshot_venue')
  assert.equal(attributesOf(task)['kontor.subject'], subject_id)
  assert.notEqual(task.traceId, TRACE)
  for (const parent of [request, task]) {
    const inside = spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId)
    assert.deepEqual(inside.map(({ name }) => name).toSorted(), [
      'lane commit',
      'venue balances',
      'venue transfers.send',
    ])
    const failed = inside.find(({ name }) => name === 'venue transfers.send') ?? assert.fail()
    assert.deepEqual(
      [
        failed.status.code,
        attributesOf(failed)['error.type'],
        attributesOf(failed)['kontor.venue'],
      ],
      [2, 'VenueUnreachable', 'v1'],
    )
  }
  const broken = named('GET /api/broken')
  assert.deepEqual([broken.status.code, broken.parentSpanId], [2, undefined])
  assert.deepEqual(
    calls.map(({ headers: sent }) => sent['traceparent']),
    [request, task].map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`),
  )
  assert.match(bodies.join(), /"service\.name".*"kontor"/)
  assert.ok(!bodies.join().includes(SECRET), 'no secret and nobody is named')
})

test('without a collector nothing of it is loaded, and a wrong address is refused', async () => {
  assert.equal(settingsFrom({ DATABASE_URL: 'postgres://x' }).traces, undefined)
  const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318', OTEL_TRACES_SAMPLER_ARG: '2' }
  assert.throws(
    () => settingsFrom({ DATABASE_URL: 'postgres://x', ...wrong }),
    /OTEL_EXPORTER_OTLP_ENDPOINT must be an address/,
  )
  const main = await readFile(new URL('main.ts', import.meta.url), 'utf8')
  assert.match(main, /await import\('\.\/traces\.ts'\)/)
  assert.match(main, /^import type \{ Traces \} from '\.\/traces\.ts'$/m)
})
