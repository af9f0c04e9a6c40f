/**
 * What a venue reports of a deposit that is already stored: more confirmations, its end, that it
 * took the money back, or that it credits it again.
 */
import { assert } from '../../core/assert.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { DepositId, ServiceId } from '../../core/ids.ts'
import { bookingsOf, bookReversals } from '../../ledger/index.ts'
import type { Asset, EventDraft, Guard, LedgerStep, TaskOfChange } from '../../ledger/index.ts'
import type { Query } from '../../store/sql.ts'
import type { Incoming, VenueRecord } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { liveSum } from '../assignments/assignments.schema.ts'
import { assignmentsOf, decidePending, pendingAssignmentsOf } from '../assignments/rows.ts'
import { assignablePart, bookingAccounts } from '../bookings.ts'
import { arrivalGuard, arrivalOfDeposit, updateArrival } from '../deposits/expected-arrivals.ts'
import { releaseTransfer } from '../deposits/transfer-arrivals.ts'
import {
  depositEvent,
  depositGuard,
  returnsOf,
  sourceOf,
  updateDeposit,
} from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { SETTLE_TASK } from '../tasks.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import { markReturnsReversed, reversalReason } from '../withdrawals/returned-deposits.ts'

/** What one reading changes, gathered movement by movement. */
export type PollDraft = {
  guards: Guard[]
  ledger: LedgerStep[]
  rows: Query[]
  events: EventDraft[]
  tasks: TaskOfChange[]
}

/** One reading of a venue. `asked_at`: when it was asked, `now`: when its answer was there. */
export type Reading = {
  app: TreasuryApp
  venue: VenueRecord
  service_id: ServiceId
  assets: ReadonlyMap<string, Asset>
  asked_at: number
  now: number
  /** Who tried a record again; the worker where nobody did. */
  by?: string
  /** A person has decided about just this record: it is no double of one that was dismissed. */
  decided?: boolean
}

/** A known deposit that the reading reports, and all deposits that the reading says have ended. */
type Known = { row: DepositRow; ended: readonly DepositId[] }

export const hasFailed = ({ state }: Incoming): boolean =>
  state === 'FAILED' || state === 'REVERSED'

/**
 * Why a movement that has ended cannot be the deposit of its name. A venue may have used the name
 * again: then it is money that is not in the books.
 */
export function contradictionOf(row: DepositRow, movement: Incoming): string | undefined {
  const isBooked = row.final_at !== null && row.state !== 'FAILED' && row.state !== 'REVERSED'
  if (!isBooked || movement.state !== 'FINAL') return undefined
  if (decimal(row.quantity) === movement.quantity) return undefined
  return (
    `the venue reports ${movement.foreign_id} with ${format(movement.quantity)} ` +
    `${movement.asset}, and deposit ${row.id} of this name is final with ` +
    `${format(decimal(row.quantity))} ${row.asset}: it may be another payment; it is not booked`
  )
}

export async function addDepositChange(
  reading: Reading,
  draft: PollDraft,
  { row, ended }: Known,
  movement: Incoming,
): Promise<void> {
  if (row.state === 'PENDING' || row.state === 'PENDING_REVIEW') {
    if (hasFailed(movement)) addDepositEnd(draft, row, 'FAILED', reading.now)
    else if (row.final_at === null) addProgress(reading, draft, row, movement)
  } else if (movement.state === 'FINAL' && (await isReinstated(reading, row, movement)))
    addReinstatement(reading, draft, row, movement)
  else if (hasFailed(movement) && row.state !== 'FAILED' && row.state !== 'REVERSED')
    await addReversal(reading, draft, { row, ended })
  else if (movement.state === 'FINAL') addValueDate(draft, row, movement)
}

/** The bank named its value date only after the deposit was booked: only the record gets it. */
function addValueDate(draft: PollDraft, row: DepositRow, { value_date }: Incoming): void {
  if (row.value_date !== null || value_date === undefined || value_date === null) return
  draft.guards.push(depositGuard(row))
  draft.rows.push(updateDeposit(row, { value_date }))
}

/** A pending deposit has more confirmations, another quantity, is frozen, released or final. */
function addProgress(
  { assets, now }: Reading,
  draft: PollDraft,
  row: DepositRow,
  movement: Incoming,
): void {
  const final = movement.state === 'FINAL'
  const transaction_hash = movement.transaction_hash ?? row.transaction_hash
  const confirmations = movement.confirmations ?? row.confirmations
  const quantity = format(movement.quantity)
  const value_date = movement.value_date ?? row.value_date
  const to = movement.state === 'PENDING_REVIEW' ? 'PENDING_REVIEW' : 'PENDING'
  const isSame =
    to === row.state &&
    transaction_hash === row.transaction_hash &&
    confirmations === row.confirmations &&
    quantity === row.quantity &&
    value_date === row.value_date
  if (isSame && !final) return
  draft.guards.push(to === row.state ? depositGuard(row) : depositGuard(row, to))
  if (to === 'PENDING_REVIEW' && to !== row.state)
    draft.events.push(depositEvent('frozen', { ...row, state: to }, { alert: true }))
  draft.rows.push(
    updateDeposit(row, {
      ...(to === row.state ? {} : reviewReason(to)),
      transaction_hash,
      confirmations,
      quantity,
      value_date,
      assignable_quantity: format(assignablePart(assets, movement)),
      ...namedLate(row, movement),
      final_at: final ? now : null,
    }),
  )
  if (final) draft.tasks.push({ kind: SETTLE_TASK, subject_id: row.id, due_at: now })
}

