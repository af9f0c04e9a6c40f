/**
 * Rows under which the database is set back: they begin, a copy of the database is taken, they end,
 * and the copy is put back. The service must notice and halt; then a person runs after-restore, and
 * every row must end as if nothing had happened.
 */
import { sql } from '../../../server/src/store/sql.ts'
import { differences } from './differences.ts'
import type { MatrixRow } from './matrix.ts'
import { until } from './patience.ts'
import { beginOrFail, finish } from './row-run.ts'
import type { Result, RowRun } from './row-run.ts'
import type { VenueKey, World } from './world.ts'

export async function runSetBack(world: World, rows: readonly MatrixRow[]): Promise<Result[]> {
  const [first] = rows
  if (first === undefined) return []
  const finishAll = (runs: readonly (RowRun | Result)[]) =>
    Promise.all(runs.map(async (run) => ('wrong' in run ? run : finish(world, first.venue, run))))
  const runs = await world.processes.held(async () => {
    const begun: (RowRun | Result)[] = []
    for (const row of rows) begun.push(await beginOrFail(world, row))
    await world.copyDatabase()
    return begun
  })
  const before = await finishAll(runs)
  await world.putBackDatabase()
  const wrong: string[] = []
  try {
    await until('the halts', () => isHalted(world))
    const { code, out } = await world.command('after-restore', '--yes')
    if (code !== 0) wrong.push(`after-restore ended with ${code}: ${out}`)
  } catch (error) {
    wrong.push(String(error))
  }
  const results = await finishAll(runs)
  const apart = new Map<VenueKey, string[]>()
  for (const venue of new Set(rows.map((row) => row.flow.venue)))
    apart.set(venue, await differences(world, venue))
  return results.map((result, index) => ({
    ...result,
    wrong: [
      ...(before[index]?.wrong ?? []).map((reason) => `before: ${reason}`),
      ...(result.missed === true ? ['it was too slow to be sent'] : []),
      ...result.wrong,
      ...wrong,
      ...(apart.get(result.row.flow.venue) ?? []),
    ],
  }))
}

async function isHalted({ db, workspace }: World): Promise<true | undefined> {
  const halts = await db.query<{ action: string }>(sql`
    select action
    from brakes
    where workspace = ${workspace}
      and state = 'SET'
      and venue_id is null
      and asset is null`)
  return halts.length === 2 ? true : undefined
}
