/**
 * Parts that somebody knows to have moved. What is booked lies with the venue until the money
 * itself is seen: an outgoing payment still on its way, or a deposit still to come, then moves it
 * from there.
 */
import { decimal } from '../core/decimal.ts'
import { notFound, refuse } from '../core/errors.ts'
import type { PartId, SettlementId } from '../core/ids.ts'
import type { Caller } from '../http/index.ts'
import { assertNotHalted } from '../ledger/index.ts'
import {
  arrivalGuard,
  assignToSettlement,
  creditArrivalTo,
  expectedArrival,
  transferOutcome,
} from '../treasury/index.ts'
import { bookDepositOfPart, bookIncomingPart, bookOutgoingPart } from './bookings.ts'
import { changeSettlement, SettlementDraft } from './changes.ts'
import { settlingAccounts } from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import { hasEnded, hasMoved, isPrepared } from './settlements.schema.ts'
import type { ConfirmPartBody, Settlement } from './settlements.schema.ts'
import { commitProgress, stateWithFills, withdrawalOf } from './transfers.ts'

/** Refused: STATE_NOT_ALLOWED; CONFLICT while a withdrawal's outcome decides. */
export function confirmPart(
  caller: Caller,
  app: SettlementsApp,
  { settlement_id, part_id }: { settlement_id: SettlementId; part_id: PartId },
  body: ConfirmPartBody,
): Promise<Settlement> {
  const { workspace, by } = caller
  return changeSettlement(caller, app, settlement_id, async (before) => {
    const part = findConfirmablePart(before, part_id)
    await assertNotHalted(app.db, workspace, {
      action: 'WITHDRAWALS',
      venue_ids: [part.venue_id],
      assets: [part.asset],
    })
    const draft = new SettlementDraft(before)
    const { note, deposit_id } = body
    const arrived = part.arrival === 'EXPECTED' && deposit_id !== undefined
    draft.movePart(part, 'CONFIRMED_MANUALLY', {
      note,
      confirmed_by: by,
      deposit_id: deposit_id ?? part.deposit_id,
      arrival: arrived ? 'ARRIVED' : part.arrival,
      completed_at: app.clock.now(),
    })
    const confirm = part.direction === 'OUTGOING' ? confirmOutgoing : confirmIncoming
    await confirm(app, draft, part, body)
    const state = await stateWithFills(app, draft)
    return commitProgress(caller, app, draft, { name: 'confirm', class: 'command', state })
  })
}

/** Throws for a part that has moved, or of a settlement whose transfers are not in flight. */
function findConfirmablePart(settlement: SettlementRow, part_id: PartId): PartRow {
  const { id, state, parts } = settlement
  const part = parts.find((part) => part.id === part_id)
  if (part === undefined) throw notFound('part', part_id, 'part_id')
  if (isPrepared(settlement) || hasEnded(settlement) || hasMoved(part))
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `settlement ${id} is ${state} and its part ${part_id} is ${part.state}`,
    )
  return part
}

async function confirmOutgoing(
  app: SettlementsApp,
  draft: SettlementDraft,
  part: PartRow,
  { deposit_id, note }: ConfirmPartBody,
): Promise<void> {
  const { workspace, id: settlement_id } = draft.before
  if (deposit_id !== undefined)
    throw refuse(
      'CONFLICT',
      'deposit_id',
      'the part is OUTGOING: no deposit of ours is its payment',
    )
  if (part.state === 'INITIATED') await assertLeft(app, draft.before, part)
  const accounts = await settlingAccounts(app.db, workspace, part.venue_id)
  const quantity = decimal(part.quantity)
  const payment = { settlement_id, asset: part.asset, quantity, note }
  draft.add({ ledger: [bookOutgoingPart(accounts, payment)] })
}

/** Its withdrawal has left for certain, and has not ended. */
async function assertLeft(
  { db }: SettlementsApp,
  { workspace }: SettlementRow,
  part: PartRow,
): Promise<void> {
  const outcome = await transferOutcome(db, workspace, withdrawalOf(part), part.venue_id)
  const inFlight = outcome.outcome === 'in flight'
  if (inFlight && outcome.left) return
  const why = inFlight ? 'has not left for certain' : 'has ended'
  throw refuse('CONFLICT', '', `withdrawal ${part.withdrawal_id} ${why}: its outcome decides`)
}

async function confirmIncoming(
  app: SettlementsApp,
  draft: SettlementDraft,
  part: PartRow,
  { deposit_id, note }: ConfirmPartBody,
): Promise<void> {
  const { workspace, id: settlement_id } = draft.before
  const { asset } = part
  const accounts = await settlingAccounts(app.db, workspace, part.venue_id)
  const arrival = await expectedArrival(app.db, workspace, part.id)
  if (arrival?.state === 'ARRIVED')
    throw refuse(
      'CONFLICT',
      '',
      `deposit ${arrival.deposit_id} is its payment: it is being settled`,
    )
  let rest = decimal(part.quantity)
  if (deposit_id !== undefined) {
    const { quantity, ...effects } = await assignToSettlement(app, workspace, deposit_id, {
      settlement_id,
      asset,
      most: rest,
      arrival,
    })
    draft.add(effects)
    draft.add({ ledger: [bookDepositOfPart(accounts, { deposit_id, asset, quantity, note })] })
    rest -= quantity
  } else if (arrival?.state === 'EXPECTED') {
    draft.add({
      guards: [arrivalGuard(arrival)],
      rows: [creditArrivalTo(arrival, accounts.VENUE)],
    })
  }
  if (rest <= 0n) return
  const receipt = { settlement_id, asset, quantity: rest, note }
  draft.add({ ledger: [bookIncomingPart(accounts, receipt)] })
}
