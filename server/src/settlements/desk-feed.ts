import type { DeskFeed } from '../store/desk-feed.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import { hasUncorrectedFill, isUnseenPart } from './rows.ts'
import { OPEN_STATES, SETTLEMENT_MOVES } from './settlements.schema.ts'
import { settlementsTimelines } from './timeline.ts'

const WAITED_MILLISECONDS = 86_400_000

export const settlementsDeskFeed: DeskFeed = {
  timelines: settlementsTimelines,
  searchables: [
    {
      kind: 'settlement',
      permission: 'settlements.read',
      table: 'settlements',
      show: (workspace, ids) => sql`
        select id, 'Settlement' as title,
          to_char(
            to_timestamp(timerange_from / 1000) at time zone 'UTC', 'YYYY-MM-DD HH24:MI'
          )
            || ' – ' || to_char(
              to_timestamp(timerange_to / 1000) at time zone 'UTC', 'YYYY-MM-DD HH24:MI'
            ) || ' UTC' as subtitle,
          state, system_created_at as at, null::text as parent_kind, null::uuid as parent_id
        from settlements
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
    },
  ],
  needs: [
    {
      kind: 'settlements_failed',
      permission: 'settlements.read',
      title: 'Settlements with a failed part',
      list: '/settlements',
      filter: { state: 'FAILED' },
      select: (workspace) =>
        sql`
          select count(*)::integer as count, min(system_updated_at) as oldest_at
          from settlements
          where workspace = ${workspace}
            and ${stateIn(SETTLEMENT_MOVES, 'FAILED')}`,
    },
    {
      kind: 'settlements_uncorrected',
      permission: 'settlements.read',
      title: 'Settlements with a trade that was busted after they were initiated: net them again',
      list: '/settlements',
      filter: { uncorrected: 'true' },
      select: (workspace) => sql`
        select count(*)::integer as count, min(s.system_updated_at) as oldest_at
        from settlements s
        where s.workspace = ${workspace}
          and ${hasUncorrectedFill}`,
    },
    {
      kind: 'settlements_waiting',
      permission: 'settlements.read',
      title: 'Settlements without movement for a day',
      list: '/settlements',
      filter: { state: 'TRANSFERRING,PARTIALLY_SETTLED' },
      select: (workspace, now) => sql`
        select count(*)::integer as count, min(system_updated_at) as oldest_at
        from settlements
        where workspace = ${workspace}
          and ${stateIn(SETTLEMENT_MOVES, ['TRANSFERRING', 'PARTIALLY_SETTLED'])}
          and system_updated_at <= ${now - WAITED_MILLISECONDS}`,
    },
    {
      kind: 'settlements_unseen',
      permission: 'settlements.read',
      title: 'Settlements with a payment that was confirmed or taken back and is a day late',
      list: '/settlements',
      filter: { unseen: 'true' },
      select: (workspace, now) => sql`
        select count(distinct p.settlement_id)::integer as count, min(p.completed_at) as oldest_at
        from expected_arrivals a
        join settlement_parts p on p.workspace = a.workspace
          and p.id = a.id
        where a.workspace = ${workspace}
          and ${isUnseenPart}
          and p.completed_at <= ${now - WAITED_MILLISECONDS}`,
    },
    {
      kind: 'settlements_left_over',
      permission: 'settlements.read',
      title:
        'Amounts owed with a venue that has nothing left to settle: ' +
        'a trade was busted after its settlement',
      list: '/accounts',
      filter: { type: 'TRADING' },
      // TRADING is what the unsettled fills come to: while there are any, what is too much does not
      // show.
      select: (workspace) => sql`
        select count(*)::integer as count, null::bigint as oldest_at
        from venues v
        join accounts a on a.workspace = v.workspace
          and a.venue_id = v.id
          and a.type = 'TRADING'
        join balances b on b.workspace = a.workspace
          and b.account_id = a.id
        where v.workspace = ${workspace}
          and v.settlement = 'POST_TRADE'
          and b.total <> 0
          and not exists (
            select
            from fills f
            where f.workspace = ${workspace}
              and f.venue_id = v.id
              and f.settlement_state = 'UNSETTLED'
              and not f.busted
          )
          and not exists (
            select
            from settlements s
            where s.workspace = ${workspace}
              and ${stateIn(SETTLEMENT_MOVES, OPEN_STATES, 's.state')}
          )`,
    },
  ],
}
