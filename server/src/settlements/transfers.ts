/**
 * The parts of a settlement on their way. An outgoing part and its withdrawal are made in one
 * commit, an incoming part and the expectation of its deposit too; a task looks up what became of
 * them, until none is in flight. The last part to move settles the fills in the same commit.
 */
import { mustExist } from '../core/assert.ts'
import { decimal } from '../core/decimal.ts'
import { ApiError, refuse } from '../core/errors.ts'
import type { SettlementId, WithdrawalId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { retryOnStale, venueAccounts } from '../ledger/index.ts'
import type { Change, EventDraft } from '../ledger/index.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { fillsClaimedBy, moveFills, releaseCredits, uncorrectedFills } from '../trading/index.ts'
import {
  arrivalGuard,
  insertExpectedArrival,
  expectedArrival,
  transferOutcome,
  routeById,
  withdrawalDraft,
} from '../treasury/index.ts'
import type { Route } from '../treasury/index.ts'
import { bookOutgoingPart, bookRounding } from './bookings.ts'
import { changeSettlement, commitSettlement, SettlementDraft, settlementEvent } from './changes.ts'
import { assertRouteFits } from './coverage.ts'
import { assertGoesOn, chooseParts, keepNets } from './initiable-parts.ts'
import { leftOfNets } from './nets.ts'
import { SETTLEMENT_TASK, settlementRow, settlingAccounts } from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import { hasEnded, stateOfParts } from './settlements.schema.ts'
import type {
  InitiateSettlementBody,
  Part,
  Settlement,
  SettlementState,
} from './settlements.schema.ts'

const WORKER = 'settlements'
const LOOK_AGAIN_MILLISECONDS = 2_000

/**
 * In READY, or again after a part failed. Refused: CONFLICT (a fill was taken back since it was
 * covered), STATE_NOT_ALLOWED (also for a part in flight: its outcome comes first), REQUIRED (no
 * route), and as any withdrawal.
 */
export function initiateSettlement(
  caller: Caller,
  app: SettlementsApp,
  id: SettlementId,
  { part_ids }: InitiateSettlementBody,
): Promise<Settlement> {
  return changeSettlement(caller, app, id, async (before) => {
    if (before.state === 'PREPARING' || hasEnded(before))
      throw refuse(
        'STATE_NOT_ALLOWED',
        '',
        `settlement ${id} is ${before.state}: ` +
          'parts can be initiated once they cover it and until it ends',
      )
    const chosen = chooseParts(before, part_ids)
    const draft = new SettlementDraft(before)
    if (before.state === 'READY') await keepNets(caller, app, draft)
    else await assertGoesOn(app, before, chosen)
    for (const part of new Set(chosen))
      await namePartInRefusal(part, () => initiatePart(caller, app, draft, part))
    const parts = draft.parts()
    const state = parts.length === 0 ? 'TRANSFERRING' : stateOfParts(parts)
    const after = draft.after({ state })
    // Before the events of its withdrawals.
    draft.events.unshift(
      settlementEvent('initiated', after, { part_ids: chosen.map((part) => part.id) }),
    )
    draft.add({ tasks: [{ kind: SETTLEMENT_TASK, subject_id: id, due_at: app.clock.now() }] })
    return commitSettlement(caller, app, draft, { name: 'initiate', after })
  })
}

/** A refusal says which part it is about. */
async function namePartInRefusal(part: PartRow, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const message = `part of ${part.quantity} ${part.asset}: ${error.message}`
    const details = error.details.map((detail) => ({
      ...detail,
      path: 'part_ids',
      message: `part ${part.id}: ${detail.message}`,
    }))
    throw new ApiError(error.kind, message, details, error.retryAfter)
  }
}

