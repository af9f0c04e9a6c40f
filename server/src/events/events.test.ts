/** The feed and the stream: complete, in order, once; live, resumed, bounded, ended in time. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { ApiError } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import { until } from '../core/testing.ts'
import type { Principal } from '../http/index.ts'
import { testServer } from '../http/testing.ts'
import type { TestServer } from '../http/testing.ts'
import { eventsAfter, lockLane, publishEvents } from '../ledger/index.ts'
import type { Event } from '../ledger/index.ts'
import { sql, statement } from '../store/sql.ts'
import { eventsEndpoints, watchEvents } from './index.ts'
import type { EventWatch } from './index.ts'
import { openPlace } from './events.testing.ts'

type Told = { id: string; event: string; data: Event }

describe('events', () => {
  let place: Awaited<ReturnType<typeof openPlace>>
  let server: TestServer
  let watch: EventWatch
  let port: number
  const live = new Set(['ours', 'theirs', 'guest'])

  before(async () => {
    place = await openPlace()
    watch = watchEvents({ db: place.db, log: { warn: () => undefined } })
    server = await testServer({
      // What waits for open answers to drain would wait too long for its test.
      drain_ms: 600_000,
      db: place.db,
      clock: place.clock,
      endpoints: eventsEndpoints({ db: place.db, events: watch }),
      authenticate(header): Principal {
        const who = header?.slice('Bearer '.length) ?? ''
        if (!live.has(who)) throw new ApiError('MissingToken')
        return {
          workspace: who === 'theirs' ? place.elsewhere : place.workspace,
          user_id: newId(),
          session_id: newId(),
          permissions: new Set(who === 'guest' ? [] : ['events.read', 'customers.read']),
        }
      },
    })
    await server.server.listen({ port: 0, host: '127.0.0.1' })
    port = (server.server.server.address() as AddressInfo).port
  })
  after(async () => {
    await server.close()
    await watch.close()
    await place.close()
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
    const got = {
      text: '',
      ended: false,
      response,
      request,
      told: (): Told[] =>
        got.text
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
        got.text += text
      })
      .on('close', () => {
        got.ended = true
      })
      .on('error', () => undefined)
    return got
  }

  it('reads bookings and told events as one, in order, without a gap, page after page', async () => {
    await place.tell([place.assigned('1')])
    const booking = await place.book('2.5')
    await place.db.tx(async (tx) => {
      await lockLane(tx, place.workspace)
      await publishEvents({ workspace: place.workspace }, { tx, clock: place.clock }, [
        { type: 'customer.changed', resource_id: place.customer.id, data: { a: 1 } },
        { type: 'customer.deleted', resource_id: place.customer.id, data: { a: 2 } },
      ])
    })
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        index % 2 === 0 ? place.book('1') : place.tell([place.assigned('1'), place.assigned('2')]),
      ),
    )
    const all = await read()
    assert.deepEqual(
      all.map((each) => each.sequence),
      all.map((_, index) => index + 1),
    )
    assert.equal(all[0]?.type, 'customer.created')
    const own = all.find((each) => each.id === booking)
    assert.deepEqual(
      [own?.type, own?.resource_id, own?.data['sequence'], Array.isArray(own?.data['legs'])],
      ['booking.created', booking, 1, true],
    )
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
    const types = (await read('?type=customer.deleted,booking.created')).map((each) => each.type)
    assert.deepEqual(
      [types.includes('customer.deleted'), types.includes('booking.created'), new Set(types).size],
      [true, true, 2],
    )
    const about = await read(`?resource_id=${place.customer.id}`)
    assert.deepEqual(
      about.map((each) => each.type),
      ['customer.created', 'customer.changed', 'customer.deleted'],
    )
    const unknown = await server.call('GET', '/events?type=customer.eaten', { token: 'ours' })
    assert.deepEqual(
      [unknown.status, unknown.error_code, unknown.error_details?.[0]?.path],
      [400, 3001, 'type'],
    )
    assert.equal((await server.call('GET', '/events', { token: 'guest' })).error_code, 1003)
    assert.deepEqual(await read('', 'theirs'), [])
    assert.deepEqual((await read('?newest_first=true')).toReversed(), await read(''))
  })

  it('reads each page from the indexes alone', async () => {
    for (const filter of [
      { after: 5 },
      { after: 5, type: ['deposit.assigned', 'booking.created'] as const },
      { resource_id: newId() },
      { newest_first: true },
      { newest_first: true, type: ['deposit.assigned', 'booking.created'] as const },
    ]) {
      const { select, conditions, key } = eventsAfter(place.db, place.workspace, filter)
      const { text, values } = statement(
        sql`${select} where ${conditions.reduce((all, condition) => sql`${all} and ${condition}`)} order by ${{ strings: [`${key.column} ${key.order === undefined ? 'desc' : 'asc'}`], values: [] }} limit ${10}`,
      )
      const client = await place.db.connect()
      try {
        await client.query('set enable_seqscan = off')
        await client.query('set enable_sort = off')
        const plan = (await client.query(`explain (costs off) ${text}`, values)).rows
          .map((row: Record<string, string>) => row['QUERY PLAN'])
          .join('\n')
        assert.doesNotMatch(plan, /Seq Scan|-> {2}Sort\b|^ *Sort *$|Incremental Sort/m, plan)
      } finally {
        await client.end()
      }
    }
  })

  it('tells live what happens from now on, also what another process tells, and nothing of another workspace', async () => {
    const ours = await listen('')
    const theirs = await listen('', { token: 'theirs' })
    await until(
      'both streams are open',
      () => ours.text.includes('retry') && theirs.text.includes('retry'),
    )
    assert.equal(ours.response.headers['content-type'], 'text/event-stream; charset=utf-8')
    const before = (await read()).length
    const booking = await place.book('3')
    await place.tell([place.assigned('4')])
    await until('two are told', () => ours.told().length >= 2)
    assert.deepEqual(
      ours.told().map((told) => [told.id, told.event]),
      [
        [String(before + 1), 'booking.created'],
        [String(before + 2), 'deposit.assigned'],
      ],
    )
    assert.equal(ours.told()[0]?.data.id, booking)
    assert.deepEqual(
      ours.told().map((told) => told.data),
      await read(`?after=${before}`),
    )
    assert.deepEqual(theirs.told(), [])
    ours.request.destroy()
    theirs.request.destroy()
  })

  it('goes on after Last-Event-ID, each event once, in order', async () => {
    const all = await read()
    const first = await listen('?after=0')
    await until('all are told', () => first.told().length === all.length)
    first.request.destroy()
    await place.tell([place.assigned('5')])
    const again = await listen('?after=0', { headers: { 'last-event-id': String(all.length - 1) } })
    await until('the rest is told', () => again.told().length === 2)
    assert.deepEqual(
      again.told().map((told) => Number(told.id)),
      [all.length, all.length + 1],
    )
    again.request.destroy()
    const wrong = await server.call('GET', '/events/stream', {
      token: 'ours',
      headers: { 'last-event-id': 'x' },
    })
    assert.deepEqual([wrong.status, wrong.error_code], [400, 3001])
  })

  it('tells only the types asked for, and goes on from where it has looked', async () => {
    const some = await listen('?type=account.overdrawn')
    await until('the stream is open', () => some.text.includes('retry'))
    await place.book('1')
    await place.tell([{ type: 'account.overdrawn', resource_id: newId(), data: {} }])
    await until('one is told', () => some.told().length === 1)
    assert.equal(some.told()[0]?.event, 'account.overdrawn')
    some.request.destroy()
  })

  it('holds back for a reader who does not read', async () => {
    const large = 'x'.repeat(50_000)
    const slow = await listen('')
    await until('the stream is open', () => slow.text.includes('retry'))
    slow.response.pause()
    for (let index = 0; index < 40; index += 1)
      await place.tell(
        Array.from({ length: 20 }, () => ({
          type: 'account.overdrawn' as const,
          resource_id: newId(),
          data: { large },
        })),
      )
    const last = (await read('?type=account.overdrawn')).at(-1)?.sequence
    slow.response.resume()
    await until('everything arrives', () => Number(slow.told().at(-1)?.id) === last)
    const ids = slow.told().map((told) => Number(told.id))
    assert.deepEqual(
      ids,
      ids.map((_, index) => (ids[0] ?? 0) + index),
    )
    slow.request.destroy()
  })

  it('ends with its session', async () => {
    live.add('short')
    const stream = await listen('', { token: 'short' })
    await until('the stream is open', () => stream.text.includes('retry'))
    live.delete('short')
    await until('the stream has ended', () => stream.ended)
    assert.equal((await server.call('GET', '/events/stream', { token: 'short' })).error_code, 1001)
  })

  it('ends at once when the server ends', { timeout: 60_000 }, async () => {
    const stream = await listen('')
    await until('the stream is open', () => stream.text.includes('retry'))
    await server.close()
    await until('the stream has ended', () => stream.ended)
  })
})
