/** For tests of what programs may do: an API key as it is stored. */
import { newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Db } from './db.ts'
import { sql } from './sql.ts'

export type ApiKeyTestLimits = {
  assets: { asset: string; per_transaction: string | null; per_day: string | null }[] | null
  routes: string[] | null
}

type Given = {
  workspace: WorkspaceId
  limits: ApiKeyTestLimits
  permissions?: string[]
  state?: string
  expires_at?: number
}

const NEVER = 10_000_000_000_000

/** Answers its id. */
export async function insertApiKey(
  db: Db,
  { workspace, limits, permissions = [], state = 'ACTIVE', expires_at = NEVER }: Given,
): Promise<string> {
  const id = newId()
  await db.query(sql`
    insert into api_keys (
      workspace, id, label, state, permissions, networks, limits, expires_at, system_created_at,
      system_updated_at
    )
    values (
      ${workspace}, ${id}, ${id}, ${state}, ${permissions}, '{}', ${JSON.stringify(limits)},
      ${expires_at}, 0, 0
    )`)
  return id
}
