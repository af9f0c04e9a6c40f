import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { manualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import type { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId } from '../../core/ids.ts'
import { insertApiKey } from '../../store/api-keys.testing.ts'
import type { ApiKeyTestLimits } from '../../store/api-keys.testing.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import type { Change, Moved } from '../changes.ts'
import type { LegType } from '../ledger.schema.ts'
import { bookingChange, openTestBooks } from './books.testing.ts'
import type { TestBooks } from './books.testing.ts'
import { openLane } from './lane.ts'
import type { Lane } from './lane.ts'
import { forgetOldSpending } from './spending.ts'

const DAY = 86_400_000
/** Noon. */
const START = 20_000 * DAY + DAY / 2
const EUR = (per_transaction: string | null, per_day: string | null) => ({
  assets: [{ asset: 'EUR', per_transaction, per_day }],
  routes: null,
})

describe('the limits of a program', () => {
  let database: TestDatabase
  let lane: Lane
  let other: Lane
  let books: TestBooks
  const clock = manualClock(START)

  before(async () => {
    database = await testDatabase()
    lane = openLane(database.db, clock)
    // Another process.
    other = openLane(database.db, clock)
    books = await openTestBooks(database.db, clock)
  })
  after(async () => {
    await lane.close()
    await other.close()
    await database.drop()
  })
  beforeEach(() => {
    clock.set(START + DAY * Math.ceil((clock.now() - START) / DAY))
  })

  const newKey = (limits: ApiKeyTestLimits, more: { state?: string; expires_at?: number } = {}) =>
    insertApiKey(database.db, { workspace: books.workspace, limits, ...more })

  const pays = (id: string, quantity: string, more: Partial<Change> = {}): Change =>
    bookingChange(
      books.workspace,
      { from: books.house, to: books.customer, quantity },
      { api_key: { id }, ...more },
    )
  const sends = (id: string, ...moves: Moved[]): Change => ({
    workspace: books.workspace,
    class: 'command',
    by: id,
    api_key: { id },
    moves,
  })
  const euros = (quantity: string, more: Partial<Moved> = {}): Moved => ({
    asset: 'EUR',
    quantity: decimal(quantity),
    ...more,
  })
  const spent = async (id: string) =>
    (
      await database.db.query<{ quantity: string }>(sql`
        select trim_scale(quantity)::text as quantity
        from api_key_spending
        where key_id = ${id}
        order by day`)
    ).map(({ quantity }) => quantity)
  const refused = (change: Change, why: RegExp, through = lane) =>
    assert.rejects(through.commit(change), (error: ApiError) => {
      assert.equal(error.kind, 'PermissionDenied')
      const code = / EUR a day/.test(error.message) ? 'DAILY_LIMIT_EXCEEDED' : 'LIMIT_EXCEEDED'
      assert.equal(error.details[0]?.code, code)
      assert.match(error.message, why)
      return true
    })

  it('are none where the key has none, and what it moves is counted all the same', async () => {
    const key = await newKey({ assets: null, routes: null })
    await lane.commit(pays(key, '1000'))
    await lane.commit(pays(key, '0.5'))
    assert.deepEqual(await spent(key), ['1000.5'])
  })

  it('hold for one transaction, to the last digit', async () => {
    const key = await newKey(EUR('100', null))
    await lane.commit(pays(key, '100'))
    await refused(pays(key, '100.000000000000000001'), /at most 100 EUR at once/)
    assert.deepEqual(await spent(key), ['100'])
  })

  it('hold for a day, which begins at midnight in UTC', async () => {
    const key = await newKey(EUR(null, '100'))
    await lane.commit(pays(key, '60'))
    await refused(pays(key, '40.01'), /100 EUR a day: 60 moved today, 40\.01 asked/)
    await lane.commit(pays(key, '40'))
    clock.advance(DAY / 2 - 1)
    await refused(pays(key, '0.01'), /a day/)
    clock.advance(1)
    await lane.commit(pays(key, '100'))
    assert.deepEqual(await spent(key), ['100', '100'])
  })

  it('are not used twice by requests at once, of one process or of several', async () => {
    const key = await newKey(EUR(null, '100'))
    const results = await Promise.allSettled(
      Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? lane : other).commit(pays(key, '5')),
      ),
    )
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 20)
    assert.deepEqual(await spent(key), ['100'])
  })

  it('disturb nobody else in the batch', async () => {
    const [small, large] = [await newKey(EUR('1', null)), await newKey(EUR(null, null))]
    const results = await Promise.allSettled([
      lane.commit(pays(small, '2')),
      lane.commit(pays(large, '2')),
      lane.commit(pays(small, '1')),
    ])
    assert.deepEqual(
      results.map(({ status }) => status),
      ['rejected', 'fulfilled', 'fulfilled'],
    )
    assert.deepEqual([await spent(small), await spent(large)], [['1'], ['2']])
  })

  it('count only what was committed', async () => {
    const key = await newKey(EUR(null, '100'))
    const { workspace, house, customer } = books
    const overdrawing = bookingChange(
      workspace,
      { from: customer, to: house, quantity: '90', asset: 'XAU' },
      { api_key: { id: key }, moves: [euros('90')] },
    )
    await assert.rejects(lane.commit(overdrawing), /has 0 XAU available/)
    assert.deepEqual(await spent(key), [])
    await lane.commit(pays(key, '100'))
  })

  it('leave a repeat of a request its first answer', async () => {
    const key = await newKey(EUR(null, '100'))
    const idempotency = {
      key: newId(),
      request_hash: Buffer.from('a'),
      reply: { data: 'the first answer' },
    }
    await lane.commit(pays(key, '100', { idempotency }))
    const again = await lane.commit(pays(key, '100', { idempotency }))
    assert.deepEqual(again, { verdict: 'replayed', reply: { data: 'the first answer' } })
    assert.deepEqual(await spent(key), ['100'])
  })

  it('name the assets that it may move', async () => {
    const key = await newKey(EUR(null, null))
    await refused(sends(key, { asset: 'BTC', quantity: 0n }), /may not move BTC/)
    await refused(sends(key, euros('1'), { asset: 'BTC', quantity: 1n }), /may not move BTC/)
    assert.deepEqual(await spent(key), [])
  })

  it('name the routes that it may use; what needs no route is free', async () => {
    const [known, unknown] = [newId(), newId()]
    const key = await newKey({ assets: null, routes: [known] })
    await lane.commit(sends(key, euros('1', { route_id: known })))
    await lane.commit(sends(key, euros('1')))
    await refused(sends(key, euros('1', { route_id: unknown })), /may not use route/)
    await refused(sends(key, euros('1', { route_id: null })), /routes alone/)
  })

  it('judge what is only prepared, and do not count it', async () => {
    const key = await newKey(EUR('50', '60'))
    for (let time = 0; time < 3; time += 1)
      await lane.commit(sends(key, euros('50', { prepares: true })))
    await refused(sends(key, euros('51', { prepares: true })), /at once/)
    assert.deepEqual(await spent(key), [])
  })

  it('add up the parts of one change', async () => {
    const key = await newKey(EUR('50', '100'))
    await lane.commit(sends(key, euros('50'), euros('50')))
    const next = await newKey(EUR('50', '99'))
    await refused(sends(next, euros('50'), euros('50')), /a day/)
    assert.deepEqual([await spent(key), await spent(next)], [['100'], []])
  })

  it('take what a change books and blocks, where it says nothing itself', async () => {
    const key = await newKey(EUR(null, '100'))
    const { workspace, house, customer } = books
    await lane.commit(
      bookingChange(workspace, { from: house, to: customer, quantity: '60', asset: 'EUR' }),
    )
    const hold = {
      id: newId(),
      kind: 'WITHDRAWAL' as const,
      account_id: customer,
      asset: 'EUR',
      quantity: decimal('60'),
      cause_type: 'test',
      cause_id: newId(),
    }
    const { moves: _none, ...blocking } = sends(key)
    await lane.commit({ ...blocking, ledger: [{ step: 'hold', hold }] })
    await refused(pays(key, '41'), /60 moved today/)
    // What is released or captured was counted when it was blocked.
    await lane.commit({ ...blocking, ledger: [{ step: 'release', hold_id: hold.id }] })
    assert.deepEqual(await spent(key), ['60'])
  })

  it('are not passed by an amount that is divided into legs', async () => {
    const key = await newKey(EUR('100', null))
    const { workspace, house, customer } = books
    const leg = (account_id: AccountId, type: LegType) => ({
      account_id,
      type,
      quantity: decimal('60'),
    })
    const divided = (count: number): Change => {
      const legs = Array.from({ length: count }, () => [
        leg(house, 'DEBIT'),
        leg(customer, 'CREDIT'),
      ]).flat()
      const booking = { id: newId(), type: 'MANUAL' as const, asset: 'EUR', legs }
      return {
        workspace,
        class: 'command',
        by: key,
        api_key: { id: key },
        ledger: [{ step: 'book', booking }],
      }
    }
    await refused(divided(2), /at most 100 EUR at once: 120 asked/)
    await lane.commit(divided(1))
    assert.deepEqual(await spent(key), ['60'])
  })

  it('let nothing through once the key is revoked or has expired', async () => {
    const none = { assets: null, routes: null }
    const revoked = await newKey(none, { state: 'REVOKED' })
    const expired = await newKey(none, { expires_at: clock.now() })
    for (const key of [revoked, expired, newId()])
      await assert.rejects(
        lane.commit(pays(key, '1')),
        (error: ApiError) => error.kind === 'MissingToken',
      )
  })

  it('hold for what it set up also once it is revoked', async () => {
    const key = await newKey(EUR(null, '10'), { state: 'REVOKED' })
    const later = (quantity: string) =>
      pays(key, quantity, { api_key: { id: key, standing: true } })
    await lane.commit(later('10'))
    await refused(later('0.01'), /a day/)
  })

  it('cannot be passed by more than a column holds', async () => {
    const key = await newKey(EUR(null, null))
    const most = '99999999999999999999'
    await lane.commit(sends(key, euros(most)))
    await lane.commit(sends(key, euros(most)))
    assert.deepEqual(await spent(key), ['99999999999999999999.999999999999999999'])
  })

  it('are forgotten after 90 days', async () => {
    const key = await newKey(EUR(null, null))
    await lane.commit(pays(key, '1'))
    clock.advance(90 * DAY)
    assert.deepEqual(await spent(key), ['1'])
    await forgetOldSpending(database.db, clock)
    assert.deepEqual(await spent(key), ['1'])
    clock.advance(DAY)
    await forgetOldSpending(database.db, clock)
    assert.deepEqual(await spent(key), [])
  })
})
