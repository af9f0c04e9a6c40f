/** Takes the texts out of deposits and withdrawals, and out of all that was stored beside them. */
import type { AccountId, CustomerId, WorkspaceId } from '../../core/ids.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { eraseBeside, eraseNotes } from './beside.ts'
import { eraseSetAside } from './set-aside.ts'
import { eraseTexts, withIds } from './texts.ts'

type Movements = { deposits: readonly string[]; withdrawals: readonly string[] }

/** With what came back of them, and what went back. */
export async function eraseMovements(
  tx: Tx,
  workspace: WorkspaceId,
  movements: Movements,
): Promise<void> {
  const all = await withRelated(tx, workspace, movements)
  const deposits = await erasableDeposits(tx, workspace, all.deposits)
  const withdrawals = await erasableWithdrawals(tx, workspace, all.withdrawals)
  const ids = { deposits: idsOf(deposits), withdrawals: idsOf(withdrawals) }
  const items = await eraseSetAside(tx, workspace, tracesOf([...deposits, ...withdrawals]))
  await tx.query(eraseTexts('deposits', withIds(workspace, ids.deposits)))
  await tx.query(eraseTexts('withdrawals', withIds(workspace, ids.withdrawals)))
  await tx.query(eraseTexts('rectifications', isOf(workspace, ids)))
  await eraseRequests(tx, workspace, preparedFor(workspace, outputsOf(withdrawals)))
  await eraseScreenings(tx, workspace, [...ids.deposits, ...ids.withdrawals])
  await tx.query(eraseTexts('travel_rule_data', withIds(workspace, ids.withdrawals, 'record_id')))
  await eraseBeside(tx, workspace, [...ids.deposits, ...ids.withdrawals, ...items])
}

/** The cases stay, with what was found and decided; whom it was about goes. */
async function eraseScreenings(
  tx: Tx,
  workspace: WorkspaceId,
  record_ids: readonly string[],
): Promise<void> {
  const which = withIds(workspace, record_ids, 'record_id')
  const cases = await tx.query<{ id: string }>(sql`
    select id
    from screening_cases
    where ${which}`)
  await tx.query(eraseTexts('screening_cases', which))
  await tx.query(eraseTexts('screenings', which))
  await eraseNotes(tx, workspace, idsOf(cases))
}

const isOf = (workspace: WorkspaceId, { deposits, withdrawals }: Movements): Query => sql`
  workspace = ${workspace}
    and (deposit_id = any(${deposits}::uuid[]) or withdrawal_id = any(${withdrawals}::uuid[]))`

/** A request names the first withdrawal of its transaction, which is our reference of all. */
const outputsOf = (withdrawals: readonly Movement[]): string[] =>
  withdrawals.flatMap(({ external_id, origin }) =>
    origin === 'BATCH' && external_id !== null ? [external_id] : [],
  )

const ALL_ERASED = sql`
  not exists (
    select 1
    from jsonb_array_elements(request -> 'stakes') as payment
    join customers c on c.workspace = batch_requests.workspace
      and c.account_id = (payment ->> 'account_id')::uuid
    where c.erased_at is null
  )`

/** All whose payments are of erased customers. */
const preparedFor = (workspace: WorkspaceId, withdrawals: readonly string[]): Query => sql`
  workspace = ${workspace}
    and withdrawal_id = any(${withdrawals}::uuid[])
    and ${ALL_ERASED}`

/** Of these requests, from which no withdrawal was made, those of the customer. */
export async function erasePrepared(
  tx: Tx,
  { workspace, id, account_id }: { workspace: WorkspaceId; id: CustomerId; account_id: AccountId },
  request_ids: readonly string[],
): Promise<void> {
  await eraseRequests(
    tx,
    workspace,
    sql`
      ${withIds(workspace, request_ids)}
        and exists (
          select 1
          from jsonb_array_elements(request -> 'stakes') as payment
          left join treasury_routes r on r.workspace = batch_requests.workspace
            and r.id = (payment ->> 'route_id')::uuid
          left join wallets t on t.workspace = r.workspace
            and t.id = r.to_wallet_id
          where (payment ->> 'account_id')::uuid = ${account_id}
            or payment ->> 'account_id' is null and t.customer_id = ${id}
        )
        and ${ALL_ERASED}`,
  )
}

