/**
 * Our own mistakes and amounts beyond all bounds in one change: its caller learns of it, everyone
 * else's change goes through.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { bookingChange, customerTotal, openTestBooks } from './books.testing.ts'
import type { TestBooks } from './books.testing.ts'
import type { Change } from '../changes.ts'
import { openLane } from './lane.ts'
import type { Lane } from './lane.ts'
import { verifyBooks } from '../reports/verify.ts'

describe('the lane and a change that cannot be', () => {
  let database: TestDatabase
  let lane: Lane
  let house: string
  let customer: string
  const clock = manualClock(1_800_000_000_000)
  let books: TestBooks
  let workspace: WorkspaceId
  before(async () => {
    database = await testDatabase({ maximumConnections: 4 })
    lane = openLane(database.db, clock)
    books = await openTestBooks(database.db, clock)
    ;({ workspace, house, customer } = books)
  })
  after(async () => {
    await lane.close()
    await database.drop()
  })

  const paid = (quantity: string, more: Partial<Change> = {}, asset = 'EUR'): Change =>
    bookingChange(workspace, { from: house, to: customer, quantity, asset }, more)
  const total = () => customerTotal(database.db, books)
  const together = async (bad: Change) => {
    const before = await total()
    const results = await Promise.allSettled([
      lane.commit(paid('1')),
      lane.commit(bad),
      lane.commit(paid('2')),
    ])
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    await lane.commit(paid('4'))
    assert.equal((await total()) - before, decimal('7'))
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
    return (results[1] as PromiseRejectedResult).reason as unknown
  }

  it('goes on after an event that is no JSON', async () => {
    await together(
      paid('9', {
        events: [
          {
            type: 'account.overdrawn' as const,
            resource_id: newId(),
            data: { quantity: 5n as never },
          },
        ],
      }),
    )
  })

  it('stores and hashes a text that the database cannot store as it can be stored', async () => {
    const broken = 'half \uD83D and nothing \0'
    const storable = 'half \uFFFD and nothing \uFFFD'
    const change = paid('1', {
      class: 'fact',
      events: [
        {
          type: 'account.overdrawn' as const,
          resource_id: customer,
          data: { [broken]: [broken, { text: broken }], plain: String.raw`\ud83d` },
        },
      ],
      idempotency: { key: 'broken', request_hash: Buffer.from(''), reply: { data: broken } },
    })
    for (const step of change.ledger ?? [])
      if (step.step === 'book') step.booking.description = broken
    await lane.commit(change)
    const [stored] = await database.db.query(sql`
      select b.description, e.data, k.reply
      from bookings b
      join events e on e.workspace = b.workspace
        and e.sequence = b.event_sequence + 1
      join idempotency_keys k on k.workspace = b.workspace
        and k.key = 'broken'
      where b.workspace = ${workspace}
      order by b.sequence desc
      limit 1`)
    assert.deepEqual(stored, {
      description: storable,
      data: { [storable]: [storable, { text: storable }], plain: String.raw`\ud83d` },
      reply: { data: storable },
    })
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  })

  it('goes on after a guard on a table that cannot be one', async () => {
    await together(
      paid('9', { guards: [{ table: 'No Table', resource: 'thing', id: newId(), from: ['A'] }] }),
    )
  })

  it('goes on after a row that no statement can carry', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    await together(
      paid('9', { rows: [{ strings: ['select ', '::jsonb'], values: [circular as never] }] }),
    )
    await together(
      paid('9', { rows: [{ strings: ['select ', '::jsonb'], values: [circular as never] }] }),
    )
  })

  it('refuses a balance beyond 20 integer digits before the database does', async () => {
    const full = '99999999999999999999.999999999999999999'
    await lane.commit(paid(full, {}, 'GBP'))
    for (const bad of [
      paid('0.000000000000000001', {}, 'GBP'),
      paid(full, {}, 'GBP'),
      paid('1', { class: 'fact' }, 'GBP'),
    ]) {
      await assert.rejects(
        lane.commit(bad),
        (error: ApiError) =>
          error instanceof ApiError && error.details[0]?.code === 'ABOVE_MAXIMUM',
      )
    }
    const back = paid(full, {}, 'GBP')
    for (const step of back.ledger ?? [])
      if (step.step === 'book')
        step.booking.legs.toReversed().forEach((leg, index) => {
          leg.type = index === 0 ? 'DEBIT' : 'CREDIT'
        })
    await lane.commit(back)
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  })

  it('refuses holds whose sum, or whose shortfall, no column can carry', async () => {
    const hold = (quantity: string): Change => ({
      workspace,
      class: 'fact',
      by: 'test',
      ledger: [
        {
          step: 'hold',
          hold: {
            id: newId(),
            kind: 'TRADING',
            account_id: customer,
            asset: 'USD',
            quantity: decimal(quantity),
            cause_type: 'test',
            cause_id: newId(),
          },
        },
      ],
    })
    await lane.commit(hold('60000000000000000000'))
    await assert.rejects(
      lane.commit(hold('60000000000000000000')),
      (error: ApiError) => error instanceof ApiError && error.details[0]?.code === 'ABOVE_MAXIMUM',
    )
    const other = hold('60000000000000000000')
    for (const step of other.ledger ?? []) if (step.step === 'hold') step.hold.kind = 'WITHDRAWAL'
    await assert.rejects(
      lane.commit(other),
      (error: ApiError) => error instanceof ApiError && error.details[0]?.code === 'ABOVE_MAXIMUM',
    )
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  })
})
