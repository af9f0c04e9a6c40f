/**
 * A person relates a deposit to the own transfer, or to the settlement part, that arrives with it,
 * and takes that back. Either reverses what the deposit had booked and books it anew, in one
 * change. The transfer, or the part, is open again afterwards.
 */
import { settingsOf } from '../../access/index.ts'
import { mustExist } from '../../core/assert.ts'
import { decimal, format } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { DepositId, PartId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { bookingsOf, bookReversals, commitWithReply, retryOnStale } from '../../ledger/index.ts'
import type { Booking, Change, Guard, LedgerStep } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import type { Query } from '../../store/sql.ts'
import type { TreasuryApp } from '../app.ts'
import { assignmentsOf } from '../assignments/rows.ts'
import { bookDeposit, bookingAccounts } from '../bookings.ts'
import type { BookingBasis } from '../bookings.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import { withdrawalRow, WITHDRAWALS } from '../withdrawals/rows.ts'
import type { WithdrawalRow } from '../withdrawals/rows.ts'
import { derivedState } from '../deposit-rows/deposits.schema.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { arrivalGuard, arrivalOfDeposit, arrivalOfPart } from './expected-arrivals.ts'
import { bookArrival, updateArrival } from './expected-arrivals.ts'
import { unchangedGuard } from './own-transfers.ts'
import type { RelateDepositBody, UnrelateDepositBody } from './relations.schema.ts'
import { depositById, depositEvent, depositGuard, depositRow } from '../deposit-rows/rows.ts'
import { showDeposit, updateDeposit, withTransfer } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { assertNotHeld } from '../withdrawals/held-deposits.ts'
import {
  arrivalParts,
  bookArrivalParts,
  releaseTransfer,
  transferData,
} from './transfer-arrivals.ts'
import {
  assertArrivesThere,
  assertNobodys,
  assertOpen,
  assertSameQuantity,
  isArrival,
  namesTransfer,
} from './relatable.ts'

/** What a deposit becomes, and what happens beside it. */
type Relation = {
  event: 'related' | 'unrelated'
  set: Pick<
    DepositRow,
    'own_transfer' | 'related_withdrawal_id' | 'settlement_id' | 'transfer_quantity'
  >
  guard: Guard
  rows: Query[]
  /** Booked after the arrival that was booked before is reversed. */
  book: (basis: BookingBasis, after: DepositRow) => LedgerStep[]
  data: Record<string, Json>
}

/**
 * Relating it to what it is related to already changes nothing. Refused: STATE_NOT_ALLOWED (of the
 * deposit, the withdrawal or the part), CONFLICT (it, or the other, is related otherwise; it
 * arrived elsewhere), ASSET_MISMATCH, SUM_MISMATCH, PERIOD_CLOSED; 4004.
 */
export function relateDeposit(
  caller: Caller,
  app: TreasuryApp,
  id: DepositId,
  body: RelateDepositBody,
): Promise<Deposit> {
  const { workspace, idempotency } = caller
  const { withdrawal_id, part_id } = body
  if ((withdrawal_id === undefined) === (part_id === undefined))
    throw refuse('REQUIRED', 'withdrawal_id', 'name either withdrawal_id or part_id')
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await depositRow(app.db, workspace, id)
      await assertNotHeld(app.db, row)
      const relation =
        withdrawal_id === undefined
          ? await relationToPart(app, row, part_id ?? '')
          : await relationToTransfer(app, row, withdrawal_id)
      return relation === 'related'
        ? depositById(app.db, workspace, id)
        : commitRelation(caller, app, row, relation)
    }),
  )
}

