/**
 * What an erasure does, in steps. A step takes the next slice of its records, in a transaction of
 * its own, and answers from where to go on. All of them can be taken again.
 *
 * A record in which several customers have part keeps its texts until the last of them is erased:
 * to the others it must stay as it is.
 */
import type { AccountId, CustomerId, WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { eraseDescriptions } from '../../ledger/index.ts'
import type { Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { MATCHING_MOVES } from '../../treasury/index.ts'
import { eraseBeside } from './beside.ts'
import { eraseMovements, erasePrepared } from './movements.ts'
import { eraseNotesOn, fillsOf } from './notes.ts'
import { eraseSetAside } from './set-aside.ts'
import { eraseTexts, withIds } from './texts.ts'

export type ErasedCustomer = { workspace: WorkspaceId; id: CustomerId; account_id: AccountId }

type Slice = { tx: Tx; now: number }
type Step = (
  slice: Slice,
  customer: ErasedCustomer,
  after: string | undefined,
) => Promise<string | undefined>

/** Records of a slice. */
const AT_ONCE = 200
/** Before all ids. */
const START = '00000000-0000-0000-0000-000000000000'

type Id = { id: string }

const idsOf = (rows: readonly Id[]): string[] => rows.map(({ id }) => id)

/** The last id of a slice that is full; undefined at the end. */
const nextAfter = (rows: readonly Id[]): string | undefined =>
  rows.length < AT_ONCE ? undefined : rows.at(-1)?.id

/** Assigned to the customer's account. */
const assigned: Step = async ({ tx }, { workspace, account_id }, after = START) => {
  const rows = await tx.query<Id & Record<'deposit_id' | 'withdrawal_id', string | null>>(sql`
    select id, deposit_id, withdrawal_id
    from assignments
    where workspace = ${workspace}
      and account_id = ${account_id}
      and id > ${after}
    order by id
    limit ${AT_ONCE}`)
  await eraseMovements(tx, workspace, {
    deposits: rows.flatMap(({ deposit_id }) => deposit_id ?? []),
    withdrawals: rows.flatMap(({ withdrawal_id }) => withdrawal_id ?? []),
  })
  return nextAfter(rows)
}

/** Arrived in a wallet of the customer, whoever got it. */
const arrived: Step = async ({ tx }, { workspace, id }, after = START) => {
  const rows = await tx.query<Id>(sql`
    select d.id
    from wallets t
    join deposits d on d.workspace = t.workspace
      and d.wallet_id = t.id
    where t.workspace = ${workspace}
      and t.customer_id = ${id}
      and d.id > ${after}
    order by d.id
    limit ${AT_ONCE}`)
  await eraseMovements(tx, workspace, { deposits: idsOf(rows), withdrawals: [] })
  return nextAfter(rows)
}

/** Sent to a wallet of the customer, whoever paid. */
const sent: Step = async ({ tx }, { workspace, id }, after = START) => {
  const rows = await tx.query<Id>(sql`
    select w.id
    from wallets t
    join withdrawals w on w.workspace = t.workspace
      and w.to_wallet_id = t.id
    where t.workspace = ${workspace}
      and t.customer_id = ${id}
      and w.id > ${after}
    order by w.id
    limit ${AT_ONCE}`)
  await eraseMovements(tx, workspace, { deposits: [], withdrawals: idsOf(rows) })
  return nextAfter(rows)
}

/** Prepared in a batch, and given up or expired. */
const prepared: Step = async ({ tx }, customer, after = START) => {
  const rows = await tx.query<Id>(sql`
    select id
    from batch_requests
    where workspace = ${customer.workspace}
      and withdrawal_id is null
      and id > ${after}
    order by id
    limit ${AT_ONCE}`)
  await erasePrepared(tx, customer, idsOf(rows))
  return nextAfter(rows)
}

const executions: Step = async ({ tx }, { workspace, id }, after = START) => {
  const rows = await tx.query<Id & { erasable: boolean }>(sql`
    select e.execution_id as id, not exists (
        select 1
        from execution_customers o
        join customers c on c.workspace = o.workspace
          and c.id = o.customer_id
        where o.workspace = e.workspace
          and o.execution_id = e.execution_id
          and c.erased_at is null
      ) as erasable
    from execution_customers e
    where e.workspace = ${workspace}
      and e.customer_id = ${id}
      and e.execution_id > ${after}
    order by e.execution_id
    limit ${AT_ONCE}`)
  const ids = idsOf(rows.filter(({ erasable }) => erasable))
  await tx.query(eraseTexts('executions', withIds(workspace, ids)))
  await tx.query(eraseTexts('execution_orders', withIds(workspace, ids, 'execution_id')))
  await eraseBeside(tx, workspace, [...ids, ...(await fillsOf(tx, workspace, ids))])
  return nextAfter(rows)
}

const bookTransfers: Step = async ({ tx }, { workspace, account_id }, after = START) => {
  const rows = await tx.query<Id & { erasable: boolean }>(sql`
    select t.id, not exists (
        select 1
        from customers c
        where c.workspace = t.workspace
          and c.id in (t.from_customer_id, t.to_customer_id)
          and c.erased_at is null
      ) as erasable
    from book_transfers t
    where t.workspace = ${workspace}
      and (t.from_account_id = ${account_id} or t.to_account_id = ${account_id})
      and t.id > ${after}
    order by t.id
    limit ${AT_ONCE}`)
  const ids = idsOf(rows.filter(({ erasable }) => erasable))
  await tx.query(eraseTexts('book_transfers', withIds(workspace, ids)))
  await eraseBeside(tx, workspace, ids)
  return nextAfter(rows)
}

const payments: Step = async ({ tx }, { workspace, id, account_id }, after = START) => {
  const rows = await tx.query<Id>(sql`
    select p.id
    from payments p
    where p.workspace = ${workspace}
      and (
        p.account_id = ${account_id}
        or p.account_id is null and exists (
          select 1
          from wallets t
          where t.workspace = p.workspace
            and t.id = p.to_wallet_id
            and t.customer_id = ${id}
        )
      )
      and p.id > ${after}
    order by p.id
    limit ${AT_ONCE}`)
  const ids = idsOf(rows)
  await tx.query(eraseTexts('payments', withIds(workspace, ids)))
  await eraseBeside(tx, workspace, ids)
  return nextAfter(rows)
}

const bookings: Step = async ({ tx, now }, { workspace, account_id }, after = '0') => {
  const next = await eraseDescriptions(tx, workspace, { account_id, after: Number(after), now })
  return next?.toString()
}

const notes: Step = async ({ tx }, customer, after = START) =>
  nextAfter(await eraseNotesOn(tx, customer, { after, limit: AT_ONCE }))

const mails: Step = async ({ tx }, { workspace, id }) => {
  const rows = await tx.query<Id>(sql`
    delete from mails
    where workspace = ${workspace}
      and id in (
        select id
        from mails
        where workspace = ${workspace}
          and customer_id = ${id}
        order by id
        limit ${AT_ONCE}
      )
    returning id`)
  return nextAfter(rows)
}

const routes: Step = async ({ tx }, { workspace, id }, after = START) => {
  const rows = await tx.query<Id>(sql`
    select r.id
    from wallets t
    join treasury_routes r on r.workspace = t.workspace
      and t.id in (r.from_wallet_id, r.to_wallet_id)
    where t.workspace = ${workspace}
      and t.customer_id = ${id}
      and r.id > ${after}
    order by r.id
    limit ${AT_ONCE}`)
  const ids = idsOf(rows)
  await tx.query(eraseTexts('treasury_routes', withIds(workspace, ids)))
  await eraseBeside(tx, workspace, ids)
  return nextAfter(rows)
}

const DELETED = move(MATCHING_MOVES, 'ACTIVE', 'DELETED')

/** What is matched by erased words is matched no more. */
const matchings: Step = async ({ tx }, { workspace, account_id }, after = START) => {
  const rows = await tx.query<Id>(sql`
    select id
    from matchings
    where workspace = ${workspace}
      and resource_id = ${account_id}
      and id > ${after}
    order by id
    limit ${AT_ONCE}`)
  const ids = idsOf(rows)
  await tx.query(sql`
    update matchings
    set state = ${DELETED.to}
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])
      and ${stateIn(MATCHING_MOVES, DELETED.from)}`)
  await tx.query(eraseTexts('matchings', withIds(workspace, ids)))
  await eraseBeside(tx, workspace, ids)
  return nextAfter(rows)
}

/** Closed records that were set aside are found by the addresses that only the customer has. */
const wallets: Step = async ({ tx }, { workspace, id }, after = START) => {
  const rows = await tx.query<Id & { address: string; access_type: string }>(sql`
    select id, address, access_type
    from wallets
    where workspace = ${workspace}
      and customer_id = ${id}
      and id > ${after}
    order by id
    limit ${AT_ONCE}`)
  const venues = await tx.query<Id>(sql`
    select id
    from venues
    where workspace = ${workspace}`)
  const items = await eraseSetAside(tx, workspace, {
    venue_ids: idsOf(venues),
    foreign_ids: [],
    marks: rows.flatMap(({ address, access_type }) =>
      access_type === 'EXTERNAL' ? [address] : [],
    ),
  })
  const ids = idsOf(rows)
  await tx.query(eraseTexts('wallets', withIds(workspace, ids)))
  await eraseBeside(tx, workspace, [...ids, ...items])
  return nextAfter(rows)
}

const customer: Step = async ({ tx }, { workspace, id, account_id }) => {
  await tx.query(eraseTexts('customers', withIds(workspace, [id])))
  await tx.query(eraseTexts('accounts', withIds(workspace, [account_id])))
  await eraseBeside(tx, workspace, [id, account_id])
  return undefined
}

/** Set-aside records are found by ids and addresses, so before these go. The customer is last. */
export const ERASING_STEPS: readonly Step[] = [
  assigned,
  arrived,
  sent,
  prepared,
  executions,
  bookTransfers,
  payments,
  bookings,
  notes,
  mails,
  routes,
  matchings,
  wallets,
  customer,
]
