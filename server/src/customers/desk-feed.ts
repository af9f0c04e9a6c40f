import type { DeskFeed } from '../store/desk-feed.ts'
import { sql } from '../store/sql.ts'

export const customersDeskFeed: DeskFeed = {
  searchables: [
    {
      kind: 'customer',
      permission: 'customers.read',
      table: 'customers',
      show: (workspace, ids) => sql`
        select
          id,
          label as title,
          concat_ws(
            ' · ',
            nullif(concat_ws(' ', first_name, last_name), ''),
            company_name,
            joint_name,
            foreign_id
          ) as subtitle,
          state,
          system_created_at as at,
          'account' as parent_kind,
          account_id as parent_id
        from customers
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
    },
  ],
  needs: [],
}
