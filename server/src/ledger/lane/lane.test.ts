import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../../core/clock.ts'
import { decimal, format } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { bookingChange, customerTotal, openTestBooks } from './books.testing.ts'
import type { TestBooks } from './books.testing.ts'
import { openLane } from './lane.ts'
import type { Lane } from './lane.ts'
import type { Change } from '../changes.ts'
import { verifyBooks } from '../reports/verify.ts'

const DAY = 86_400_000

describe('the lane', () => {
  let database: TestDatabase
  let lane: Lane
  const clock = manualClock(1_800_000_000_000)
  let books: TestBooks
  let workspace: WorkspaceId
  let house: string
  let customer: string

  before(async () => {
    database = await testDatabase()
    lane = openLane(database.db, clock)
    books = await openTestBooks(database.db, clock)
    ;({ workspace, house, customer } = books)
  })
  after(async () => {
    await lane.close()
    await database.drop()
  })

  const move = (from: string, to: string, quantity: string, more: Partial<Change> = {}): Change =>
    bookingChange(workspace, { from, to, quantity }, more)
  const balance = async () => format(await customerTotal(database.db, books))

  it('books, refuses what is not there, and the books verify', async () => {
    await lane.commit(move(house, customer, '100.5'))
    await assert.rejects(
      lane.commit(move(customer, house, '100.51')),
      (error: ApiError) => error.details[0]?.code === 'INSUFFICIENT_BALANCE',
    )
    await lane.commit(move(customer, house, '0.5'))
    assert.equal(await balance(), '100')
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  })

  it('lets parallel debits never overdraw', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 150 }, () => lane.commit(move(customer, house, '1'))),
    )
    assert.equal(results.filter((result) => result.status === 'fulfilled').length, 100)
    assert.equal(await balance(), '0')
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  })

  it('always books a fact, lowers the floor, refuses debits until it is made good', async () => {
    await lane.commit(move(customer, house, '30', { class: 'fact' }))
    assert.equal(await balance(), '-30')
    await assert.rejects(lane.commit(move(customer, house, '1')), ApiError)
    await lane.commit(move(house, customer, '20'))
    await assert.rejects(lane.commit(move(customer, house, '1')), ApiError)
    await lane.commit(move(house, customer, '15'))
    await lane.commit(move(customer, house, '5'))
    assert.equal(await balance(), '0')
  })

  it('replays an idempotency key and refuses it for another request', async () => {
    const key = { key: 'first', request_hash: Buffer.from('a') }
    const change = move(house, customer, '7')
    const booking_id = change.ledger?.[0]?.step === 'book' ? change.ledger[0].booking.id : ''
    await lane.commit({ ...change, idempotency: { ...key, reply: { booking_id } } })
    const again = await lane.commit({
      ...move(house, customer, '7'),
      idempotency: { ...key, reply: { booking_id: newId() } },
    })
    assert.deepEqual(again, { verdict: 'replayed', reply: { booking_id } })
    const keyed = {
      key: 'first',
      request_hash: Buffer.from('keyed'),
      former_hash: key.request_hash,
    }
    const afterUpgrade = await lane.commit({
      ...move(house, customer, '7'),
      idempotency: { ...keyed, reply: { booking_id: newId() } },
    })
    assert.deepEqual(afterUpgrade, again)
    await assert.rejects(
      lane.commit({
        ...move(house, customer, '8'),
        idempotency: {
          key: 'first',
          request_hash: Buffer.from('b'),
          reply: { booking_id: newId() },
        },
      }),
      (error: ApiError) => error.kind === 'IdempotencyConflict',
    )
    assert.equal(await balance(), '7')
    await lane.commit(move(customer, house, '7'))
  })

  it('leaves a key alone that another request claims after the batch has read it', async () => {
    const claimed = Buffer.from('another request')
    let claims = 0
    const beside = openLane(database.db, clock, {
      async probe(step) {
        if (step !== 'write 0' || claims++ > 0) return
        await database.db.query(sql`
          insert into idempotency_keys (workspace, key, request_hash, state)
          values (${workspace}, 'claimed', ${claimed}, 'RUNNING')`)
      },
    })
    const before = await balance()
    const idempotency = {
      key: 'claimed',
      request_hash: Buffer.from('ours'),
      reply: { booking_id: newId() },
    }
    const results = await Promise.allSettled([
      beside.commit(move(house, customer, '5', { idempotency })),
      beside.commit(move(house, customer, '3')),
    ])
    await beside.close()
    assert.deepEqual(
      results.map((result) =>
        result.status === 'rejected' ? (result.reason as ApiError).kind : result.status,
      ),
      ['IdempotencyConflict', 'fulfilled'],
    )
    assert.deepEqual(
      await database.db.query(sql`
        select request_hash, state
        from idempotency_keys
        where workspace = ${workspace}
          and key = 'claimed'`),
      [{ request_hash: claimed, state: 'RUNNING' }],
    )
    await lane.commit(move(customer, house, '3'))
    assert.equal(await balance(), before)
  })

  it('books a repeat once, also after a booking by a process that is a day ahead', async () => {
    const before = await balance()
    const ahead = openLane(database.db, manualClock(clock.now() + 2 * DAY))
    const asked = () =>
      move(house, customer, '2', {
        idempotency: {
          key: 'again',
          request_hash: Buffer.from('2'),
          reply: { booking_id: newId() },
        },
      })
    await lane.commit(asked())
    await ahead.commit(move(house, customer, '1'))
    assert.deepEqual(
      [(await lane.commit(asked())).verdict, (await ahead.commit(asked())).verdict],
      ['replayed', 'replayed'],
    )
    await ahead.close()
    await lane.commit(move(customer, house, '3'))
    assert.equal(await balance(), before)
  })

  it('takes a key again once it is deleted', async () => {
    const change = (quantity: string) =>
      move(house, customer, quantity, {
        idempotency: {
          key: 'deleted',
          request_hash: Buffer.from(quantity),
          reply: { booking_id: newId() },
        },
      })
    await lane.commit(change('2'))
    await database.db.query(sql`
      delete from idempotency_keys
      where workspace = ${workspace} and key = 'deleted'`)
    assert.equal((await lane.commit(change('3'))).verdict, 'accepted')
    await lane.commit(move(customer, house, '5'))
  })

  it('refuses commands while its queue is full, and takes facts', async () => {
    const short = openLane(database.db, clock, { longest_queue: 2 })
    const before = await balance()
    const results = await Promise.allSettled([
      ...['1', '1', '1'].map((quantity) => short.commit(move(house, customer, quantity))),
      short.commit(move(house, customer, '1', { class: 'fact' })),
    ])
    assert.deepEqual(
      results.map((result) => {
        if (result.status === 'fulfilled') return result.value.verdict
        const { kind, retryAfter } = result.reason as ApiError
        return { kind, retryAfter }
      }),
      ['accepted', 'accepted', { kind: 'RateLimited', retryAfter: 2 }, 'accepted'],
    )
    // What was refused is asked again when the queue has room.
    assert.equal((await short.commit(move(customer, house, '3'))).verdict, 'accepted')
    await short.close()
    assert.equal(await balance(), before)
  })

  it('ends a hold exactly once', async () => {
    await lane.commit(move(house, customer, '10'))
    const hold = {
      id: newId(),
      kind: 'WITHDRAWAL' as const,
      account_id: customer,
      asset: 'EUR',
      quantity: decimal('10'),
      cause_type: 'withdrawal',
      cause_id: newId(),
    }
    await lane.commit({ workspace, class: 'command', by: 'test', ledger: [{ step: 'hold', hold }] })
    await assert.rejects(lane.commit(move(customer, house, '0.01')), ApiError)
    const finish = move(customer, house, '10')
    await lane.commit({
      ...finish,
      ledger: [
        { step: 'capture', hold_id: hold.id, quantity: decimal('10') },
        ...(finish.ledger ?? []),
      ],
    })
    await assert.rejects(
      lane.commit({
        workspace,
        class: 'fact',
        by: 'test',
        ledger: [{ step: 'capture', hold_id: hold.id, quantity: decimal('1') }],
      }),
      /hold/,
    )
    assert.equal(await balance(), '0')
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
  })
})
