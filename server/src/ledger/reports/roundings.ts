/** What settlements left on an account and rounded away. */
import { decimal } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'

const MOST_ROUNDINGS = 200

type Rounding = { settlement_id: string; credit: Decimal }

/** The latest roundings of settlements on this account, with what they credited it. */
export async function roundingsOf(
  reader: Reader,
  workspace: WorkspaceId,
  { account_id, asset }: { account_id: string; asset: string },
): Promise<Rounding[]> {
  const rows = await reader.query<{ settlement_id: string; credit: string }>(sql`
    select b.reference_id as settlement_id,
      case when l.type = 'CREDIT' then l.quantity else -l.quantity end as credit
    from bookings b
    join legs l on l.workspace = b.workspace
      and l.booking_sequence = b.sequence
    where b.workspace = ${workspace}
      and b.type = 'ROUNDING'
      and b.asset = ${asset}
      and b.reference_type = 'settlement'
      and l.account_id = ${account_id}
    order by b.sequence desc
    limit ${MOST_ROUNDINGS}`)
  return rows.map(({ settlement_id, credit }) => ({ settlement_id, credit: decimal(credit) }))
}
