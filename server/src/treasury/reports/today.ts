/**
 * What has come in, gone out and been moved between own wallets since a time, per asset. What
 * failed, or was taken back, is none.
 */
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import { stateIn } from '../../store/states.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'

const HOUR_MILLISECONDS = 3_600_000

type AssetMovements = { asset: string; count: number; quantity: string }

export function depositsSince(
  reader: Reader,
  workspace: WorkspaceId,
  from: number,
): Promise<AssetMovements[]> {
  return reader.query<AssetMovements>(sql`
    select asset, count(*)::integer as count,
      trim_scale(sum(quantity - transfer_quantity)) as quantity
    from deposits
    where workspace = ${workspace}
      and system_created_at >= ${from}
      and state <> all('{FAILED,REVERSED,REJECTED}')
      and transfer_quantity < quantity
    group by asset
    order by asset`)
}

/** `own_transfer`: between wallets of ours. A withdrawal may be both, in parts. */
export function withdrawalsSince(
  reader: Reader,
  workspace: WorkspaceId,
  from: number,
): Promise<(AssetMovements & { own_transfer: boolean })[]> {
  return reader.query<AssetMovements & { own_transfer: boolean }>(sql`
    select w.asset, part.own_transfer, count(*)::integer as count,
      trim_scale(sum(part.quantity)) as quantity
    from withdrawals w
    cross join lateral (
      values (true, w.transfer_quantity), (false, w.quantity - w.transfer_quantity)
    ) part (own_transfer, quantity)
    where w.workspace = ${workspace}
      and w.system_created_at >= ${from}
      and w.state <> all('{FAILED,REJECTED,CANCELED}')
      and part.quantity > 0
    group by w.asset, part.own_transfer
    order by w.asset, part.own_transfer`)
}

/**
 * Pending and not in the books yet: deposits that may still fail, and withdrawals of customers
 * that have not ended.
 */
export function pendingMovements(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<{ asset: string; direction: 'in' | 'out'; quantity: string }[]> {
  return reader.query<{ asset: string; direction: 'in' | 'out'; quantity: string }>(sql`
    select asset, 'in' as direction, trim_scale(sum(quantity)) as quantity
    from deposits
    where workspace = ${workspace}
      and ${stateIn(DEPOSIT_MOVES, ['PENDING', 'PENDING_REVIEW'])}
    group by asset
    union all
    select asset, 'out', trim_scale(sum(quantity - transfer_quantity))
    from withdrawals
    where workspace = ${workspace}
      and ${stateIn(WITHDRAWAL_MOVES, LIVE_STATES)}
      and transfer_quantity < quantity
    group by asset`)
}

type HourMovements = AssetMovements & { hour: number }

/** As since a time, by the hours that are counted from `from`; `to` is exclusive. */
export function depositsByHour(
  reader: Reader,
  workspace: WorkspaceId,
  { from, to }: { from: number; to: number },
): Promise<HourMovements[]> {
  return reader.query<HourMovements>(sql`
    select asset, ((system_created_at - ${from}) / ${HOUR_MILLISECONDS}::bigint)::integer as hour,
      count(*)::integer as count, trim_scale(sum(quantity - transfer_quantity)) as quantity
    from deposits
    where workspace = ${workspace}
      and system_created_at >= ${from}
      and system_created_at < ${to}
      and state <> all('{FAILED,REVERSED,REJECTED}')
      and transfer_quantity < quantity
    group by asset, hour`)
}

export function withdrawalsByHour(
  reader: Reader,
  workspace: WorkspaceId,
  { from, to }: { from: number; to: number },
): Promise<(HourMovements & { own_transfer: boolean })[]> {
  return reader.query<HourMovements & { own_transfer: boolean }>(sql`
    select w.asset, part.own_transfer,
      ((w.system_created_at - ${from}) / ${HOUR_MILLISECONDS}::bigint)::integer as hour,
      count(*)::integer as count, trim_scale(sum(part.quantity)) as quantity
    from withdrawals w
    cross join lateral (
      values (true, w.transfer_quantity), (false, w.quantity - w.transfer_quantity)
    ) part (own_transfer, quantity)
    where w.workspace = ${workspace}
      and w.system_created_at >= ${from}
      and w.system_created_at < ${to}
      and w.state <> all('{FAILED,REJECTED,CANCELED}')
      and part.quantity > 0
    group by w.asset, part.own_transfer, hour`)
}
