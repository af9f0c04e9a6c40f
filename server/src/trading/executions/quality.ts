/**
 * The report on execution quality: executions as listed, with the price that was the best when they
 * were ordered, and what each venue filled, when, and for which fees.
 */
import { decimal, format, sum } from '../../core/decimal.ts'
import type { ExecutionId, VenueId, WorkspaceId } from '../../core/ids.ts'
import type { ListQuery } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Execution } from './executions.schema.ts'
import { listExecutions } from './lists.ts'
import type { ExecutionFilter } from './lists.ts'
import type { ExecutionQuality, QualityHop } from './quality.schema.ts'

export async function listExecutionQuality(
  reader: Reader,
  workspace: WorkspaceId,
  filter: ExecutionFilter,
  now: number,
): Promise<ListQuery<ExecutionQuality>> {
  const { enrich, ...list } = await listExecutions(reader, workspace, filter, now)
  return {
    ...list,
    enrich: async (rows) => withQuality(reader, workspace, await enrich(rows)),
  }
}

async function withQuality(
  reader: Reader,
  workspace: WorkspaceId,
  executions: Execution[],
): Promise<ExecutionQuality[]> {
  if (executions.length === 0) return []
  const ids = executions.map((execution) => execution.id)
  const [tops, orders, fills] = await Promise.all([
    readTops(reader, workspace, ids),
    readHops(reader, workspace, ids),
    readFilled(reader, workspace, ids),
  ])
  const top = new Map(tops.map(({ id, top_price }) => [id, top_price]))
  const hopsOf = Map.groupBy(orders, (hop) => hop.execution_id)
  const filledOf = Map.groupBy(fills, keyOf)
  return executions.map((execution) =>
    qualityOf(
      execution,
      top.get(execution.id) ?? null,
      (hopsOf.get(execution.id) ?? []).map((hop) => hopOf(hop, filledOf.get(keyOf(hop)) ?? [])),
    ),
  )
}

type Place = { execution_id: ExecutionId; hop_no: number; venue_id: VenueId }
type Hop = Place & Pick<QualityHop, 'venue' | 'symbol' | 'side' | 'sent_at'>
/** What one venue filled and took in one asset. */
type Filled = Place & {
  fee_asset: string
  fee: string
  quantity: string
  volume: string
  first_at: number
  last_at: number
}

const keyOf = ({ execution_id, hop_no, venue_id }: Place) => `${execution_id} ${hop_no} ${venue_id}`

const readTops = (reader: Reader, workspace: WorkspaceId, ids: ExecutionId[]) =>
  reader.query<{ id: ExecutionId; top_price: string | null }>(sql`
    select id, trim_scale(top_price) as top_price
    from executions
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])`)

const readHops = (reader: Reader, workspace: WorkspaceId, ids: ExecutionId[]) =>
  reader.query<Hop>(sql`
    select o.execution_id, o.hop_no, o.venue_id, v.label as venue, o.symbol, o.side,
      min(o.sent_at) as sent_at
    from execution_orders o
    left join venues v on v.workspace = o.workspace
      and v.id = o.venue_id
    where o.workspace = ${workspace}
      and o.execution_id = any(${ids}::uuid[])
    group by o.execution_id, o.hop_no, o.venue_id, v.label, o.symbol, o.side
    order by o.execution_id, o.hop_no, o.venue_id`)

/** A trade that the venue took back is none. */
const readFilled = (reader: Reader, workspace: WorkspaceId, ids: ExecutionId[]) =>
  reader.query<Filled>(sql`
    select execution_id, hop_no, venue_id, fee_asset, trim_scale(sum(fee)) as fee,
      trim_scale(sum(quantity)) as quantity, trim_scale(sum(volume)) as volume,
      min(executed_at) as first_at, max(executed_at) as last_at
    from fills
    where workspace = ${workspace}
      and execution_id = any(${ids}::uuid[])
      and not busted
    group by execution_id, hop_no, venue_id, fee_asset
    order by fee_asset`)

const total = (rows: readonly Filled[], field: 'quantity' | 'volume') =>
  format(sum(rows.map((row) => decimal(row[field]))))

const firstOf = (times: (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}
const lastOf = (times: (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.max(...known)
}

const hopOf = (hop: Hop, filled: readonly Filled[]): QualityHop => ({
  hop_no: hop.hop_no,
  venue_id: hop.venue_id,
  venue: hop.venue,
  symbol: hop.symbol,
  side: hop.side,
  sent_at: hop.sent_at,
  first_fill_at: firstOf(filled.map((row) => row.first_at)),
  last_fill_at: lastOf(filled.map((row) => row.last_at)),
  filled_quantity: total(filled, 'quantity'),
  filled_volume: total(filled, 'volume'),
  fees: filled.map(({ fee_asset, fee }) => ({ asset: fee_asset, quantity: fee })),
})

function qualityOf(
  execution: Execution,
  reference_price: string | null,
  hops: QualityHop[],
): ExecutionQuality {
  const { system_created_at: received_at, triggered_at } = execution
  const ordered_at = triggered_at ?? received_at
  const sent_at = firstOf(hops.map((hop) => hop.sent_at))
  const last_fill_at = lastOf(hops.map((hop) => hop.last_fill_at))
  const since = (time: number | null) => (time === null ? null : time - ordered_at)
  return {
    id: execution.id,
    received_at,
    client_ref: execution.client_ref,
    state: execution.state,
    reason_code: execution.reason_code,
    symbol: execution.symbol,
    base_asset: execution.base_asset,
    quote_asset: execution.quote_asset,
    side: execution.side,
    execution_type: execution.execution_type,
    mode: execution.mode,
    price: execution.price,
    amount: execution.amount,
    volume: execution.volume,
    filled_amount: execution.filled_amount,
    filled_volume: execution.filled_volume,
    reference_price,
    reference_at: reference_price === null ? null : ordered_at,
    average_price: execution.average_price,
    slippage: execution.slippage,
    customer_price: execution.customer_price,
    fee: execution.fee,
    triggered_at,
    sent_at,
    first_fill_at: firstOf(hops.map((hop) => hop.first_fill_at)),
    last_fill_at,
    milliseconds_to_send: since(sent_at),
    milliseconds_to_fill: since(last_fill_at),
    completed_at: execution.completed_at,
    route_id: execution.route_id,
    route: execution.route.label,
    hops,
    best_execution: execution.best_execution,
  }
}
