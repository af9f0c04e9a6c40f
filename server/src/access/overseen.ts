import type { Overseen } from '../store/overseen.ts'
import { sql } from '../store/sql.ts'

export const accessOverseen: Overseen = {
  findables: [{
    kind: 'user', permission: 'users.write', table: 'users',
    show: (workspace, ids) => sql`select id, coalesce(name, email) as title, email as subtitle, state, system_created_at as at, null::text as parent_kind, null::uuid as parent_id from users where workspace = ${workspace} and id = any(${ids}::uuid[])`,
  }],
  needs: [],
}
