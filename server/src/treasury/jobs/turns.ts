/**
 * Turns: two runs that move money at the same pool meet here, and the later one begins anew. A pool
 * has one row, whose version counts the transfers of jobs.
 */
import type { WorkspaceId } from '../../core/ids.ts'
import { closed, id as uuid, nullable, oneOf, text, time, Type } from '../../http/index.ts'
import type { Guard } from '../../ledger/index.ts'
import { insertRows, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'

const JOB_TURNS = tableOf(
  'job_turns',
  closed({
    workspace: uuid(),
    id: uuid("The pool's first wallet"),
    state: oneOf(['OPEN']),
    system_updated_at: time(),
    system_updated_by: nullable(text()),
    version: Type.Integer(),
  }),
)

/** A transfer between these places is stored only when no other run's was since. */
export async function turnGuards(
  app: TreasuryApp,
  workspace: WorkspaceId,
  places: readonly string[],
): Promise<Guard[]> {
  const ids = [...new Set(places)]
  const read = () =>
    app.db.query<{ id: string; version: number }>(
      sql`
        select id, version
        from job_turns
        where workspace = ${workspace}
          and id = any(${ids}::uuid[])`,
    )
  let rows = await read()
  if (rows.length < ids.length) {
    const now = app.clock.now()
    const turns = ids.map((id) => ({ workspace, id, state: 'OPEN' as const }))
    await app.db.query(sql`
      ${insertRows(JOB_TURNS, turns, { by: TREASURY_WORKER, now })}
      on conflict do nothing`)
    rows = await read()
  }
  return rows.map(({ id, version }) => ({
    table: 'job_turns',
    resource: 'turn of wallet',
    id,
    from: ['OPEN'],
    version,
  }))
}
