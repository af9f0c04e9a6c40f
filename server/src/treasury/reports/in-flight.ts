/**
 * What a venue and the books may rightly see differently for a while, and what has gone through it
 * lately: for reconciliation.
 */
import { absolute, decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { venueAccounts } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { LIVE_STATES } from '../withdrawals/withdrawals.schema.ts'

/**
 * A movement that the venue's total may contain already and the books do not: nothing, or between
 * `low` and `high`. `wallet`: inside the venue, null where that is not told.
 */
export type Underway = {
  resource: 'withdrawal' | 'deposit' | 'settlement'
  id: string
  asset: string
  state: string
  low: Decimal
  high: Decimal
  wallet: string | null
}

/** More than these at one venue are not looked at one by one. */
export const MAXIMUM_UNDERWAY = 1_000

/**
 * Sent withdrawals (with up to twice the expected fee), deposits that are not booked yet, and what
 * a venue may have paid us already for a settlement. One more than the maximum says that there are
 * more.
 */
export async function underwayAt(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<Underway[]> {
  const withdrawals = await reader.query<{
    id: string
    state: string
    asset: string
    quantity: string
    fee: string | null
    fee_asset: string | null
    wallet: string | null
  }>(sql`
    select id, state, asset, quantity, source_wallet as wallet, coalesce(fee, fee_estimate) as fee,
      fee_asset
    from withdrawals
    where workspace = ${workspace}
      and state = any(${[...LIVE_STATES]})
      and venue_id = ${venue_id}
      and (submitted_at is not null or origin = 'EXTERNAL')
    order by id
    limit ${MAXIMUM_UNDERWAY + 1}`)
  const deposits = await reader.query<{
    id: string
    state: string
    asset: string
    quantity: string
    wallet: string | null
  }>(sql`
    select id, state, asset, quantity, venue_wallet as wallet
    from deposits
    where workspace = ${workspace}
      and state = 'PENDING'
      and venue_id = ${venue_id}
    order by id
    limit ${MAXIMUM_UNDERWAY + 1}`)
  const payer = Object.values(await venueAccounts(reader, workspace, venue_id))
  const owed = await reader.query<{
    id: string
    state: string
    asset: string
    quantity: string
  }>(sql`
    select settlement_id as id, state, asset, quantity
    from expected_arrivals
    where workspace = ${workspace}
      and state = 'EXPECTED'
      and counter_account_id = any(${payer}::uuid[])
    order by id
    limit ${MAXIMUM_UNDERWAY + 1}`)
  return [
    ...owed.map(({ id, state, asset, quantity }): Underway => ({
      resource: 'settlement',
      id,
      asset,
      state,
      low: -decimal(quantity),
      high: -decimal(quantity),
      wallet: null,
    })),
    ...withdrawals.flatMap(({ id, state, asset, fee_asset, wallet, ...row }): Underway[] => {
      const [quantity, fee] = [decimal(row.quantity), decimal(row.fee ?? '0') * 2n]
      const apart = fee_asset !== null && fee_asset !== asset && fee > 0n
      const taken: Underway = {
        resource: 'withdrawal',
        id,
        asset,
        state,
        low: -quantity - (apart ? 0n : fee),
        high: -quantity,
        wallet,
      }
      return apart
        ? [
            taken,
            { resource: 'withdrawal', id, asset: fee_asset, state, low: -fee, high: 0n, wallet },
          ]
        : [taken]
    }),
    ...deposits.map(({ id, state, asset, quantity, wallet }): Underway => ({
      resource: 'deposit',
      id,
      asset,
      state,
      low: decimal(quantity),
      high: decimal(quantity),
      wallet,
    })),
  ]
}

export type Suspect = { cause: 'FEE' | 'UNMATCHED'; resource_id: string; explanation: string }

const LATELY_MILLISECONDS = 7 * 86_400_000
const MAXIMUM_LOOKED_AT = 500

/**
 * A movement of the last days whose fee or quantity is just this difference (venue less books); of
 * one wallet inside the venue, or (null) of any.
 */
export async function suspectOf(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
  wallet: string | null,
  asset: string,
  difference: Decimal,
  now: number,
): Promise<Suspect | undefined> {
  const size = absolute(difference)
  const rows = await reader.query<{
    id: string
    state: string
    asset: string
    quantity: string
    fee: string | null
    fee_estimate: string | null
    fee_asset: string | null
  }>(sql`
    select id, state, asset, quantity, fee, fee_estimate, fee_asset
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and submitted_at >= ${now - LATELY_MILLISECONDS}
      and state in ('SUCCESS', 'FAILED', 'REJECTED', 'CANCELED')
      and (${wallet}::text is null or source_wallet is null or source_wallet = ${wallet})
    order by submitted_at desc
    limit ${MAXIMUM_LOOKED_AT}`)
  for (const row of rows) {
    const [quantity, fee, estimate] = [
      decimal(row.quantity),
      decimal(row.fee ?? '0'),
      decimal(row.fee_estimate ?? '0'),
    ]
    if (row.state === 'SUCCESS') {
      const about =
        (row.fee_asset ?? row.asset) === asset &&
        [fee, estimate, absolute(fee - estimate)].includes(size)
      if (about)
        return {
          cause: 'FEE',
          resource_id: row.id,
          explanation: `the size of the fee of withdrawal ${row.id}: ${row.fee ?? 'none'} booked, ${row.fee_estimate ?? 'none'} expected`,
        }
    } else if (
      difference < 0n &&
      row.asset === asset &&
      (quantity === size || quantity + estimate === size)
    ) {
      return {
        cause: 'UNMATCHED',
        resource_id: row.id,
        explanation: `the size of withdrawal ${row.id}, which ended ${row.state} and yet seems to have left`,
      }
    }
  }
  const [deposit] = await reader.query<{ id: string; state: string; quantity: string }>(sql`
    select id, state, quantity
    from (
      select id, state, asset, quantity, venue_id, venue_wallet
      from deposits
      where workspace = ${workspace}
        and state in ('FAILED', 'REVERSED')
      order by id desc
      limit ${MAXIMUM_LOOKED_AT}
    ) as late
    where venue_id = ${venue_id}
      and asset = ${asset}
      and quantity = ${format(size)}::numeric
      and (${wallet}::text is null or venue_wallet is null or venue_wallet = ${wallet})
    limit 1`)
  return deposit === undefined
    ? undefined
    : {
        cause: 'UNMATCHED',
        resource_id: deposit.id,
        explanation: `the size of deposit ${deposit.id}, which is ${deposit.state} here`,
      }
}
