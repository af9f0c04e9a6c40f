/**
 * The rows of deposits. `DepositRecord` is what the API shows; the columns that only booking needs
 * are added here. What an event carries of a deposit is here too.
 */
import type { DepositId, ServiceId, VenueId, WalletId, WorkspaceId } from '../../core/ids.ts'
import { decimal, format, least } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { move } from '../../core/moves.ts'
import { decimalText, flag, nullable, text, time } from '../../http/index.ts'
import type { EventDraft, EventOf, Guard } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { allColumnsOf, columnsOf, insertRow, shownOf } from '../../store/rows.ts'
import { tableOf, updateGuardedRow } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Incoming } from '../../venues/index.ts'
import { isLive } from '../assignments/assignments.schema.ts'
import { ownershipColumns, ownershipOf } from '../assignments/ownership.ts'
import type { AssignmentRow } from '../assignments/rows.ts'
import { DEPOSIT_MOVES, DepositRecord } from './deposits.schema.ts'
import type { Deposit, DepositState } from './deposits.schema.ts'

const DEPOSITS = tableOf('deposits', DepositRecord, {
  inside: {
    assignable_quantity: decimalText("All of it in the asset's scale"),
    related_external_id: nullable(text(500, 'Our reference of the withdrawal that came back')),
    carried_external_id: nullable(text(500, 'The reference that it carries, which may be ours')),
    by_venue: flag("The venue has sent it by itself: it is nobody's until a person assigns it"),
    final_at: nullable(time('When it was final at its venue')),
    venue_wallet: nullable(text(500, 'Where inside the venue it arrived; null: not said')),
  },
  computed: ['account_id', 'customer_id', 'nature'],
})

/** Sent by itself, or from an account from which the venue pays us. */
const BY_VENUE = sql`(
          deposits.by_venue
          or replace(upper(deposits.source_address), ' ', '') in (
            select unnest(v.payout_ibans)
            from venues v
            where v.workspace = deposits.workspace
          )
        )`
export const DEPOSIT_COLUMNS = columnsOf(DepositRecord, {
  computed: ownershipColumns({ of: 'deposits', by_venue: BY_VENUE }),
})
const ALL_COLUMNS = allColumnsOf(DEPOSITS)

type StoredDeposit = NonNullable<(typeof DEPOSITS.types & object)['row']>
/** `assignable`: what accounts can be assigned, which an own transfer in it is not. */
export type DepositRow = StoredDeposit & { assignable: Decimal }

/** Throws 4004. */
export async function depositById(
  reader: Reader,
  workspace: WorkspaceId,
  id: DepositId,
): Promise<Deposit> {
  const deposits = await reader.query<Deposit>(sql`
    select ${DEPOSIT_COLUMNS}
    from deposits
    where workspace = ${workspace}
      and id = ${id}`)
  const deposit = only(deposits)
  if (deposit === undefined) throw notFound('deposit', id, 'deposit_id')
  return deposit
}

const rowOf = (row: StoredDeposit): DepositRow => withTransfer(row, {})

/** The row as an own transfer that arrives with it, or that it was not, makes it. */
export function withTransfer(
  stored: StoredDeposit,
  set: Partial<Pick<DepositRow, 'own_transfer' | 'related_withdrawal_id' | 'transfer_quantity'>>,
): DepositRow {
  const row = { ...stored, ...set }
  const rest = decimal(row.quantity) - decimal(row.transfer_quantity)
  return { ...row, assignable: least(decimal(row.assignable_quantity), rest) }
}

/** The answer of a change, before its commit: with what it is then, and whose. */
export async function showDeposit(
  reader: Reader,
  row: DepositRow,
  assignments: readonly AssignmentRow[],
): Promise<Deposit> {
  const [{ by_venue } = row] = await reader.query<{ by_venue: boolean }>(sql`
    select coalesce(${BY_VENUE}, false) as by_venue
    from deposits
    where workspace = ${row.workspace}
      and id = ${row.id}`)
  const owners = assignments.filter((assignment) => isLive(assignment))
  return shownOf(DEPOSITS, { ...row, ...ownershipOf({ ...row, by_venue }, owners) })
}

/** Throws 4004. */
export async function depositRow(
  reader: Reader,
  workspace: WorkspaceId,
  id: DepositId,
): Promise<DepositRow> {
  const rows = await reader.query<StoredDeposit>(sql`
    select ${ALL_COLUMNS}
    from deposits
    where workspace = ${workspace}
      and id = ${id}`)
  const row = only(rows)
  if (row === undefined) throw notFound('deposit', id, 'deposit_id')
  return rowOf(row)
}

/** The deposits that these movements of a service already are, by foreign_id. */
export async function knownDeposits(
  reader: Reader,
  workspace: WorkspaceId,
  service_id: ServiceId,
  foreign_ids: readonly string[],
): Promise<Map<string, DepositRow>> {
  const rows = await reader.query<StoredDeposit>(sql`
    select ${ALL_COLUMNS}
    from deposits
    where workspace = ${workspace}
      and service_id = ${service_id}
      and foreign_id = any(${foreign_ids})`)
  return new Map(rows.map((row) => [row.foreign_id, rowOf(row)]))
}

