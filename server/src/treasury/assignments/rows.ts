/** The rows of assignments, written by deposits, withdrawals and the assignment endpoints alike. */
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { AssignmentSource, AssignmentState } from './assignments.schema.ts'

const COMMON = `account_id, customer_id, asset, quantity, state as status, source, matching_id, rectification_id, decided_by, decided_at, booked_at,
  system_created_at, system_created_by, system_updated_at, system_updated_by, version`
export const DEPOSIT_ASSIGNMENT_COLUMNS = raw(`id, workspace, deposit_id, ${COMMON}`)
export const WITHDRAWAL_ASSIGNMENT_COLUMNS = raw(`id, workspace, withdrawal_id, ${COMMON}`)
export const ASSIGNMENT_COLUMNS = raw(`id, workspace, deposit_id, withdrawal_id, ${COMMON}`)

export type NewAssignment = {
  workspace: WorkspaceId
  id: string
  state: AssignmentState
  deposit_id: string | null
  withdrawal_id: string | null
  account_id: string
  customer_id: string
  asset: string
  quantity: string
  source: AssignmentSource
  matching_id: string | null
  decided_by: string | null
  decided_at: number | null
  booked_at: number | null
  at: number
  by: string
}

export function insertAssignment(row: NewAssignment) {
  return sql`
    insert into assignments (workspace, id, state, deposit_id, withdrawal_id, account_id, customer_id, asset, quantity, source, matching_id, decided_by, decided_at, booked_at,
      system_created_at, system_created_by, system_updated_at, system_updated_by)
    values (${row.workspace}, ${row.id}, ${row.state}, ${row.deposit_id}, ${row.withdrawal_id}, ${row.account_id}, ${row.customer_id}, ${row.asset}, ${row.quantity}, ${row.source}, ${row.matching_id},
      ${row.decided_by}, ${row.decided_at}, ${row.booked_at}, ${row.at}, ${row.by}, ${row.at}, ${row.by})`
}

export type AssignmentRow = {
  id: string
  state: AssignmentState
  account_id: string
  customer_id: string
  quantity: Decimal
  source: AssignmentSource
  rectification_id: string | null
  version: number
}

/** Oldest first. */
export async function assignmentsOf(
  reader: Reader,
  workspace: WorkspaceId,
  of: { deposit_id: string } | { withdrawal_id: string },
): Promise<AssignmentRow[]> {
  const condition =
    'deposit_id' in of
      ? sql`deposit_id = ${of.deposit_id}`
      : sql`withdrawal_id = ${of.withdrawal_id}`
  const rows = await reader.query<Omit<AssignmentRow, 'quantity'> & { quantity: string }>(sql`
    select id, state, account_id, customer_id, quantity, source, rectification_id, version from assignments where workspace = ${workspace} and ${condition} order by id`)
  return rows.map((row) => ({ ...row, quantity: decimal(row.quantity) }))
}
