/**
 * What the venues said last. A task asks each venue every ten seconds and stores its balances,
 * whether it answered, and now and then what it deals in. Who needs a figure now asks live and
 * falls back to this.
 */
import type { Clock } from '../core/clock.ts'
import { decimal, format } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import { only } from '../store/db.ts'
import type { Db, Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { nextPollAt } from '../store/tasks.ts'
import type { TaskHandler } from '../store/tasks.ts'
import type { AssetProtocols, Protocol, Venue, VenueBalance } from './contract.ts'
import { venueById } from './registry.ts'
import type { Venues } from './registry.ts'
import { CAPABILITIES } from './venues.schema.ts'
import type { AssetProtocolsRecord, VenueBalances, VenueState } from './venues.schema.ts'
import { isUnreachable, withTimeLimit } from './time-limit.ts'

export type SnapshotApp = { db: Db; clock: Clock; venues: Venues }

export const SNAPSHOT_EVERY_MILLISECONDS = 10_000
const PROTOCOLS_EVERY_MILLISECONDS = 600_000
/** A venue that has not answered for this long is UNREACHABLE. */
const UNREACHABLE_AFTER_MILLISECONDS = 30_000
const SNAPSHOT_TIMEOUT_MILLISECONDS = 10_000

/**
 * CONNECTING ends only when the opening balance is booked (treasury); DISABLED and back is the
 * configuration's.
 */
export const VENUE_MOVES: Moves<VenueState> = {
  CONNECTING: ['CONNECTED', 'DISABLED'],
  CONNECTED: ['UNREACHABLE', 'DISABLED'],
  UNREACHABLE: ['CONNECTED', 'DISABLED'],
  DISABLED: ['CONNECTING', 'CONNECTED'],
}

export const snapshotTask =
  (app: SnapshotApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const venue = await venueById(app.db, workspace, subject_id)
    if (venue.state === 'DISABLED') return 'done'
    const asked_at = app.clock.now()
    try {
      const { adapter } = await app.venues.connected(workspace, venue.id)
      const balances = await withTimeLimit(
        adapter.balances(),
        venue.label,
        SNAPSHOT_TIMEOUT_MILLISECONDS,
      )
      await storeBalances(app.db, workspace, venue.id, balances, asked_at)
      if (await protocolsAreOld(app, workspace, venue.id))
        await storeProtocols(
          app.db,
          workspace,
          venue.id,
          await withTimeLimit(adapter.protocols(), venue.label, SNAPSHOT_TIMEOUT_MILLISECONDS),
          asked_at,
        )
      await markSeen(app, workspace, venue.id, adapter)
    } catch (error) {
      await markMissed(app, workspace, venue.id)
      if (!isUnreachable(error)) throw error
    }
    return { again_at: nextPollAt({ subject_id }, app.clock.now(), SNAPSHOT_EVERY_MILLISECONDS) }
  }

async function protocolsAreOld(
  app: SnapshotApp,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<boolean> {
  const row = only(
    await app.db.query<{ protocols_at: number | null }>(
      sql`
        select protocols_at
        from venue_snapshots
        where workspace = ${workspace}
          and venue_id = ${venue_id}`,
    ),
  )
  return (
    row === undefined ||
    row.protocols_at === null ||
    app.clock.now() - row.protocols_at >= PROTOCOLS_EVERY_MILLISECONDS
  )
}

/** Replaces the stored balances, unless newer ones are there. */
export async function storeBalances(
  db: Db,
  workspace: WorkspaceId,
  venue_id: VenueId,
  balances: readonly VenueBalance[],
  at: number,
): Promise<void> {
  const rows = merged(balances)
  await db.tx(async (tx) => {
    const newest = await tx.query(sql`
      insert into venue_snapshots (workspace, venue_id, balances_at)
      values (${workspace}, ${venue_id}, ${at})
      on conflict (workspace, venue_id) do update
      set balances_at = excluded.balances_at
      where venue_snapshots.balances_at is null
        or venue_snapshots.balances_at <= excluded.balances_at
      returning 1`)
    if (newest.length === 0) return
    await tx.query(
      sql`
        delete from venue_balances
        where workspace = ${workspace}
          and venue_id = ${venue_id}`,
    )
    await tx.query(sql`
      insert into venue_balances (workspace, venue_id, wallet, asset, protocol, free, used, total)
      select ${workspace}::uuid, ${venue_id}::uuid, *
      from unnest(
        ${rows.map((row) => row.wallet ?? '')}::text[], ${rows.map((row) => row.asset)}::text[],
        ${rows.map((row) => row.protocol ?? '')}::text[],
        ${rows.map((row) => figure(row.free))}::numeric[],
        ${rows.map((row) => figure(row.used))}::numeric[],
        ${rows.map((row) => figure(row.total))}::numeric[]
      )`)
  })
}

export async function storedBalances(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<{ balances: VenueBalance[]; at: number | null }> {
  const row = only(
    await reader.query<{ balances_at: number | null }>(
      sql`
        select balances_at
        from venue_snapshots
        where workspace = ${workspace}
          and venue_id = ${venue_id}`,
    ),
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

async function storeProtocols(
  db: Db,
  workspace: WorkspaceId,
  venue_id: VenueId,
  protocols: readonly AssetProtocols[],
  at: number,
): Promise<void> {
  await db.query(sql`
    insert into venue_snapshots (workspace, venue_id, protocols_at, protocols)
    values (
      ${workspace}, ${venue_id}, ${at}, ${JSON.stringify(protocols.map(protocolsShape))}::jsonb
    )
    on conflict (workspace, venue_id) do update
    set protocols_at = excluded.protocols_at, protocols = excluded.protocols`)
}

/** What the venue said last that it deals in; undefined when it never did. */
export async function storedProtocols(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<AssetProtocolsRecord[] | undefined> {
  const row = only(
    await reader.query<{ protocols: AssetProtocolsRecord[] | null }>(
      sql`
        select protocols
        from venue_snapshots
        where workspace = ${workspace}
          and venue_id = ${venue_id}`,
    ),
  )
  return row?.protocols ?? undefined
}

/** The protocols of an asset over all venues of the workspace, as far as they are known. */
export async function knownProtocols(
  reader: Reader,
  workspace: WorkspaceId,
  asset: string,
): Promise<string[]> {
  const rows = await reader.query<{ protocol: string }>(sql`
    select distinct p.protocol ->> 'protocol' as protocol
    from venue_snapshots s, jsonb_array_elements(s.protocols) a (asset),
      jsonb_array_elements(a.asset -> 'protocols') p (protocol)
    where s.workspace = ${workspace}
      and s.protocols is not null
      and a.asset ->> 'asset' = ${asset}
    order by 1`)
  return rows.map((row) => row.protocol)
}

/**
 * The venue answered: it is there, and so are its services. Rows change only when their state does.
 */
export async function markSeen(
  app: Pick<SnapshotApp, 'db' | 'clock'>,
  workspace: WorkspaceId,
  venue_id: VenueId,
  adapter: Venue,
): Promise<void> {
  const now = app.clock.now()
  const capabilities = CAPABILITIES.filter((capability) => adapter[capability] !== undefined)
  await app.db.query(
    sql`
      update venues
      set last_seen_at = greatest(last_seen_at, ${now})
      where workspace = ${workspace}
        and id = ${venue_id}`,
  )
  await app.db.query(sql`
    update venues
    set state = case state when 'UNREACHABLE' then 'CONNECTED' else state end,
      capabilities = ${capabilities}, version = version + 1, system_updated_at = ${now},
      system_updated_by = 'venues'
    where workspace = ${workspace}
      and id = ${venue_id}
      and (state = 'UNREACHABLE' or capabilities <> ${capabilities}::text[])`)
  await app.db.query(sql`
    update services
    set state = 'RUNNING', version = version + 1, system_updated_at = ${now},
      system_updated_by = 'venues'
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and state = 'DEGRADED'`)
}

async function markMissed(
  app: SnapshotApp,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<void> {
  const now = app.clock.now()
  await app.db.query(sql`
    update venues
    set state = 'UNREACHABLE', version = version + 1, system_updated_at = ${now},
      system_updated_by = 'venues'
    where workspace = ${workspace}
      and id = ${venue_id}
      and state = 'CONNECTED'
      and coalesce(last_seen_at, 0) < ${now - UNREACHABLE_AFTER_MILLISECONDS}`)
  await app.db.query(sql`
    update services
    set state = 'DEGRADED', version = version + 1, system_updated_at = ${now},
      system_updated_by = 'venues'
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and state = 'RUNNING'`)
}

/** GET /venues/:venue_id/balances: now, or what the venue said last, marked stale. */
export async function balancesOfVenue(
  app: SnapshotApp,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<VenueBalances> {
  const venue = await venueById(app.db, workspace, venue_id)
  try {
    const { adapter } = await app.venues.connected(workspace, venue_id)
    const at = app.clock.now()
    const balances = await withTimeLimit(adapter.balances(), venue.label)
    return { venue_id, timestamp: at, stale: false, balances: balancesByAsset(balances) }
  } catch (error) {
    if (!isUnreachable(error)) throw error
    const stored = await storedBalances(app.db, workspace, venue_id)
    return {
      venue_id,
      timestamp: stored.at,
      stale: true,
      balances: balancesByAsset(stored.balances),
    }
  }
}

/** GET /venues/:venue_id/protocols: now, or as the venue said last; 2003 when it never did. */
export async function protocolsOfVenue(
  app: SnapshotApp,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<AssetProtocolsRecord[]> {
  const venue = await venueById(app.db, workspace, venue_id)
  try {
    const { adapter } = await app.venues.connected(workspace, venue_id)
    return (await withTimeLimit(adapter.protocols(), venue.label)).map(protocolsShape)
  } catch (error) {
    if (!isUnreachable(error)) throw error
    const stored = await storedProtocols(app.db, workspace, venue_id)
    if (stored === undefined) throw new ApiError('VenueUnreachable', error.message)
    return stored
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
            ...added(sum, balance),
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
          free: figure(sum.free),
          used: figure(sum.used),
          total: figure(sum.total),
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
function merged(balances: readonly VenueBalance[]): VenueBalance[] {
  const places = new Map<string, VenueBalance>()
  for (const balance of balances) {
    const place = JSON.stringify([balance.wallet, balance.asset, balance.protocol])
    const sum = places.get(place)
    places.set(place, sum === undefined ? balance : added(sum, balance))
  }
  return [...places.values()]
}

export function added(a: VenueBalance, b: VenueBalance): VenueBalance {
  return {
    ...a,
    free: plus(a.free, b.free),
    used: plus(a.used, b.used),
    total: plus(a.total, b.total),
  }
}

const plus = (a: Decimal | null, b: Decimal | null): Decimal | null =>
  a === null || b === null ? null : a + b
const figure = (value: Decimal | null): string | null => (value === null ? null : format(value))

function protocolsShape({ asset, protocols }: AssetProtocols): AssetProtocolsRecord {
  return {
    asset,
    protocols: protocols.map((protocol: Protocol) => ({
      ...protocol,
      min_withdrawal: figure(protocol.min_withdrawal),
      max_withdrawal: figure(protocol.max_withdrawal),
    })),
  }
}
