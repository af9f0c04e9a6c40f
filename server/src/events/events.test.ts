/** The feed and the stream: complete, in order, once; live, resumed, bounded, ended in time. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { permissionsOf } from '../access/permissions.ts'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import { sql } from '../store/sql.ts'
import { openApiDocument } from '../http/index.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { lockLane, publishEvents } from '../ledger/index.ts'
import type { Event } from '../ledger/index.ts'
import { eventsEndpoints, watchEvents } from './index.ts'
import type { EventWatch } from './index.ts'
import { openEventsWorld } from './events.testing.ts'
import type { EventsWorld } from './events.testing.ts'

/** What the document says that each event of the stream is. */
function eventSchemaIn(document: unknown): ReturnType<Ajv2020['compile']> {
  const { components, paths } = document as {
    components: object
    paths: Record<
      string,
      {
        get: {
          responses: Record<string, { content: Record<string, { schema: { $ref: string } }> }>
        }
      }
    >
  }
  const stream = paths['/events/stream']?.get.responses['200']?.content['text/event-stream']
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema({ $id: 'document', components })
  return ajv.compile({ $ref: `document${stream?.schema.$ref}` })
}

type StreamedEvent = { id: string; event: string; data: Event }

describe('events', () => {
  let world: EventsWorld
  let server: TestServer
  let watch: EventWatch
  let port: number
  const live = new Set(['ours', 'theirs', 'guest'])
  let isEvent: ReturnType<Ajv2020['compile']>

  before(async () => {
    world = await openEventsWorld()
    watch = watchEvents({ db: world.db, log: { warn: () => undefined } })
    const endpoints = eventsEndpoints({ db: world.db, events: watch })
    isEvent = eventSchemaIn(openApiDocument(endpoints))
    server = await testServer({
      // What waits for open answers to drain would wait too long for its test.
      drain_ms: 600_000,
      db: world.db,
      clock: world.clock,
      endpoints,
      authenticate(header): Principal {
        const who = header?.slice('Bearer '.length) ?? ''
        if (!live.has(who)) throw new ApiError('MissingToken')
        return {
          workspace: who === 'theirs' ? world.otherWorkspace : world.workspace,
          user_id: newId(),
          session_id: newId(),
          permissions: permissionsOf(who === 'guest' ? [] : ['AUDITOR']),
        }
      },
    })
    await server.server.listen({ port: 0, host: '127.0.0.1' })
    port = (server.server.server.address() as AddressInfo).port
  })
  after(async () => {
    await server.close()
    await watch.close()
    await world.close()
  })

  const read = async (query = '', token = 'ours') =>
    (await server.call<Event[]>('GET', `/events${query}`, { token })).data

  /** A stream as a caller holds it. */
  async function listen(
    query: string,
    { token = 'ours', headers = {} }: { token?: string; headers?: Record<string, string> } = {},
  ) {
    const request = http.get({
      port,
      host: '127.0.0.1',
      path: `/api/events/stream${query}`,
      headers: { authorization: `Bearer ${token}`, ...headers },
      agent: false,
    })
    const [response] = (await once(request, 'response')) as [http.IncomingMessage]
    const stream = {
      text: '',
      ended: false,
      response,
      request,
      events: (): StreamedEvent[] =>
        stream.text
          .split('\n\n')
          .slice(0, -1)
          .flatMap((block) => {
            const lines = new Map(
              block
                .split('\n')
                .map(
                  (line) =>
                    [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const,
                ),
            )
            const data = lines.get('data')
            return data === undefined
              ? []
              : [
                  {
                    id: lines.get('id') ?? '',
                    event: lines.get('event') ?? '',
                    data: JSON.parse(data) as Event,
                  },
                ]
          }),
    }
    response.setEncoding('utf8')
    response
      .on('data', (text: string) => {
        stream.text += text
      })
      .on('close', () => {
        stream.ended = true
      })
      .on('error', () => undefined)
    return stream
  }

  it('reads bookings and other events in one order, without a gap, page after page', async () => {
    await world.publish([world.depositAssigned('1')])
    const booking = await world.book('2.5')
    await world.db.tx(async (tx) => {
      await lockLane(tx, world.workspace)
      await publishEvents({ workspace: world.workspace }, { tx, clock: world.clock }, [
        { type: 'customer.changed', resource_id: world.customer.id, data: { a: 1 } },
        { type: 'customer.deleted', resource_id: world.customer.id, data: { a: 2 } },
      ])
    })
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0
          ? world.book('1')
          : world.publish([world.depositAssigned('1'), world.depositAssigned('2')]),
      ),
    )
    const all = await read()
    assert.deepEqual(
      all.map((event) => event.sequence),
      all.map((_, index) => index + 1),
    )
    assert.equal(all[0]?.type, 'customer.created')
    const own = all.find((event) => event.id === booking)
    assert.deepEqual(
      { type: own?.type, resource_id: own?.resource_id, sequence: own?.data['sequence'] },
      { type: 'booking.created', resource_id: booking, sequence: 1 },
    )
    assert.ok(Array.isArray(own?.data['legs']))
    const paged: Event[] = []
    for (let url: string | undefined = '/events?limit=7&after=3'; url !== undefined;) {
      const answer: Awaited<ReturnType<typeof server.call<Event[]>>> = await server.call<Event[]>(
        'GET',
        url,
        { token: 'ours' },
      )
      paged.push(...answer.data)
      url = /<\/api(.+)>/.exec(String(answer.headers['link'] ?? ''))?.[1]
    }
    assert.deepEqual(paged, all.slice(3))
  })

  it('filters by type and resource, and refuses what it does not know', async () => {
    const types = (await read('?type=customer.deleted,booking.created')).map((event) => event.type)
    assert.deepEqual(new Set(types), new Set(['booking.created', 'customer.deleted']))
    const about = await read(`?resource_id=${world.customer.id}`)
    assert.deepEqual(
      about.map((event) => event.type),
      ['customer.created', 'customer.changed', 'customer.deleted'],
    )
    const unknown = await server.call('GET', '/events?type=customer.eaten', { token: 'ours' })
    const { status, error_code, error_details } = unknown
    assert.deepEqual(
      { status, error_code, path: error_details?.[0]?.path },
      { status: 400, error_code: 3001, path: 'type' },
    )
    assert.equal((await server.call('GET', '/events', { token: 'guest' })).error_code, 1003)
    assert.deepEqual(await read('', 'theirs'), [])
    assert.deepEqual((await read('?newest_first=true')).toReversed(), await read(''))
  })

  it('streams what happens from now on, and nothing of another workspace', async () => {
    const ours = await listen('')
    const theirs = await listen('', { token: 'theirs' })
    await until(
      'both streams are open',
      () => ours.text.startsWith(':') && theirs.text.startsWith(':'),
    )
    assert.equal(ours.response.headers['content-type'], 'text/event-stream; charset=utf-8')
    const before = (await read()).length
    const booking = await world.book('3')
    await world.publish([world.depositAssigned('4')])
    await until('two events have arrived', () => ours.events().length >= 2)
    for (const frame of ours.text.split('\n\n').filter((frame) => !/^(:|$)/.test(frame)))
      assert.match(frame, /^id: .*\nevent: .*\ndata: \{/m, 'a frame is a comment or an event')
    assert.deepEqual(
      ours.events().map(({ id, event }) => ({ id, event })),
      [
        { id: String(before + 1), event: 'booking.created' },
        { id: String(before + 2), event: 'deposit.assigned' },
      ],
    )
    assert.equal(ours.events()[0]?.data.id, booking)
    for (const { data } of ours.events())
      assert.ok(isEvent(data), `${JSON.stringify(data)} ${JSON.stringify(isEvent.errors)}`)
    assert.deepEqual(
      ours.events().map((event) => event.data),
      await read(`?after=${before}`),
    )
    assert.deepEqual(theirs.events(), [])
    ours.request.destroy()
    theirs.request.destroy()
  })

  it('goes on after Last-Event-ID, each event once, in order', async () => {
    const all = await read()
    const first = await listen('?after=0')
    await until('all have arrived', () => first.events().length === all.length)
    first.request.destroy()
    await world.publish([world.depositAssigned('5')])
    const again = await listen('?after=0', { headers: { 'last-event-id': String(all.length - 1) } })
    await until('the rest has arrived', () => again.events().length === 2)
    assert.deepEqual(
      again.events().map((event) => Number(event.id)),
      [all.length, all.length + 1],
    )
    again.request.destroy()
    const wrong = await server.call('GET', '/events/stream', {
      token: 'ours',
      headers: { 'last-event-id': 'x' },
    })
    assert.equal(wrong.status, 400)
    assert.equal(wrong.error_code, 3001)
  })

  it('streams only the types of its filter, and goes on from where it has looked', async () => {
    const some = await listen('?type=account.overdrawn')
    await until('the stream is open', () => some.text.startsWith(':'))
    await world.book('1')
    await world.publish([{ type: 'account.overdrawn', resource_id: newId(), data: {} }])
    await until('one has arrived', () => some.events().length === 1)
    assert.equal(some.events()[0]?.event, 'account.overdrawn')
    some.request.destroy()
  })

  it('holds back for a reader who does not read', async () => {
    const large = 'x'.repeat(50_000)
    const slow = await listen('')
    await until('the stream is open', () => slow.text.startsWith(':'))
    slow.response.pause()
    for (let index = 0; index < 40; index += 1)
      await world.publish(
        Array.from({ length: 20 }, () => ({
          type: 'account.overdrawn' as const,
          resource_id: newId(),
          data: { large },
        })),
      )
    const last = (await read('?type=account.overdrawn')).at(-1)?.sequence
    slow.response.resume()
    await until('everything arrives', () => Number(slow.events().at(-1)?.id) === last)
    const ids = slow.events().map((event) => Number(event.id))
    assert.deepEqual(
      ids,
      ids.map((_, index) => (ids[0] ?? 0) + index),
    )
    slow.request.destroy()
  })

  it('waits for news also after the database was set back', async () => {
    const setTo = (sequence: number) =>
      world.db.query(sql`
        update lanes
        set event_sequence = ${sequence}
        where workspace = ${world.workspace}`)
    const staying = new AbortController().signal
    const head = (await read('?limit=1000')).at(-1)?.sequence ?? 0
    await watch.waitForNews(world.workspace, head - 1, 60_000, staying)
    await setTo(head - 5)
    try {
      await until('who waits behind the old head is not woken at once', async () => {
        const start = performance.now()
        await watch.waitForNews(world.workspace, head - 2, 300, staying)
        return performance.now() - start >= 300
      })
    } finally {
      await setTo(head)
    }
  })

  it('ends with its session', async () => {
    live.add('short')
    const stream = await listen('', { token: 'short' })
    await until('the stream is open', () => stream.text.startsWith(':'))
    live.delete('short')
    await until('the stream has ended', () => stream.ended)
    assert.equal((await server.call('GET', '/events/stream', { token: 'short' })).error_code, 1001)
  })

  it('ends at once when the server ends', { timeout: 60_000 }, async () => {
    const stream = await listen('')
    await until('the stream is open', () => stream.text.startsWith(':'))
    await server.close()
    await until('the stream has ended', () => stream.ended)
  })
})
