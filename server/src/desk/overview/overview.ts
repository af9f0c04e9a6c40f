/**
 * The overview: what there is of each asset and who owns it, what needs a person now, and what has
 * moved today.
 */
import type { Clock } from '../../core/clock.ts'
import { decimal, format } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import { assetTotals } from '../../ledger/index.ts'
import type { Db } from '../../store/db.ts'
import type { Need } from '../../store/desk-feed.ts'
import { join, sql } from '../../store/sql.ts'
import { tradedSince } from '../../trading/index.ts'
import { depositsSince, pendingMovements, withdrawalsSince } from '../../treasury/index.ts'
import { readVenueHoldings } from '../../venues/index.ts'
import type { VenueHolding } from '../../venues/index.ts'
import type { NeedKind } from './kinds.ts'
import type { Overview, OverviewNeed } from './overview.schema.ts'

type ListedNeed = Need & { kind: NeedKind }

export type OverviewApp = { db: Db; clock: Clock }

const DAY_MILLISECONDS = 86_400_000
/** What has moved is counted one by one: no further back than this. */
const LONGEST_MILLISECONDS = 7 * DAY_MILLISECONDS

/**
 * `from`: since when movements count, by default the last midnight in UTC. Refuses RANGE. Each part
 * only for who may see it.
 */
export async function overviewOf(
  { db, clock }: OverviewApp,
  needs: readonly ListedNeed[],
  { workspace, permissions }: Pick<Principal, 'workspace' | 'permissions'>,
  since?: number,
): Promise<Overview> {
  const at = clock.now()
  const from = since ?? at - (at % DAY_MILLISECONDS)
  if (from > at || at - from > LONGEST_MILLISECONDS)
    throw refuse('RANGE', 'from', 'from lies within the last seven days')
  const may = (permission: string) => permissions.has(permission)
  const [deposits, withdrawn, executions] = await Promise.all([
    may('treasury.deposits.read') ? depositsSince(db, workspace, from) : null,
    may('treasury.withdrawals.read') ? withdrawalsSince(db, workspace, from) : null,
    may('trading.executions.read') ? tradedSince(db, workspace, from) : null,
  ])
  const outgoing = (own: boolean) =>
    withdrawn
      ?.filter((withdrawal) => withdrawal.own_transfer === own)
      .map(({ asset, count, quantity }) => ({ asset, count, quantity })) ?? null
  return {
    at,
    from,
    assets: may('accounts.read') ? await overviewAssets(db, workspace) : null,
    needs: await needsOf(
      db,
      needs.filter((need) => may(need.permission)),
      workspace,
      at,
    ),
    movements: { deposits, withdrawals: outgoing(false), transfers: outgoing(true), executions },
  }
}

async function overviewAssets(db: Db, workspace: WorkspaceId): Promise<Overview['assets']> {
  const [books, reports, pending] = await Promise.all([
    assetTotals(db, workspace),
    readVenueHoldings(db, workspace),
    pendingMovements(db, workspace),
  ])
  const codes = [
    ...new Set([...books.map((book) => book.asset), ...pending.map((movement) => movement.asset)]),
  ].toSorted()
  return codes.map((asset) => {
    const known = books.find((book) => book.asset === asset)
    const reported = reports.filter((report) => report.asset === asset)
    const total = (type: keyof NonNullable<typeof known>['totals']) =>
      format(known?.totals[type] ?? 0n)
    const waiting = (direction: 'in' | 'out') =>
      pending.find((movement) => movement.asset === asset && movement.direction === direction)
        ?.quantity ?? '0'
    return {
      asset,
      held: total('VENUE'),
      held_by_venues: sumOf(reported),
      owed: total('CUSTOMER'),
      transit: total('TRANSIT'),
      pending_in: waiting('in'),
      pending_out: waiting('out'),
      unassigned: total('SUSPENSE'),
      house: total('HOUSE'),
      trading: total('TRADING'),
      margin: total('MARGIN'),
      risk: total('RISK'),
      fee: total('FEE'),
      income: total('INCOME'),
      expense: total('EXPENSE'),
      rounding: total('ROUNDING'),
      venues: venuesOf(known?.venues ?? [], reported, reports),
    }
  })
}

const sumOf = (reported: readonly VenueHolding[]): string | null =>
  reported.some((heldAt) => heldAt.total === null)
    ? null
    : format(reported.reduce((sum, heldAt) => sum + decimal(heldAt.total ?? '0'), 0n))

/**
 * Each venue of either side: the books know some that say nothing, and some hold what was never
 * booked.
 */
function venuesOf(
  booked: readonly { venue_id: VenueId; total: bigint }[],
  reported: readonly VenueHolding[],
  all: readonly VenueHolding[],
) {
  const labels = new Map(all.map((heldAt) => [heldAt.venue_id, heldAt.label]))
  const ids = [
    ...new Set([
      ...booked.map((balance) => balance.venue_id),
      ...reported.map((heldAt) => heldAt.venue_id),
    ]),
  ]
  return ids.flatMap((venue_id) => {
    const report = reported.find((heldAt) => heldAt.venue_id === venue_id)
    const held = booked.find((balance) => balance.venue_id === venue_id)?.total ?? 0n
    if (held === 0n && (report === undefined || report.total === '0')) return []
    return [
      {
        venue_id,
        label: labels.get(venue_id) ?? '',
        held: format(held),
        reported: report?.total ?? null,
        reported_at: report?.at ?? null,
      },
    ]
  })
}

/** All of them in one statement, in the order of the list. */
type CountedNeed = {
  kind: string
  count: number
  oldest_at: number | null
  reasons: string[] | null
}

export async function needsOf(
  db: Db,
  needs: readonly ListedNeed[],
  workspace: WorkspaceId,
  now: number,
): Promise<OverviewNeed[]> {
  if (needs.length === 0) return []
  const counted = join(
    needs.map(
      (need) =>
        sql`(
          select ${need.kind}::text as kind, count, oldest_at, to_jsonb(n) -> 'reasons' as reasons
          from (${need.select(workspace, now)}) n
        )`,
    ),
    ' union all ',
  )
  const rows = await db.query<CountedNeed>(counted)
  return needs.map(({ kind, title, list, filter }) => {
    const { count, oldest_at, reasons } = rows.find((row) => row.kind === kind) ?? {
      count: 0,
      oldest_at: null,
      reasons: null,
    }
    return {
      kind,
      title,
      count,
      oldest_at,
      age_ms: oldest_at === null ? 0 : Math.max(0, now - oldest_at),
      reasons: reasons ?? [],
      link: { list, filter: { ...filter } },
    }
  })
}
