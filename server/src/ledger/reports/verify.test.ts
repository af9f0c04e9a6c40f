import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { manualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { houseAccounts, openBooks } from '../accounts/accounts.ts'
import { openLane } from '../lane/lane.ts'
import { verifyBooks } from './verify.ts'

const LEGS = 20
const BOOKINGS = 5000

describe('the verifier', () => {
  let database: TestDatabase
  let owner: pg.Client
  const clock = manualClock(1_800_000_000_000)
  const workspace = newId<WorkspaceId>()
  before(async () => {
    database = await testDatabase()
    owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
    await database.db.tx((tx) => openBooks({ workspace, by: 'test' }, { tx, clock }))
    const { HOUSE, MARGIN } = await houseAccounts(database.db, workspace)
    const lane = openLane(database.db, clock, { key_lifetime_ms: 1000 })
    const legs = Array.from({ length: LEGS }, (_, index) => ({
      account_id: index % 2 === 0 ? HOUSE : MARGIN,
      type: index % 2 === 0 ? ('DEBIT' as const) : ('CREDIT' as const),
      quantity: decimal('1'),
    }))
    await Promise.all(
      Array.from({ length: BOOKINGS }, () =>
        lane.commit({
          workspace,
          class: 'command',
          by: 'test',
          ledger: [{ step: 'book', booking: { id: newId(), type: 'MANUAL', asset: 'EUR', legs } }],
        }),
      ),
    )
    await lane.close()
  })
  after(async () => {
    await owner.end()
    await database.drop()
  })

  it('reads large books in small pieces', async () => {
    let largest = 0
    const watched: Reader = {
      async query<Row>(query: Parameters<Reader['query']>[0]) {
        const rows = await database.db.query<Row>(query)
        largest = Math.max(largest, rows.length)
        return rows
      },
    }
    const { bookings, faults } = await verifyBooks(watched, workspace)
    assert.deepEqual({ bookings, faults }, { bookings: BOOKINGS, faults: [] })
    assert.ok(largest <= 2000 * LEGS, `${largest} rows at once`)
  })

  it('finds legs of no booking, and a batch moved in time', async () => {
    const { HOUSE, MARGIN } = await houseAccounts(database.db, workspace)
    await database.db.query(sql`
        insert into legs (
          workspace, booking_sequence, leg_no, account_id, type, quantity, balance_after
        )
        values (${workspace}, ${BOOKINGS + 7}, 1, ${HOUSE}, 'DEBIT', 5, 5),
          (${workspace}, ${BOOKINGS + 7}, 2, ${MARGIN}, 'CREDIT', 5, 5)`)
    assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [
      '2 legs belong to no booking',
    ])
    await owner.query('alter table batches disable trigger batches_immutable')
    await owner.query(
      'update batches set committed_at = committed_at + 1 where workspace = $1 and batch_no = 1',
      [workspace],
    )
    assert.match(
      (await verifyBooks(database.db, workspace)).faults.join(),
      /booked at another time than its batch 1/,
    )
  })
})
