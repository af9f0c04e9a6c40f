import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { manualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { changeAccount } from '../accounts/accounts.ts'
import { balancesOf, balanceShape, isAccountInUse } from '../accounts/balances.ts'
import type { Change } from '../changes.ts'
import { holdsOf, releaseExpiredHolds } from './holds.ts'
import { bookingChange, openTestBooks } from '../lane/books.testing.ts'
import { openLane } from '../lane/lane.ts'
import type { Lane } from '../lane/lane.ts'
import { verifyBooks } from '../reports/verify.ts'

describe('holds and floors', () => {
  let database: TestDatabase
  let lane: Lane
  let house: string
  let customer: string
  const clock = manualClock(1_800_000_000_000)
  let workspace: WorkspaceId
  before(async () => {
    database = await testDatabase()
    lane = openLane(database.db, clock)
    ;({ workspace, house, customer } = await openTestBooks(database.db, clock))
    await lane.commit(move(house, customer, '10'))
  })
  after(async () => {
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [])
    await lane.close()
    await database.drop()
  })

  const move = (from: string, to: string, quantity: string): Change =>
    bookingChange(workspace, { from, to, quantity })
  const hold = (quantity: string, cause_id: string, expires_at?: number): Change => ({
    workspace,
    class: 'command',
    by: 'test',
    ledger: [
      {
        step: 'hold',
        hold: {
          id: newId(),
          kind: 'TRADING',
          account_id: customer,
          asset: 'EUR',
          quantity: decimal(quantity),
          cause_type: 'test',
          cause_id,
          ...(expires_at === undefined ? {} : { expires_at }),
        },
      },
    ],
  })
  const shown = async () => balanceShape(await balancesOf(database.db, workspace, customer))['EUR']

  it('blocks without booking', async () => {
    await lane.commit(hold('4', newId(), clock.now() + 600_000))
    assert.deepEqual(await shown(), { withdrawing: '6', trading: '6', total: '10' })
    await assert.rejects(
      lane.commit(hold('6.01', newId())),
      (error: ApiError) => error.details[0]?.code === 'INSUFFICIENT_BALANCE',
    )
  })

  it('is released when its time is over, once, by whichever process looks', async () => {
    assert.equal(await releaseExpiredHolds({ db: database.db, clock, lane }), 0)
    clock.advance(600_000)
    const looks = await Promise.all([
      releaseExpiredHolds({ db: database.db, clock, lane }),
      releaseExpiredHolds({ db: database.db, clock, lane }),
    ])
    assert.ok(looks.some((released) => released === 1))
    assert.deepEqual(await shown(), { withdrawing: '10', trading: '10', total: '10' })
    assert.equal(await releaseExpiredHolds({ db: database.db, clock, lane }), 0)
  })

  it('is captured in parts, and what is left is released', async () => {
    const cause = newId()
    await lane.commit(hold('5', cause))
    const [open] = await holdsOf(database.db, workspace, cause)
    assert.ok(open !== undefined)
    await lane.commit({
      ...move(customer, house, '2'),
      ledger: [
        { step: 'capture', hold_id: open.id, quantity: decimal('2') },
        ...(move(customer, house, '2').ledger ?? []),
      ],
    })
    assert.deepEqual(await shown(), { withdrawing: '5', trading: '5', total: '8' })
    await lane.commit({
      workspace,
      class: 'fact',
      by: 'test',
      ledger: [{ step: 'release', hold_id: open.id }],
    })
    assert.deepEqual(
      (await holdsOf(database.db, workspace, cause)).map((hold) => [hold.state, hold.remaining]),
      [['ENDED', 0n]],
    )
    assert.deepEqual(await shown(), { withdrawing: '8', trading: '8', total: '8' })
  })

  it('an account without its check may go below zero; with it again no further', async () => {
    await database.db.tx((tx) =>
      changeAccount({ workspace, by: 'test' }, { tx, clock }, customer, {
        label: 'Alice',
        overdraft: true,
      }),
    )
    await lane.commit(move(customer, house, '20'))
    assert.equal((await shown())?.total, '-12')
    assert.ok(await isAccountInUse(database.db, workspace, customer))
    await database.db.tx((tx) =>
      changeAccount({ workspace, by: 'test' }, { tx, clock }, customer, {
        label: 'Alice',
        overdraft: false,
      }),
    )
    await assert.rejects(lane.commit(move(customer, house, '0.01')), ApiError)
    await lane.commit(move(house, customer, '12'))
    assert.equal((await shown())?.total, '0')
    assert.equal(await isAccountInUse(database.db, workspace, customer), false)
  })
})
