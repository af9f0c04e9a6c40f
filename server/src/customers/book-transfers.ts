/**
 * Book transfers: one customer gives another what the books say they have. Nothing moves at any
 * venue. A request holds the amount, as a withdrawal does; a task books it (book-transfer-task.ts).
 * Until then it can be canceled.
 */
import { createdBy, insertRow, updateGuardedRow } from '../store/rows.ts'
import type { Clock } from '../core/clock.ts'
import { format } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { newId } from '../core/ids.ts'
import type { BookTransferId } from '../core/ids.ts'
import { withIdempotentReplay } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import {
  amountOf,
  assertNotHalted,
  assetByCode,
  commitWithReply,
  retryOnStale,
} from '../ledger/index.ts'
import type { Change, Lane } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'
import { customerOfAccount } from './account-holders.ts'
import {
  BOOK_TRANSFERS,
  guardOf,
  haltScope,
  rowById,
  transferEvent,
  transferOf,
} from './book-transfer-rows.ts'
import type { BookTransferRow } from './book-transfer-rows.ts'
import { BOOK_TRANSFER_TASK } from './book-transfer-task.ts'
import type {
  BookTransfer,
  CancelBookTransferBody,
  CreateBookTransferBody,
} from './book-transfers.schema.ts'

type TransferApp = { db: Db; clock: Clock; lane: Lane }

/**
 * Holds the amount. Refused: CONFLICT (the same account), RANGE (no customer's account),
 * NOT_ACTIVE, SCALE, UNKNOWN_ASSET, HALTED, FROZEN, INSUFFICIENT_BALANCE; 4004.
 */
export function createBookTransfer(
  caller: Caller,
  app: TransferApp,
  body: CreateBookTransferBody,
): Promise<BookTransfer> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const { from_account_id, to_account_id, asset, reason } = body
    const giver = await customerOfAccount(app.db, workspace, from_account_id, 'from_account_id')
    const receiver = await customerOfAccount(app.db, workspace, to_account_id, 'to_account_id')
    if (from_account_id === to_account_id)
      throw refuse('CONFLICT', 'to_account_id', 'a transfer leads from one account to another')
    const known = await assetByCode(app.db, workspace, asset)
    const quantity = amountOf(body.quantity, known, 'quantity')
    await assertNotHalted(app.db, workspace, haltScope({ asset: known.code }))
    const stamp = { by, now: app.clock.now() }
    const row: BookTransferRow = {
      workspace,
      id: newId<BookTransferId>(stamp.now),
      state: 'PENDING',
      from_account_id,
      from_customer_id: giver.customer_id,
      to_account_id,
      to_customer_id: receiver.customer_id,
      asset: known.code,
      quantity: format(quantity),
      reason,
      waits_for: null,
      canceled_reason: null,
      completed_at: null,
      hold_id: newId(),
      ...createdBy(stamp),
    }
    const change = requestChange(row, quantity, stamp)
    return withFailpoints('book-transfer.create', row.id, () =>
      commitWithReply(app.lane, caller, { ...change, amount_path: 'quantity' }, transferOf(row)),
    )
  })
}

function requestChange(
  row: BookTransferRow,
  quantity: Decimal,
  stamp: { by: string; now: number },
): Change {
  const { workspace, id, from_account_id: account_id, asset, hold_id } = row
  return {
    workspace,
    class: 'command',
    by: stamp.by,
    halt: haltScope(row),
    ledger: [
      {
        step: 'hold',
        // What was bought and is not settled cannot be given away either.
        hold: {
          id: hold_id,
          kind: 'WITHDRAWAL',
          account_id,
          asset,
          quantity,
          cause_type: 'book_transfer',
          cause_id: id,
        },
      },
    ],
    rows: [insertRow(BOOK_TRANSFERS, row, stamp)],
    events: [transferEvent('created', row)],
    tasks: [{ kind: BOOK_TRANSFER_TASK, subject_id: id, due_at: stamp.now }],
  }
}

/** Releases what was held. Refuses STATE_NOT_ALLOWED once it is booked. */
export function cancelBookTransfer(
  caller: Caller,
  app: TransferApp,
  id: BookTransferId,
  { reason }: CancelBookTransferBody,
): Promise<BookTransfer> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await rowById(app.db, workspace, id)
      if (row.state !== 'PENDING')
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `book transfer ${id} is ${row.state}: only one that waits can be canceled`,
        )
      const now = app.clock.now()
      const set = { canceled_reason: reason ?? null, completed_at: now, waits_for: null }
      const after: BookTransferRow = { ...row, ...set, state: 'CANCELED', version: row.version + 1 }
      const change: Change = {
        workspace,
        class: 'command',
        by,
        guards: [guardOf(row, 'CANCELED')],
        ledger: [{ step: 'release', hold_id: row.hold_id }],
        rows: [updateGuardedRow(BOOK_TRANSFERS, { where: { workspace, id }, set })],
        events: [transferEvent('canceled', after)],
      }
      const stamp = { system_updated_at: now, system_updated_by: by }
      return commitWithReply(app.lane, caller, change, transferOf({ ...after, ...stamp }))
    }),
  )
}
