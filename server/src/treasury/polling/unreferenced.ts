/**
 * Withdrawals of ours whose reference at the venue is not known: one was just sent, another was
 * resolved without it by a person. A movement that carries no reference of ours may be one of them.
 */
import { format } from '../../core/decimal.ts'
import { isFinal } from '../../core/moves.ts'
import { assetsOf } from '../../ledger/index.ts'
import { updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { Outgoing, VenueRecord } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { addressKey } from '../matchings/rules.ts'
import { recordFee } from '../withdrawals/fee-reports.ts'
import { WITHDRAWALS } from '../withdrawals/rows.ts'
import { isUnsuccessful, LIVE_STATES, WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'
import type { Withdrawal } from '../withdrawals/withdrawals.schema.ts'
import { addLateWithdrawal } from './external-withdrawals.ts'
import type { Source } from './late.ts'

const DAY_MILLISECONDS = 86_400_000

/**
 * It may be a transfer of ours whose reference at the venue its own task must find first: one that
 * was sent, or that may have been before the database was set back.
 */
export async function mayBeOurs(
  { db, history }: TreasuryApp,
  venue: VenueRecord,
  movement: Outgoing,
): Promise<boolean> {
  const before = await history.lookUpBefore()
  const rows = await db.query(sql`
    select 1
    from withdrawals
    where workspace = ${venue.workspace}
      and venue_id = ${venue.id}
      and asset = ${movement.asset}
      and quantity = ${format(movement.quantity)}
      and origin <> 'EXTERNAL'
      and (
        submitted_at is not null
        or (system_created_at < ${before} and coalesce(looked_up_at, 0) < ${before})
      )
      and foreign_id is null
      and state = any(${[...LIVE_STATES]})
    limit 1`)
  return rows.length > 0
}

/**
 * A withdrawal that a person resolved without the venue's reference may be this movement. It takes
 * the reference, once, and the fee. One that was resolved as FAILED may have left late. Whether one
 * that was resolved as SUCCESS is a movement that failed is for a person to say.
 */
export async function linkResolvedWithdrawal(
  app: TreasuryApp,
  source: Source,
  movement: Outgoing,
): Promise<boolean> {
  const { workspace } = source.venue
  const same = await findResolved(app, source.venue, movement)
  if (same === undefined) return false
  if (same.state === 'FAILED' && !isFinal(WITHDRAWAL_MOVES, movement.state)) return false
  if (same.state === 'SUCCESS' && isUnsuccessful(movement.state)) return true
  const transaction_hash = sql`coalesce(transaction_hash, ${movement.transaction_hash})`
  const update = updateRow(WITHDRAWALS, {
    where: { workspace, id: same.id, foreign_id: null },
    set: { foreign_id: movement.foreign_id, transaction_hash },
    by: TREASURY_WORKER,
    now: app.clock.now(),
  })
  await app.db.query(update)
  if (same.state === 'FAILED' && movement.state === 'SUCCESS')
    await addLateWithdrawal(app, source, movement, same.id)
  else if (isFinal(WITHDRAWAL_MOVES, movement.state))
    await recordFee(app, workspace, same.id, movement)
  return true
}

async function findResolved(
  app: TreasuryApp,
  { workspace, id }: VenueRecord,
  movement: Outgoing,
): Promise<Pick<Withdrawal, 'id' | 'state'> | undefined> {
  const { asset, occurred_at, destination_address } = movement
  const likely = isUnsuccessful(movement.state) ? 'FAILED' : 'SUCCESS'
  const candidates = await app.db.query<
    Pick<Withdrawal, 'id' | 'state' | 'destination_address'>
  >(sql`
    select id, state, destination_address
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${id}
      and asset = ${asset}
      and quantity = ${format(movement.quantity)}
      and origin <> 'EXTERNAL'
      and ${stateIn(WITHDRAWAL_MOVES, ['SUCCESS', 'FAILED'])}
      and foreign_id is null
      and resolved_at is not null
      and submitted_at <= ${occurred_at + DAY_MILLISECONDS}
      and resolved_at >= ${occurred_at - DAY_MILLISECONDS}
    order by state = ${likely} desc, submitted_at, id`)
  if (destination_address === null)
    return candidates.find((candidate) => candidate.state === 'SUCCESS')
  const kind = (await assetsOf(app.db, workspace)).get(asset)?.kind ?? 'CRYPTO'
  const key = addressKey(kind, destination_address)
  return candidates.find((candidate) => addressKey(kind, candidate.destination_address) === key)
}
