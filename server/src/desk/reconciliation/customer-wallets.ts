/**
 * Each customer's wallets beside the customer's books, per asset, and what explains that they
 * differ. Read are balances, positions and what is open, so that the cost does not grow with
 * history.
 */
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { customerAssets, placesOfCustomers } from '../../treasury/index.ts'
import type { CustomerAsset, CustomerPlace } from '../../treasury/index.ts'
import type { CustomerWallets } from './customer-wallets.schema.ts'

export const listCustomerWallets = (
  reader: Reader,
  workspace: WorkspaceId,
  filter: Parameters<typeof customerAssets>[1],
): ListQuery<CustomerWallets> => ({
  ...customerAssets(workspace, filter),
  enrich: (rows) => besideWallets(reader, workspace, rows),
})

async function besideWallets(
  reader: Reader,
  workspace: WorkspaceId,
  rows: readonly CustomerAsset[],
): Promise<CustomerWallets[]> {
  if (rows.length === 0) return []
  const customer_ids = rows.map((row) => row.id)
  const places = await placesOfCustomers(reader, workspace, customer_ids)
  const compared = await comparedPlaces(reader, workspace, places)
  const byAsset = Map.groupBy(compared, (place) => `${place.customer_id} ${place.asset}`)
  return rows.map((row) => customerWallets(row, byAsset.get(`${row.id} ${row.asset}`) ?? []))
}

/** As last compared; null where nobody has compared it yet. */
type Comparison = { venue: Decimal; difference: Decimal; compared_at: number }
type ComparedPlace = CustomerPlace & { comparison: Comparison | null }

async function comparedPlaces(
  reader: Reader,
  workspace: WorkspaceId,
  places: readonly CustomerPlace[],
): Promise<ComparedPlace[]> {
  if (places.length === 0) return []
  const rows = await reader.query<{
    number: number
    venue: string
    difference: string
    compared_at: number
  }>(sql`
    select w.number, p.venue, p.difference, a.compared_at
    from unnest(
      ${places.map((place) => place.venue_id)}::uuid[],
      ${places.map((place) => place.asset)}::text[],
      ${places.map((place) => place.wallet)}::text[]
    ) with ordinality as w (venue_id, asset, wallet, number)
    join positions p on p.workspace = ${workspace}
      and p.venue_id = w.venue_id
      and p.asset = w.asset
      and p.wallet = w.wallet
    join positions a on a.workspace = p.workspace
      and a.venue_id = p.venue_id
      and a.asset = p.asset
      and a.wallet = ''`)
  const byNumber = new Map(rows.map((row) => [Number(row.number), row]))
  return places.map((place, index) => {
    const row = byNumber.get(index + 1)
    return { ...place, comparison: row === undefined ? null : comparisonOf(row) }
  })
}

const comparisonOf = (row: {
  venue: string
  difference: string
  compared_at: number
}): Comparison => ({
  venue: decimal(row.venue),
  difference: decimal(row.difference),
  compared_at: row.compared_at,
})

function customerWallets(row: CustomerAsset, places: readonly ComparedPlace[]): CustomerWallets {
  const [total, blocked, unsettled] = [row.total, row.blocked, row.unsettled].map(decimal)
  const books = { total: total ?? 0n, blocked: blocked ?? 0n, unsettled: unsettled ?? 0n }
  const ledger = sum(places.map((place) => place.booked))
  const unassigned = sum(places.map((place) => place.unassigned))
  const seen = atVenues(places)
  const held = seen?.venue ?? ledger
  const unexplained = seen?.unexplained ?? 0n
  return {
    customer_id: row.id,
    customer_label: row.customer_label,
    account_id: row.account_id,
    asset: row.asset,
    wallets: places.length,
    venue: seen === null ? null : format(seen.venue),
    ledger: format(ledger),
    total: format(books.total),
    available: format(books.total - books.blocked - books.unsettled),
    blocked: format(books.blocked),
    difference: format(held - books.total),
    in_pool: format(books.total - books.unsettled + unassigned - ledger),
    // What was booked since the comparison counts too: the venue was not asked since.
    in_flight: format(held - ledger - unexplained),
    unsettled: format(books.unsettled),
    unassigned: format(unassigned),
    unexplained: format(unexplained),
    compared_at: seen?.compared_at ?? null,
  }
}

/** Null while a place where something is booked was never compared. */
function atVenues(
  places: readonly ComparedPlace[],
): { venue: Decimal; unexplained: Decimal; compared_at: number | null } | null {
  if (places.some((place) => place.comparison === null && place.booked !== 0n)) return null
  const comparisons = places.flatMap((place) => place.comparison ?? [])
  const times = comparisons.map((comparison) => comparison.compared_at)
  return {
    venue: sum(comparisons.map((comparison) => comparison.venue)),
    unexplained: sum(comparisons.map((comparison) => comparison.difference)),
    compared_at: times.length === 0 ? null : Math.min(...times),
  }
}
