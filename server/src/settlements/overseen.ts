import type { Overseen } from '../store/overseen.ts'
import { sql } from '../store/sql.ts'
import { settlementsStories } from './stories.ts'

export const settlementsOverseen: Overseen = {
  stories: settlementsStories,
  findables: [{
    kind: 'settlement', permission: 'settlements.read', table: 'settlements',
    show: (workspace, ids) => sql`
      select id, 'Settlement' as title, to_char(to_timestamp(timerange_from / 1000) at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' – ' || to_char(to_timestamp(timerange_to / 1000) at time zone 'UTC', 'YYYY-MM-DD HH24:MI') || ' UTC' as subtitle,
        state, system_created_at as at, null::text as parent_kind, null::uuid as parent_id
      from settlements where workspace = ${workspace} and id = any(${ids}::uuid[])`,
  }],
  needs: [{
    kind: 'settlements_failed', permission: 'settlements.read', title: 'Settlements of which a part has failed', list: '/settlements', filter: { state: 'FAILED' },
    select: (workspace) => sql`select count(*)::integer as count, min(system_updated_at) as oldest_at from settlements where workspace = ${workspace} and state = 'FAILED'`,
  }],
}
