/**
 * Erasing the personal data of a customer. A request checks that nothing is open and that the time
 * is over for which the data must be kept, and marks the customer. A task then works through all
 * that holds texts of the customer (erasing.ts). It may be ended at any time and begins again.
 */
import { settingsOf } from '../../access/index.ts'
import type { Clock } from '../../core/clock.ts'
import { refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { AccountId, CustomerId, ErasureId, WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { customerById, markErased } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import type { Caller } from '../../http/index.ts'
import { isAccountInUse, lockLane, publishEvents } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Db, Reader, Tx } from '../../store/db.ts'
import { columnsOf, createdBy, insertRow, tableOf, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { putTasks } from '../../store/tasks.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import { ERASURE_MOVES, ErasureRecord } from './erasure.schema.ts'
import type { EraseCustomerBody, Erasure } from './erasure.schema.ts'
import { ERASING_STEPS } from './erasing.ts'
import type { ErasedCustomer } from './erasing.ts'
import { openRecordsOf } from './open-records.ts'

export type ErasureApp = { db: Db; clock: Clock }

const ERASURES = tableOf('erasures', ErasureRecord)
export const ERASURE_COLUMNS = columnsOf(ErasureRecord)

/** Subject: the workspace. Works off its erasures, one after the other. */
export const ERASE_TASK = 'erase_customers'
const WORKER = 'erasure'
const DAY_MILLISECONDS = 86_400_000

/**
 * Begins to erase. What runs already is answered again. Refused: STATE_NOT_ALLOWED (not deleted),
 * IN_USE (balances, holds, open records), RETENTION_PERIOD; 4004.
 */
export async function eraseCustomer(
  { workspace, by }: Caller,
  tx: Tx,
  clock: Clock,
  { customer_id, reason }: EraseCustomerBody & { customer_id: CustomerId },
): Promise<Erasure> {
  await lockCustomer(tx, workspace, customer_id)
  const customer = await customerById(tx, workspace, customer_id)
  const running = await runningErasure(tx, workspace, customer_id)
  if (running !== undefined) return running
  const now = clock.now()
  await assertErasable(tx, workspace, customer, now)
  const stamp = { by, now }
  const row: Erasure = {
    workspace,
    id: newId<ErasureId>(now),
    state: 'RUNNING',
    customer_id,
    reason,
    completed_at: null,
    ...createdBy(stamp),
  }
  await tx.query(insertRow(ERASURES, row, stamp))
  await markErased(tx, workspace, customer_id, stamp)
  await putTasks(tx, [{ workspace, kind: ERASE_TASK, subject_id: workspace, due_at: now }])
  return row
}

/** Two requests for one customer come one after the other. */
async function lockCustomer(tx: Tx, workspace: WorkspaceId, id: CustomerId): Promise<void> {
  await tx.query(sql`
    select 1
    from customers
    where workspace = ${workspace}
      and id = ${id}
    for update`)
}

async function runningErasure(
  reader: Reader,
  workspace: WorkspaceId,
  customer_id: CustomerId,
): Promise<Erasure | undefined> {
  return only(
    await reader.query<Erasure>(sql`
      select ${ERASURE_COLUMNS}
      from erasures
      where workspace = ${workspace}
        and customer_id = ${customer_id}
        and ${stateIn(ERASURE_MOVES, 'RUNNING')}`),
  )
}

async function assertErasable(
  reader: Reader,
  workspace: WorkspaceId,
  customer: Customer,
  now: number,
): Promise<void> {
  const { id, account_id, state } = customer
  if (state !== 'DELETED')
    throw refuse('STATE_NOT_ALLOWED', '', `customer ${id} is ${state}: delete the customer first`)
  if (await isAccountInUse(reader, workspace, account_id))
    throw refuse('IN_USE', '', `customer ${id} still has balances or blocked amounts`)
  const open = await openRecordsOf(reader, workspace, customer)
  if (open !== undefined) throw refuse('IN_USE', '', `customer ${id} has ${open}`)
  const { personal_data_kept_days: days } = await settingsOf(reader, workspace)
  const kept_until = (await lastUse(reader, workspace, customer)) + days * DAY_MILLISECONDS
  if (now < kept_until)
    throw refuse(
      'RETENTION_PERIOD',
      '',
      `the data of customer ${id} must be kept until ${new Date(kept_until).toISOString()}: ` +
        `${days} days from the end of the relationship or the last movement, if that is later`,
    )
}

/** The end of the relationship, or the last booking of the account. */
async function lastUse(
  reader: Reader,
  workspace: WorkspaceId,
  { account_id, erased_at, system_updated_at }: Customer,
): Promise<number> {
  const [last] = await reader.query<{ booked_at: number }>(sql`
    select b.booked_at
    from bookings b
    where b.workspace = ${workspace}
      and b.sequence = (
        select max(l.booking_sequence)
        from legs l
        where l.workspace = ${workspace}
          and l.account_id = ${account_id}
      )`)
  // A deleted customer is changed by nothing but this.
  const ended_at = erased_at === null ? system_updated_at : 0
  return Math.max(ended_at, last?.booked_at ?? 0)
}

/** Safe to repeat, also from the middle: what is erased is left alone. */
export const eraseTask =
  (app: ErasureApp): TaskHandler =>
  async ({ workspace }) => {
    for (;;) {
      const erased = await nextErased(app.db, workspace)
      if (erased === undefined) return 'done'
      for (const step of ERASING_STEPS) await runStep(app, erased, step)
      await finish(app, erased)
    }
  }

type RunningErasure = ErasedCustomer & { erasure_id: ErasureId }

async function nextErased(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<RunningErasure | undefined> {
  const [next] = await reader.query<{
    erasure_id: ErasureId
    id: CustomerId
    account_id: AccountId
  }>(sql`
    select e.id as erasure_id, c.id, c.account_id
    from erasures e
    join customers c on c.workspace = e.workspace
      and c.id = e.customer_id
    where e.workspace = ${workspace}
      and ${stateIn(ERASURE_MOVES, 'RUNNING', 'e.state')}
    order by e.id
    limit 1`)
  return next === undefined ? undefined : { workspace, ...next }
}

/** Slice by slice, each a short transaction. One process at a time works on an erasure. */
async function runStep(
  { db, clock }: ErasureApp,
  erased: RunningErasure,
  step: (typeof ERASING_STEPS)[number],
): Promise<void> {
  let after: string | undefined
  do {
    after = await db.tx(async (tx) => {
      if (!(await lockErasure(tx, erased))) return undefined
      return step({ tx, now: clock.now() }, erased, after)
    })
  } while (after !== undefined)
}

/** Whether it still runs. */
async function lockErasure(tx: Tx, { workspace, erasure_id }: RunningErasure): Promise<boolean> {
  const rows = await tx.query(sql`
    select 1
    from erasures
    where workspace = ${workspace}
      and id = ${erasure_id}
      and ${stateIn(ERASURE_MOVES, 'RUNNING')}
    for update`)
  return rows.length > 0
}

async function finish({ db, clock }: ErasureApp, erased: RunningErasure): Promise<void> {
  const { workspace, erasure_id, id, account_id } = erased
  await db.tx(async (tx) => {
    await lockLane(tx, workspace)
    if (!(await lockErasure(tx, erased))) return
    const now = clock.now()
    await tx.query(
      updateRow(ERASURES, {
        where: { workspace, id: erasure_id },
        move: move(ERASURE_MOVES, 'RUNNING', 'DONE'),
        set: { completed_at: now },
        by: WORKER,
        now,
      }),
    )
    await publishEvents({ workspace, by: WORKER }, { tx, clock }, [
      { type: 'customer.erased', resource_id: id, data: { erasure_id, account_id } },
    ])
  })
}
