/**
 * What somebody outside is to pay into a wallet of ours, because a venue owes it. The deposit that
 * is it needs no assignment: it is booked against the account that was named, once, by whichever
 * deposit is seen first.
 */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { only } from '../../store/db.ts'
import type { Guard, LedgerStep } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { DepositRow } from './rows.ts'

export type ExpectedArrival = {
  id: string
  workspace: WorkspaceId
  state: 'EXPECTED' | 'ARRIVED' | 'DROPPED'
  wallet_id: string
  asset: string
  quantity: Decimal
  /** An IBAN: a bank's payment from elsewhere is another one. */
  source_address: string | null
  /** Credited when it arrives. */
  counter_account_id: string
  settlement_id: string
  deposit_id: string | null
  expected_since: number
  version: number
}

export type NewArrival = Omit<ExpectedArrival, 'state' | 'deposit_id' | 'version'>

export const insertExpectedArrival = (row: NewArrival, by: string): Query => sql`
  insert into expected_arrivals (
    workspace, id, state, wallet_id, asset, quantity, source_address, counter_account_id,
    settlement_id, expected_since, system_updated_at, system_updated_by
  )
  values (
    ${row.workspace}, ${row.id}, 'EXPECTED', ${row.wallet_id}, ${row.asset},
    ${format(row.quantity)}, ${row.source_address}, ${row.counter_account_id},
    ${row.settlement_id}, ${row.expected_since}, ${row.expected_since}, ${by}
  )`

/**
 * From now on what arrives is booked against this account instead; goes with the arrival's guard.
 */
export const creditArrivalTo = (
  { workspace, id }: Pick<ExpectedArrival, 'workspace' | 'id'>,
  counter_account_id: string,
): Query => sql`
  update expected_arrivals
  set counter_account_id = ${counter_account_id}
  where workspace = ${workspace}
    and id = ${id}`

export const arrivalGuard = (
  { id, state, version }: Pick<ExpectedArrival, 'id' | 'state' | 'version'>,
  to?: ExpectedArrival['state'],
): Guard => ({
  table: 'expected_arrivals',
  resource: 'expected arrival',
  id,
  from: [state],
  version,
  ...(to === undefined ? {} : { to }),
})

type StoredArrival = Omit<ExpectedArrival, 'quantity'> & { quantity: string }
const COLUMNS = sql`
  id, workspace, state, wallet_id, asset, quantity, source_address, counter_account_id,
    settlement_id, deposit_id, expected_since, version`
const arrivalOf = (row: StoredArrival): ExpectedArrival => ({
  ...row,
  quantity: decimal(row.quantity),
})

export async function expectedArrival(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<ExpectedArrival | undefined> {
  const row = only(
    await reader.query<StoredArrival>(
      sql`
        select ${COLUMNS}
        from expected_arrivals
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
  return row === undefined ? undefined : arrivalOf(row)
}

/** The one that this deposit was. */
export async function arrivalOfDeposit(
  reader: Reader,
  workspace: WorkspaceId,
  deposit_id: string,
): Promise<ExpectedArrival | undefined> {
  const rows = await reader.query<StoredArrival>(
    sql`
      select ${COLUMNS}
      from expected_arrivals
      where workspace = ${workspace}
        and deposit_id = ${deposit_id}
        and state = 'ARRIVED'`,
  )
  return rows.map(arrivalOf)[0]
}

/**
 * The oldest one that this deposit may be: into this wallet, with exactly this quantity, not seen
 * before it was expected.
 */
export async function findExpectedArrival(
  reader: Reader,
  row: Pick<
    DepositRow,
    'workspace' | 'wallet_id' | 'asset' | 'quantity' | 'source_address' | 'transaction_hash'
  >,
  latest: number,
): Promise<ExpectedArrival | undefined> {
  if (row.wallet_id === null) return undefined
  const rows = await reader.query<StoredArrival>(sql`
    select ${COLUMNS}
    from expected_arrivals
    where workspace = ${row.workspace}
      and wallet_id = ${row.wallet_id}
      and asset = ${row.asset}
      and state = 'EXPECTED'
      and quantity = ${row.quantity}::numeric
      and expected_since <= ${latest}
      and (
        source_address is null
        or ${row.transaction_hash}::text is not null
        or ${row.source_address}::text is null
        or source_address = ${row.source_address}
      )
    order by id
    limit 1`)
  return rows.map(arrivalOf)[0]
}

/** D the receiving venue, C whose it is. */
export function bookArrival(
  VENUE: string,
  deposit: Pick<DepositRow, 'id' | 'asset' | 'quantity'>,
  { counter_account_id, settlement_id }: ExpectedArrival,
): LedgerStep {
  const quantity = decimal(deposit.quantity)
  return {
    step: 'book',
    booking: {
      id: newId(),
      type: 'SETTLEMENT',
      asset: deposit.asset,
      reference_type: 'deposit',
      reference_id: deposit.id,
      description: `Settlement ${settlement_id}`,
      legs: [
        { account_id: VENUE, type: 'DEBIT', quantity },
        { account_id: counter_account_id, type: 'CREDIT', quantity },
      ],
    },
  }
}