/** What a venue may name late: a custodian shows the sender once a block has the transaction. */
const namedLate = (row: DepositRow, movement: Incoming) => ({
  source_address: row.source_address ?? sourceOf(movement),
  counterparty: row.counterparty ?? movement.counterparty,
  reference_text: movement.reference_text ?? row.reference_text,
  related_external_id: movement.related_external_id ?? row.related_external_id,
  carried_external_id: movement.carried_external_id ?? row.carried_external_id,
})

/** Why a deposit is in the state of its movement. */
export const reviewReason = (state: 'PENDING' | 'PENDING_REVIEW') =>
  state === 'PENDING'
    ? { reason_code: null, reason: null }
    : { reason_code: 'FROZEN_BY_VENUE', reason: 'the venue has it and keeps it frozen' }

/**
 * Whether a deposit that had failed or was reversed is there again. Only FINAL says so, because an
 * older report may come late. Of one that was reversed, the venue must have been asked after the
 * reversal was stored, and what is assigned must still fit. Else a person sees a break.
 */
async function isReinstated(
  { app, assets, asked_at }: Reading,
  row: DepositRow,
  movement: Incoming,
): Promise<boolean> {
  if (row.state !== 'REVERSED') return row.state === 'FAILED'
  if (asked_at <= row.system_updated_at) return false
  // Something of it has gone back to its sender: whose the money is now, a person must say.
  if (returnsOf(row) > 0n) return false
  const assignments = await assignmentsOf(app.db, row.workspace, { deposit_id: row.id })
  return liveSum(assignments) <= assignablePart(assets, movement)
}

/** Settled again as any other deposit. Its assignments stand. */
function addReinstatement(
  { assets, now }: Reading,
  draft: PollDraft,
  row: DepositRow,
  movement: Incoming,
): void {
  const quantity = format(movement.quantity)
  draft.guards.push(depositGuard(row, 'PENDING'))
  draft.rows.push(
    updateDeposit(row, {
      transaction_hash: movement.transaction_hash ?? row.transaction_hash,
      confirmations: movement.confirmations ?? row.confirmations,
      quantity,
      value_date: movement.value_date ?? row.value_date,
      assignable_quantity: format(assignablePart(assets, movement)),
      ...namedLate(row, movement),
      final_at: now,
      reason_code: null,
      reason: null,
      related_withdrawal_id: row.own_transfer ? null : row.related_withdrawal_id,
      own_transfer: false,
      transfer_quantity: '0',
      settlement_id: null,
    }),
  )
  draft.events.push(depositEvent('reinstated', { ...row, state: 'PENDING', quantity }))
  draft.tasks.push({ kind: SETTLE_TASK, subject_id: row.id, due_at: now })
}

function addDepositEnd(
  draft: PollDraft,
  row: DepositRow,
  to: 'FAILED' | 'REVERSED',
  now: number,
): void {
  draft.guards.push(depositGuard(row, to))
  draft.rows.push(
    updateDeposit(row, {
      assigned_quantity: '0',
      final_at: row.final_at ?? (to === 'REVERSED' ? now : null),
      ...(to === 'FAILED'
        ? { reason_code: 'FAILED_AT_VENUE' }
        : { reason_code: 'REVERSED_BY_VENUE', reason: reversalReason(row) }),
    }),
  )
  draft.events.push(
    to === 'FAILED'
      ? depositEvent('failed', { ...row, state: to })
      : depositEvent('reversed', { ...row, state: to }, { alert: true }),
  )
}

/**
 * The venue took a final deposit back: all its bookings are reversed, whatever the accounts hold by
 * now.
 */
async function addReversal(
  { app, now }: Reading,
  draft: PollDraft,
  { row, ended }: Known,
): Promise<void> {
  const { workspace, venue_id } = row
  const bookings = await bookingsOf(app.db, workspace, row.id)
  assert(bookings.length > 0, `deposit ${row.id} is final and booked`)
  const reversals = bookReversals({ reference_type: 'deposit', reference_id: row.id }, bookings)
  const accounts = await bookingAccounts(app.db, workspace, venue_id)
  const location = { workspace, venue_id, account_id: accounts.VENUE, wallet: row.venue_wallet }
  draft.ledger.push(...reversals)
  draft.rows.push(...updateWalletPosition(location, reversals))
  // What nobody has decided is rejected with the deposit.
  const pending = await pendingAssignmentsOf(app.db, workspace, { deposit_id: row.id })
  const rejected = decidePending(workspace, pending, 'REJECTED', {
    decided_by: TREASURY_WORKER,
    decided_at: now,
  })
  draft.guards.push(...rejected.guards)
  draft.rows.push(...rejected.rows)
  draft.rows.push(...markReturnsReversed(row, { by: TREASURY_WORKER, now }))
  if (row.settlement_id !== null) await addExpectationAgain(app, draft, row)
  const released = await releaseTransfer(app.db, row, { accounts, bookings, ids: ended })
  draft.guards.push(...released.guards)
  draft.ledger.push(...released.ledger)
  draft.rows.push(...released.rows)
  addDepositEnd(draft, row, 'REVERSED', now)
}

/** The venue owes again what this deposit had paid. */
async function addExpectationAgain(
  app: TreasuryApp,
  draft: PollDraft,
  { workspace, id }: DepositRow,
): Promise<void> {
  const arrival = await arrivalOfDeposit(app.db, workspace, id)
  if (arrival === undefined) return
  draft.guards.push(arrivalGuard(arrival, 'EXPECTED'))
  draft.rows.push(updateArrival(arrival, { deposit_id: null }))
}
