import type { DeskFeed } from '../store/desk-feed.ts'
import { sql } from '../store/sql.ts'

export const settingsDeskFeed: DeskFeed = {
  searchables: [],
  needs: [
    {
      kind: 'settings_drifting',
      permission: 'settings.read',
      title: 'Settings that differ from the configuration file',
      list: '/settings',
      filter: {},
      // As `driftOf` tells a drift. A bank that the file no longer names has none.
      select: (workspace) => sql`
        select count(*)::integer as count, min(differs_since) as oldest_at
        from settings_in_file
        where workspace = ${workspace}
          and named
          and not kept
          and differs_since is not null`,
    },
    {
      kind: 'declarations_drifting',
      permission: 'declarations.read',
      title: 'Venues, assets and price routes that differ from the configuration file',
      list: '/declarations',
      filter: {},
      select: (workspace) => sql`
        select count(*)::integer as count, min(differs_since) as oldest_at
        from declarations
        where workspace = ${workspace}
          and not kept
          and differs_since is not null`,
    },
  ],
}