async function initiatePart(
  caller: Caller,
  app: SettlementsApp,
  draft: SettlementDraft,
  part: PartRow,
): Promise<void> {
  if (part.route_id === null)
    throw refuse(
      'REQUIRED',
      'part_ids',
      'it has no route: cover the settlement again, or confirm the part by hand',
    )
  const route = await routeById(app.db, caller.workspace, part.route_id)
  assertRouteFits(route, part, 'part_ids')
  const started =
    part.direction === 'OUTGOING'
      ? await payPart(caller, app, draft, { part, route })
      : await expectPart(caller, app, draft, { part, route })
  draft.movePart(part, 'INITIATED', { ...started, reason: null, initiated_at: app.clock.now() })
}

type RoutedPart = { part: PartRow; route: Route }

async function payPart(
  caller: Caller,
  app: SettlementsApp,
  draft: SettlementDraft,
  { part, route }: RoutedPart,
): Promise<Pick<Part, 'withdrawal_id'>> {
  const { id } = draft.before
  const { withdrawal, change } = await withdrawalDraft(caller, app, route, {
    quantity: part.quantity,
    speed_level: 'DEFAULT',
    note: `Settlement ${id}`,
    earlier: draft.policy,
    requested_by: { origin: 'SETTLEMENT', job_id: null, job_run_id: null, settlement_id: id },
  })
  draft.add(change)
  return { withdrawal_id: withdrawal.id }
}

async function expectPart(
  { workspace, by }: Caller,
  app: SettlementsApp,
  draft: SettlementDraft,
  { part, route }: RoutedPart,
): Promise<Pick<Part, 'arrival'>> {
  const { TRADING } = await venueAccounts(app.db, workspace, part.venue_id)
  const arrival = {
    id: part.id,
    workspace,
    wallet_id: route.to_wallet_id,
    asset: part.asset,
    quantity: decimal(part.quantity),
    venue_id: part.venue_id,
    counter_account_id: TRADING,
    settlement_id: draft.before.id,
    expected_since: app.clock.now(),
  }
  draft.add({ rows: [insertExpectedArrival(arrival, by)] })
  return { arrival: 'EXPECTED' }
}

export const settlementsTasks = (app: SettlementsApp): Record<string, TaskHandler> => ({
  [SETTLEMENT_TASK]: settlementTask(app),
})

/** Subject: the settlement. Comes back while a part is in flight. */
const settlementTask =
  (app: SettlementsApp): TaskHandler =>
  ({ workspace, subject_id }) =>
    retryOnStale(async () => {
      const before = await settlementRow(app.db, workspace, subject_id)
      if (hasEnded(before)) return 'done'
      const draft = new SettlementDraft(before)
      for (const part of before.parts.filter(({ state }) => state === 'INITIATED'))
        await followPart(app, draft, part)
      const state = await stateWithFills(app, draft)
      if (draft.changedParts().length > 0 || state !== before.state)
        await commitProgress(workerCaller(workspace, WORKER), app, draft, {
          name: 'progress',
          class: 'fact',
          state,
        })
      return draft.parts().some((part) => part.state === 'INITIATED')
        ? { again_at: app.clock.now() + LOOK_AGAIN_MILLISECONDS }
        : 'done'
    })

/** It does not end before it is netted without what was busted. */
export async function stateWithFills(
  { db }: SettlementsApp,
  draft: SettlementDraft,
): Promise<ReturnType<typeof stateOfParts>> {
  const { workspace, id } = draft.before
  const parts = draft.parts()
  const state = stateOfParts(parts)
  if (state !== 'SETTLED' || (await uncorrectedFills(db, workspace, id)).length === 0) return state
  return parts.length === 0 ? 'TRANSFERRING' : 'PARTIALLY_SETTLED'
}

