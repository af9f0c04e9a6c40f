/**
 * Money that arrives at a venue.
 *
 *   read    what is new since the last reading, which the stored cursor names
 *   draft   for each movement: a new deposit, a change of a known one, or nothing
 *   store   all of it and the new cursor, in one change
 *
 * A movement that is reported again changes nothing. A deposit that is final at its venue is
 * settled by a task of its own (deposits/settling.ts). While the venue's opening balance of an
 * asset is not booked, nothing is stored and the same movements are read again: then it is known
 * whether the opening balance contains them.
 */
import type { ServiceId, WalletId, WorkspaceId } from '../../core/ids.ts'
import { assert } from '../../core/assert.ts'
import { format, round } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { idAt } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { assetsOf, bookingsOf, venueAccounts } from '../../ledger/index.ts'
import type {
  Asset,
  Change,
  EventDraft,
  Guard,
  LedgerStep,
  TaskOfChange,
} from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import type { Query } from '../../store/sql.ts'
import type { Incoming, VenueRecord } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { ASSIGNMENTS, assignmentsOf } from '../assignments/rows.ts'
import { ASSIGNMENT_MOVES, liveSum } from '../assignments/assignments.schema.ts'
import { bookReversals } from '../bookings.ts'
import { arrivalGuard, arrivalOfDeposit, updateArrival } from '../deposits/expected-arrivals.ts'
import {
  depositEvent,
  depositGuard,
  insertDeposit,
  knownDeposits,
  updateDeposit,
} from '../deposits/rows.ts'
import type { DepositRow } from '../deposits/rows.ts'
import { earlierIncomingChange, openingReversal, openingStatusOf } from '../opening/movements.ts'
import { SETTLE_TASK } from '../tasks.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import { walletByVenueLocator } from '../wallets/rows.ts'
import { WITHDRAWALS } from '../withdrawals/rows.ts'
import { cursorOf, storeCursor } from './cursors.ts'

const WORKER = 'treasury'

type PollDraft = {
  guards: Guard[]
  ledger: LedgerStep[]
  rows: Query[]
  events: EventDraft[]
  tasks: TaskOfChange[]
}
type PollContext = {
  app: TreasuryApp
  workspace: WorkspaceId
  venue: VenueRecord
  service_id: ServiceId
  assets: ReadonlyMap<string, Asset>
  now: number
  asked_at: number
}

