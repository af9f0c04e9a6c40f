/**
 * What search shows of trading's records, what of it needs a person now, and what was traded since
 * a time.
 */
import { tryDecimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import type { SearchLookup, DeskFeed } from '../../store/desk-feed.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { isStuck } from '../executions/stuck.ts'
import { EXECUTION_MOVES } from '../states.ts'
import { tradingTimelines } from './timeline.ts'

const showRow =
  (table: string, select: string) =>
  (workspace: WorkspaceId, ids: readonly string[]): Query =>
    sql`
      select t.id, ${raw(select)}
      from ${raw(table)} t
      where t.workspace = ${workspace}
        and t.id = any(${ids}::uuid[])`
const WITHOUT_PARENT = 'null::text as parent_kind, null::uuid as parent_id'
const WITH_EXECUTION = `
  case when t.execution_id is null then null else 'execution' end as parent_kind,
  t.execution_id as parent_id`

/** Beyond every letter. */
const upTo = (text: string) => `${text}\u{10ffff}`

const EXECUTION_LOOKUPS: readonly SearchLookup[] = [
  {
    field: 'client_ref',
    find: (workspace, text, limit) => sql`
      select id, client_ref as matched
      from executions
      where workspace = ${workspace}
        and client_ref is not null
        and lower(client_ref) collate "C" >= ${text.toLowerCase()}
        and lower(client_ref) collate "C" < ${upTo(text.toLowerCase())}
      order by lower(client_ref) collate "C", id
      limit ${limit}`,
  },
  {
    field: 'internal_ref',
    find: (workspace, text, limit) =>
      sql`
        select id, internal_ref as matched
        from executions
        where workspace = ${workspace}
          and internal_ref = ${text.toUpperCase()}
        order by internal_ref
        limit ${limit}`,
  },
  {
    field: 'amount',
    find: (workspace, text, limit) =>
      tryDecimal(text) === undefined
        ? undefined
        : sql`
          select id, trim_scale(amount)::text as matched
          from executions
          where workspace = ${workspace}
            and amount = ${text}::numeric
          order by amount desc, id desc
          limit ${limit}`,
  },
]

const ORDER_LOOKUPS: readonly SearchLookup[] = [
  {
    field: 'foreign_id',
    find: (workspace, text, limit) =>
      sql`
        select id, foreign_id as matched
        from execution_orders
        where workspace = ${workspace}
          and foreign_id = ${text}
        order by foreign_id
        limit ${limit}`,
  },
  {
    field: 'client_order_id',
    find: (workspace, text, limit) => sql`
      select o.id, o.client_order_id as matched
      from (select id from venues where workspace = ${workspace} offset 0) v
      join execution_orders o on o.workspace = ${workspace}
        and o.venue_id = v.id
        and o.client_order_id = ${text}
      limit ${limit}`,
  },
]

const FILL_LOOKUPS: readonly SearchLookup[] = [
  {
    field: 'foreign_id',
    find: (workspace, text, limit) => sql`
      select f.id, f.foreign_id as matched
      from (select id from venues where workspace = ${workspace} offset 0) v
      join fills f on f.workspace = ${workspace}
        and f.venue_id = v.id
        and f.foreign_id = ${text}
      limit ${limit}`,
  },
]

/** A need for a day: no field of the record says that somebody has looked at it. */
const INCOMPLETE_MILLISECONDS = 86_400_000

const TRADE = "t.side || ' ' || trim_scale(t.quantity)::text || ' ' || t.base_asset"

export const tradingDeskFeed: DeskFeed = {
  timelines: tradingTimelines,
  searchables: [
    {
      kind: 'execution',
      permission: 'trading.executions.read',
      table: 'executions',
      lookups: EXECUTION_LOOKUPS,
      show: showRow(
        'executions',
        `t.side || ' ' || case
          when t.mode = 'VOLUME' then trim_scale(t.volume)::text || ' ' || t.quote_asset
          else trim_scale(t.amount)::text || ' ' || t.base_asset
        end as title,
        concat_ws(' · ', t.symbol, t.execution_type, t.internal_ref, nullif(t.client_ref, ''))
          as subtitle,
        t.state, t.system_created_at as at, ${WITHOUT_PARENT}`,
      ),
    },
    {
      kind: 'quote',
      permission: 'trading.quotes.read',
      table: 'all_quotes',
      show: showRow(
        'all_quotes',
        `'Quote ' || trim_scale(t.request_quantity)::text || ' ' || t.request_asset as title,
        t.symbol as subtitle, t.state, t.created_at as at, ${WITHOUT_PARENT}`,
      ),
    },
    {
      kind: 'order',
      permission: 'trading.executions.read',
      table: 'execution_orders',
      lookups: ORDER_LOOKUPS,
      show: showRow(
        'execution_orders',
        `'Order ' || ${TRADE} as title, concat_ws(' · ', t.symbol, t.foreign_id) as subtitle,
        t.state, t.system_created_at as at, ${WITH_EXECUTION}`,
      ),
    },
    {
      kind: 'fill',
      permission: 'trading.executions.read',
      table: 'fills',
      lookups: FILL_LOOKUPS,
      show: showRow(
        'fills',
        `'Fill ' || ${TRADE} as title, concat_ws(' · ', t.symbol, t.foreign_id) as subtitle,
        t.settlement_state as state, t.executed_at as at, ${WITH_EXECUTION}`,
      ),
    },
    {
      kind: 'price_route',
      permission: 'trading.routes.read',
      table: 'price_stream_routes',
      show: showRow(
        'price_stream_routes',
        `t.label as title, t.symbol as subtitle,
        case when t.active then 'ACTIVE' else 'INACTIVE' end as state, t.system_created_at as at,
        ${WITHOUT_PARENT}`,
      ),
    },
  ],
  needs: [
    {
      kind: 'executions_unknown',
      permission: 'trading.executions.read',
      title: 'Executions whose outcome is not known',
      list: '/trading/executions',
      filter: { state: 'UNKNOWN' },
      select: (workspace) =>
        sql`
          select count(*)::integer as count, min(system_updated_at) as oldest_at
          from executions
          where workspace = ${workspace}
            and ${stateIn(EXECUTION_MOVES, 'UNKNOWN')}`,
    },
    {
      kind: 'executions_contradicted',
      permission: 'trading.executions.read',
      title: 'Executions whose venue reports something else than a person has entered',
      list: '/trading/executions',
      filter: { contradicted: 'true' },
      select: (workspace) => sql`
        select count(distinct execution_id)::integer as count, min(system_updated_at) as oldest_at
        from execution_orders
        where workspace = ${workspace}
          and contradiction is not null`,
    },
    {
      kind: 'executions_stuck',
      permission: 'trading.executions.read',
      title:
        'Executions that have been under way for over five minutes ' +
        'and do not rest at a venue that can be asked',
      list: '/trading/executions',
      filter: { state: 'PROCESSING,CANCELING', stuck: 'true' },
      select: (workspace, now) =>
        sql`
          select count(*)::integer as count,
            min(coalesce(triggered_at, system_created_at)) as oldest_at
          from executions e
          where workspace = ${workspace}
            and ${isStuck(now)}`,
    },
    {
      kind: 'executions_incomplete',
      permission: 'trading.executions.read',
      title: 'Executions of the last day whose later hop was traded in part: the rest is on RISK',
      list: '/trading/executions',
      filter: { state: 'CANCELED' },
      select: (workspace, now) => sql`
        select count(*)::integer as count, min(completed_at) as oldest_at
        from executions
        where workspace = ${workspace}
          and reason_code = 'HOP_INCOMPLETE'
          and completed_at > ${now - INCOMPLETE_MILLISECONDS}`,
    },
    {
      kind: 'stops_waiting_in_vain',
      permission: 'trading.executions.read',
      title: 'Stop orders whose route is inactive: no price can trigger them',
      list: '/trading/executions',
      filter: { state: 'WAITING_FOR_TRIGGER' },
      select: (workspace) => sql`
        select count(*)::integer as count, min(e.system_created_at) as oldest_at
        from executions e
        join price_stream_routes r on r.workspace = e.workspace
          and r.id = e.route_id
        where e.workspace = ${workspace}
          and ${stateIn(EXECUTION_MOVES, 'WAITING_FOR_TRIGGER', 'e.state')}
          and not r.active`,
    },
  ],
}

type TradedVolume = {
  symbol: string
  base_asset: string
  quote_asset: string
  side: 'BUY' | 'SELL'
  count: number
  amount: string
  volume: string
}

/** What executions made since `from` have filled; those that filled nothing are not counted. */
export function tradedSince(
  reader: Reader,
  workspace: WorkspaceId,
  from: number,
): Promise<TradedVolume[]> {
  return reader.query<TradedVolume>(sql`
    select symbol, base_asset, quote_asset, side, count(*)::integer as count,
      trim_scale(sum(filled_amount)) as amount, trim_scale(sum(filled_volume)) as volume
    from executions
    where workspace = ${workspace}
      and system_created_at >= ${from}
      and filled_amount > 0
    group by symbol, base_asset, quote_asset, side
    order by symbol, side`)
}
