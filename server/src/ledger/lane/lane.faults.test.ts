/**
 * The backend is killed before every statement of a batch, COMMIT included: each change is there
 * once or not at all, and its caller is told which.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { manualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { servingCall } from '../../store/calls.ts'
import type { Call } from '../../store/calls.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { balancesOf } from '../accounts/balances.ts'
import type { Change } from '../changes.ts'
import { bookingChange, openTestBooks } from './books.testing.ts'
import type { TestBooks } from './books.testing.ts'
import { openLane } from './lane.ts'
import { verifyBooks } from '../reports/verify.ts'

describe('the lane whose backend dies', () => {
  let database: TestDatabase
  const clock = manualClock(1_800_000_000_000)
  let owner: pg.Client
  before(async () => {
    database = await testDatabase({ maximumConnections: 4 })
    owner = new pg.Client({ connectionString: database.url })
    await owner.connect()
  })
  after(async () => {
    await owner.end()
    await database.drop()
  })

  const books = () => openTestBooks(database.db, clock)

  /** A database whose lane connection is killed when the probe has named this step once. */
  const killingAt = (
    step: string,
  ): { db: Db; probe(now: string): Promise<void>; killed(): boolean } => {
    let pid = 0
    let done = false
    return {
      db: {
        ...database.db,
        async connect(options) {
          const client = await database.db.connect(options)
          pid = ((await client.query('select pg_backend_pid() as pid')).rows[0] as { pid: number })
            .pid
          return client
        },
      },
      async probe(now) {
        if (done || now !== step) return
        done = true
        await owner.query('select pg_terminate_backend($1)', [pid])
      },
      killed: () => done,
    }
  }

  const stepsOfOneBatch = async (): Promise<string[]> => {
    const place = await books()
    const steps: string[] = []
    const lane = openLane(database.db, clock, {
      probe: async (step) => {
        steps.push(step)
      },
    })
    await servingCall(callOf(place.workspace), () => lane.commit(change(place)))
    await lane.close()
    return steps
  }

  const callOf = (workspace: WorkspaceId): Call => ({
    workspace,
    operation: 'createBooking',
    request_id: newId(),
    actor: newId(),
    session_id: newId(),
    address: '192.0.2.1',
    agent: null,
    record_id: null,
    told: false,
    ended: false,
  })

  const entriesOf = async ({ workspace, request_id }: Call): Promise<number> =>
    (
      await database.db.query(sql`
        select
        from security_log
        where workspace = ${workspace}
          and request_id = ${request_id}`)
    ).length

  const change = ({ workspace, house, customer }: TestBooks): Change => {
    const id = newId()
    const booked = bookingChange(workspace, { from: house, to: customer, quantity: '10' })
    const hold = {
      id: newId(),
      kind: 'WITHDRAWAL' as const,
      account_id: customer,
      asset: 'EUR',
      quantity: decimal('1'),
      cause_type: 'test',
      cause_id: newId(),
    }
    return {
      ...booked,
      ledger: [...(booked.ledger ?? []), { step: 'hold', hold }],
      events: [{ type: 'account.overdrawn' as const, resource_id: id, data: {} }],
      tasks: [{ kind: 'test', subject_id: id, due_at: 0 }],
      idempotency: { key: id, request_hash: Buffer.from('a'), reply: { booking_id: id } },
    }
  }

  it('commits exactly once, whichever statement it died before', async () => {
    const steps = await stepsOfOneBatch()
    assert.ok(steps.length >= 12, `a batch has its statements: ${steps.join()}`)
    for (const step of steps) {
      const place = await books()
      const { workspace, customer } = place
      const { db, probe, killed } = killingAt(step)
      const lane = openLane(db, clock, { probe })
      const call = callOf(workspace)
      const committed = await servingCall(call, () => lane.commit(change(place)))
      assert.equal(committed.verdict, 'accepted', step)
      assert.ok(killed(), `${step} was reached`)
      assert.equal(await entriesOf(call), 1, `one entry, killed before ${step}`)
      await lane.close()
      const [eur] = await balancesOf(database.db, workspace, customer)
      assert.deepEqual(
        { total: eur?.total, held_withdrawal: eur?.held_withdrawal },
        { total: decimal('10'), held_withdrawal: decimal('1') },
        step,
      )
      assert.deepEqual((await verifyBooks(database.db, workspace)).faults, [], step)
    }
  })

  it('tells a caller whose COMMIT was lost what became of it', async () => {
    const place = await books()
    let cut = false
    const db: Db = {
      ...database.db,
      async connect(options) {
        const client = await database.db.connect(options)
        const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>
        client.query = ((...given: unknown[]) => {
          const text =
            typeof given[0] === 'string' ? given[0] : (given[0] as { text?: string }).text
          if (text !== 'commit' || cut) return query(...given)
          cut = true
          // The server commits, and its answer never arrives.
          return query(...given).then(() => {
            ;(
              client as unknown as { connection: { stream: { destroy(): void } } }
            ).connection.stream.destroy()
            return new Promise((_resolve, reject) => {
              client.once('end', () => {
                reject(new Error('Connection terminated unexpectedly'))
              })
            })
          })
        }) as typeof client.query
        return client
      },
    }
    const lane = openLane(db, clock)
    const committed = await lane.commit(change(place))
    assert.equal(committed.verdict, 'accepted')
    assert.ok(cut)
    await lane.close()
    const { bookings, faults } = await verifyBooks(database.db, place.workspace)
    assert.deepEqual({ bookings, faults }, { bookings: 1, faults: [] })
  })

  it('replays a batch that fails as a whole change by change', async () => {
    const place = await books()
    const { workspace } = place
    const lane = openLane(database.db, clock)
    const bad = {
      ...change(place),
      rows: [
        sql`
          insert into lanes (
            workspace, booking_sequence, event_sequence, batch_no, last_hash, committed_at
          )
          values (${workspace}, 0, 0, 0, ''::bytea, 0)`,
      ],
    }
    const results = await Promise.allSettled([
      lane.commit(change(place)),
      lane.commit(bad),
      lane.commit(change(place)),
    ])
    assert.deepEqual(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
    await lane.close()
    const { bookings, faults } = await verifyBooks(database.db, workspace)
    assert.deepEqual({ bookings, faults }, { bookings: 2, faults: [] })
  })

  it('finds what was tampered with', async () => {
    const place = await books()
    const { workspace, house } = place
    const lane = openLane(database.db, clock)
    await lane.commit(change(place))
    await lane.close()
    await assert.rejects(
      database.db.query(
        sql`
          update bookings
          set description = 'other'
          where workspace = ${workspace}`,
      ),
      /never changed or deleted/,
    )
    await assert.rejects(
      database.db.query(
        sql`
          insert into legs (
            workspace, booking_sequence, leg_no, account_id, type, quantity, balance_after,
            booking_type
          )
          values (${workspace}, 99, 1, ${house}, 'DEBIT', 5, 5, 'MANUAL')`,
      ),
      /do not balance/,
    )
    await owner.query('alter table bookings disable trigger bookings_immutable')
    await owner.query(
      `
        update bookings
        set description = 'other'
        where workspace = $1`,
      [workspace],
    )
    assert.match(
      (await verifyBooks(database.db, workspace)).faults.join(),
      /does not match its hash/,
    )
  })
})
