/** The rows of deposits, as read and as first written. */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { notFound } from '../../core/errors.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import type { EventDraft, EventOf } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Incoming } from '../../venues/index.ts'
import type { Deposit } from './deposits.schema.ts'

const SHOWN_FIELDS = `id, workspace, state, reason_code, reason, asset, protocol, quantity, assigned_quantity, service_id, venue_id, wallet_id, foreign_id, transaction_hash, output_index,
  source_address, destination_address, tag, reference_text, counterparty, confirmations, required_confirmations, related_withdrawal_id, settlement_id, occurred_at,
  system_created_at, system_created_by, system_updated_at, system_updated_by, version`
export const DEPOSIT_COLUMNS = raw(SHOWN_FIELDS)

/**
 * `venue_wallet`: where inside the venue it arrived, null where that has one pot or does not say.
 */
export type DepositRow = Deposit & {
  assignable: Decimal
  related_external_id: string | null
  final_at: number | null
  own_transfer: boolean
  venue_wallet: string | null
}

/** Throws 4004. */
export async function depositById(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<Deposit> {
  const deposit = only(
    await reader.query<Deposit>(
      sql`
        select ${DEPOSIT_COLUMNS}
        from deposits
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
  if (deposit === undefined) throw notFound('deposit', id, 'deposit_id')
  return deposit
}

type StoredDeposit = Omit<DepositRow, 'assignable'> & { assignable_quantity: string }
const ROW_COLUMNS = raw(
  `${SHOWN_FIELDS}, assignable_quantity, related_external_id, final_at, own_transfer, venue_wallet`,
)
const rowOf = ({ assignable_quantity, ...row }: StoredDeposit): DepositRow => ({
  ...row,
  assignable: decimal(assignable_quantity),
})

export async function depositRow(
  reader: Reader,
  workspace: WorkspaceId,
  id: string,
): Promise<DepositRow> {
  const row = only(
    await reader.query<StoredDeposit>(
      sql`
        select ${ROW_COLUMNS}
        from deposits
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
  if (row === undefined) throw notFound('deposit', id, 'deposit_id')
  return rowOf(row)
}

/** What is known of these movements of a service, by foreign_id. */
export async function knownDeposits(
  reader: Reader,
  workspace: WorkspaceId,
  service_id: string,
  foreign_ids: readonly string[],
): Promise<Map<string, DepositRow>> {
  const rows = await reader.query<StoredDeposit>(
    sql`
      select ${ROW_COLUMNS}
      from deposits
      where workspace = ${workspace}
        and service_id = ${service_id}
        and foreign_id = any(${foreign_ids})`,
  )
  return new Map(rows.map((row) => [row.foreign_id, rowOf(row)]))
}

export type NewDeposit = {
  workspace: WorkspaceId
  id: string
  service_id: string
  venue_id: string
  wallet_id: string | null
  /** Known from the beginning when it is what became of this withdrawal. */
  related_withdrawal_id?: string
  assignable: Decimal
  final_at: number | null
  at: number
  by: string
  movement: Incoming
}

export function insertDeposit({ movement, ...row }: NewDeposit) {
  return sql`
    insert into deposits (
      workspace, id, state, service_id, venue_id, wallet_id, asset, protocol, quantity,
      assignable_quantity, assigned_quantity, foreign_id, transaction_hash, output_index,
      source_address, destination_address, tag, reference_text, counterparty, confirmations,
      required_confirmations, related_external_id, related_withdrawal_id, venue_wallet, final_at,
      occurred_at, system_created_at, system_created_by, system_updated_at, system_updated_by
    )
    values (
      ${row.workspace}, ${row.id}, 'PENDING', ${row.service_id}, ${row.venue_id}, ${row.wallet_id},
      ${movement.asset}, ${movement.protocol}, ${format(movement.quantity)},
      ${format(row.assignable)}, 0, ${movement.foreign_id}, ${movement.transaction_hash},
      ${movement.output_index}, ${movement.source_address ?? movement.counterparty?.iban ?? null},
      ${movement.destination_address}, ${movement.tag}, ${movement.reference_text},
      ${movement.counterparty === null ? null : JSON.stringify(movement.counterparty)}::jsonb,
      ${movement.confirmations}, ${movement.required_confirmations},
      ${movement.related_external_id}, ${row.related_withdrawal_id ?? null}, ${movement.wallet},
      ${row.final_at}, ${movement.occurred_at}, ${row.at}, ${row.by}, ${row.at}, ${row.by}
    )`
}

/** What an event tells of a deposit. */
export function depositEvent(
  type: EventOf<'deposit'>,
  row: Pick<
    Deposit,
    | 'id'
    | 'state'
    | 'asset'
    | 'quantity'
    | 'wallet_id'
    | 'foreign_id'
    | 'transaction_hash'
    | 'related_withdrawal_id'
  >,
  more: Record<string, Json> = {},
): EventDraft {
  const {
    id,
    state,
    asset,
    quantity,
    wallet_id,
    foreign_id,
    transaction_hash,
    related_withdrawal_id,
  } = row
  return {
    type: `deposit.${type}`,
    resource_id: id,
    data: {
      state,
      asset,
      quantity,
      wallet_id,
      foreign_id,
      transaction_hash,
      related_withdrawal_id,
      ...more,
    },
  }
}