async function followPart(
  app: SettlementsApp,
  draft: SettlementDraft,
  part: PartRow,
): Promise<void> {
  const completed_at = app.clock.now()
  const { id: settlement_id, workspace } = draft.before
  const { asset, venue_id } = part
  if (part.direction === 'INCOMING') {
    const arrival = await expectedArrival(app.db, workspace, part.id)
    if (arrival?.state !== 'ARRIVED') return
    const { deposit_id, state } = arrival
    draft.movePart(part, 'SUCCESS', { deposit_id, arrival: state, completed_at })
    draft.add({ guards: [arrivalGuard(arrival)] })
    return
  }
  const outcome = await transferOutcome(app.db, workspace, withdrawalOf(part), venue_id)
  if (outcome.outcome === 'in flight') return
  if (outcome.outcome === 'failed')
    return draft.movePart(part, 'FAILED', { reason: outcome.reason.slice(0, 500) })
  const accounts = await settlingAccounts(app.db, workspace, venue_id)
  const quantity = decimal(part.quantity)
  draft.movePart(part, 'SUCCESS', { deposit_id: outcome.deposit_id, completed_at })
  draft.add({ ledger: [bookOutgoingPart(accounts, { settlement_id, asset, quantity })] })
}

export const withdrawalOf = ({ withdrawal_id }: PartRow): WithdrawalId =>
  mustExist(withdrawal_id, 'an outgoing part in flight has its withdrawal')

type Progress = {
  name: string
  class: Change['class']
  state: SettlementState
  /** What changes beside parts and state. */
  set?: Pick<SettlementRow, 'nets' | 'corrections' | 'uncorrected_fills'>
}

/** Commits what has moved; the last part completes the settlement. */
export async function commitProgress(
  caller: Caller,
  app: SettlementsApp,
  draft: SettlementDraft,
  { state, set, ...how }: Progress,
): Promise<Settlement> {
  const completed_at = state === 'SETTLED' ? app.clock.now() : null
  const after = draft.after({ ...set, state, completed_at })
  if (state === 'SETTLED') draft.add(await completeSettlement(caller, app, after))
  draft.add({
    events: [
      ...draft.changedParts().map((part) => partEvent(after, part)),
      ...stateEvents(draft.before, after),
    ],
  })
  return commitSettlement(caller, app, draft, { ...how, after })
}

const partEvent = (settlement: SettlementRow, part: PartRow): EventDraft =>
  settlementEvent(part.state === 'FAILED' ? 'part_failed' : 'part_settled', settlement, {
    part_id: part.id,
    part_state: part.state,
    venue_id: part.venue_id,
    asset: part.asset,
    quantity: part.quantity,
    direction: part.direction,
    withdrawal_id: part.withdrawal_id,
    deposit_id: part.deposit_id,
    reason: part.reason,
    note: part.note,
  })

function stateEvents(before: SettlementRow, after: SettlementRow): EventDraft[] {
  if (after.state === before.state) return []
  if (after.state === 'SETTLED') return [settlementEvent('settled', after)]
  return after.state === 'FAILED' ? [settlementEvent('failed', after)] : []
}

/** TRADING ends at 0 for these fills, and what customers got by them is theirs to withdraw. */
async function completeSettlement(
  { by }: Caller,
  app: SettlementsApp,
  { workspace, id: settlement_id, nets, parts }: SettlementRow,
): Promise<Pick<Change, 'ledger' | 'guards' | 'rows'>> {
  const claimed = await fillsClaimedBy(app.db, workspace, settlement_id)
  // Netted again after its end, it has settled them before.
  const fills = claimed.filter((fill) => fill.settlement_state !== 'SETTLED')
  const roundings = []
  for (const { venue_id, asset, quantity: left, direction } of leftOfNets(nets, parts)) {
    const accounts = await settlingAccounts(app.db, workspace, venue_id)
    const quantity = direction === 'OUTGOING' ? decimal(left) : -decimal(left)
    roundings.push(...bookRounding(accounts, { settlement_id, asset, quantity }))
  }
  const credits = await releaseCredits(app.db, workspace, fills)
  const ids = fills.map((fill) => fill.id)
  const stamp = { by, now: app.clock.now() }
  return {
    ledger: [...roundings, ...credits.ledger],
    guards: credits.guards,
    rows: [moveFills(workspace, ids, { settlement_id, state: 'SETTLED' }, stamp)],
  }
}
