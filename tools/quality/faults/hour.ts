/** Rows of which all venues fall silent, and an hour passes for everybody. */
import { sql } from '../../../server/src/store/sql.ts'
import { differences } from './differences.ts'
import type { MatrixRow } from './matrix.ts'
import { until } from './patience.ts'
import { beginOrFail, finish } from './row-run.ts'
import type { Result, RowRun } from './row-run.ts'
import { setFault } from './venue-faults.ts'
import type { VenueKey, World } from './world.ts'

const BEFORE_THE_HOUR_MILLISECONDS = 8_000
const HOUR_MILLISECONDS = 3_600_000

export async function runHour(world: World, rows: readonly MatrixRow[]): Promise<Result[]> {
  const [first] = rows
  if (first === undefined) return []
  const venues = [...new Set(rows.map((row) => row.flow.venue))]
  const runs = await beginAndSilence(world, rows, venues)
  await until('the venues to be asked', () => isAsked(world), BEFORE_THE_HOUR_MILLISECONDS).catch(
    () => undefined,
  ) // what cannot even begin is no fault
  await world.hour()
  await until('the venues to be found silent', () => isSilent(world, venues))
  const waits = await Promise.all(
    runs.map(async (run) => ('wrong' in run ? [] : run.flowRun.waiting())),
  )
  for (const venue of venues) await world.clear(venue)
  // The bank reads its outbox again when its own silence has passed.
  await world.sandbox.control('POST', 'clock', { advance_ms: HOUR_MILLISECONDS })
  const results = await Promise.all(
    runs.map(async (run) => ('wrong' in run ? run : finish(world, first.venue, run))),
  )
  const apart = new Map<VenueKey, string[]>()
  for (const venue of venues) apart.set(venue, await differences(world, venue))
  return results.map((result, index) => ({
    ...result,
    wrong: [...result.wrong, ...(waits[index] ?? []), ...(apart.get(result.row.flow.venue) ?? [])],
  }))
}

/** What the beginning asks its venue (a fee, the allow-list) is still answered. */
function beginAndSilence(
  world: World,
  rows: readonly MatrixRow[],
  venues: readonly VenueKey[],
): Promise<(RowRun | Result)[]> {
  return world.processes.held(async () => {
    const runs: (RowRun | Result)[] = []
    for (const row of rows) runs.push(await beginOrFail(world, row))
    for (const venue of venues) {
      const met = rows.filter((row) => row.flow.venue === venue)
      // One fault for all, that of the first.
      const fault = rows[0]?.venue
      if (fault !== undefined) await setFault(world, venue, fault, met)
    }
    return runs
  })
}

async function isAsked(world: World): Promise<true | undefined> {
  const waiting = await world.db.query(sql`
      select 1
      from withdrawals
      where workspace = ${world.workspace}
        and submitted_at is null
        and state = 'PENDING'
      union all
      select 1
      from execution_orders
      where workspace = ${world.workspace}
        and sent_at is null
        and state = 'PENDING_NEW'
      union all
      select 1
      from wallets
      where workspace = ${world.workspace}
        and state = 'CREATING'
        and creation_requested_at is null`)
  return waiting.length === 0 ? true : undefined
}

/** A bank is spoken to by files: nobody sees that it does not read them. */
async function isSilent(world: World, venues: readonly VenueKey[]): Promise<true | undefined> {
  const down = await world.db.query<{ id: string }>(
    sql`
      select id
      from venues
      where workspace = ${world.workspace}
        and state <> 'CONNECTED'`,
  )
  return venues.every(
    (venue) => venue === 'bank' || down.some(({ id }) => id === world.venues[venue]),
  )
    ? true
    : undefined
}
