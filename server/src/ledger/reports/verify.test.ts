import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { manualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Tx } from '../../store/db.ts'
import { sql, statement } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { houseAccounts, openBooks } from '../accounts/accounts.ts'
import { openLane } from '../lane/lane.ts'
import { openCheckpoints } from './checkpoints.ts'
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
    const lane = openLane(database.db, clock)
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

  /** Counts the statements of a verification, by what they run in, and its largest answer. */
  const watched = () => {
    const seen = { largest: 0, outside: 0, inside: 0 }
    const note = <Row>(rows: Row[], where: 'outside' | 'inside'): Row[] => {
      seen.largest = Math.max(seen.largest, rows.length)
      seen[where] += 1
      return rows
    }
    const { db } = database
    const books: Pick<typeof db, 'query' | 'tx'> = {
      query: async <Row>(query: Query) => note(await db.query<Row>(query), 'outside'),
      tx: (work) =>
        db.tx((tx) =>
          work({
            query: async <Row>(query: Query) => note(await tx.query<Row>(query), 'inside'),
          } as Tx),
        ),
    }
    return { seen, books }
  }

  it('reads large books in small pieces, each outside of a transaction', async () => {
    const { seen, books } = watched()
    const { bookings, faults } = await verifyBooks(books, workspace)
    assert.deepEqual({ bookings, faults }, { bookings: BOOKINGS, faults: [] })
    assert.ok(seen.largest <= 2000 * LEGS, `${seen.largest} rows at once`)
    assert.ok(seen.outside > 5, `${seen.outside} statements outside of a transaction`)
    // Isolation, batches since, two ends of events, the lane, what lies beside it, and balances.
    assert.ok(seen.inside <= 8, `${seen.inside} statements in the last snapshot`)
  })

  it('goes on where an earlier one ended, and knows its hash again', async () => {
    const path = join(tmpdir(), `kontor-verify-${newId()}.json`)
    const known = async () => (await openCheckpoints(path)).of(workspace)
    try {
      const { keep } = await known()
      const { checkpoint } = await verifyBooks(database.db, workspace, { keep })
      assert.ok(checkpoint)
      await keep(checkpoint)
      const { seen, books } = watched()
      assert.deepEqual(await verifyBooks(books, workspace, await known()), {
        bookings: BOOKINGS,
        batches: checkpoint.batch_no,
        last_hash: checkpoint.hash,
        faults: [],
        checkpoint,
      })
      assert.ok(seen.largest < 100, `${seen.largest} rows at once`)
      const hash = '0'.repeat(64)
      await keep({ ...checkpoint, hash })
      const { faults } = await verifyBooks(database.db, workspace, await known())
      assert.equal(
        faults[0],
        `batch ${checkpoint.batch_no} was verified with hash ${hash}, ` +
          `and now has ${checkpoint.hash}`,
      )
      await writeFile(path, '{"books":1}')
      await assert.rejects(known(), /is not the state of a verification/)
    } finally {
      await rm(path, { force: true })
    }
  })

  it('finds an event that is missing, one that stands twice, and one behind the last', async () => {
    const { checkpoint } = await verifyBooks(database.db, workspace)
    assert.ok(checkpoint)
    const after = { ...checkpoint, event_sequence: 0 }
    const faultsAfter = async (...changes: string[]) => {
      const client = await database.db.connect()
      await client.query('begin')
      for (const change of changes) await client.query(change, [workspace])
      const query = async <Row>(asked: Query) =>
        (await client.query(statement(asked))).rows as Row[]
      const inside = { query } as Tx
      // All in the transaction that is rolled back.
      const tx = <T>(work: (tx: Tx) => Promise<T>) =>
        work({
          query: async (asked: Query) =>
            statement(asked).text.startsWith('set transaction') ? [] : query(asked),
        } as Tx)
      const { faults } = await verifyBooks({ ...inside, tx }, workspace, { after })
      await client.end()
      return faults
    }
    const event = (sequence: string) => `
      insert into events (workspace, sequence, id, type, resource_id, occurred_at, data)
      select $1, ${sequence}, gen_random_uuid(), 'account.overdrawn', gen_random_uuid(), 0, '{}'
      from lanes
      where workspace = $1`
    assert.deepEqual(
      await faultsAfter(
        `
          update lanes
          set event_sequence = event_sequence + 1
          where workspace = $1`,
      ),
      [`event ${BOOKINGS + 1} is missing`],
    )
    assert.deepEqual(await faultsAfter(event('7')), ['event 7 stands twice'])
    after.event_sequence = BOOKINGS + 1
    assert.deepEqual(await faultsAfter(), [
      `the lane stands at event ${BOOKINGS}; ${BOOKINGS + 1} were verified`,
    ])
    after.event_sequence = 0
    assert.deepEqual(await faultsAfter(event('event_sequence + 1')), [
      '1 events stand outside the sequence',
    ])
  })

  it('finds legs of no booking, and a batch moved in time', async () => {
    const { HOUSE, MARGIN } = await houseAccounts(database.db, workspace)
    await database.db.query(sql`
        insert into legs (
          workspace, booking_sequence, leg_no, account_id, type, quantity, balance_after,
          booking_type
        )
        values (${workspace}, ${BOOKINGS + 7}, 1, ${HOUSE}, 'DEBIT', 5, 5, 'MANUAL'),
          (${workspace}, ${BOOKINGS + 7}, 2, ${MARGIN}, 'CREDIT', 5, 5, 'MANUAL')`)
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
