/** What each module gives to the desk, and breaks, which are the desk's own. */
import { accessDeskFeed } from '../../access/index.ts'
import { customersDeskFeed } from '../../customers/index.ts'
import { ledgerDeskFeed } from '../../ledger/index.ts'
import type { DeskFeed } from '../../store/desk-feed.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { tradingDeskFeed } from '../../trading/index.ts'
import { treasuryDeskFeed } from '../../treasury/index.ts'
import { venuesDeskFeed } from '../../venues/index.ts'
import { BREAK_MOVES } from '../reconciliation/reconciliation.schema.ts'
import { listed, NEED_KINDS, RECORD_KINDS } from './kinds.ts'

const deskFeed: DeskFeed = {
  searchables: [
    {
      kind: 'break',
      permission: 'desk.read',
      table: 'breaks',
      show: (workspace, ids) => sql`
        select id, 'Break of ' || trim_scale(difference)::text || ' ' || asset as title,
          explanation as subtitle, state, first_seen_at as at, 'venue' as parent_kind,
          venue_id as parent_id
        from breaks
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
    },
  ],
  needs: [
    {
      kind: 'breaks_open',
      permission: 'desk.read',
      title: 'Breaks between venues and books',
      list: '/desk/breaks',
      filter: { state: 'OPEN' },
      select: (workspace) =>
        sql`
          select count(*)::integer as count, min(first_seen_at) as oldest_at
          from breaks
          where workspace = ${workspace}
            and ${stateIn(BREAK_MOVES, 'OPEN')}`,
    },
  ],
}

/** `beside`: of modules on the desk's own floor, which it does not know. */
export function allDeskFeeds(beside: readonly DeskFeed[]) {
  const all = [
    customersDeskFeed,
    ledgerDeskFeed,
    treasuryDeskFeed,
    tradingDeskFeed,
    venuesDeskFeed,
    deskFeed,
    accessDeskFeed,
    ...beside,
  ]
  return {
    searchables: listed(
      all.flatMap(({ searchables }) => searchables),
      RECORD_KINDS,
    ),
    needs: listed(
      all.flatMap(({ needs }) => needs),
      NEED_KINDS,
    ),
    timelines: listed(
      all.flatMap(({ timelines = [] }) => timelines),
      RECORD_KINDS,
    ),
  }
}
