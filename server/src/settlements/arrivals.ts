/**
 * What became of the money of an incoming part after somebody had confirmed it: it came as another
 * deposit than the one that was waited for, or it does not come. The part stays as it is. Its
 * amount lies with the venue (VENUE) since then: what comes is taken from there, more or less as it
 * is, and what does not come stays there, where reconciliation names it.
 */
import { notFound, refuse } from '../core/errors.ts'
import type { PartId, SettlementId, WorkspaceId } from '../core/ids.ts'
import { withIdempotentReplay } from '../http/index.ts'
import type { Idempotency } from '../http/index.ts'
import { houseAccounts, retryOnStale, venueAccounts } from '../ledger/index.ts'
import { arrivalGuard, assignToSettlement, expectedArrival } from '../treasury/index.ts'
import { bookDepositOfPart } from './bookings.ts'
import { commitSettlement, settlementEvent, settlementRow, updatePart } from './rows.ts'
import type { PartRow, SettlementRow, SettlementsApp } from './rows.ts'
import type { DropArrivalBody, NameArrivalBody, Settlement } from './settlements.schema.ts'

/**
 * The deposit, of whatever quantity, is what the venue paid for it. Refused: STATE_NOT_ALLOWED (of
 * part or deposit), ASSET_MISMATCH; 4004.
 */
export function nameArrival(
  app: SettlementsApp,
  workspace: WorkspaceId,
  id: SettlementId,
  part_id: PartId,
  { deposit_id, note }: NameArrivalBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Settlement> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const before = await settlementRow(app.db, workspace, id)
      const part = findConfirmedPart(before, part_id)
      const arrival = await expectedArrival(app.db, workspace, part.id)
      const accounts = {
        ...(await houseAccounts(app.db, workspace)),
        ...(await venueAccounts(app.db, workspace, part.venue_id)),
      }
      const found = await assignToSettlement(app, workspace, deposit_id, {
        settlement_id: id,
        asset: part.asset,
        arrival,
      })
      const named: PartRow = {
        ...part,
        deposit_id: part.deposit_id ?? deposit_id,
        arrival: arrival?.state === 'EXPECTED' ? 'ARRIVED' : part.arrival,
      }
      const after = replacePart(before, named)
      return commitSettlement(
        app,
        'arrival',
        before,
        after,
        {
          class: 'command',
          guards: found.guards,
          ledger: [
            bookDepositOfPart(
              accounts,
              deposit_id,
              part.asset,
              found.quantity,
              note,
              accounts.VENUE,
            ),
          ],
          rows: [...found.rows, updatePart(before, named)],
          events: [
            ...found.events,
            settlementEvent('expected_arrival_changed', after, {
              part_id,
              arrival: named.arrival,
              deposit_id,
              note,
            }),
          ],
        },
        by,
        idempotency,
      )
    }),
  )
}

/**
 * Its deposit is waited for no more: one like it is from now on any other's. Refused:
 * STATE_NOT_ALLOWED; 4004.
 */
export function dropArrival(
  app: SettlementsApp,
  workspace: WorkspaceId,
  id: SettlementId,
  part_id: PartId,
  { note }: DropArrivalBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Settlement> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const before = await settlementRow(app.db, workspace, id)
      const part = findConfirmedPart(before, part_id)
      const arrival = await expectedArrival(app.db, workspace, part.id)
      if (arrival?.state !== 'EXPECTED')
        throw refuse('STATE_NOT_ALLOWED', '', `no deposit is waited for with part ${part_id}`)
      const after = replacePart(before, { ...part, arrival: 'DROPPED' })
      return commitSettlement(
        app,
        'arrival',
        before,
        after,
        {
          class: 'command',
          guards: [arrivalGuard(arrival, 'DROPPED')],
          events: [
            settlementEvent('expected_arrival_changed', after, {
              part_id,
              arrival: 'DROPPED',
              deposit_id: null,
              note,
            }),
          ],
        },
        by,
        idempotency,
      )
    }),
  )
}

function findConfirmedPart({ id, parts }: SettlementRow, part_id: PartId): PartRow {
  const part = parts.find((part) => part.id === part_id)
  if (part === undefined) throw notFound('part', part_id, 'part_id')
  if (part.direction !== 'INCOMING' || part.state !== 'CONFIRMED_MANUALLY')
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `part ${part_id} of settlement ${id} is ${part.direction} and ${part.state}: this is told of an INCOMING one that was confirmed by hand`,
    )
  return part
}

const replacePart = (before: SettlementRow, part: PartRow): SettlementRow => ({
  ...before,
  parts: before.parts.map((each) => (each.id === part.id ? part : each)),
})
