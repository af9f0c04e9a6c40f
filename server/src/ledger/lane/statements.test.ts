/**
 * The statements of a batch: planned while the tables are empty they still go by the keys, they
 * read the balances that the batch touches and no others, and none of them tells listeners.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type pg from 'pg'
import { manualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import type { Db } from '../../store/db.ts'
import { openPlannedReads } from '../../store/planned-reads.testing.ts'
import type { PlannedReads } from '../../store/planned-reads.testing.ts'
import { TASK_CHANNEL } from '../../store/tasks.ts'
import { EVENT_CHANNEL } from '../events.ts'
import type { Change } from '../changes.ts'
import { bookingChange, openTestBooks } from './books.testing.ts'
import type { TestBooks } from './books.testing.ts'
import { openLane } from './lane.ts'
import type { Lane } from './lane.ts'
import { laneStatements } from './reads.ts'

const PROGRAM = newId()
const ASSETS = Array.from({ length: 20 }, (_, index) => `A${index}`)

describe('the statements of the lane', () => {
  const clock = manualClock(1_800_000_000_000)
  let reads: PlannedReads
  let books: TestBooks
  let lane: Lane
  /** Of the lane's only connection. */
  let client: pg.Client
  const texts: string[] = []
  before(async () => {
    reads = await openPlannedReads()
    const { db } = reads.database
    books = await openTestBooks(db, clock)
    await reads.owner.query(
      `
        insert into api_keys (
          workspace, id, label, state, permissions, networks, limits, expires_at, system_created_at,
          system_updated_at
        )
        values ($1, $2, 'x', 'ACTIVE', '{}', '{}', $3, $4, 0, 0)`,
      [books.workspace, PROGRAM, { assets: null, routes: null }, clock.now() + 1],
    )
    const watched: Db = {
      ...db,
      async connect(options) {
        client = await db.connect(options)
        const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
        client.query = ((...given: unknown[]) => {
          const [asked] = given as [string | { text: string }]
          texts.push(typeof asked === 'string' ? asked : asked.text)
          return query(...given)
        }) as typeof client.query
        return client
      },
    }
    lane = openLane(watched, clock)
  })
  after(async () => {
    await lane.close()
    await reads.close()
  })

  /** Touches every table that the lane itself reads and writes by key. */
  const change = (): Change => {
    const { workspace, house, customer } = books
    const hold_id = newId()
    const paid = bookingChange(workspace, { from: house, to: customer, quantity: '5' })
    return {
      ...paid,
      api_key: { id: PROGRAM },
      idempotency: { key: hold_id, request_hash: Buffer.from(''), reply: { data: null } },
      ledger: [
        ...(paid.ledger ?? []),
        {
          step: 'hold',
          hold: {
            id: hold_id,
            kind: 'TRADING',
            account_id: customer,
            asset: 'EUR',
            quantity: decimal('1'),
            cause_type: 'test',
            cause_id: newId(),
          },
        },
      ],
      events: [{ type: 'account.overdrawn', resource_id: customer, data: null }],
      tasks: [{ kind: 'lane_test', subject_id: newId(), due_at: clock.now() }],
    }
  }
  const release = (hold_id: string): Change => ({
    workspace: books.workspace,
    class: 'fact',
    by: 'test',
    ledger: [{ step: 'release', hold_id, quantity: decimal('0.5') }],
  })

  /** Moves a row of another module, and blocks what is not settled. */
  const guardedCredit = async (): Promise<Change> => {
    const { workspace, customer } = books
    const id = newId()
    await reads.owner.query(
      `
        insert into mails (
          workspace, id, state, event_sequence, event_type, resource_id, customer_id, recipient,
          subject, body, system_created_at, system_updated_at
        )
        values ($1, $2, 'PENDING', 1, 'x', $2, $2, 'x', 'x', 'x', 0, 0)`,
      [workspace, id],
    )
    const hold = {
      id,
      kind: 'UNSETTLED' as const,
      account_id: customer,
      asset: 'EUR',
      quantity: decimal('1'),
      cause_type: 'test',
      cause_id: id,
    }
    return {
      workspace,
      class: 'command',
      by: 'test',
      guards: [{ table: 'mails', resource: 'mail', id, from: ['PENDING'], to: 'SENT' }],
      ledger: [{ step: 'hold', hold }],
    }
  }

  it('go by the keys, also when they were planned while the tables were empty', async () => {
    await reads.owner.query('vacuum analyze')
    const first = change()
    await lane.commit(first)
    await lane.commit(release(first.idempotency?.key ?? ''))
    await lane.commit(await guardedCredit())
    await reads.owner.query(
      'truncate idempotency_keys, holds, balances, tasks, mails, api_key_spending',
    )
    await reads.owner.query('vacuum analyze')
    const planned = [...new Set(texts)].filter((text) => /^\s*(select|update|insert)/.test(text))
    for (const table of ['holds', 'balances', 'mails', 'lanes'])
      assert.ok(
        planned.some((text) => text.includes(`update ${table}`)),
        `${table} was updated`,
      )
    for (const text of planned) {
      const { rows } = await client.query<{ 'QUERY PLAN': string }>(
        `explain (generic_plan, costs off) ${text}`,
      )
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
      assert.doesNotMatch(plan, /Seq Scan|^ *Filter:/m, `${text}\n${plan}`)
      // A lane is found by its workspace; everything else has a key within it.
      if (!plan.includes('lanes_pkey'))
        assert.doesNotMatch(plan, /Cond: \(workspace = \$\d+\)$/m, `${text}\n${plan}`)
    }
  })

  it('read the balances of the accounts in their assets, and no others', async () => {
    const { workspace, house, customer } = books
    await reads.owner.query(
      `
        insert into balances (workspace, account_id, asset, total, held_withdrawal, held_trading)
        select $1, account_id, asset, 0, 0, 0
        from unnest($2::uuid[]) as account_id, unnest($3::text[]) as asset`,
      [workspace, [house, customer], ASSETS],
    )
    const others = ASSETS.map((asset) =>
      bookingChange(workspace, { from: newId(), to: newId(), quantity: '1', asset }),
    )
    const ours = bookingChange(workspace, { from: house, to: customer, quantity: '1', asset: 'A1' })
    const balances = laneStatements(workspace, [...others, ours], clock.now()).slice(-1)
    const rows = await reads.rowsRead('balances', async (reader) => {
      for (const query of balances) await reader.query(query)
    })
    // The plan shows rows in each of many looks, rounded.
    assert.equal(Math.round(rows), 2)
  })

  it('keep the words of all bookings at once, and the same as of other records', async () => {
    const texts = ['Rent, May & June', 'rent may', ' -- ', 'one two three four five six']
    const { rows } = await reads.owner.query<{ 'QUERY PLAN': string }>(
      `
        explain (analyze, costs off, timing off)
        insert into bookings (
          workspace, sequence, id, event_sequence, batch_no, type, asset, value_date, booked_at,
          description
        )
        select $1, n, gen_random_uuid(), n, 1, 'MANUAL', 'EUR', 0, 0, text
        from unnest($2::text[]) with ordinality as given (text, place),
          lateral (select 1000 + place) as numbered (n)`,
      [books.workspace, texts],
    )
    const calls = rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('terms'))
    assert.match(calls.join(), /calls=1\b/)
    const kept = await reads.owner.query<{ same: boolean | null }>(
      `
        select array_agg(s.term order by s.term) = o.terms as same
        from bookings b
        cross join lateral (
          select array_agg(t.term order by t.term collate "C")
          from search_terms_of(to_jsonb(b), array['description:text']) t
        ) as o (terms)
        left join search_terms s on s.workspace = b.workspace
          and s.kind = 'booking'
          and s.id = b.id
        where b.sequence > 1000
        group by b.sequence, o.terms
        order by b.sequence`,
    )
    assert.deepEqual(kept.rows, [{ same: true }, { same: true }, { same: null }, { same: true }])
  })

  it('tell nobody; listeners hear of the events and tasks after the commit', async () => {
    const heard: string[] = []
    const listener = await reads.database.db.connect()
    try {
      listener.on('notification', ({ channel, payload = '' }) => {
        heard.push(`${channel} ${payload}`)
      })
      await listener.query(`listen ${EVENT_CHANNEL}; listen ${TASK_CHANNEL}`)
      texts.length = 0
      await lane.commit(change())
      const last = await reads.database.db.query<{ event_sequence: number }>({
        strings: ['select event_sequence from lanes'],
        values: [],
      })
      await until('both are heard', () => heard.length === 2)
      assert.deepEqual(heard.toSorted(), [
        `${EVENT_CHANNEL} ${books.workspace} ${last[0]?.event_sequence}`,
        `${TASK_CHANNEL} lane_test`,
      ])
      assert.doesNotMatch(texts.join(), /notify/)
    } finally {
      await listener.end()
    }
  })
})
