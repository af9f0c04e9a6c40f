/**
 * Settlements before anything moves: which fills, what they come to, and that all of it is given
 * up.
 */
import { refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { newId } from '../core/ids.ts'
import type { FillId, SettlementId } from '../core/ids.ts'
import { readTime, withIdempotentReplay } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { assertVersion, commitWithReply } from '../ledger/index.ts'
import type { Change } from '../ledger/index.ts'
import { constraintOf } from '../store/db.ts'
import { createdBy, insertRow } from '../store/rows.ts'
import { fillsByIds, fillsClaimedBy, unsettledFills } from '../trading/index.ts'
import type { Fill } from '../trading/index.ts'
import { arrivalGuard, expectedArrival } from '../treasury/index.ts'
import { changeSettlement, commitSettlement, SettlementDraft, settlementEvent } from './changes.ts'
import { netsInBooks } from './nets.ts'
import { claimFills, releaseFills, SETTLEMENTS } from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import { hasEnded, hasMoved, MAXIMUM_FILLS } from './settlements.schema.ts'
import type {
  CancelSettlementBody,
  ChangeFillsBody,
  CreateSettlementBody,
  Settlement,
} from './settlements.schema.ts'

const MAXIMUM_ATTEMPTS = 20

/**
 * Claims every fill in the range that nobody settles yet. Refused: FORMAT, RANGE (no range, or
 * nothing in it), ABOVE_MAXIMUM.
 */
export function createSettlement(
  caller: Caller,
  app: SettlementsApp,
  body: CreateSettlementBody,
): Promise<Settlement> {
  return withIdempotentReplay(app, caller.workspace, caller.idempotency, () =>
    retryOnClaim(() => claimRange(caller, app, body)),
  )
}

/** Somebody else had a fill first: chosen anew from what is left. */
async function retryOnClaim<T>(attempt: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt()
    } catch (error) {
      if (constraintOf(error) !== 'settlement_fills_live' || tries >= MAXIMUM_ATTEMPTS) throw error
    }
  }
}

async function claimRange(
  caller: Caller,
  app: SettlementsApp,
  body: CreateSettlementBody,
): Promise<Settlement> {
  const { workspace, by } = caller
  const range = readRange(body)
  const fills = await findFills(caller, app, range)
  const now = app.clock.now()
  const settlement: Settlement = {
    id: newId(now),
    workspace,
    state: 'PREPARING',
    ...range,
    nets: await netsInBooks(app.db, workspace, fills),
    corrections: [],
    uncorrected_fills: 0,
    parts: [],
    reason: null,
    completed_at: null,
    ...createdBy({ by, now }),
  }
  const ids = fills.map((fill) => fill.id)
  const change: Change = {
    workspace,
    class: 'command',
    by,
    rows: [
      insertRow(SETTLEMENTS, settlement, { by, now }),
      ...claimFills(settlement, ids, { by, now }),
    ],
    events: [settlementEvent('created', settlement, { ...range, fills: ids.length })],
  }
  return withFailpoints('settlement.create', settlement.id, () =>
    commitWithReply(app.lane, caller, change, settlement),
  )
}

type Range = Pick<Settlement, 'timerange_from' | 'timerange_to'>

function readRange(body: CreateSettlementBody): Range {
  const timerange_from = readTime(body.timerange_from, 'timerange_from')
  const timerange_to = readTime(body.timerange_to, 'timerange_to')
  if (timerange_from >= timerange_to)
    throw refuse('RANGE', 'timerange_to', 'timerange_to must be after timerange_from')
  return { timerange_from, timerange_to }
}

async function findFills(
  { workspace }: Caller,
  { db }: SettlementsApp,
  { timerange_from: from, timerange_to: to }: Range,
): Promise<Fill[]> {
  const fills = await unsettledFills(db, workspace, { from, to, limit: MAXIMUM_FILLS + 1 })
  if (fills.length === 0)
    throw refuse(
      'RANGE',
      'timerange_from',
      'no unsettled fill of a venue that settles after the trade lies in this range',
    )
  if (fills.length > MAXIMUM_FILLS)
    throw refuse(
      'ABOVE_MAXIMUM',
      'timerange_to',
      `more than ${MAXIMUM_FILLS} fills lie in this range: settle a shorter one`,
    )
  return fills
}

/**
 * While PREPARING. Refused: STATE_NOT_ALLOWED, CONFLICT (another settlement holds it, it is outside
 * of the range, or not held), STALE_VERSION; 4004.
 */
export function changeFills(
  caller: Caller,
  app: SettlementsApp,
  id: SettlementId,
  body: ChangeFillsBody,
): Promise<Settlement> {
  const { workspace, by } = caller
  return retryOnClaim(() =>
    changeSettlement(caller, app, id, async (before) => {
      assertVersion('settlement', before, body.version)
      if (before.state !== 'PREPARING')
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `settlement ${id} is ${before.state}: ` +
            'fills can be added and removed while it is PREPARING',
        )
      const [take, leave] = [[...new Set(body.take)], [...new Set(body.leave)]]
      const claimed = await chooseFills(app, before, { take, leave })
      if (claimed.length > MAXIMUM_FILLS)
        throw refuse('ABOVE_MAXIMUM', 'take', `a settlement holds at most ${MAXIMUM_FILLS} fills`)
      const draft = new SettlementDraft(before)
      const after = draft.after({ nets: await netsInBooks(app.db, workspace, claimed) })
      const stamp = { by, now: app.clock.now() }
      draft.add({
        rows: [...claimFills(before, take, stamp), ...releaseFills(before, leave, stamp)],
        events: [settlementEvent('changed', after, { fills: claimed.length })],
      })
      return commitSettlement(caller, app, draft, { name: 'fills', after })
    }),
  )
}

