/**
 * What settlements need of transfers: what became of a withdrawal of theirs, which routes there
 * are, and that a deposit is what a venue owed.
 */
import { stateNotIn } from '../../store/states.ts'
import type { Decimal } from '../../core/decimal.ts'
import { decimal } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { DepositId, SettlementId, VenueId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import type { EventDraft, Guard } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import { depositEvent, depositRow, unassignedReturns } from '../deposit-rows/rows.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { assertNotHeld } from '../withdrawals/held-deposits.ts'
import { arrivalGuard } from '../deposits/expected-arrivals.ts'
import type { ExpectedArrival } from '../deposits/expected-arrivals.ts'
import { ROUTE_COLUMNS, withWallets } from '../routes/routes.ts'
import type { Route, RouteRow } from '../routes/routes.ts'
import type { TreasuryApp } from '../app.ts'
import { withdrawalById } from '../withdrawals/rows.ts'
import { isUnsuccessful } from '../withdrawals/withdrawals.schema.ts'

/** `left`: it is certain that it has left, and not that it has arrived. */
type TransferOutcome =
  | { outcome: 'in flight'; left: boolean }
  | { outcome: 'failed'; reason: string }
  | { outcome: 'arrived'; deposit_id: string }

/** Of an own transfer to this venue. One that came back has failed. */
export async function transferOutcome(
  reader: Reader,
  workspace: WorkspaceId,
  withdrawal_id: WithdrawalId,
  venue_id: VenueId,
): Promise<TransferOutcome> {
  const { state, reason, reason_code } = await withdrawalById(reader, workspace, withdrawal_id)
  if (isUnsuccessful(state)) {
    const why = reason ?? reason_code ?? 'no reason given'
    return { outcome: 'failed', reason: `withdrawal ${withdrawal_id} is ${state}: ${why}` }
  }
  const deposits = await reader.query<{ id: string; venue_id: VenueId }>(sql`
    select id, venue_id
    from deposits
    where workspace = ${workspace}
      and related_withdrawal_id = ${withdrawal_id}
      and ${stateNotIn(DEPOSIT_MOVES, ['PENDING', 'PENDING_REVIEW', 'FAILED', 'REVERSED'])}
    order by id`)
  const arrived = deposits.find((deposit) => deposit.venue_id === venue_id)
  const [returned] = deposits
  if (arrived !== undefined)
    return state === 'SUCCESS'
      ? { outcome: 'arrived', deposit_id: arrived.id }
      : { outcome: 'in flight', left: true }
  if (returned !== undefined)
    return {
      outcome: 'failed',
      reason: `withdrawal ${withdrawal_id} came back as deposit ${returned.id}`,
    }
  return { outcome: 'in flight', left: state === 'SUCCESS' }
}

/** Of this asset, to or from the wallets of a venue; oldest first. */
export async function routesBetween(
  reader: Reader,
  workspace: WorkspaceId,
  asset: string,
  at: { to_venue_id: VenueId } | { from_venue_id: VenueId },
): Promise<Route[]> {
  const [column, venue_id] =
    'to_venue_id' in at
      ? [sql`to_wallet_id`, at.to_venue_id]
      : [sql`from_wallet_id`, at.from_venue_id]
  return withWallets(
    reader,
    await reader.query<RouteRow>(sql`
      select ${ROUTE_COLUMNS}
      from treasury_routes
      where workspace = ${workspace}
        and ${column} in (
          select id
          from wallets
          where workspace = ${workspace}
            and venue_id = ${venue_id}
            and asset = ${asset}
        )
      order by id`),
  )
}

type SettlementAssignment = {
  guards: Guard[]
  rows: Query[]
  events: EventDraft[]
  quantity: Decimal
}

/**
 * A deposit that is nobody's becomes a settlement's, of at most `most`. Refused: STATE_NOT_ALLOWED,
 * ASSET_MISMATCH, ABOVE_MAXIMUM.
 */
export async function assignToSettlement(
  app: TreasuryApp,
  workspace: WorkspaceId,
  deposit_id: DepositId,
  to: {
    settlement_id: SettlementId
    asset: string
    most?: Decimal
    arrival: ExpectedArrival | undefined
  },
): Promise<SettlementAssignment> {
  const { settlement_id, arrival } = to
  const row = await depositRow(app.db, workspace, deposit_id)
  assertOwed(row, to)
  await assertNotHeld(app.db, row)
  return {
    guards: [
      {
        table: 'deposits',
        resource: 'deposit',
        id: row.id,
        ...move(DEPOSIT_MOVES, 'UNASSIGNED', 'SUCCESSFUL'),
        version: row.version,
      },
      ...(arrival?.state === 'EXPECTED' ? [arrivalGuard(arrival, 'ARRIVED')] : []),
    ],
    rows: [
      sql`
        update deposits
        set own_transfer = true, transfer_quantity = quantity, settlement_id = ${settlement_id},
          reason_code = null, reason = null
        where workspace = ${workspace}
          and id = ${row.id}`,
      ...(arrival?.state === 'EXPECTED'
        ? [
            sql`
              update expected_arrivals
              set deposit_id = ${row.id}
              where workspace = ${workspace}
                and id = ${arrival.id}`,
          ]
        : []),
    ],
    events: [depositEvent('succeeded', { ...row, state: 'SUCCESSFUL' }, { settlement_id })],
    quantity: row.assignable,
  }
}

/** Throws when the deposit cannot be what the venue owed. */
function assertOwed(row: DepositRow, expected: { asset: string; most?: Decimal }): void {
  const { id, state, asset, quantity, assignable, own_transfer } = row
  const { most } = expected
  if (own_transfer)
    throw refuse(
      'STATE_NOT_ALLOWED',
      'deposit_id',
      `deposit ${id} is the arrival of withdrawal ${row.related_withdrawal_id}`,
    )
  if (state !== 'UNASSIGNED')
    throw refuse(
      'STATE_NOT_ALLOWED',
      'deposit_id',
      `deposit ${id} is ${state}: only an UNASSIGNED deposit can pay a part`,
    )
  if (unassignedReturns(row) > 0n)
    throw refuse(
      'STATE_NOT_ALLOWED',
      'deposit_id',
      `deposit ${id} goes back to its sender, all of it or a part`,
    )
  if (asset !== expected.asset)
    throw refuse(
      'ASSET_MISMATCH',
      'deposit_id',
      `deposit ${id} is of ${asset}, not ${expected.asset}`,
    )
  if (most !== undefined && (assignable > most || assignable !== decimal(quantity)))
    throw refuse(
      'ABOVE_MAXIMUM',
      'deposit_id',
      `deposit ${id} of ${quantity} ${asset} is more than the part: ` +
        'confirm the part without it, then link it',
    )
}
