/** For tests: workspaces with customers to be erased, and what is done to them. */
import pg from 'pg'
import { createWorkspace, putSettings } from '../../access/index.ts'
import { mustExist } from '../../core/assert.ts'
import { manualClock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { createCustomer } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import { workerCaller } from '../../http/index.ts'
import type { Principal } from '../../http/index.ts'
import { testServer } from '../../http/testing.ts'
import {
  chainEvents,
  houseAccounts,
  lockLane,
  openBooks,
  openLane,
  publishEvents,
  verifyBooks,
} from '../../ledger/index.ts'
import type { Lane } from '../../ledger/index.ts'
import { bookingsBetween } from '../../ledger/bookings.ts'
import { bookingChange } from '../../ledger/lane/books.testing.ts'
import { chainHash } from '../../ledger/lane/chain.ts'
import type { Db } from '../../store/db.ts'
import type { TestDatabase } from '../../store/testing.ts'
import { testDatabase } from '../../store/testing.ts'
import { erasureEndpoints } from './erasure.http.ts'
import type { Erasure } from './erasure.schema.ts'
import { ERASE_TASK, eraseTask } from './erasure.ts'
import { MarkedRows } from './erasure.testing.ts'

const START = 1_800_000_000_000

export class ErasurePlace {
  readonly clock = manualClock(START)
  readonly principals = new Map<string, Principal>()
  readonly database: TestDatabase
  readonly owner: pg.Client
  readonly marked: MarkedRows
  readonly lane: Lane

  constructor(database: TestDatabase, owner: pg.Client, marked: MarkedRows) {
    this.database = database
    this.owner = owner
    this.marked = marked
    this.lane = openLane(database.db, this.clock)
  }

  readonly serve = () =>
    testServer({
      db: this.database.db,
      clock: this.clock,
      endpoints: erasureEndpoints({ db: this.database.db, clock: this.clock }),
      authenticate: (header) =>
        mustExist(this.principals.get(header?.slice('Bearer '.length) ?? ''), 'it is known'),
    })

  readonly workspaceNamed = (name: string): WorkspaceId =>
    mustExist(this.principals.get(name), 'it was made').workspace

  /** Retention in days; the caller's token is the name. */
  readonly workspaceOf = async (name: string, days: number): Promise<WorkspaceId> => {
    const workspace = await this.database.db.tx(async (tx) => {
      const { id } = await createWorkspace(tx, this.clock, { name })
      await openBooks({ workspace: id, by: 'test' }, { tx, clock: this.clock })
      const settings = { personal_data_kept_days: days }
      await putSettings(workerCaller(id, 'test'), tx, this.clock, settings)
      return id
    })
    const permissions = new Set(['customers.read', 'customers.erase'])
    const ids = { user_id: newId(), session_id: newId() }
    this.principals.set(name, { workspace, ...ids, permissions })
    return workspace
  }

  /** With the mark wherever a customer has texts. */
  readonly customerOf = async (workspace: WorkspaceId, mark: string): Promise<Customer> => {
    const customer = await this.database.db.tx((tx) =>
      createCustomer(workerCaller(workspace, 'test'), tx, this.clock, {
        type: 'RETAIL',
        label: `${mark} label`,
        first_name: `${mark} first`,
        last_name: `${mark} last`,
        foreign_id: `${mark} id`,
        margin: 'DEFAULT',
        booking_schema: 'SIMPLE',
        ignore_balance_check: false,
        ignore_margin: false,
        investment_entity_ids: [`${mark} entity`],
        notification_recipients: [`${mark}@example.com`],
      }),
    )
    const { withdrawal_id, deposit_id, to_wallet_id } = await this.marked.addAll(
      { workspace, id: customer.id, account_id: customer.account_id },
      mark,
    )
    await this.database.db.tx(async (tx) => {
      await lockLane(tx, workspace)
      const data = { quantity: '1', reason: `${mark} reason`, transfer: { to: { iban: mark } } }
      await publishEvents({ workspace, by: 'test' }, { tx, clock: this.clock }, [
        { type: 'withdrawal.created', resource_id: withdrawal_id, data },
        { type: 'deposit.received', resource_id: deposit_id, data },
        { type: 'wallet.changed', resource_id: to_wallet_id, data },
      ])
    })
    return customer
  }

  readonly book = async (
    customer: Customer,
    quantity: number,
    description: string,
  ): Promise<void> => {
    const { workspace, account_id } = customer
    const { HOUSE } = await houseAccounts(this.database.db, workspace)
    const [from, to] = quantity > 0 ? [HOUSE, account_id] : [account_id, HOUSE]
    const change = bookingChange(workspace, { from, to, quantity: String(Math.abs(quantity)) })
    for (const step of change.ledger ?? [])
      if (step.step === 'book') step.booking.description = description
    await this.lane.commit(change)
  }

  readonly end = (customer: Customer) =>
    this.owner.query(
      `
        update customers
        set state = 'DELETED', system_updated_at = $2
        where id = $1`,
      [customer.id, this.clock.now()],
    )

  readonly decide = ({ account_id }: Customer, state: string) =>
    this.owner.query(
      `
        update assignments
        set state = $2
        where account_id = $1`,
      [account_id, state],
    )

  readonly work = (workspace: WorkspaceId, db: Db = this.database.db) =>
    eraseTask({ db, clock: this.clock })({
      workspace,
      kind: ERASE_TASK,
      subject_id: workspace,
      attempts: 0,
    })

  readonly falsify = (workspace: WorkspaceId, asset: string) =>
    this.owner.query(
      `
        update bookings
        set asset = $2
        where workspace = $1
          and sequence = 1`,
      [workspace, asset],
    )

  readonly faultsOf = async (workspace: WorkspaceId) => {
    await chainEvents({ db: this.database.db, clock: this.clock })
    return (await verifyBooks(this.database.db, workspace)).faults
  }

  /** Its first batch holds the text itself, as those of before do. */
  readonly sealAsBefore = async (workspace: WorkspaceId): Promise<void> => {
    await this.owner.query('alter table bookings disable trigger user')
    await this.owner.query('alter table batches disable trigger user')
    await this.owner.query("update schema_migrations set applied_at = 'infinity'")
    await this.owner.query('update bookings set description_salt = null where workspace = $1', [
      workspace,
    ])
    const bookings = await bookingsBetween(this.database.db, workspace, 1, 1)
    const hash = chainHash(Buffer.alloc(32), bookings)
    await this.owner.query('update batches set hash = $2 where workspace = $1', [workspace, hash])
    await this.owner.query('update lanes set last_hash = $2 where workspace = $1', [
      workspace,
      hash,
    ])
    await this.owner.query('alter table batches enable trigger user')
    await this.owner.query('alter table bookings enable trigger user')
  }
}

export async function openErasures() {
  const database = await testDatabase()
  const owner = new pg.Client({ connectionString: database.url })
  await owner.connect()
  const place = new ErasurePlace(database, owner, await MarkedRows.open(owner))
  const server = await place.serve()
  const erase = ({ id }: Pick<Customer, 'id'>, token: string) =>
    server.call<Erasure>('POST', `/customers/${id}/erase`, {
      token,
      body: { reason: 'Request 17' },
    })
  const close = async () => {
    await server.close()
    await place.lane.close()
    await owner.end()
    await database.drop()
  }
  return { place, server, erase, close }
}
