/**
 * Money that a venue owes and pays into a wallet of ours. The deposit that brings it needs no
 * assignment: it is booked against the account that the expectation names, and only one deposit can
 * take it.
 */
import { stateIn } from '../../store/states.ts'
import type {
  AccountId,
  DepositId,
  PartId,
  SettlementId,
  VenueId,
  WalletId,
  WorkspaceId,
} from '../../core/ids.ts'
import { notFound } from '../../core/errors.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import type { Moves } from '../../core/moves.ts'
import {
  asset,
  closed,
  decimalText,
  id,
  nullable,
  oneOf,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Guard, LedgerStep } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { allColumnsOf, insertRow, tableOf, updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'

const ARRIVAL_STATES = ['EXPECTED', 'ARRIVED', 'DROPPED'] as const
type ArrivalState = (typeof ARRIVAL_STATES)[number]

/** ARRIVED goes back when the venue reverses the deposit. */
export const ARRIVAL_MOVES: Moves<ArrivalState> = {
  EXPECTED: ['ARRIVED', 'DROPPED'],
  ARRIVED: ['EXPECTED'],
  DROPPED: [],
}

const ARRIVALS = tableOf(
  'expected_arrivals',
  closed({
    workspace: id<WorkspaceId>(),
    id: id(),
    state: oneOf(ARRIVAL_STATES),
    wallet_id: id<WalletId>(),
    asset: asset(),
    quantity: decimalText(),
    venue_id: id<VenueId>('Who owes it'),
    counter_account_id: id<AccountId>('Credited when it arrives'),
    settlement_id: id<SettlementId>(),
    deposit_id: nullable(id<DepositId>()),
    expected_since: time(),
    system_updated_at: time(),
    system_updated_by: nullable(text()),
    version: Type.Integer(),
  }),
)
type StoredArrival = NonNullable<(typeof ARRIVALS)['types']>['row']
export type ExpectedArrival = Omit<
  StoredArrival,
  'quantity' | 'system_updated_at' | 'system_updated_by'
> & { quantity: Decimal }

const COLUMNS = allColumnsOf(ARRIVALS)
const arrivalOf = (row: StoredArrival): ExpectedArrival => ({
  ...row,
  quantity: decimal(row.quantity),
})

type NewArrival = Omit<ExpectedArrival, 'state' | 'deposit_id' | 'version'>

export const insertExpectedArrival = (row: NewArrival, by: string): Query =>
  insertRow(
    ARRIVALS,
    { ...row, state: 'EXPECTED', quantity: format(row.quantity) },
    { by, now: row.expected_since },
  )

/** For changes whose guard is `arrivalGuard`. */
export const updateArrival = (
  { workspace, id }: Pick<ExpectedArrival, 'workspace' | 'id'>,
  set: Pick<Partial<StoredArrival>, 'counter_account_id' | 'deposit_id'>,
): Query => updateGuardedRow(ARRIVALS, { where: { workspace, id }, set })

/** What arrives from now on is booked against this account instead. */
export const creditArrivalTo = (
  arrival: Pick<ExpectedArrival, 'workspace' | 'id'>,
  counter_account_id: string,
): Query => updateArrival(arrival, { counter_account_id })

/** The row must still be as it was read; `to` moves it. */
export const arrivalGuard = (
  { id, state, version }: Pick<ExpectedArrival, 'id' | 'state' | 'version'>,
  to?: ArrivalState,
): Guard => ({
  table: 'expected_arrivals',
  resource: 'expected arrival',
  id,
  version,
  ...(to === undefined ? { from: [state] } : move(ARRIVAL_MOVES, state, to)),
})

/** Throws 4004. */
export async function arrivalOfPart(
  reader: Reader,
  workspace: WorkspaceId,
  id: PartId,
): Promise<ExpectedArrival> {
  const arrival = await expectedArrival(reader, workspace, id)
  if (arrival === undefined) throw notFound('expected arrival of part', id, 'part_id')
  return arrival
}

export async function expectedArrival(
  reader: Reader,
  workspace: WorkspaceId,
  id: PartId,
): Promise<ExpectedArrival | undefined> {
  const rows = await reader.query<StoredArrival>(sql`
    select ${COLUMNS}
    from expected_arrivals
    where workspace = ${workspace}
      and id = ${id}`)
  return only(rows.map(arrivalOf))
}

/** The expectation that this deposit has met. */
export async function arrivalOfDeposit(
  reader: Reader,
  workspace: WorkspaceId,
  deposit_id: DepositId,
): Promise<ExpectedArrival | undefined> {
  const rows = await reader.query<StoredArrival>(sql`
    select ${COLUMNS}
    from expected_arrivals
    where workspace = ${workspace}
      and deposit_id = ${deposit_id}
      and ${stateIn(ARRIVAL_MOVES, 'ARRIVED')}`)
  return rows.map(arrivalOf)[0]
}

/** An expectation, and the IBANs that its payment may come from. */
export type OpenArrival = ExpectedArrival & { payers: string[] }

const MAXIMUM_EXAMINED = 50

/** The expectations of exactly this quantity in the wallet of the deposit, oldest first. */
export async function openArrivalsTo(
  reader: Reader,
  { workspace, wallet_id, asset, quantity }: DepositRow,
): Promise<OpenArrival[]> {
  if (wallet_id === null) return []
  const rows = await reader.query<StoredArrival & { payers: string[] }>(sql`
    select a.*, v.payout_ibans as payers
    from (
      select ${COLUMNS}
      from expected_arrivals
      where workspace = ${workspace}
        and wallet_id = ${wallet_id}
        and asset = ${asset}
        and ${stateIn(ARRIVAL_MOVES, 'EXPECTED')}
        and quantity = ${quantity}::numeric
      order by id
      limit ${MAXIMUM_EXAMINED}
    ) a
    join venues v on v.workspace = a.workspace
      and v.id = a.venue_id
    order by a.id`)
  return rows.map(({ payers, ...row }) => ({ ...arrivalOf(row), payers }))
}

/** D the receiving venue, C the account that the expectation names. */
export function bookArrival(
  VENUE: string,
  deposit: Pick<DepositRow, 'id' | 'asset' | 'quantity'>,
  { counter_account_id, settlement_id }: ExpectedArrival,
  dated: { value_date?: number } = {},
): LedgerStep {
  const quantity = decimal(deposit.quantity)
  return {
    step: 'book',
    booking: {
      id: newId(),
      type: 'SETTLEMENT',
      asset: deposit.asset,
      ...dated,
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
