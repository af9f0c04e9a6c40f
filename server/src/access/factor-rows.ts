/** Factors of users as they are stored, and what is read of them. */
import type { UserId, WorkspaceId } from '../core/ids.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import { FactorRecord, StoredFactor } from './factors.schema.ts'
import type { Factor } from './factors.schema.ts'

export const USER_FACTORS = tableOf('user_factors', StoredFactor)
export const FACTOR_COLUMNS = columnsOf(FactorRecord)

export type Owner = { workspace: WorkspaceId; id: UserId }

const placeOf = ({ workspace, id }: Owner, factor_id: string): readonly string[] => [
  'second factor',
  workspace,
  id,
  factor_id,
]

export const wrapSecret = (
  wrapping: WrappingKey,
  owner: Owner,
  { id, secret }: { id: string; secret: Buffer },
): Buffer => wrapping.wrap(placeOf(owner, id), secret.toString('base64'))

/** Undefined where it was wrapped by another key than this process has. */
export function openSecret(
  wrapping: WrappingKey | undefined,
  owner: Owner,
  { id, secret, wrapped_by }: Pick<StoredFactor, 'id' | 'secret' | 'wrapped_by'>,
): Buffer | undefined {
  if (secret === null || wrapping === undefined || wrapped_by !== wrapping.id) return undefined
  return Buffer.from(wrapping.unwrap(placeOf(owner, id), secret), 'base64')
}

/** Oldest first. */
export const factorsOf = (reader: Reader, { workspace, id }: Owner): Promise<StoredFactor[]> =>
  reader.query<StoredFactor>(sql`
    select ${columnsOf(StoredFactor)}
    from user_factors
    where workspace = ${workspace}
      and user_id = ${id}
    order by id`)

export const shownFactor = ({ id, kind, label, confirmed_at, last_used_at }: Factor): Factor => ({
  id,
  kind,
  label,
  confirmed_at,
  last_used_at,
})

export async function setSecondFactor(tx: Tx, { workspace, id }: Owner, has: boolean) {
  await tx.query(sql`
    update users
    set second_factor = ${has}
    where workspace = ${workspace}
      and id = ${id}`)
}

/** First the user, as whoever changes a password does. */
export async function lockOwner(tx: Tx, { workspace, id }: Owner): Promise<void> {
  await tx.query(sql`
    select 1
    from users
    where workspace = ${workspace}
      and id = ${id}
    for no key update`)
}

/** Whether the workspace demands a second factor of this user. */
export async function isDemanded(reader: Reader, { workspace, id }: Owner): Promise<boolean> {
  const rows = await reader.query(sql`
    select 1
    from users
    join workspaces on workspaces.id = users.workspace
    where users.workspace = ${workspace}
      and users.id = ${id}
      and ${DEMANDED}`)
  return rows.length > 0
}

/** Of `users` joined with their `workspaces`. */
export const DEMANDED = sql`
  coalesce(workspaces.settings -> 'second_factor_roles', '[]'::jsonb) ?| users.roles`
