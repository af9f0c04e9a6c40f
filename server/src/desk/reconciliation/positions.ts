/**
 * Venues and books as last compared, for people: the lines of each asset (reconciliation.ts) as one
 * position.
 */
import { decimal, format, sum } from '../../core/decimal.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { ordersInFlight } from '../../trading/index.ts'
import type { InFlightOrder } from '../../trading/index.ts'
import { notCompared, youngOrders } from './open-orders.ts'
import { BREAK_MOVES } from './reconciliation.schema.ts'
import type { Position } from './reconciliation.schema.ts'
import { ordersOf } from './venue-books.ts'

type Row = Pick<
  Position,
  | 'venue_id'
  | 'asset'
  | 'ledger'
  | 'venue'
  | 'on_the_way'
  | 'difference'
  | 'since'
  | 'compared_at'
  | 'break_id'
> & {
  state: (typeof WORST)[number]
  wallet: string
  at_venue: { wallet: string | null; total: string }[]
}

/** GET /desk/reconciliation: each venue's assets as they were last compared. */
export async function positionsOf(
  reader: Reader,
  workspace: WorkspaceId,
  now: number,
): Promise<Position[]> {
  const rows = await reader.query<Row>(sql`
    select p.venue_id, p.asset, p.wallet, p.ledger, p.venue, p.on_the_way, p.difference,
      p.wallets as at_venue, p.since, p.compared_at, b.id as break_id,
      case when b.id is not null then 'BREAK' when p.difference = 0 then 'BALANCED' when
        p.difference = p.accepted then 'ACCEPTED' else 'CHECKING' end as state
    from positions p
    left join breaks b on b.workspace = p.workspace
      and b.venue_id = p.venue_id
      and b.asset = p.asset
      and coalesce(b.wallet, '') = p.wallet
      and ${stateIn(BREAK_MOVES, 'OPEN', 'b.state')}
    where p.workspace = ${workspace}
    order by p.venue_id, p.asset, p.wallet = '', p.wallet`)
  const orders = new Map<VenueId, InFlightOrder[]>()
  for (const venue_id of new Set(rows.map((row) => row.venue_id)))
    orders.set(venue_id, youngOrders(await ordersInFlight(reader, workspace, venue_id), now))
  return [...Map.groupBy(rows, (row) => `${row.venue_id} ${row.asset}`).values()].flatMap(
    (lines) => positionOf(lines, orders) ?? [],
  )
}

/** The worst first. */
const WORST = ['BREAK', 'CHECKING', 'ACCEPTED', 'BALANCED'] as const

function positionOf(
  lines: readonly Row[],
  orders: ReadonlyMap<VenueId, readonly InFlightOrder[]>,
): Position | undefined {
  const rest = lines.at(-1)
  if (rest === undefined) return undefined
  const total = (figure: 'ledger' | 'venue' | 'on_the_way' | 'difference') =>
    format(sum(lines.map((line) => decimal(line[figure]))))
  const { venue_id, asset } = rest
  const open = ordersOf({ orders: orders.get(venue_id) ?? [] }, asset)
  const not_compared = notCompared(open, asset)
  const state = WORST.find((worst) => lines.some((line) => line.state === worst)) ?? 'BALANCED'
  const differing = lines.filter((line) => line.state !== 'BALANCED')
  return {
    state: not_compared === null || state === 'BREAK' ? state : 'NOT_COMPARED',
    not_compared,
    venue_id,
    asset,
    ledger: total('ledger'),
    venue: total('venue'),
    on_the_way: total('on_the_way'),
    difference: total('difference'),
    wallets: walletsOf(lines, rest),
    since: Math.max(...(differing.length > 0 ? differing : lines).map((line) => line.since)),
    compared_at: rest.compared_at,
    break_id: lines.find((line) => line.break_id !== null)?.break_id ?? null,
  }
}

/** What lies in no wallet is shown where there is something, or nothing else. */
function walletsOf(lines: readonly Row[], rest: Row): Position['wallets'] {
  const unknown = lines.length === 1 && rest.at_venue.some(({ wallet }) => wallet !== null)
  if (unknown)
    return rest.at_venue.map((reported) => ({
      ...reported,
      ledger: null,
      on_the_way: null,
      difference: null,
      state: null,
      since: null,
      break_id: null,
    }))
  return lines
    .filter(
      (line) =>
        line !== rest ||
        lines.length === 1 ||
        [line.ledger, line.venue, line.on_the_way].some((figure) => decimal(figure) !== 0n) ||
        line.break_id !== null,
    )
    .map(({ wallet, venue, ledger, on_the_way, difference, state, since, break_id }) => ({
      wallet: wallet === '' ? null : wallet,
      total: venue,
      ledger,
      on_the_way,
      difference,
      state,
      since,
      break_id,
    }))
}