/** With the notes on their batches: nobody can tell of which payment those speak. */
async function eraseRequests(tx: Tx, workspace: WorkspaceId, which: Query): Promise<void> {
  const batches = await tx.query<{ id: string }>(sql`
    select distinct prepare_id as id
    from batch_requests
    where ${which}`)
  await tx.query(eraseTexts('batch_requests', which))
  await eraseNotes(tx, workspace, idsOf(batches))
}

async function withRelated(
  reader: Reader,
  workspace: WorkspaceId,
  { deposits, withdrawals }: Movements,
): Promise<Movements> {
  const back = await reader.query<{ id: string }>(sql`
    select id
    from deposits
    where workspace = ${workspace}
      and related_withdrawal_id = any(${withdrawals}::uuid[])`)
  const returned = await reader.query<{ id: string }>(sql`
    select id
    from withdrawals
    where workspace = ${workspace}
      and returns_deposit_id = any(${deposits}::uuid[])`)
  const late = await reader.query<{ id: string }>(sql`
    select id
    from withdrawals
    where workspace = ${workspace}
      and related_withdrawal_id = any(${withdrawals}::uuid[])`)
  return {
    deposits: [...deposits, ...idsOf(back)],
    withdrawals: [...withdrawals, ...idsOf(returned), ...idsOf(late)],
  }
}

/** What tells it from others. */
type Movement = {
  id: string
  venue_id: string
  foreign_id: string | null
  transaction_hash: string | null
  external_id: string | null
  origin: string
}

const idsOf = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id)

const tracesOf = (movements: readonly Movement[]) => ({
  venue_ids: [...new Set(movements.map(({ venue_id }) => venue_id))],
  foreign_ids: movements.flatMap(({ foreign_id }) => foreign_id ?? []),
  marks: movements.flatMap((one) => [one.transaction_hash ?? [], one.external_id ?? []].flat()),
})

/** Whose last customer is erased. */
function erasableDeposits(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Movement[]> {
  return reader.query<Movement>(sql`
    select d.id, d.venue_id, d.foreign_id, d.transaction_hash, null as external_id,
      'DEPOSIT' as origin
    from deposits d
    where d.workspace = ${workspace}
      and d.id = any(${ids}::uuid[])
      and not exists (
        select 1
        from assignments a
        join customers c on c.workspace = a.workspace
          and c.id = a.customer_id
        where a.workspace = d.workspace
          and a.deposit_id = d.id
          and c.erased_at is null
      )
      and not exists (
        select 1
        from wallets t
        join customers c on c.workspace = t.workspace
          and c.id = t.customer_id
        where t.workspace = d.workspace
          and t.id = d.wallet_id
          and c.erased_at is null
      )`)
}

function erasableWithdrawals(
  reader: Reader,
  workspace: WorkspaceId,
  ids: readonly string[],
): Promise<Movement[]> {
  return reader.query<Movement>(sql`
    select w.id, w.venue_id, w.foreign_id, w.transaction_hash, w.external_id, w.origin
    from withdrawals w
    where w.workspace = ${workspace}
      and w.id = any(${ids}::uuid[])
      and not exists (
        select 1
        from assignments a
        join customers c on c.workspace = a.workspace
          and c.id = a.customer_id
        where a.workspace = w.workspace
          and a.withdrawal_id = w.id
          and c.erased_at is null
      )
      and not exists (
        select 1
        from wallets t
        join customers c on c.workspace = t.workspace
          and c.id = t.customer_id
        where t.workspace = w.workspace
          and t.id = w.to_wallet_id
          and c.erased_at is null
      )`)
}
