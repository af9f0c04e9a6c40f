/**
 * Customers and the account each is created with. Nothing here moves money: ordinary transactions,
 * lane row first, that publish their event.
 */
import { assertTimeZone, settingsOf } from '../access/index.ts'
import { mustExist } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { notFound, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { AccountId, CustomerId, WorkspaceId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import type { Caller } from '../http/index.ts'
import {
  assertVersion,
  balancesOf,
  changeAccount,
  isAccountInUse,
  lockLane,
  openAccount,
  publishEvents,
} from '../ledger/index.ts'
import { constraintOf, only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { markedRead } from '../store/reads.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../store/rows.ts'
import type { Stamp } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { BOOK_TRANSFER_MOVES } from './book-transfers.schema.ts'
import { CUSTOMER_MOVES, CustomerRecord, REQUIRED_NAMES } from './customers.schema.ts'
import type { ChangeCustomerBody, CreateCustomerBody, Customer } from './customers.schema.ts'

const CUSTOMERS = tableOf('customers', CustomerRecord)
export const CUSTOMER_COLUMNS = columnsOf(CustomerRecord)

/** Deleted ones too. Throws 4004; `path` names the field with the id. */
export async function customerById(
  reader: Reader,
  workspace: WorkspaceId,
  id: CustomerId,
  path = 'customer_id',
): Promise<Customer> {
  const customer = only(
    await reader.query<Customer>(sql`
      select ${CUSTOMER_COLUMNS}
      from customers
      where workspace = ${workspace}
        and id = ${id}`),
  )
  if (customer === undefined) throw notFound('customer', id, path)
  return customer
}

/**
 * In the order of the ids, of which each has the path that names it. Throws 4004, or 3001
 * NOT_ACTIVE when a customer was deleted.
 */
export const activeCustomersRead = (
  workspace: WorkspaceId,
  wanted: readonly { id: CustomerId; path: string }[],
) =>
  markedRead(
    CUSTOMER_COLUMNS,
    sql`
      customers
      where workspace = ${workspace}
        and id = any(${wanted.map(({ id }) => id)}::uuid[])`,
    (rows: readonly Customer[]) =>
      wanted.map(({ id, path }) => {
        const customer = rows.find((row) => row.id === id)
        if (customer === undefined) throw notFound('customer', id, path)
        if (customer.state !== 'ACTIVE')
          throw refuse('NOT_ACTIVE', path, `customer ${id} was deleted`)
        return customer
      }),
  )

/** The customers behind these accounts, by account id; accounts of no customer are left out. */
export async function customersOfAccounts(
  reader: Reader,
  workspace: WorkspaceId,
  account_ids: readonly AccountId[],
): Promise<Map<string, Customer>> {
  const rows = await reader.query<Customer>(sql`
    select ${CUSTOMER_COLUMNS}
    from customers
    where workspace = ${workspace}
      and account_id = any(${account_ids}::uuid[])`)
  return new Map(rows.map((row) => [row.account_id, row]))
}

/** Refuses DUPLICATE for a foreign_id that is taken, and names and categories that do not fit. */
export async function createCustomer(
  { workspace, by }: Caller,
  tx: Tx,
  clock: Clock,
  body: CreateCustomerBody,
): Promise<Customer> {
  await checkRules(tx, workspace, body)
  const id = newId()
  const now = clock.now()
  await lockLane(tx, workspace)
  const account = await openAccount(
    { workspace, by },
    { tx, clock },
    {
      type: 'CUSTOMER',
      label: body.label,
      customer_id: id,
      overdraft: body.ignore_balance_check,
      ...(body.foreign_id === undefined ? {} : { foreign_id: body.foreign_id }),
    },
  )
  const row = { workspace, id, state: 'ACTIVE', account_id: account.id, ...fieldsOf(body) } as const
  const [customer] = await refuseDuplicates(body.foreign_id, () =>
    tx.query<Customer>(sql`
      ${insertRow(CUSTOMERS, row, { by, now })}
      returning ${CUSTOMER_COLUMNS}`),
  )
  const created = mustExist(customer, 'it was inserted')
  await publishEvents({ workspace, by }, { tx, clock }, [
    { type: 'customer.created', resource_id: id, data: created },
  ])
  return created
}

/** What a request says of a customer; what it leaves out is empty. */
function fieldsOf(body: CreateCustomerBody) {
  return {
    type: body.type,
    label: body.label,
    margin: body.margin,
    booking_schema: body.booking_schema,
    ignore_balance_check: body.ignore_balance_check,
    ignore_margin: body.ignore_margin,
    first_name: body.first_name ?? null,
    last_name: body.last_name ?? null,
    company_name: body.company_name ?? null,
    joint_name: body.joint_name ?? null,
    foreign_id: body.foreign_id ?? null,
    investment_entity_ids: body.investment_entity_ids ?? [],
    notification_recipients: body.notification_recipients ?? [],
    language: body.language ?? null,
    time_zone: body.time_zone ?? null,
  }
}

/**
 * Replaces the customer's fields. Refused: deleted, stale version, another booking schema while
 * executions are open.
 */
export async function changeCustomer(
  { workspace, by }: Caller,
  tx: Tx,
  clock: Clock,
  body: ChangeCustomerBody,
): Promise<Customer> {
  const { account_id } = await customerById(tx, workspace, body.id, 'id')
  await checkRules(tx, workspace, body)
  // Takes the lane's lock: from here on no hold and no other change of this customer appears.
  await changeAccount({ workspace, by }, { tx, clock }, account_id, {
    label: body.label,
    overdraft: body.ignore_balance_check,
  })
  const before = await customerById(tx, workspace, body.id, 'id')
  assertActive(before)
  assertVersion('customer', before, body.version)
  if (
    body.booking_schema !== before.booking_schema &&
    (await balancesOf(tx, workspace, account_id)).some((balance) => balance.held_trading !== 0n)
  ) {
    throw refuse(
      'IN_USE',
      'booking_schema',
      `customer ${body.id} has open executions: its booking schema cannot change now`,
    )
  }
  const update = updateRow(CUSTOMERS, {
    where: { workspace, id: body.id },
    set: fieldsOf(body),
    by,
    now: clock.now(),
  })
  const rows = await refuseDuplicates(body.foreign_id, () =>
    tx.query<Customer>(sql`
      ${update}
      returning ${CUSTOMER_COLUMNS}`),
  )
  const customer = mustExist(rows[0], 'it is locked')
  await publishEvents({ workspace, by }, { tx, clock }, [
    { type: 'customer.changed', resource_id: body.id, data: customer },
  ])
  return customer
}

/**
 * Whether something was promised to the customer, on a higher floor, that may still be taken.
 */
export type HasCommitments = (
  reader: Reader,
  workspace: WorkspaceId,
  customer_id: CustomerId,
) => Promise<boolean>

/**
 * Soft. Refused IN_USE while the account holds, owes or blocks anything (open executions and live
 * withdrawals block), is about to get something, or something is promised.
 */
export async function deleteCustomer(
  { workspace, by }: Caller,
  tx: Tx,
  id: CustomerId,
  { clock, hasCommitments }: { clock: Clock; hasCommitments: HasCommitments },
): Promise<void> {
  const before = await customerById(tx, workspace, id)
  assertActive(before)
  await changeAccount({ workspace, by }, { tx, clock }, before.account_id, {
    label: before.label,
    overdraft: false,
  })
  assertActive(await customerById(tx, workspace, id))
  if (await isAccountInUse(tx, workspace, before.account_id))
    throw refuse(
      'IN_USE',
      '',
      `customer ${id} still has balances, open executions or live withdrawals`,
    )
  if (await isToGet(tx, workspace, before.account_id))
    throw refuse('IN_USE', '', `customer ${id} is to get a book transfer that is not booked yet`)
  if (await hasCommitments(tx, workspace, id))
    throw refuse('IN_USE', '', `customer ${id} has quotes that can still be accepted`)
  await tx.query(
    updateRow(CUSTOMERS, {
      where: { workspace, id },
      move: move(CUSTOMER_MOVES, before.state, 'DELETED'),
      by,
      now: clock.now(),
    }),
  )
  await publishEvents({ workspace, by }, { tx, clock }, [
    { type: 'customer.deleted', resource_id: id, data: { account_id: before.account_id } },
  ])
}

/** Who has part in records with erased customers alone, loses the texts there. */
export async function markErased(
  tx: Tx,
  workspace: WorkspaceId,
  id: CustomerId,
  { by, now }: Stamp,
): Promise<void> {
  await tx.query(
    updateRow(CUSTOMERS, { where: { workspace, id }, set: { erased_at: now }, by, now }),
  )
}

/** Under the lane's lock: what is booked afterwards finds the customer as they are then. */
async function isToGet(
  reader: Reader,
  workspace: WorkspaceId,
  account_id: AccountId,
): Promise<boolean> {
  const rows = await reader.query(sql`
    select 1
    from book_transfers
    where workspace = ${workspace}
      and to_account_id = ${account_id}
      and ${stateIn(BOOK_TRANSFER_MOVES, 'PENDING')}
    limit 1`)
  return rows.length > 0
}

function assertActive(customer: Customer): void {
  if (customer.state !== 'ACTIVE')
    throw refuse('STATE_NOT_ALLOWED', '', `customer ${customer.id} is ${customer.state}`)
}

async function checkRules(
  reader: Reader,
  workspace: WorkspaceId,
  body: CreateCustomerBody,
): Promise<void> {
  for (const name of REQUIRED_NAMES[body.type]) {
    if (body[name] === undefined)
      throw refuse('REQUIRED', name, `${name} is required if type is ${body.type}`)
  }
  const { margins } = await settingsOf(reader, workspace)
  if (!Object.hasOwn(margins, body.margin))
    throw refuse('ENUM', 'margin', `margin must be one of ${Object.keys(margins).join(', ')}`)
  if (body.time_zone !== undefined) assertTimeZone(body.time_zone, 'time_zone')
}

async function refuseDuplicates<T>(
  foreign_id: string | undefined,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (constraintOf(error) === 'customers_foreign_id')
      throw refuse('DUPLICATE', 'foreign_id', `another customer has the foreign_id ${foreign_id}`)
    throw error
  }
}
