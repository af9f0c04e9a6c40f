/**
 * Runs rows of the matrix: those of one venue that meet the same fault of it together, one such
 * group after another; the venues beside each other. After each group the venue's books are
 * compared with ours, at the end everything is.
 */
import { differences } from './differences.ts'
import { runHour } from './hour.ts'
import { runSetBack } from './set-back.ts'
import type { MatrixRow, VenueFault } from './matrix.ts'
import { beginOrFail, finish } from './row-run.ts'
import type { Result, RowRun } from './row-run.ts'
import { seenOdd, setFault } from './venue-faults.ts'
import { VENUES } from './world.ts'
import type { VenueKey, World } from './world.ts'

const MAXIMUM_TRIES = 4
/**
 * Each death costs all that run beside it some seconds: too many together would only wait for each
 * other.
 */
const TOGETHER = 8
/**
 * An exchange is asked one call after another. When every answer takes a second, the lookups of
 * eight rows fill its queue, and some row waits for longer than the matrix does.
 */
const TOGETHER_WHEN_SLOW = 3

/**
 * `report`: each result as it comes. Never throws for a row: what went wrong stands in its result.
 */
export async function runRows(
  world: World,
  rows: readonly MatrixRow[],
  report: (result: Result) => void = () => undefined,
): Promise<Result[]> {
  const results: Result[] = []
  const add = (result: Result) => {
    results.push(result)
    report(result)
  }
  await Promise.all([...new Set(rows.map((row) => row.flow))].map((flow) => flow.prepare?.(world)))
  const missed = await runNow(
    world,
    rows.filter((row) => row.venue.hour !== true && row.venue.setBack !== true),
    add,
  )
  for (const row of missed)
    await runGroup(world, [row], 1, (result) => {
      add(result.missed === true ? neverMet(result) : result)
    })
  const setBack = rows.filter((row) => row.venue.setBack === true)
  for (const result of await runSetBack(world, setBack)) add(result)
  const later = rows.filter((row) => row.venue.hour === true)
  if (later.length > 0) for (const result of await runHour(world, later)) add(result)
  return results
}

/** Answers the rows that the deaths of others kept from their own; they are run again alone. */
async function runNow(
  world: World,
  rows: readonly MatrixRow[],
  add: (result: Result) => void,
): Promise<MatrixRow[]> {
  const missed: MatrixRow[] = []
  const addOrKeep = (result: Result) => {
    if (result.missed === true && result.wrong.length === 0) missed.push(result.row)
    else add(result)
  }
  const beside = rows.filter((row) => row.flow.apart === undefined && !needsCalm(row))
  await Promise.all(
    VENUES.map(async (venue) => {
      for (const group of groupsOf(beside.filter((row) => row.flow.venue === venue)))
        await runGroup(world, group, TOGETHER, addOrKeep)
    }),
  )
  const calm = rows.filter((row) => row.flow.apart === undefined && needsCalm(row))
  for (const group of groupsOf(calm))
    await runGroup(world, group, group.some(isSlow) ? TOGETHER_WHEN_SLOW : TOGETHER, addOrKeep)
  for (const group of groupsOf(rows.filter((row) => row.flow.apart !== undefined)))
    await runGroup(world, group, group[0]?.flow.apart ?? 1, addOrKeep)
  return missed
}

function neverMet(result: Result): Result {
  const reason =
    result.outcome?.tooSlow === true
      ? 'it was too slow each time'
      : 'its failpoint was never passed'
  return { ...result, wrong: [...result.wrong, reason] }
}

/**
 * What is sent alike: a fault of making orders would meet those that are to be canceled, and one
 * that slows the venue lets orders grow old.
 */
const groupsOf = (rows: readonly MatrixRow[]): MatrixRow[][] => [
  ...Map.groupBy(
    rows,
    ({ venue, flow }) =>
      `${flow.venue} ${flow.apart === undefined ? '' : flow.name} ${venue.name} ` +
      `${flow.order === undefined ? '' : flow.send}`,
  ).values(),
]

const isSlow = ({ venue }: MatrixRow): boolean =>
  venue.set?.operation === '*' && venue.set.kind === 'LATE'

/**
 * After the death of a process its successor looks up what is not sent yet. It would ask a slow
 * venue all over again, and what a list hides stays UNKNOWN for as long as the list hides it.
 */
const needsCalm = (row: MatrixRow): boolean => isSlow(row) || row.venue.set?.kind === 'ODD'

/** Runs at most `together` of its rows at a time, one part after the other. */
async function runGroup(
  world: World,
  group: readonly MatrixRow[],
  together: number,
  add: (result: Result) => void,
): Promise<void> {
  const [first] = group
  if (first === undefined) return
  const {
    venue: fault,
    flow: { venue },
  } = first
  const ended: Result[] = []
  for (let next = 0; next < group.length; next += together)
    ended.push(...(await runTogether(world, venue, fault, group.slice(next, next + together))))
  const apart = await differences(world, venue)
  for (const result of ended) add({ ...result, wrong: [...result.wrong, ...apart] })
}

async function runTogether(
  world: World,
  venue: VenueKey,
  fault: VenueFault,
  rows: readonly MatrixRow[],
): Promise<Result[]> {
  await setFault(world, venue, fault, rows)
  const runs = await beginAll(world, rows, async () => {
    if (fault.halt === true)
      await world.sandbox.control('POST', `${venue}/halt`, { status: 'cancel_only' })
  })
  const results = await Promise.all(
    runs.map(async (run) => ('wrong' in run ? run : finish(world, fault, run))),
  )
  for (const [index, result] of results.entries())
    results[index] = await again(world, fault, result)
  const unseen = await seenOdd(world, venue, fault)
  await world.clear(venue)
  if (unseen === undefined) return results
  return results.map((result) => ({ ...result, wrong: [...result.wrong, unseen] }))
}

/**
 * A row whose process died of another row's failpoint, or that came too late, is run once more,
 * with less beside it.
 */
async function again(
  world: World,
  fault: VenueFault,
  result: Result,
  tries = MAXIMUM_TRIES,
): Promise<Result> {
  if (result.missed !== true || tries === 0) return result
  const [run] = await beginAll(world, [result.row])
  if (run === undefined || 'wrong' in run) return run ?? result
  const next = await finish(world, fault, run)
  return again(world, fault, { ...next, wrong: [...result.wrong, ...next.wrong] }, tries - 1)
}

/** Nothing that is due goes on until the failpoints of all are set. */
function beginAll(
  world: World,
  rows: readonly MatrixRow[],
  afterwards: () => Promise<void> = async () => undefined,
): Promise<(RowRun | Result)[]> {
  return world.processes.held(async () => {
    const runs: (RowRun | Result)[] = []
    for (const row of rows) runs.push(await beginOrFail(world, row))
    await afterwards()
    return runs
  })
}