/** What the settlement holds then. */
async function chooseFills(
  { db }: SettlementsApp,
  settlement: SettlementRow,
  { take, leave }: { take: readonly FillId[]; leave: readonly FillId[] },
): Promise<Fill[]> {
  const { workspace, id } = settlement
  const known = await fillsByIds(db, workspace, [...take, ...leave])
  const fills = new Map(known.map((fill) => [fill.id, fill]))
  const taken = take.map((fill_id, index) =>
    freeFill(settlement, fills.get(fill_id), fill_id, `take[${index}]`),
  )
  leave.forEach((fill_id, index) => {
    assertHeld(settlement, fills.get(fill_id), fill_id, `leave[${index}]`)
  })
  const held = await fillsClaimedBy(db, workspace, id)
  const left = new Set(leave)
  return [...held, ...taken.filter((fill) => fill.settlement_id === null)].filter(
    (fill) => !left.has(fill.id),
  )
}

/** Throws for a fill that this settlement may not take. */
function freeFill(
  settlement: SettlementRow,
  fill: Fill | undefined,
  fill_id: FillId,
  path: string,
): Fill {
  if (fill === undefined) throw refuse('NOT_FOUND', path, `fill ${fill_id} does not exist`)
  if (fill.settlement_state === 'SETTLED')
    throw refuse('CONFLICT', path, `fill ${fill_id} is settled`)
  if (fill.settlement_id !== null && fill.settlement_id !== settlement.id)
    throw refuse('CONFLICT', path, `settlement ${fill.settlement_id} holds fill ${fill_id}`)
  if (fill.busted)
    throw refuse('CONFLICT', path, `the venue busted fill ${fill_id}: there is nothing to settle`)
  if (fill.executed_at < settlement.timerange_from || fill.executed_at >= settlement.timerange_to)
    throw refuse('CONFLICT', path, `fill ${fill_id} is outside the settlement's range`)
  return fill
}

function assertHeld(
  { id }: SettlementRow,
  fill: Fill | undefined,
  fill_id: FillId,
  path: string,
): void {
  if (fill === undefined) throw refuse('NOT_FOUND', path, `fill ${fill_id} does not exist`)
  if (fill.settlement_id !== id)
    throw refuse('CONFLICT', path, `settlement ${id} does not hold fill ${fill_id}`)
}

/** Its fills are free again. Refused: STATE_NOT_ALLOWED once a part has moved or may have left. */
export function cancelSettlement(
  caller: Caller,
  app: SettlementsApp,
  id: SettlementId,
  body: CancelSettlementBody,
): Promise<Settlement> {
  const { workspace, by } = caller
  return changeSettlement(caller, app, id, async (before) => {
    assertNothingMoved(before)
    const draft = new SettlementDraft(before)
    for (const part of before.parts.filter(({ state }) => state === 'INITIATED'))
      await dropPart(app, draft, part)
    const now = app.clock.now()
    const reason = body.reason ?? null
    const after = draft.after({ state: 'CANCELED', reason, completed_at: now })
    const fills = await fillsClaimedBy(app.db, workspace, id)
    if (fills.some((fill) => fill.settlement_state === 'SETTLED'))
      throw refuse(
        'STATE_NOT_ALLOWED',
        '',
        `settlement ${id} had ended before it was netted again: it can no longer be canceled`,
      )
    const ids = fills.map((fill) => fill.id)
    draft.add({
      rows: releaseFills(before, ids, { by, now }),
      events: [settlementEvent('canceled', after, { reason })],
    })
    return commitSettlement(caller, app, draft, { name: 'cancel', after })
  })
}

function assertNothingMoved(settlement: SettlementRow): void {
  const { id, state, parts } = settlement
  const moved = parts.find(
    (part) => hasMoved(part) || (part.state === 'INITIATED' && part.direction === 'OUTGOING'),
  )
  if (!hasEnded(settlement) && moved === undefined) return
  const part =
    moved === undefined ? '' : ` and its part of ${moved.quantity} ${moved.asset} is ${moved.state}`
  throw refuse(
    'STATE_NOT_ALLOWED',
    '',
    `settlement ${id} is ${state}${part}: it can only be canceled before anything moves`,
  )
}

/** Its deposit is waited for no more. */
async function dropPart(app: SettlementsApp, draft: SettlementDraft, part: PartRow): Promise<void> {
  const arrival = await expectedArrival(app.db, draft.before.workspace, part.id)
  if (arrival?.state !== 'EXPECTED')
    throw refuse('STATE_NOT_ALLOWED', '', `the part of ${part.quantity} ${part.asset} has arrived`)
  draft.add({ guards: [arrivalGuard(arrival, 'DROPPED')] })
  draft.movePart(part, 'FAILED', { arrival: 'DROPPED', reason: 'the settlement was canceled' })
}