async function relationToTransfer(
  app: TreasuryApp,
  row: DepositRow,
  withdrawal_id: WithdrawalId,
): Promise<Relation | 'related'> {
  const withdrawal = await withdrawalRow(app.db, row.workspace, withdrawal_id)
  if (row.own_transfer && row.related_withdrawal_id === withdrawal_id) return 'related'
  const parts = arrivalParts(decimal(row.quantity), sentOf(withdrawal))
  assertNobodys(row, parts.rest)
  assertArrivesThere(row, { ...withdrawal, wallet_id: withdrawal.to_wallet_id }, 'withdrawal_id')
  assertOpen(withdrawal)
  if (!namesTransfer(row, withdrawal)) assertSameQuantity(row, withdrawal, 'withdrawal_id')
  return {
    event: 'related',
    set: {
      own_transfer: true,
      related_withdrawal_id: withdrawal_id,
      settlement_id: null,
      transfer_quantity: format(parts.transfer),
    },
    guard: unchangedGuard(withdrawal),
    rows: [setArrived(withdrawal, app.clock.now())],
    book: (basis, { assignable }) => bookArrivalParts(basis, parts, assignable),
    data: transferData(parts),
  }
}

async function relationToPart(
  app: TreasuryApp,
  row: DepositRow,
  part_id: PartId,
): Promise<Relation | 'related'> {
  const arrival = await arrivalOfPart(app.db, row.workspace, part_id)
  if (row.own_transfer && arrival.deposit_id === row.id) return 'related'
  assertNobodys(row)
  assertArrivesThere(row, arrival, 'part_id')
  if (arrival.state === 'ARRIVED')
    throw refuse(
      'CONFLICT',
      'part_id',
      `deposit ${arrival.deposit_id} pays part ${part_id} already`,
    )
  if (arrival.state === 'DROPPED')
    throw refuse('STATE_NOT_ALLOWED', 'part_id', `part ${part_id} expects no deposit any more`)
  assertSameQuantity(row, { quantity: format(arrival.quantity) }, 'part_id')
  const { settlement_id } = arrival
  return {
    event: 'related',
    set: {
      own_transfer: true,
      related_withdrawal_id: null,
      settlement_id,
      transfer_quantity: row.quantity,
    },
    guard: arrivalGuard(arrival, 'ARRIVED'),
    rows: [updateArrival(arrival, { deposit_id: row.id })],
    book: ({ accounts }) => [bookArrival(accounts.VENUE, row, arrival)],
    data: { settlement_id, part_id },
  }
}

const sentOf = ({ quantity, transfer_quantity }: WithdrawalRow) => ({
  quantity: decimal(quantity),
  transfer_quantity: decimal(transfer_quantity),
})

/**
 * Refused: STATE_NOT_ALLOWED (it is not related; it brings a withdrawal back; its part was
 * confirmed by hand), PERIOD_CLOSED; 4004.
 */
export function unrelateDeposit(
  caller: Caller,
  app: TreasuryApp,
  id: DepositId,
  { reason }: UnrelateDepositBody,
): Promise<Deposit> {
  const { workspace, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await depositRow(app.db, workspace, id)
      if (!isArrival(row))
        throw refuse('STATE_NOT_ALLOWED', '', `deposit ${id} is not related to a transfer`)
      const assignable = decimal(row.assignable_quantity)
      if (assignable === 0n)
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `deposit ${id} of ${row.quantity} ${row.asset} is less than accounts can hold: nothing ` +
            'of it could be assigned',
        )
      const other =
        row.related_withdrawal_id === null
          ? await releasedPart(app, row)
          : await releasedTransfer(app, row, row.related_withdrawal_id)
      const { ledger = [], ...released } = other
      const quantity = decimal(row.quantity)
      return commitRelation(caller, app, row, {
        event: 'unrelated',
        set: {
          own_transfer: false,
          related_withdrawal_id: null,
          settlement_id: null,
          transfer_quantity: '0',
        },
        ...released,
        book: (basis) => [bookDeposit(basis, quantity, assignable), ...ledger],
        data: { ...released.data, reason },
      })
    }),
  )
}

type Released = Pick<Relation, 'guard' | 'rows' | 'data'> & { ledger?: readonly LedgerStep[] }

