/** The rows of book transfers, their guard and their events. */
import { notFound } from '../core/errors.ts'
import type { BookTransferId, WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import { move } from '../core/moves.ts'
import { id as uuid } from '../http/index.ts'
import type { EventDraft, EventOf, Guard, HaltScope } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { allColumnsOf, shownOf, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { BOOK_TRANSFER_MOVES, BookTransferRecord } from './book-transfers.schema.ts'
import type { BookTransfer, BookTransferState } from './book-transfers.schema.ts'

export const BOOK_TRANSFERS = tableOf('book_transfers', BookTransferRecord, {
  inside: { hold_id: uuid() },
})
export type BookTransferRow = NonNullable<typeof BOOK_TRANSFERS.types>['row']

export const transferOf = (row: BookTransferRow): BookTransfer => shownOf(BOOK_TRANSFERS, row)

export async function rowById(
  reader: Reader,
  workspace: WorkspaceId,
  id: BookTransferId,
): Promise<BookTransferRow> {
  const row = only(
    await reader.query<BookTransferRow>(sql`
      select ${allColumnsOf(BOOK_TRANSFERS)}
      from book_transfers
      where workspace = ${workspace}
        and id = ${id}`),
  )
  if (row === undefined) throw notFound('book transfer', id, 'book_transfer_id')
  return row
}

/** Throws 4004. */
export const bookTransferById = async (
  reader: Reader,
  workspace: WorkspaceId,
  id: BookTransferId,
): Promise<BookTransfer> => transferOf(await rowById(reader, workspace, id))

/** What stops withdrawals everywhere, or of this asset: it could be withdrawn by the receiver. */
export const haltScope = ({ asset }: Pick<BookTransfer, 'asset'>): HaltScope => ({
  action: 'WITHDRAWALS',
  venue_ids: [],
  assets: [asset],
})

export function transferEvent(type: EventOf<'book_transfer'>, row: BookTransferRow): EventDraft {
  const { id, state, asset, quantity, reason, from_account_id, to_account_id } = row
  const note = row.canceled_reason
  const data: Record<string, Json> = {
    state,
    asset,
    quantity,
    reason,
    from_account_id,
    to_account_id,
    ...(note === null ? {} : { note }),
    customers: [
      { customer_id: row.from_customer_id, account_id: from_account_id, quantity, gives: true },
      { customer_id: row.to_customer_id, account_id: to_account_id, quantity, gives: false },
    ],
  }
  return { type: `book_transfer.${type}`, resource_id: id, data }
}

/** The row must be PENDING and as it was read. */
export const guardOf = ({ id, version }: BookTransferRow, to: BookTransferState): Guard => ({
  table: 'book_transfers',
  resource: 'book transfer',
  id,
  version,
  ...move(BOOK_TRANSFER_MOVES, 'PENDING', to),
})
