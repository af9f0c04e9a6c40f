/**
 * Books a transfer between customers: captures what is held, debits who gives, credits who gets. It
 * waits while a halt is set, the account is frozen or overdrawn, or the receiver is no customer any
 * more.
 */
import type { Clock } from '../core/clock.ts'
import { decimal, format } from '../core/decimal.ts'
import { ApiError, refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { newId } from '../core/ids.ts'
import { balancesOf, retryOnStale } from '../ledger/index.ts'
import type { Change, Lane } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'
import { updateGuardedRow, updateRow } from '../store/rows.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { customerOfAccount } from './account-holders.ts'
import { BOOK_TRANSFERS, guardOf, haltScope, rowById, transferEvent } from './book-transfer-rows.ts'
import type { BookTransferRow } from './book-transfer-rows.ts'
import { customerById } from './customers.ts'

type TransferApp = { db: Db; clock: Clock; lane: Lane }

/** Subject: a book transfer. Books it as soon as nothing is against it. */
export const BOOK_TRANSFER_TASK = 'book_transfer'
const WORKER = 'book transfers'
const RETRY_MILLISECONDS = 2_000

/** Subject: the transfer. Safe to repeat: one that has ended is left alone. */
export const bookTransferTask =
  (app: TransferApp): TaskHandler =>
  async ({ workspace, subject_id }) =>
    retryOnStale(async () => {
      const row = await rowById(app.db, workspace, subject_id)
      if (row.state !== 'PENDING') return 'done'
      const obstacle = await obstacleTo(app, row)
      if (obstacle === undefined) return 'done'
      await recordWaiting(app, row, obstacle)
      return { again_at: app.clock.now() + RETRY_MILLISECONDS }
    })

/** Books it. What is against it is answered; the lane decides, under its lock. */
async function obstacleTo(app: TransferApp, row: BookTransferRow): Promise<string | undefined> {
  try {
    await customerOfAccount(app.db, row.workspace, row.to_account_id, 'to_account_id')
    await assertCovered(app.db, row)
    const change = bookingChange(row, app.clock.now())
    await withFailpoints('book-transfer.book', row.id, () => app.lane.commit(change))
    return undefined
  } catch (error) {
    if (!(error instanceof ApiError) || !isObstacle(error)) throw error
    return error.message
  }
}

const OBSTACLES: ReadonlySet<string> = new Set([
  'HALTED',
  'FROZEN',
  'NOT_ACTIVE',
  'INSUFFICIENT_BALANCE',
])
const isObstacle = ({ details }: ApiError): boolean =>
  details.some((detail) => OBSTACLES.has(detail.code))

/**
 * Capturing a hold passes every floor. But a fact takes also what is held, and then the receiver
 * would get what the giver no longer has.
 */
async function assertCovered(
  db: Db,
  { workspace, from_customer_id, from_account_id, asset }: BookTransferRow,
): Promise<void> {
  const { ignore_balance_check } = await customerById(db, workspace, from_customer_id)
  if (ignore_balance_check) return
  const balances = await balancesOf(db, workspace, from_account_id)
  const balance = balances.find((known) => known.asset === asset)
  if (balance === undefined) return
  const available = balance.total - balance.held_withdrawal - balance.held_trading
  if (available < 0n)
    throw refuse(
      'INSUFFICIENT_BALANCE',
      'from_account_id',
      `account ${from_account_id} lacks ${format(-available)} ${asset} of what is held on it`,
    )
}

function bookingChange(row: BookTransferRow, now: number): Change {
  const { workspace, id, asset, from_account_id, to_account_id, hold_id, reason } = row
  const quantity = decimal(row.quantity)
  return {
    workspace,
    class: 'command',
    by: WORKER,
    halt: haltScope(row),
    guards: [guardOf(row, 'DONE')],
    ledger: [
      { step: 'capture', hold_id, quantity },
      {
        step: 'book',
        booking: {
          id: newId(),
          type: 'BOOK_TRANSFER',
          asset,
          legs: [
            { account_id: from_account_id, type: 'DEBIT', quantity },
            { account_id: to_account_id, type: 'CREDIT', quantity },
          ],
          reference_type: 'book_transfer',
          reference_id: id,
          description: reason,
        },
      },
    ],
    rows: [
      updateGuardedRow(BOOK_TRANSFERS, {
        where: { workspace, id },
        set: { completed_at: now, waits_for: null },
      }),
    ],
    events: [transferEvent('done', { ...row, state: 'DONE' })],
  }
}

/** People see what it waits for. */
async function recordWaiting(
  app: TransferApp,
  { workspace, id, waits_for: before }: BookTransferRow,
  waits_for: string,
): Promise<void> {
  if (before === waits_for) return
  await app.db.query(
    updateRow(BOOK_TRANSFERS, {
      where: { workspace, id, state: 'PENDING' },
      set: { waits_for },
      by: WORKER,
      now: app.clock.now(),
    }),
  )
}
