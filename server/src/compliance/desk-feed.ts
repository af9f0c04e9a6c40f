import { CASE_MOVES } from '../screening/index.ts'
import type { DeskFeed } from '../store/desk-feed.ts'
import { sql } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'

export const complianceDeskFeed: DeskFeed = {
  searchables: [],
  needs: [
    {
      kind: 'screening_cases_open',
      permission: 'screening.cases.read',
      title: 'Screening cases that nobody has decided',
      list: '/desk/screening-cases',
      filter: { state: 'OPEN' },
      select: (workspace) => sql`
        select count(*)::integer as count, min(system_created_at) as oldest_at
        from screening_cases
        where workspace = ${workspace}
          and ${stateIn(CASE_MOVES, 'OPEN')}`,
    },
  ],
}
