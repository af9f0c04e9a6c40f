/**
 * A trade that was busted after its settlement was initiated. Lines with reversed signs take it out
 * of the nets. Parts that have not moved are replaced by what is still to be paid. What has moved
 * too much is paid back by a further part. A settlement that had ended goes on until then.
 */
import { refuse } from '../core/errors.ts'
import type { SettlementId } from '../core/ids.ts'
import type { Caller } from '../http/index.ts'
import { assertVersion } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { correctFills, uncorrectedFills } from '../trading/index.ts'
import type { Fill } from '../trading/index.ts'
import { arrivalGuard, expectedArrival } from '../treasury/index.ts'
import { changeSettlement, SettlementDraft, settlementEvent } from './changes.ts'
import { findUncovered, insertParts, openPart, proposePart } from './coverage.ts'
import { addToNets, inBooks, linesAgainst } from './nets.ts'
import type { Net } from './nets.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import { isIdle, isPrepared, stateOfParts } from './settlements.schema.ts'
import type { Correction, NetAgainBody, Settlement } from './settlements.schema.ts'
import { commitProgress } from './transfers.ts'

/**
 * Refused: STATE_NOT_ALLOWED (not initiated, canceled, or no fill was busted since), STALE_VERSION.
 */
export function netAgain(
  caller: Caller,
  app: SettlementsApp,
  id: SettlementId,
  body: NetAgainBody,
): Promise<Settlement> {
  return changeSettlement(caller, app, id, async (before) => {
    assertVersion('settlement', before, body.version)
    const { workspace } = before
    const fills = await findBusted(app, before)
    const stamp = { by: caller.by, now: app.clock.now() }
    const lines = await correctionsOf(app, before, fills, stamp)
    // What was rounded at its end is not owed any more: only what was paid is corrected.
    const nets = addToNets(before.state === 'SETTLED' ? before.parts : before.nets, lines)
    const draft = new SettlementDraft(before)
    await replaceParts(caller, app, draft, nets)
    const corrections = [...before.corrections, ...lines]
    const set = { nets, corrections, uncorrected_fills: 0 }
    const after = { ...before, ...set, state: stateOfParts(draft.parts()) }
    draft.add({
      rows: [
        correctFills(
          workspace,
          fills.map((fill) => fill.id),
          stamp,
        ),
      ],
      events: [settlementEvent('netted_again', after, { corrections: lines })],
    })
    return commitProgress(caller, app, draft, {
      name: 'net_again',
      class: 'command',
      state: after.state,
      set,
    })
  })
}

async function findBusted({ db }: SettlementsApp, settlement: SettlementRow): Promise<Fill[]> {
  const { workspace, id, state } = settlement
  if (isPrepared(settlement) || state === 'CANCELED')
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `settlement ${id} is ${state}: it is netted again once it was initiated`,
    )
  const fills = await uncorrectedFills(db, workspace, id)
  if (fills.length === 0)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `no fill of settlement ${id} was busted since its netting`,
    )
  return fills
}

async function correctionsOf(
  { db }: SettlementsApp,
  { workspace }: SettlementRow,
  fills: readonly Fill[],
  { by: corrected_by, now: corrected_at }: { by: string; now: number },
): Promise<Correction[]> {
  const lines = fills.flatMap((fill) =>
    linesAgainst(fill).map((line) => ({ ...line, fill_id: fill.id, corrected_at, corrected_by })),
  )
  return inBooks(db, workspace, lines)
}

/** Parts of which nothing has moved for what the correction changes, and what stands for them. */
async function replaceParts(
  caller: Caller,
  app: SettlementsApp,
  draft: SettlementDraft,
  nets: readonly Net[],
): Promise<void> {
  const { before } = draft
  const changed = await findUncovered(app, before, { nets, kept: before.parts })
  const replaced = before.parts.filter(
    (part) =>
      isReplaceable(part) &&
      changed.some((left) => left.venue_id === part.venue_id && left.asset === part.asset),
  )
  const kept = before.parts.filter((part) => !replaced.includes(part))
  const uncovered = await findUncovered(app, before, { nets, kept })
  const added = await Promise.all(
    uncovered.map(async (left) => openPart(await proposePart(app, before, left))),
  )
  for (const part of replaced) await dropArrival(app, draft, part)
  draft.replaceParts(replaced, added)
  const stamp = { by: caller.by, now: app.clock.now() }
  draft.add({
    rows: [
      sql`
        delete from settlement_parts
        where workspace = ${before.workspace}
          and id = any(${replaced.map((part) => part.id)}::uuid[])`,
      ...insertParts(before, added, before.parts.length + 1, stamp),
    ],
  })
}

/** An outgoing part in flight may have left; an incoming one is only waited for. */
const isReplaceable = (part: PartRow): boolean =>
  isIdle(part) || (part.state === 'INITIATED' && part.arrival === 'EXPECTED')

/** The deposit of the old quantity is waited for no more. */
async function dropArrival(
  app: SettlementsApp,
  draft: SettlementDraft,
  part: PartRow,
): Promise<void> {
  if (part.state !== 'INITIATED') return
  const arrival = await expectedArrival(app.db, draft.before.workspace, part.id)
  if (arrival?.state !== 'EXPECTED')
    throw refuse('STALE_VERSION', '', `the part of ${part.quantity} ${part.asset} has arrived`)
  draft.add({ guards: [arrivalGuard(arrival, 'DROPPED')] })
}
