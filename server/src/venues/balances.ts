/** What the venues hold for us: asked now, or as they said last. */
import type { Clock } from '../core/clock.ts'
import { decimal, format } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { only } from '../store/db.ts'
import type { Db, Reader } from '../store/db.ts'
import { insertRow, insertRows } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Venue, VenueBalance } from './contract.ts'
import { readLive } from './live-reads.ts'
import type { Venues } from './registry.ts'
import { VENUE_BALANCES, VENUE_SNAPSHOTS, venueById } from './rows.ts'
import { isUnreachable, withTimeLimit } from './time-limit.ts'
import type { VenueBalances } from './venues.schema.ts'

/** GET /venues/:venue_id/balances: now, or what the venue said last, marked stale. */
export async function balancesOfVenue(
  app: { db: Db; clock: Clock; venues: Venues },
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<VenueBalances> {
  const venue = await venueById(app.db, workspace, venue_id)
  try {
    const { adapter } = await app.venues.connect(workspace, venue_id)
    const { at, balances } = await liveBalances(app.clock, venue.label, adapter)
    return { venue_id, timestamp: at, stale: false, balances: balancesByAsset(balances) }
  } catch (error) {
    if (!isUnreachable(error)) throw error
    const stored = await readStoredBalances(app.db, workspace, venue_id)
    return {
      venue_id,
      timestamp: stored.at,
      stale: true,
      balances: balancesByAsset(stored.balances),
    }
  }
}

/** What the venue says that it holds, and when it was asked. Throws 2003. */
export function liveBalances(
  clock: Clock,
  label: string,
  adapter: Venue,
): Promise<{ at: number; balances: readonly VenueBalance[] }> {
  return readLive(adapter, 'balances', async () => ({
    at: clock.now(),
    balances: await withTimeLimit((signal) => adapter.balances({ signal, fresh: true }), label),
  }))
}

/** Replaces the stored balances, unless newer ones are there. */
export async function storeBalances(
  db: Db,
  { workspace, id: venue_id }: { workspace: WorkspaceId; id: VenueId },
  balances: readonly VenueBalance[],
  balances_at: number,
): Promise<void> {
  const rows = mergePlaces(balances).map((balance) => ({
    workspace,
    venue_id,
    wallet: balance.wallet ?? '',
    asset: balance.asset,
    protocol: balance.protocol ?? '',
    free: formatNullable(balance.free),
    used: formatNullable(balance.used),
    total: formatNullable(balance.total),
  }))
  const stamp = { by: null, now: balances_at }
  await db.tx(async (tx) => {
    const newest = await tx.query(sql`
      ${insertRow(VENUE_SNAPSHOTS, { workspace, venue_id, balances_at }, stamp)}
      on conflict (workspace, venue_id) do update
      set balances_at = excluded.balances_at
      where venue_snapshots.balances_at is null
        or venue_snapshots.balances_at <= excluded.balances_at
      returning 1`)
    if (newest.length === 0) return
    await tx.query(sql`
      delete from venue_balances
      where workspace = ${workspace}
        and venue_id = ${venue_id}`)
    if (rows.length > 0) await tx.query(insertRows(VENUE_BALANCES, rows, stamp))
  })
}

export async function readStoredBalances(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<{ balances: VenueBalance[]; at: number | null }> {
  const row = only(
    await reader.query<{ balances_at: number | null }>(sql`
      select balances_at
      from venue_snapshots
      where workspace = ${workspace}
        and venue_id = ${venue_id}`),
  )
  const rows = await reader.query<
    Record<'wallet' | 'asset' | 'protocol', string> &
      Record<'free' | 'used' | 'total', string | null>
  >(sql`
    select wallet, asset, protocol, free, used, total
    from venue_balances
    where workspace = ${workspace}
      and venue_id = ${venue_id}
    order by asset, wallet, protocol`)
  const value = (text: string | null) => (text === null ? null : decimal(text))
  return {
    at: row?.balances_at ?? null,
    balances: rows.map((row) => ({
      wallet: row.wallet || null,
      asset: row.asset,
      protocol: row.protocol || null,
      free: value(row.free),
      used: value(row.used),
      total: value(row.total),
    })),
  }
}

/**
 * Summed over the venue's wallets; a sum with an unknown part is unknown, a protocol that differs
 * is null.
 */
export function balancesByAsset(balances: readonly VenueBalance[]): VenueBalances['balances'] {
  const sums = new Map<string, VenueBalance>()
  for (const balance of balances) {
    const sum = sums.get(balance.asset)
    sums.set(
      balance.asset,
      sum === undefined
        ? balance
        : {
            ...addBalances(sum, balance),
            protocol: sum.protocol === balance.protocol ? sum.protocol : null,
          },
    )
  }
  return Object.fromEntries(
    [...sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([asset, sum]) => [
        asset,
        {
          free: formatNullable(sum.free),
          used: formatNullable(sum.used),
          total: formatNullable(sum.total),
          protocol: sum.protocol,
        },
      ]),
  )
}

/**
 * What the venue holds of one asset, by wallet inside it, null for one pot. Undefined when it does
 * not know one of the figures now.
 */
export function totalsByWallet(
  balances: readonly VenueBalance[],
  asset: string,
): Map<string | null, Decimal> | undefined {
  const totals = new Map<string | null, Decimal>()
  for (const { wallet, total } of balances.filter((balance) => balance.asset === asset)) {
    if (total === null) return undefined
    totals.set(wallet, (totals.get(wallet) ?? 0n) + total)
  }
  return totals
}

/** One row for each place, whatever the venue repeats. */
function mergePlaces(balances: readonly VenueBalance[]): VenueBalance[] {
  const places = new Map<string, VenueBalance>()
  for (const balance of balances) {
    const place = JSON.stringify([balance.wallet, balance.asset, balance.protocol])
    const sum = places.get(place)
    places.set(place, sum === undefined ? balance : addBalances(sum, balance))
  }
  return [...places.values()]
}

export function addBalances(a: VenueBalance, b: VenueBalance): VenueBalance {
  return {
    ...a,
    free: plus(a.free, b.free),
    used: plus(a.used, b.used),
    total: plus(a.total, b.total),
  }
}

const plus = (a: Decimal | null, b: Decimal | null): Decimal | null =>
  a === null || b === null ? null : a + b
/** Null stays null: the venue does not say. */
export const formatNullable = (value: Decimal | null): string | null =>
  value === null ? null : format(value)