type NewDeposit = {
  workspace: WorkspaceId
  id: string
  service_id: ServiceId
  venue_id: VenueId
  wallet_id: WalletId | null
  /** Known from the beginning when money of this withdrawal comes back. */
  related_withdrawal_id?: string
  assignable: Decimal
  final_at: number | null
  /** PENDING when absent. */
  state?: 'PENDING' | 'PENDING_REVIEW'
  reason_code?: string | null
  reason?: string | null
  movement: Incoming
}

/** The address or account that it comes from, as far as the venue says. */
export const sourceOf = ({ source_address, counterparty }: Incoming): string | null =>
  source_address ?? counterparty?.iban ?? null

export function insertDeposit({ movement, assignable, ...row }: NewDeposit, stamp: Stamp): Query {
  return insertRow(
    DEPOSITS,
    {
      state: 'PENDING',
      ...row,
      asset: movement.asset,
      protocol: movement.protocol,
      quantity: format(movement.quantity),
      assignable_quantity: format(assignable),
      assigned_quantity: '0',
      foreign_id: movement.foreign_id,
      transaction_hash: movement.transaction_hash,
      output_index: movement.output_index,
      source_address: sourceOf(movement),
      destination_address: movement.destination_address,
      tag: movement.tag,
      reference_text: movement.reference_text,
      counterparty: movement.counterparty,
      confirmations: movement.confirmations,
      required_confirmations: movement.required_confirmations,
      related_external_id: movement.related_external_id,
      carried_external_id: movement.carried_external_id ?? null,
      by_venue: movement.by_venue ?? false,
      venue_wallet: movement.wallet,
      value_date: movement.value_date ?? null,
      occurred_at: movement.occurred_at,
    },
    stamp,
  )
}

type Returns = Pick<DepositRow, 'returned_unassigned' | 'returning_unassigned'>

/** What is not on SUSPENSE any more, or about to leave it, because it goes back to its sender. */
export const unassignedReturns = (row: Returns): Decimal =>
  decimal(row.returned_unassigned) + decimal(row.returning_unassigned)

/** What can still go back to its sender, whoever has it. */
export const returnableOf = (
  row: Pick<DepositRow, 'assignable' | 'returned_quantity' | 'returning_quantity'>,
): Decimal => row.assignable - returnsOf(row)

/** What of that no account has: it is on SUSPENSE, and nothing else is to become of it. */
export function unassignedOf(
  row: Parameters<typeof returnableOf>[0] & Returns & Pick<DepositRow, 'assigned_quantity'>,
): Decimal {
  const unassigned = row.assignable - decimal(row.assigned_quantity) - unassignedReturns(row)
  return least(unassigned, returnableOf(row))
}

/**
 * Final and nobody's: no more of it is assigned than `rest`, which is not the transfer's. Nothing
 * is returned, and it brings no withdrawal back.
 */
export function canBeRelated(row: DepositRow, rest: Decimal = 0n): boolean {
  const { state, own_transfer, related_withdrawal_id } = row
  const assigned = decimal(row.assigned_quantity)
  return (
    (state === 'UNASSIGNED' || state === 'REJECTED' || assigned > 0n) &&
    !own_transfer &&
    related_withdrawal_id === null &&
    assigned <= rest &&
    returnsOf(row) === 0n
  )
}

/** What has gone back to its sender, or is about to. */
export const returnsOf = (
  row: Pick<DepositRow, 'returned_quantity' | 'returning_quantity'>,
): Decimal => decimal(row.returned_quantity) + decimal(row.returning_quantity)

/** For changes whose guard is `depositGuard`. */
export const updateDeposit = (
  { workspace, id }: Pick<DepositRow, 'workspace' | 'id'>,
  set: Parameters<typeof updateGuardedRow<StoredDeposit>>[1]['set'] & object,
): Query => updateGuardedRow(DEPOSITS, { where: { workspace, id }, set })

/** The row must still be as it was read; `to` moves it. */
export const depositGuard = (
  { id, state, version }: Pick<DepositRow, 'id' | 'state' | 'version'>,
  to?: DepositState,
): Guard => ({
  table: 'deposits',
  resource: 'deposit',
  id,
  version,
  ...(to === undefined ? { from: [state] } : move(DEPOSIT_MOVES, state, to)),
})

const EVENT_FIELDS = [
  'state',
  'asset',
  'quantity',
  'wallet_id',
  'foreign_id',
  'transaction_hash',
  'related_withdrawal_id',
] as const

type EventDeposit = Pick<Deposit, 'id' | (typeof EVENT_FIELDS)[number]> &
  Partial<Pick<Deposit, 'own_transfer'>>

/** A payment that its bank has sent back, which the customer is told. */
const cameBack = ({ related_withdrawal_id, own_transfer = false }: EventDeposit) =>
  related_withdrawal_id !== null && !own_transfer ? { came_back: true } : {}

/** The event carries what the deposit is after the change, and `more`. */
export function depositEvent(
  type: EventOf<'deposit'>,
  row: EventDeposit,
  more: Record<string, Json> = {},
): EventDraft {
  const fields = Object.fromEntries(EVENT_FIELDS.map((field) => [field, row[field]]))
  return {
    type: `deposit.${type}`,
    resource_id: row.id,
    data: { ...fields, ...cameBack(row), ...more },
  }
}
