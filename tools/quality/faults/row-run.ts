/** One row of the matrix: begun with its deaths and cuts set, and followed to its end. */
import { newId } from '../../../server/src/core/ids.ts'
import { sql } from '../../../server/src/store/sql.ts'
import type { FlowRun, Outcome } from './flow.ts'
import { unless } from './flow.ts'
import { nameOf } from './matrix.ts'
import type { MatrixRow, VenueFault } from './matrix.ts'
import { until } from './patience.ts'
import type { World } from './world.ts'

export type Result = {
  row: MatrixRow
  outcome: Outcome | undefined
  wrong: string[]
  /** It ended before its failpoint was passed: another row's death came first. */
  missed?: true
}

/** A row under way. `reached`: whether what should happen to the service has happened. */
export type RowRun = {
  row: MatrixRow
  flowRun: FlowRun
  reached(): { missed?: true; wrong: string[] }
}

async function beginRow(world: World, row: MatrixRow): Promise<RowRun> {
  const { service, venue, flow } = row
  const key = newId()
  const cuts = service.cut === undefined ? [] : [world.cut(service.cut, [key])]
  const arm = (role: 'api' | 'worker', subject?: string) =>
    service.point === undefined ? [] : [world.processes.arm(role, service.point, subject)]
  const early = service.api === true ? arm('api') : []
  const flowRun = await flow.begin(world, venue.expected, key)
  if (service.cut !== undefined) cuts.push(world.cut(service.cut, flowRun.marks))
  const deaths = service.api === true ? early : arm('worker', flowRun.subject)
  return {
    row,
    flowRun,
    reached: () => {
      for (const cut of cuts) cut.live = false
      const missed = deaths.filter((death) => death.waits())
      for (const death of missed) death.disarm()
      return {
        ...(missed.length > 0 ? { missed: true as const } : {}),
        wrong: unless(cuts.length === 0 || cuts.some((cut) => cut.cuts > 0), 'nothing was cut'),
      }
    },
  }
}

/** A row that cannot begin has that as its result. */
export const beginOrFail = (world: World, row: MatrixRow): Promise<RowRun | Result> =>
  beginRow(world, row).catch((error: unknown): Result => ({
    row,
    outcome: undefined,
    wrong: [`could not begin: ${String(error)}`],
  }))

/** Never throws: what went wrong stands in the result. */
export async function finish(
  world: World,
  fault: VenueFault,
  { row, flowRun, reached }: RowRun,
): Promise<Result> {
  let hasStatement = fault.statement !== true
  let isSurprised = fault.surprise === undefined
  try {
    const outcome = await until(`${row.flow.name}: ${nameOf(row)}`, async () => {
      isSurprised ||= (await fault.surprise?.act(world, flowRun.marks)) === true
      if (!isSurprised) return undefined
      const outcome = await flowRun.outcome()
      if (outcome === undefined && !hasStatement) {
        await world.sandbox.control('POST', 'bank/statement', {})
        await passSeconds(world)
      }
      hasStatement ||= outcome !== undefined
      return outcome
    })
    const { missed, wrong } = reached()
    return {
      row,
      outcome,
      wrong: [...outcome.wrong, ...wrong],
      ...(missed === true || outcome.tooSlow === true ? { missed: true as const } : {}),
    }
  } catch (error) {
    const tasks = flowRun.subject === undefined ? [] : await tasksOf(world, flowRun.subject)
    return { row, outcome: undefined, wrong: [String(error), ...reached().wrong, ...tasks] }
  }
}

/** Of world time, so that what was accepted is booked. */
const passSeconds = (world: World): Promise<unknown> =>
  world.sandbox.control('POST', 'clock', { advance_ms: 5_000 })

/** Why it may hang. */
async function tasksOf(world: World, subject: string): Promise<string[]> {
  const tasks = await world.db.query<{
    kind: string
    due_at: number
    attempts: number
    leased: boolean
    last_error: string | null
  }>(sql`
    select kind, due_at, attempts, leased_until > now() as leased, last_error
    from tasks
    where workspace = ${world.workspace}
      and subject_id = ${subject}`)
  const runs = await world.db.query<{
    state: string
    reason: string | null
    explanation: string
    count: number
  }>(sql`
    select state, reason, explanation, count(*)::integer as count
    from job_runs
    where workspace = ${world.workspace}
      and job_id = ${subject}
    group by state, reason, explanation
    order by max(started_at)`)
  return [
    ...tasks.map(
      (task) =>
        `task ${task.kind} due in ${task.due_at - Date.now()} ms, ${task.attempts} attempts` +
        `${task.leased ? ', being done' : ''}: ${task.last_error}`,
    ),
    ...runs.map((run) => `${run.count} runs ${run.state} ${run.reason}: ${run.explanation}`),
  ]
}