/** The transfer is in flight again, unless something else of it is here. */
async function releasedTransfer(
  app: TreasuryApp,
  row: DepositRow,
  withdrawal_id: WithdrawalId,
): Promise<Released> {
  const withdrawal = await withdrawalRow(app.db, row.workspace, withdrawal_id)
  if (withdrawal.to_wallet_id !== row.wallet_id)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `deposit ${row.id} brings back withdrawal ${withdrawal_id}, as its venue reports`,
    )
  const accounts = await bookingAccounts(app.db, row.workspace, row.venue_id)
  const bookings = await bookingsOf(app.db, row.workspace, row.id)
  const gone = { accounts, bookings, ids: [] }
  const { guards, rows, ledger } = await releaseTransfer(app.db, row, gone)
  return { guard: mustExist(guards[0], 'a guard'), rows, ledger, data: { withdrawal_id } }
}

/** The venue owes it again. */
async function releasedPart(app: TreasuryApp, row: DepositRow): Promise<Released> {
  const arrival = await arrivalOfDeposit(app.db, row.workspace, row.id)
  const bookings = await bookingsOf(app.db, row.workspace, row.id)
  if (arrival === undefined || !isBookedAsArrival(bookings))
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `deposit ${row.id} was named by hand as the payment of settlement ${row.settlement_id}`,
    )
  return {
    guard: arrivalGuard(arrival, 'EXPECTED'),
    rows: [updateArrival(arrival, { deposit_id: null })],
    data: { part_id: arrival.id },
  }
}

/** Whether the deposit was booked as this payment at once, and not as nobody's before. */
const isBookedAsArrival = (bookings: readonly Booking[]): boolean => {
  const reversed = new Set(bookings.map((booking) => booking.reverses_id))
  return bookings.every((booking) => booking.type !== 'DEPOSIT' || reversed.has(booking.id))
}

const setArrived = ({ workspace, id }: WithdrawalRow, arrived_at: number): Query =>
  updateGuardedRow(WITHDRAWALS, { where: { workspace, id }, set: { arrived_at } })

/** What accounts got of it stays. */
const isOfArrival = ({ type }: Booking): boolean =>
  type !== 'DEPOSIT_ASSIGNMENT' && type !== 'RECTIFICATION'

async function commitRelation(
  caller: Caller,
  app: TreasuryApp,
  row: DepositRow,
  { event, set, guard, rows, book, data }: Relation,
): Promise<Deposit> {
  const { workspace, by } = caller
  const { id, asset, venue_id } = row
  const now = app.clock.now()
  await assertPeriodOpen(app, workspace, now)
  const bookings = await bookingsOf(app.db, workspace, id)
  const accounts = await bookingAccounts(app.db, workspace, venue_id)
  const cause = { reference_type: 'deposit', reference_id: id } as const
  const fields = { ...set, reason_code: null, reason: null }
  const related = withTransfer({ ...row, ...fields }, {})
  const assignments = await assignmentsOf(app.db, workspace, { deposit_id: id })
  const to = derivedState(related, assignments)
  const ledger = [
    ...bookReversals(cause, bookings.filter(isOfArrival)),
    ...book({ accounts, cause, asset }, related),
  ]
  const location = { workspace, venue_id, account_id: accounts.VENUE, wallet: row.venue_wallet }
  const after = { ...related, state: to, version: row.version + 1 }
  const change: Change = {
    workspace,
    class: 'command',
    by,
    guards: [to === row.state ? depositGuard(row) : depositGuard(row, to), guard],
    ledger,
    rows: [...updateWalletPosition(location, ledger), updateDeposit(row, fields), ...rows],
    events: [depositEvent(event, after, data)],
  }
  const stamped = { ...after, system_updated_at: now, system_updated_by: by }
  const answer = await showDeposit(app.db, stamped, assignments)
  return withFailpoints('deposit.relate', venue_id, () =>
    commitWithReply(app.lane, caller, change, answer),
  )
}

/** It is booked today. */
async function assertPeriodOpen(
  app: TreasuryApp,
  workspace: WorkspaceId,
  now: number,
): Promise<void> {
  const { open_period_from } = await settingsOf(app.db, workspace)
  if (open_period_from !== null && now < open_period_from)
    throw refuse(
      'PERIOD_CLOSED',
      '',
      `it would be booked today, and the open period begins at ` +
        new Date(open_period_from).toISOString(),
    )
}
