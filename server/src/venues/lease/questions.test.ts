/** Two processes on one database: one holds the lease, the other asks it. */
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { sql } from '../../store/sql.ts'
import { openTestVenues, total } from '../venues.testing.ts'
import type { TestVenues } from '../venues.testing.ts'
import type { Venue } from '../contract.ts'
import { openVenues } from '../registry.ts'
import type { Venues } from '../registry.ts'
import { openVenueLease } from './lease.ts'
import type { VenueLease } from './lease.ts'

type Process = { lease: VenueLease; venues: Venues; asked: string[] }

describe('what is asked of the process that holds the lease', () => {
  let place: TestVenues
  const processes: Process[] = []
  before(async () => {
    place = await openTestVenues()
    await place.provideSecrets()
  })
  afterEach(async () => {
    for (const one of processes.splice(0)) {
      await one.venues.close()
      await one.lease.close()
    }
    await place.db.query(sql`delete from venue_questions`)
  })
  after(() => place.close())

  /** What an adapter is asked is noted with the process's name; `answer` may hang or throw. */
  const start = async (
    name: string,
    { contends = true, answer = async () => {} }: Partial<Started> = {},
  ): Promise<Process> => {
    const asked: string[] = []
    const log = { info: () => undefined, error: () => undefined }
    const lease = await openVenueLease({ db: place.db, log, contends, term_ms: 1_500 })
    const noted = async <Answer>(what: string, value: Answer): Promise<Answer> => {
      asked.push(`${name}: ${what}`)
      await answer()
      return value
    }
    const adapter: Venue = {
      kind: 'EXCHANGE',
      balances: () => noted('balances', [total('BTC', null, '0.123456789012345678')]),
      protocols: () => noted('protocols', []),
      prices: { pairs: () => noted('pairs', []), watch: () => async () => undefined },
      trading: {
        supports: () => true,
        find: (lookup) => noted(`order ${lookup.client_order_id}`, { lookup: 'absent' as const }),
        send: () => assert.fail('nobody sends'),
        cancel: () => assert.fail('nobody cancels'),
        trades: (cursor, from, asking) =>
          noted(`trades ${JSON.stringify({ cursor, from, asking })}`, { trades: [], cursor }),
      },
      close: async () => undefined,
    }
    const venues = openVenues({
      db: place.db,
      log,
      lease,
      adapters: { EXCHANGE: async () => adapter },
    })
    const started = { lease, venues, asked }
    processes.push(started)
    return started
  }
  type Started = { contends: boolean; answer: () => Promise<void> }
  const adapterOf = async ({ venues }: Process) =>
    (await venues.connect(place.workspace, place.id)).adapter
  const left = async () =>
    (
      await place.db.query<{ count: number }>(sql`
      select count(*) as count
      from venue_questions`)
    )[0]?.count

  it('is read at the venue there, with every digit, and taken away', async () => {
    const holder = await start('holder')
    const asker = await start('asker', { contends: false })
    const adapter = await adapterOf(asker)
    const { signal } = new AbortController()
    assert.deepEqual(await adapter.balances({ signal, fresh: true }), [
      {
        ...total('BTC', null, null),
        free: decimal('0.123456789012345678'),
        total: decimal('0.123456789012345678'),
      },
    ])
    const client_order_id = newId()
    const lookup = { client_order_id, sent_at: 1 } as never
    assert.deepEqual(await adapter.trading?.find(lookup), { lookup: 'absent' })
    assert.deepEqual(await adapter.trading?.trades?.('7', undefined, { fresh: true }), {
      trades: [],
      set_aside: [],
      cursor: '7',
    })
    assert.deepEqual(asker.asked, [])
    assert.deepEqual(holder.asked, [
      'holder: balances',
      `holder: order ${client_order_id}`,
      'holder: trades {"cursor":"7","asking":{"fresh":true}}',
    ])
    assert.equal(await left(), 0)
  })

  it('needs nobody while this process holds it itself', async () => {
    const holder = await start('holder')
    assert.deepEqual(await (await adapterOf(holder)).protocols(), [])
    assert.equal(await left(), 0)
  })

  it('throws what the adapter throws', async () => {
    await start('holder', {
      answer: () => Promise.reject(refuse('REFUSED_BY_VENUE', 'quantity', 'too little')),
    })
    const asker = await start('asker', { contends: false })
    await assert.rejects((await adapterOf(asker)).balances(), {
      kind: 'BadRequest',
      message: 'too little',
      details: [{ path: 'quantity', code: 'REFUSED_BY_VENUE', message: 'too little' }],
    })
  })

  it('is 2003 while nobody holds it', async () => {
    const asker = await start('asker', { contends: false })
    await assert.rejects((await adapterOf(asker)).balances(), {
      kind: 'VenueUnreachable',
      message: 'no process works with the venues now',
    })
  })

  it('is answered by the next holder when the first one dies in between', async () => {
    const { promise: never } = Promise.withResolvers<void>()
    const first = await start('first', { answer: () => never })
    const asker = await start('asker', { contends: false })
    const answer = (await adapterOf(asker)).protocols()
    await until('the first one was asked', () => first.asked.length > 0)
    // As after kill -9: it renews no more, and nothing was given back.
    processes.splice(processes.indexOf(first), 1)
    await first.lease.close()
    await place.db.query(sql`
      update venue_lease
      set holder = ${newId()}, expires_at = clock_timestamp() + interval '500 ms'`)
    const second = await start('second')
    assert.deepEqual(await answer, [])
    assert.deepEqual(second.asked, ['second: protocols'])
  })
})
