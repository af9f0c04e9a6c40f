/**
 * What became of the money of an incoming part after somebody had confirmed it: it came as another
 * deposit than the one that was waited for, or it does not come. The part stays as it is. Its
 * amount lies with the venue (VENUE) since then: what comes is taken from there, more or less as it
 * is, and what does not come stays there, where reconciliation names it.
 */
import { notFound, refuse } from '../core/errors.ts'
import type { PartId, SettlementId } from '../core/ids.ts'
import type { Caller } from '../http/index.ts'
import { arrivalGuard, assignToSettlement, expectedArrival } from '../treasury/index.ts'
import { bookDepositOfPart } from './bookings.ts'
import { changeSettlement, commitSettlement, SettlementDraft, settlementEvent } from './changes.ts'
import { settlingAccounts } from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import type { DropArrivalBody, NameArrivalBody, Settlement } from './settlements.schema.ts'

type PartKey = { settlement_id: SettlementId; part_id: PartId }

/**
 * The deposit, of whatever quantity, is what the venue paid for it. Refused: STATE_NOT_ALLOWED (of
 * part or deposit), ASSET_MISMATCH; 4004.
 */
export function nameArrival(
  caller: Caller,
  app: SettlementsApp,
  { settlement_id, part_id }: PartKey,
  { deposit_id, note }: NameArrivalBody,
): Promise<Settlement> {
  return changeSettlement(caller, app, settlement_id, async (before) => {
    const { workspace } = before
    const part = findConfirmedPart(before, part_id)
    const { asset } = part
    const arrival = await expectedArrival(app.db, workspace, part.id)
    const accounts = await settlingAccounts(app.db, workspace, part.venue_id)
    const assignment = await assignToSettlement(app, workspace, deposit_id, {
      settlement_id,
      asset,
      arrival,
    })
    const { quantity, ...effects } = assignment
    const draft = new SettlementDraft(before)
    const state = arrival?.state === 'EXPECTED' ? 'ARRIVED' : part.arrival
    draft.add(effects)
    draft.updatePart({ ...part, deposit_id: part.deposit_id ?? deposit_id, arrival: state })
    const after = draft.after()
    const data = { part_id, arrival: state, deposit_id, note }
    draft.add({
      ledger: [bookDepositOfPart(accounts, { deposit_id, asset, quantity, note }, accounts.VENUE)],
      events: [settlementEvent('expected_arrival_changed', after, data)],
    })
    return commitSettlement(caller, app, draft, { name: 'arrival', after })
  })
}

/**
 * Its deposit is waited for no more: one like it is from now on any other's. Refused:
 * STATE_NOT_ALLOWED; 4004.
 */
export function dropArrival(
  caller: Caller,
  app: SettlementsApp,
  { settlement_id, part_id }: PartKey,
  { note }: DropArrivalBody,
): Promise<Settlement> {
  return changeSettlement(caller, app, settlement_id, async (before) => {
    const dropped = findConfirmedPart(before, part_id)
    const arrival = await expectedArrival(app.db, before.workspace, part_id)
    if (arrival?.state !== 'EXPECTED')
      throw refuse('STATE_NOT_ALLOWED', '', `part ${part_id} expects no deposit`)
    const draft = new SettlementDraft(before)
    const parts = before.parts.map((part): PartRow =>
      part === dropped ? { ...part, arrival: 'DROPPED' } : part,
    )
    const after = draft.after({ parts })
    const data = { part_id, arrival: 'DROPPED', deposit_id: null, note }
    draft.add({
      guards: [arrivalGuard(arrival, 'DROPPED')],
      events: [settlementEvent('expected_arrival_changed', after, data)],
    })
    return commitSettlement(caller, app, draft, { name: 'arrival', after })
  })
}

function findConfirmedPart({ id, parts }: SettlementRow, part_id: PartId): PartRow {
  const part = parts.find((part) => part.id === part_id)
  if (part === undefined) throw notFound('part', part_id, 'part_id')
  if (part.direction !== 'INCOMING' || part.state !== 'CONFIRMED_MANUALLY')
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `part ${part_id} of settlement ${id} is ${part.direction} and ${part.state}: ` +
        'only an INCOMING part that was confirmed by hand expects one',
    )
  return part
}