/** Answers how many movements the venue showed. */
export async function pollIncoming(
  app: TreasuryApp,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<number> {
  const { venue, adapter } = await app.venues.connect(workspace, venue_id)
  const service = venue.services.find(({ type }) => type === 'WOMS')
  if (adapter.transfers === undefined || service === undefined) return 0
  const from = await cursorOf(app.db, 'incoming_cursors', venue)
  const { transfers } = adapter
  const asked_at = app.clock.now()
  const { movements, cursor } = await withFailpoints('deposit.read', venue_id, () =>
    transfers.incoming(from),
  )
  const assets = await assetsOf(app.db, workspace)
  const now = app.clock.now()
  const context = { app, workspace, venue, service_id: service.id, assets, now, asked_at }
  const draft = await pollDraft(context, movements)
  if (draft === 'not open') return 0
  const store = storeCursor('incoming_cursors', venue, { cursor, now })
  if (draft.rows.length > 0 || draft.guards.length > 0) {
    const rows = [...draft.rows, store]
    const change: Change = { workspace, class: 'fact', by: WORKER, ...draft, rows }
    await withFailpoints('deposit.store', venue_id, () => app.lane.commit(change))
  } else if (cursor !== from) {
    await app.db.query(store)
  }
  return movements.length
}

async function pollDraft(
  context: PollContext,
  movements: readonly Incoming[],
): Promise<PollDraft | 'not open'> {
  const { app, workspace, service_id } = context
  const draft: PollDraft = { guards: [], ledger: [], rows: [], events: [], tasks: [] }
  // A movement may be reported several times in one reading: the last report counts.
  const latest = new Map(movements.map((movement) => [movement.foreign_id, movement]))
  const known = await knownDeposits(app.db, workspace, service_id, [...latest.keys()])
  for (const movement of latest.values()) {
    const row = known.get(movement.foreign_id)
    if (row !== undefined) await addDepositChange(context, draft, row, movement)
    else if (!(await addNewDeposit(context, draft, movement))) return 'not open'
  }
  return draft
}

const hasFailed = ({ state }: Incoming): boolean => state === 'FAILED' || state === 'REVERSED'

/** False while the venue's opening balance of this asset is not booked yet. */
async function addNewDeposit(
  context: PollContext,
  draft: PollDraft,
  movement: Incoming,
): Promise<boolean> {
  const { app, venue, assets } = context
  if (hasFailed(movement)) {
    // It has moved nothing, unless the opening balance contains it.
    addChange(draft, await openingReversal(app.db, venue, movement.foreign_id, movement))
    return true
  }
  // An asset that is not configured is not in the books at all.
  if (movement.quantity <= 0n || !assets.has(movement.asset)) return true
  const address = movement.destination_address
  const wallet = await walletByVenueLocator(app.db, venue, { ...movement, address })
  const status = await openingStatusOf(app.db, venue, wallet, movement)
  if (status === 'NOT_OPEN') return false
  if (status === 'DEPOSIT') addDeposit(context, draft, movement, wallet?.id ?? null)
  if (status === 'OPENING' && movement.state === 'FINAL')
    addChange(draft, await earlierIncomingChange(app.db, venue, movement))
  return true
}

function addChange(draft: PollDraft, change: Change | undefined): void {
  draft.ledger.push(...(change?.ledger ?? []))
  draft.rows.push(...(change?.rows ?? []))
  draft.events.push(...(change?.events ?? []))
}

function addDeposit(
  { workspace, venue, service_id, assets, now }: PollContext,
  draft: PollDraft,
  movement: Incoming,
  wallet_id: WalletId | null,
): void {
  const id = idAt(now)
  const final_at = movement.state === 'FINAL' ? now : null
  const { asset, foreign_id, transaction_hash } = movement
  draft.rows.push(
    insertDeposit(
      {
        workspace,
        id,
        service_id,
        venue_id: venue.id,
        wallet_id,
        assignable: assignableOf(assets, movement),
        final_at,
        movement,
      },
      { by: WORKER, now },
    ),
  )
  draft.events.push(
    depositEvent('detected', {
      id,
      state: 'PENDING',
      asset,
      quantity: format(movement.quantity),
      wallet_id,
      foreign_id,
      transaction_hash,
      related_withdrawal_id: null,
    }),
  )
  if (final_at !== null) draft.tasks.push({ kind: SETTLE_TASK, subject_id: id, due_at: now })
}

/** Accounts are assigned amounts of the asset's scale; what is finer stays with the house. */
function assignableOf(assets: ReadonlyMap<string, Asset>, movement: Incoming): Decimal {
  const scale = assets.get(movement.asset)?.scale
  return scale === undefined ? movement.quantity : round(movement.quantity, scale, 'down')
}

async function addDepositChange(
  context: PollContext,
  draft: PollDraft,
  row: DepositRow,
  movement: Incoming,
): Promise<void> {
  if (row.state === 'PENDING') {
    if (hasFailed(movement)) addDepositEnd(draft, row, 'FAILED', context.now)
    else if (row.final_at === null) addProgress(context, draft, row, movement)
  } else if (movement.state === 'FINAL' && (await isReinstated(context, row, movement)))
    addReinstatement(context, draft, row, movement)
  else if (hasFailed(movement) && row.state !== 'FAILED' && row.state !== 'REVERSED')
    await addReversal(context, draft, row)
}

/** A pending deposit has more confirmations, another quantity, or is final. */
function addProgress(
  { assets, now }: PollContext,
  draft: PollDraft,
  row: DepositRow,
  movement: Incoming,
): void {
  const final = movement.state === 'FINAL'
  const transaction_hash = movement.transaction_hash ?? row.transaction_hash
  const confirmations = movement.confirmations ?? row.confirmations
  const quantity = format(movement.quantity)
  const isSame =
    transaction_hash === row.transaction_hash &&
    confirmations === row.confirmations &&
    quantity === row.quantity
  if (isSame && !final) return
  draft.guards.push(depositGuard(row))
  draft.rows.push(
    updateDeposit(row, {
      transaction_hash,
      confirmations,
      quantity,
      assignable_quantity: format(assignableOf(assets, movement)),
      reference_text: movement.reference_text ?? row.reference_text,
      related_external_id: movement.related_external_id ?? row.related_external_id,
      final_at: final ? now : null,
    }),
  )
  if (final) draft.tasks.push({ kind: SETTLE_TASK, subject_id: row.id, due_at: now })
}

/**
 * Whether a deposit that had failed or was reversed is there again. Only FINAL says so, because an
 * older report may come late. Of one that was reversed, the venue must have been asked after the
 * reversal was stored, and what is assigned must still fit. Else a person sees a break.
 */
async function isReinstated(
  { app, assets, asked_at }: PollContext,
  row: DepositRow,
  movement: Incoming,
): Promise<boolean> {
  if (row.state !== 'REVERSED') return row.state === 'FAILED'
  if (asked_at <= row.system_updated_at) return false
  const assignments = await assignmentsOf(app.db, row.workspace, { deposit_id: row.id })
  return liveSum(assignments) <= assignableOf(assets, movement)
}

/** Settled again as any other deposit. Its assignments stand. */
function addReinstatement(
  { assets, now }: PollContext,
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
      assignable_quantity: format(assignableOf(assets, movement)),
      reference_text: movement.reference_text ?? row.reference_text,
      related_external_id: movement.related_external_id ?? row.related_external_id,
      final_at: now,
      reason_code: null,
      reason: null,
      related_withdrawal_id: row.own_transfer ? null : row.related_withdrawal_id,
      own_transfer: false,
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
      reason_code: to === 'FAILED' ? 'FAILED_AT_VENUE' : 'REVERSED_BY_VENUE',
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
  { app, now }: PollContext,
  draft: PollDraft,
  row: DepositRow,
): Promise<void> {
  const { workspace, venue_id } = row
  const bookings = await bookingsOf(app.db, workspace, row.id)
  assert(bookings.length > 0, `deposit ${row.id} is final and booked`)
  const reversals = bookReversals({ reference_type: 'deposit', reference_id: row.id }, bookings)
  const { VENUE } = await venueAccounts(app.db, workspace, venue_id)
  const location = { workspace, venue_id, account_id: VENUE, wallet: row.venue_wallet }
  draft.ledger.push(...reversals)
  draft.rows.push(...updateWalletPosition(location, reversals))
  await addRejectedAssignments(app, draft, row, now)
  if (row.settlement_id !== null) await addExpectationAgain(app, draft, row)
  // An own transfer is in flight again.
  if (row.own_transfer && row.related_withdrawal_id !== null)
    draft.rows.push(
      updateGuardedRow(WITHDRAWALS, {
        where: { workspace, id: row.related_withdrawal_id },
        set: { arrived_at: null },
      }),
    )
  addDepositEnd(draft, row, 'REVERSED', now)
}

/** Assignments that nobody has decided are rejected with the deposit. */
async function addRejectedAssignments(
  app: TreasuryApp,
  draft: PollDraft,
  { workspace, id }: DepositRow,
  now: number,
): Promise<void> {
  const assignments = await assignmentsOf(app.db, workspace, { deposit_id: id })
  for (const assignment of assignments.filter(({ state }) => state === 'PENDING')) {
    draft.guards.push({
      table: 'assignments',
      resource: 'assignment',
      id: assignment.id,
      ...move(ASSIGNMENT_MOVES, assignment.state, 'REJECTED'),
      version: assignment.version,
    })
    draft.rows.push(
      updateGuardedRow(ASSIGNMENTS, {
        where: { workspace, id: assignment.id },
        set: { decided_by: WORKER, decided_at: now },
      }),
    )
  }
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
