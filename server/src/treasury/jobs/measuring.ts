/**
 * What a job measures: what its venues show, what they do not show yet, and what is on the way. A
 * reading of a venue is shared by the runs of one moment, because a thousand jobs must not ask a
 * venue a thousand times. What our books know to be newer than the reading is added, so that its
 * age makes a run careful but never wrong.
 */
import { stateIn, stateNotIn } from '../../store/states.ts'
import type { Clock } from '../../core/clock.ts'
import { decimal, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import type { Db, Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import {
  addBalances,
  isUnreachable,
  readStoredBalances,
  withTimeLimit,
} from '../../venues/index.ts'
import type { VenueBalance, VenueKind } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { OPEN_STATES, WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'

const SHARED_MILLISECONDS = 1_000
/** A venue that did not answer is not asked by every job in turn. */
const FAILURE_SHARED_MILLISECONDS = 10_000
/** A stored snapshot older than this is no measurement. */
const SNAPSHOT_FRESH_MILLISECONDS = 30_000
/** A venue's balances may be a moment behind its own answers. */
const BEHIND_MILLISECONDS = 2_000

/** A bank's balance counts what is booked: a payment it accepted shows only when it is executed. */
const SHOWS_ACCEPTED: Readonly<Record<VenueKind, boolean>> = {
  EXCHANGE: true,
  CUSTODY_VAULT: true,
  MANAGED_WALLET: true,
  BANK: false,
}

export type BalanceReading = { kind: VenueKind; at: number; balances: VenueBalance[] }
type CachedReading = { reading: Promise<BalanceReading>; until: number }

const cachedReadings = new WeakMap<Db, Map<string, CachedReading>>()

/**
 * The venue's balances now; its last snapshot when it does not answer and that is fresh. Throws
 * 2003.
 */
export function readBalances(
  app: TreasuryApp,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<BalanceReading> {
  const shared = cachedReadings.get(app.db) ?? new Map<string, CachedReading>()
  cachedReadings.set(app.db, shared)
  const known = shared.get(venue_id)
  if (known !== undefined && app.clock.now() < known.until) return known.reading
  const fresh: CachedReading = {
    reading: readVenueBalances(app, workspace, venue_id),
    until: Infinity,
  }
  shared.set(venue_id, fresh)
  const keep = (clock: Clock, milliseconds: number) => {
    fresh.until = clock.now() + milliseconds
  }
  fresh.reading.then(
    () => {
      keep(app.clock, SHARED_MILLISECONDS)
    },
    (error: unknown) => {
      keep(app.clock, isUnreachable(error) ? FAILURE_SHARED_MILLISECONDS : 0)
    },
  )
  return fresh.reading
}

async function readVenueBalances(
  app: TreasuryApp,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<BalanceReading> {
  const { venue, adapter } = await app.venues.connect(workspace, venue_id)
  const asked_at = app.clock.now()
  try {
    return {
      kind: venue.kind,
      at: asked_at,
      balances: await withTimeLimit(
        (signal) => adapter.balances({ signal, fresh: true }),
        venue.label,
      ),
    }
  } catch (error) {
    if (!isUnreachable(error)) throw error
    const { balances, at } = await readStoredBalances(app.db, workspace, venue_id)
    if (at === null || app.clock.now() - at > SNAPSHOT_FRESH_MILLISECONDS) throw error
    return { kind: venue.kind, at, balances }
  }
}

/**
 * Where wallets share what they hold: one pot of a venue. `turn` is its first wallet, by which runs
 * meet.
 */
export type BalancePool = {
  workspace: WorkspaceId
  venue_id: VenueId
  venue_wallet: string | null
  protocol: string | null
  asset: string
  wallet_ids: string[]
  turn: string
}

export async function poolOf(
  reader: Reader,
  wallet: Wallet,
  venue_id: VenueId,
): Promise<BalancePool> {
  const { asset, protocol, foreign_id: venue_wallet } = wallet
  const rows = await reader.query<{ id: string }>(sql`
    select id
    from wallets
    where workspace = ${wallet.workspace}
      and venue_id = ${venue_id}
      and asset = ${asset}
      and venue_wallet is not distinct from ${venue_wallet}
      and (protocol is null or ${protocol}::text is null or protocol = ${protocol})
    order by id`)
  const wallet_ids = rows.map((row) => row.id)
  return {
    workspace: wallet.workspace,
    venue_id,
    venue_wallet,
    protocol,
    asset,
    wallet_ids,
    turn: wallet_ids[0] ?? wallet.id,
  }
}

/**
 * What the reading shows of an asset at the place. Throws 2003 for a figure that the venue does not
 * tell.
 */
export function balanceIn(
  reading: BalanceReading,
  { venue_wallet, protocol, asset }: Pick<BalancePool, 'venue_wallet' | 'protocol' | 'asset'>,
  figure: 'free' | 'total',
): Decimal {
  const [first, ...more] = reading.balances.filter(
    (balance) =>
      balance.asset === asset &&
      (venue_wallet === null || balance.wallet === null || balance.wallet === venue_wallet) &&
      (protocol === null || balance.protocol === null || balance.protocol === protocol),
  )
  if (first === undefined) return 0n
  const value = more.reduce(addBalances, first)[figure]
  if (value === null)
    throw new ApiError('VenueUnreachable', `the venue does not report how much ${asset} it holds`)
  return value
}

/**
 * Own withdrawals, with their fees in this asset, that the reading does not show in what is free:
 * not accepted yet when it was taken, or of unknown outcome; at a bank all that are not executed.
 */
export async function reservedIn(
  reader: Reader,
  reading: BalanceReading,
  { workspace, venue_id, venue_wallet, protocol, asset }: BalancePool,
): Promise<Decimal> {
  const since = reading.at - BEHIND_MILLISECONDS
  const shown = SHOWS_ACCEPTED[reading.kind]
  const [row] = await reader.query<{ reserved: string }>(sql`
    select coalesce(
      sum(
        case
          when asset = ${asset}
            and (${protocol}::text is null or protocol = ${protocol}) then quantity
          else 0
        end
        + case when fee_asset = ${asset} then coalesce(fee, fee_estimate, 0) else 0 end
      ),
      0
    ) as reserved
    from (
      select *
      from withdrawals
      where workspace = ${workspace}
        and state = any(${[...OPEN_STATES]})
        and not (
          ${shown}
          and foreign_id is not null
          and ${stateNotIn(WITHDRAWAL_MOVES, 'UNKNOWN')}
          and system_updated_at < ${since}
        )
      union all
      select *
      from withdrawals
      where workspace = ${workspace}
        and venue_id = ${venue_id}
        and completed_at >= ${since}
        and ${stateIn(WITHDRAWAL_MOVES, 'SUCCESS')}
    ) w
    where venue_id = ${venue_id}
      and source_wallet is not distinct from ${venue_wallet}
      and (asset = ${asset} or fee_asset = ${asset})`)
  return decimal(row?.reserved ?? '0')
}

/** Own transfers to the place whose arrival the reading does not show. */
export async function inFlightTo(
  reader: Reader,
  reading: BalanceReading,
  { workspace, wallet_ids, asset }: BalancePool,
): Promise<Decimal> {
  const quantities = await reader.query<{ quantity: string }>(sql`
    select transfer_quantity as quantity
    from withdrawals
    where workspace = ${workspace}
      and to_wallet_id = any(${wallet_ids}::uuid[])
      and own_transfer
      and asset = ${asset}
      and state = any(${[...OPEN_STATES, 'SUCCESS']})
      and (arrived_at is null or arrived_at >= ${reading.at - BEHIND_MILLISECONDS})`)
  return sum(quantities.map((quantity) => decimal(quantity.quantity)))
}
