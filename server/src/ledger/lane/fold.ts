/**
 * The rules of money, pure. A batch of changes is folded over what the lane loaded under its lock;
 * each change is accepted wholly or refused wholly, in arrival order, and a later change sees what
 * the earlier ones did.
 *
 * Precedence: idempotency key → limits of the program → halts → guards → policy → ledger steps in
 * their order → floors at the end of the change. Once the floors hold, nothing can refuse the
 * change any more. A command that would take a bounded balance below zero is refused; a fact is
 * always booked and lowers the floor by the shortfall, which stays until credits have made it good.
 * Halts and frozen accounts stop commands alone.
 */
import type { AccountId } from '../../core/ids.ts'
import { assert, mustExist } from '../../core/assert.ts'
import { format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { storableText } from '../../core/storable.ts'
import { isSameRequest } from '../../http/index.ts'
import { balanceKey, guardKey } from '../changes.ts'
import type {
  Acceptance,
  AccountState,
  BalanceState,
  CommittedBooking,
  CommittedLeg,
  Books,
  Change,
  EventDraft,
  HoldState,
  Replay,
  Verdict,
  Writes,
} from '../changes.ts'
import { haltedError, haltFor } from '../halts.schema.ts'
import { DEBIT_NORMAL } from '../ledger.schema.ts'
import type { BookingDraft, HoldDraft, HoldKind, LedgerStep } from '../ledger.schema.ts'
import { newSalt } from './chain.ts'
import { count } from './judging.ts'
import { checkLimits } from './limits.ts'
import { spend } from './spending.ts'

export function fold(
  books: Books,
  changes: readonly Change[],
): { verdicts: Verdict[]; writes: Writes } {
  const writes: Writes = {
    bookings: [],
    events: [],
    balances: new Map(),
    new_holds: new Map(),
    changed_holds: new Map(),
    moves: [],
    spent: new Map(),
    totals: new Map(),
    accepted: [],
  }
  const verdicts = changes.map((change): Verdict => {
    try {
      return applyChange(books, writes, change)
    } catch (error) {
      return { verdict: 'refused', error }
    }
  })
  return { verdicts, writes }
}

/** What one change has touched so far, kept apart until the change is accepted. */
type Draft = {
  books: Books
  change: Change
  balances: Map<string, BalanceState>
  holds: Map<string, HoldState>
  newHolds: Set<string>
  bookings: CommittedBooking[]
  events: EventDraft[]
  spent: ReadonlyMap<string, Decimal>
  totals: ReadonlyMap<string, Decimal>
}

function applyChange(books: Books, writes: Writes, change: Change): Acceptance | Replay {
  const replay = replayOf(books, change)
  if (replay !== undefined) return replay
  const spent = spend(books, change)
  checkHalts(books, change)
  checkGuards(books, change)
  const totals = count(books, change)
  const draft: Draft = {
    books,
    change,
    balances: new Map(),
    holds: new Map(),
    newHolds: new Set(),
    bookings: [],
    events: [],
    spent,
    totals,
  }
  for (const step of change.ledger ?? []) applyStep(draft, step)
  settleFloors(draft)
  // From here on nothing refuses the change.
  accept(draft, writes)
  return { verdict: 'accepted', at: books.at, bookings: draft.bookings }
}

function replayOf(books: Books, change: Change): Replay | undefined {
  if (change.idempotency === undefined) return undefined
  const stored = books.keys.get(change.idempotency.key)
  if (stored === undefined) return undefined
  if (!isSameRequest(stored.request_hash, change.idempotency))
    throw new ApiError('IdempotencyConflict')
  if (stored.reply === undefined) throw new ApiError('IdempotencyInProgress')
  return { verdict: 'replayed', reply: stored.reply }
}

function checkHalts({ halts }: Books, change: Change): void {
  if (change.halt === undefined || change.class === 'fact') return
  const halt = haltFor(halts, change.halt)
  if (halt !== undefined) throw haltedError(halt)
}

function checkGuards(books: Books, change: Change): void {
  for (const guard of change.guards ?? []) {
    const row = books.guarded.get(guardKey(guard))
    if (row === undefined) throw notFound(guard.resource, guard.id)
    if (!guard.from.includes(row.state)) {
      throw refuse(
        'STATE_NOT_ALLOWED',
        '',
        `${guard.resource} ${guard.id} is ${row.state}; this needs ${guard.from.join(' or ')}`,
      )
    }
    if (guard.until !== undefined && change.class === 'command' && books.at >= guard.until.at)
      throw guard.until.error
    if (guard.version !== undefined && guard.version !== row.version) {
      throw refuse(
        'STALE_VERSION',
        'version',
        `${guard.resource} ${guard.id} has version ${row.version}, not ${guard.version}`,
      )
    }
  }
}

function applyStep(draft: Draft, step: LedgerStep): void {
  if (step.step === 'book') return book(draft, step.booking)
  if (step.step === 'hold') return placeHold(draft, step.hold)
  const hold = holdOf(draft, step.hold_id)
  const remaining = hold.quantity - hold.captured - hold.released
  const quantity = step.quantity ?? remaining
  assert(
    quantity >= 0n && quantity <= remaining,
    `hold ${step.hold_id} has ${format(remaining)} left, ${format(quantity)} asked`,
  )
  if (quantity === 0n) return
  if (step.step === 'capture') hold.captured += quantity
  else hold.released += quantity
  addHeld(balanceOf(draft, hold.account_id, hold.asset), hold.kind, -quantity)
}

function book(draft: Draft, booking: BookingDraft): void {
  assert(booking.legs.length >= 2, 'a booking has at least two legs')
  let difference = 0n
  const legs = booking.legs.map((leg, index): CommittedLeg => {
    assert(leg.quantity > 0n, 'the quantity of a leg is greater than zero')
    const account = draft.books.accounts.get(leg.account_id)
    if (account === undefined)
      throw notFound('account', leg.account_id, `legs[${index}].account_id`)
    const raises = (leg.type === 'DEBIT') === DEBIT_NORMAL.has(account.type)
    if (!raises) checkNotFrozen(draft, account, `legs[${index}].account_id`)
    const balance = balanceOf(draft, leg.account_id, booking.asset)
    difference += leg.type === 'DEBIT' ? leg.quantity : -leg.quantity
    balance.total += raises ? leg.quantity : -leg.quantity
    checkLimits(balance, leg.quantity, balance.total)
    return { ...leg, account_label: account.label, balance_after: balance.total }
  })
  assert(difference === 0n, `booking ${booking.type} does not balance by ${format(difference)}`)
  draft.bookings.push({
    ...booking,
    ...(booking.description === undefined
      ? {}
      : { description: storableText(booking.description), description_salt: newSalt() }),
    legs,
    value_date: booking.value_date ?? draft.books.at,
    booked_at: draft.books.at,
    booked_by: draft.change.by,
    sequence: 0,
    event_sequence: 0,
  })
}

function placeHold(draft: Draft, hold: HoldDraft): void {
  assert(hold.quantity > 0n, 'the quantity of a hold is greater than zero')
  assert(!draft.books.holds.has(hold.id) && !draft.holds.has(hold.id), `hold ${hold.id} exists`)
  const account = draft.books.accounts.get(hold.account_id)
  if (account === undefined) throw notFound('account', hold.account_id, 'account_id')
  checkNotFrozen(draft, account, '')
  const balance = balanceOf(draft, hold.account_id, hold.asset)
  addHeld(balance, hold.kind, hold.quantity)
  checkLimits(
    balance,
    hold.quantity,
    balance.held_withdrawal,
    balance.held_trading,
    balance.unsettled,
  )
  draft.holds.set(hold.id, { ...hold, captured: 0n, released: 0n })
  draft.newHolds.add(hold.id)
}

/** A command takes nothing from a frozen account; a fact is booked. */
function checkNotFrozen({ change }: Draft, account: AccountState, path: string): void {
  if (account.frozen !== null && change.class === 'command')
    throw refuse('FROZEN', path, `account ${account.label} is frozen: ${account.frozen}`)
}

function addHeld(balance: BalanceState, kind: HoldKind, quantity: Decimal): void {
  if (kind === 'WITHDRAWAL') balance.held_withdrawal += quantity
  else if (kind === 'TRADING') balance.held_trading += quantity
  else balance.unsettled += quantity
}

function balanceOf(draft: Draft, account_id: AccountId, asset: string): BalanceState {
  const key = balanceKey(account_id, asset)
  const touched = draft.balances.get(key)
  if (touched !== undefined) return touched
  const known = draft.books.balances.get(key)
  const copy =
    known === undefined
      ? {
          account_id,
          asset,
          total: 0n,
          held_withdrawal: 0n,
          held_trading: 0n,
          unsettled: 0n,
          floor: isBounded(draft.books, account_id) ? 0n : null,
        }
      : { ...known }
  draft.balances.set(key, copy)
  return copy
}

function holdOf(draft: Draft, id: string): HoldState {
  const touched = draft.holds.get(id)
  if (touched !== undefined) return touched
  const copy = { ...mustExist(draft.books.holds.get(id), `hold ${id} exists`) }
  draft.holds.set(id, copy)
  return copy
}

function isBounded(books: Books, account_id: AccountId): boolean {
  const account = books.accounts.get(account_id)
  return account !== undefined && account.type === 'CUSTOMER' && !account.overdraft
}

/** What can be traded; what can be withdrawn is less by what is not settled. */
const availableOf = (
  balance: Pick<BalanceState, 'total' | 'held_withdrawal' | 'held_trading'>,
): Decimal => balance.total - balance.held_withdrawal - balance.held_trading

function settleFloors(draft: Draft): void {
  for (const [key, balance] of draft.balances) {
    const available = availableOf(balance)
    checkLimits(balance, available)
    if (balance.floor === null) continue
    const before = draft.books.balances.get(key)
    const availableBefore = before === undefined ? 0n : availableOf(before)
    if (available < 0n && available < availableBefore) {
      if (draft.change.class === 'command') {
        const account = mustExist(
          draft.books.accounts.get(balance.account_id),
          'a touched account is loaded',
        )
        throw refuse(
          'INSUFFICIENT_BALANCE',
          draft.change.amount_path ?? '',
          `account ${account.label} (${balance.account_id}) has ${format(availableBefore)} ` +
            `${balance.asset} available, ${format(availableBefore - available)} needed`,
        )
      }
      draft.events.push({
        type: 'account.overdrawn',
        resource_id: balance.account_id,
        data: { asset: balance.asset, available: format(available), shortfall: format(-available) },
      })
    }
    if (draft.change.class === 'command') checkSettled(draft, balance, before)
    balance.floor = available < 0n ? available : 0n
  }
}

/** More is blocked for withdrawals only out of what has settled. */
function checkSettled(draft: Draft, balance: BalanceState, before: BalanceState | undefined): void {
  const blocked = balance.held_withdrawal - (before?.held_withdrawal ?? 0n)
  const withdrawable = availableOf(balance) - balance.unsettled
  if (balance.unsettled === 0n || blocked <= 0n || withdrawable >= 0n) return
  const account = mustExist(
    draft.books.accounts.get(balance.account_id),
    'a touched account is loaded',
  )
  throw refuse(
    'INSUFFICIENT_BALANCE',
    draft.change.amount_path ?? '',
    `account ${account.label} (${balance.account_id}) can withdraw ` +
      `${format(withdrawable + blocked)} ${balance.asset}, ${format(blocked)} needed: ` +
      `${format(balance.unsettled)} was bought and is not settled yet`,
  )
}

function accept(draft: Draft, writes: Writes): void {
  const { books, change } = draft
  for (const booking of draft.bookings) {
    books.booking_sequence += 1
    books.event_sequence += 1
    booking.sequence = books.booking_sequence
    booking.event_sequence = books.event_sequence
    writes.bookings.push(booking)
  }
  for (const event of [...(change.events ?? []), ...draft.events]) {
    books.event_sequence += 1
    writes.events.push({
      ...event,
      id: newId(books.at),
      sequence: books.event_sequence,
      by: change.by,
    })
  }
  for (const [key, balance] of draft.balances) {
    books.balances.set(key, balance)
    writes.balances.set(key, balance)
  }
  for (const [id, hold] of draft.holds) {
    books.holds.set(id, hold)
    const target =
      draft.newHolds.has(id) || writes.new_holds.has(id) ? writes.new_holds : writes.changed_holds
    target.set(id, hold)
  }
  for (const guard of change.guards ?? []) {
    if (guard.kept === true) continue
    const row = mustExist(books.guarded.get(guardKey(guard)), 'a guarded row is loaded')
    books.guarded.set(guardKey(guard), { state: guard.to ?? row.state, version: row.version + 1 })
    writes.moves.push({ guard, by: change.by, was: row.state, call: change.call })
  }
  for (const [key, quantity] of draft.spent) {
    books.spent.set(key, quantity)
    writes.spent.set(key, quantity)
  }
  for (const [name, quantity] of draft.totals) {
    books.totals.set(name, quantity)
    writes.totals.set(name, quantity)
  }
  // Within this batch the first is still running; its stored reply answers every later repeat.
  if (change.idempotency !== undefined)
    books.keys.set(change.idempotency.key, {
      request_hash: change.idempotency.request_hash,
      reply: undefined,
    })
  writes.accepted.push(change)
}
