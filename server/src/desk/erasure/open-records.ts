/** What is open of a customer whose account is empty: what may still come, or go to a wallet. */
import type { WorkspaceId } from '../../core/ids.ts'
import { BOOK_TRANSFER_MOVES } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import {
  DEPOSIT_MOVES,
  OPEN_WITHDRAWALS,
  PAYMENT_MOVES,
  WITHDRAWAL_MOVES,
} from '../../treasury/index.ts'

/** In words; undefined when nothing is. */
export async function openRecordsOf(
  reader: Reader,
  workspace: WorkspaceId,
  customer: Pick<Customer, 'id' | 'account_id'>,
): Promise<string | undefined> {
  for (const { what, found } of OPEN_RECORDS) {
    const rows = await reader.query(sql`${found(workspace, customer)} limit 1`)
    if (rows.length > 0) return what
  }
  return undefined
}

type OpenRecords = {
  what: string
  found(workspace: WorkspaceId, customer: Pick<Customer, 'id' | 'account_id'>): Query
}

const OPEN_ASSIGNMENTS = ['PENDING'] as const

const OPEN_DEPOSITS = [
  'PENDING',
  'PENDING_REVIEW',
  'UNASSIGNED',
  'PARTIALLY_ASSIGNED',
  'ASSIGNED',
] as const

const OPEN_RECORDS: readonly OpenRecords[] = [
  {
    what: 'assignments that wait for a decision, or for the end of a withdrawal',
    found: (workspace, { account_id }) => sql`
      select 1
      from assignments
      where workspace = ${workspace}
        and account_id = ${account_id}
        and ${stateIn(OPEN_ASSIGNMENTS, 'PENDING')}`,
  },
  {
    what: 'a book transfer that is not booked yet',
    found: (workspace, { account_id }) => sql`
      select 1
      from book_transfers
      where workspace = ${workspace}
        and (from_account_id = ${account_id} or to_account_id = ${account_id})
        and ${stateIn(BOOK_TRANSFER_MOVES, 'PENDING')}`,
  },
  {
    what: 'a payment that was ordered and not sent',
    found: (workspace, { account_id }) => sql`
      select 1
      from payments
      where workspace = ${workspace}
        and account_id = ${account_id}
        and ${stateIn(PAYMENT_MOVES, ['WAITING', 'REFUSED'])}`,
  },
  {
    what: 'a withdrawal to one of its wallets that has not ended',
    found: (workspace, { id }) => sql`
      select 1
      from wallets t
      join withdrawals w on w.workspace = t.workspace
        and w.to_wallet_id = t.id
      where t.workspace = ${workspace}
        and t.customer_id = ${id}
        and ${stateIn(WITHDRAWAL_MOVES, OPEN_WITHDRAWALS, 'w.state')}`,
  },
  {
    what: 'a deposit in one of its wallets that is not decided',
    found: (workspace, { id }) => sql`
      select 1
      from wallets t
      join deposits d on d.workspace = t.workspace
        and d.wallet_id = t.id
      where t.workspace = ${workspace}
        and t.customer_id = ${id}
        and ${stateIn(DEPOSIT_MOVES, OPEN_DEPOSITS, 'd.state')}`,
  },
]
