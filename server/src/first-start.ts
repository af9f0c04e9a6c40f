/** What an empty database needs before anybody can work with it. */
import { createFirstUser } from './access/index.ts'
import type { App } from './app.ts'
import type { WorkspaceId } from './core/ids.ts'
import { openBooks } from './ledger/index.ts'
import { sql } from './store/sql.ts'

export type FirstUser = { email: string; password?: string | undefined }

/**
 * On an empty database: the first workspace and its first user, who has every role. Opens books
 * that are missing. Answers a password that was generated.
 */
export async function firstStart(
  { db, clock }: Pick<App, 'db' | 'clock'>,
  admin: FirstUser,
): Promise<{ email: string; password?: string } | undefined> {
  const first = await createFirstUser(db, clock, admin)
  await db.tx(async (tx) => {
    const missing = sql`
      select id
      from workspaces
      where not exists (select from lanes where lanes.workspace = workspaces.id)
      order by id`
    // A process that waited here for another one finds nothing missing when it asks again.
    await tx.query(sql`
      ${missing}
      for update`)
    for (const { id } of await tx.query<{ id: WorkspaceId }>(missing))
      await openBooks({ workspace: id, by: 'kontor' }, { tx, clock })
  })
  if (!first.created) return undefined
  return {
    email: admin.email,
    ...(first.password === undefined ? {} : { password: first.password }),
  }
}
