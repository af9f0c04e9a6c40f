/**
 * Runs rows of the matrix: those of one venue that meet the same fault of it together, one such
 * group after another; the venues beside each other. After each group the venue's books are
 * compared with ours, at the end everything is.
 */
import { decimal, format } from '../../../server/src/core/decimal.ts'
import { sql } from '../../../server/src/store/sql.ts'
import type { Begun, Outcome } from './flows.ts'
import { nameOf } from './matrix.ts'
import type { MatrixRow, VenueFault } from './matrix.ts'
import { newId } from '../../../server/src/core/ids.ts'
import { PACE, until, VENUES } from './world.ts'
import type { VenueKey, World } from './world.ts'

type Result = {
  row: MatrixRow
  outcome: Outcome | undefined
  wrong: string[]
  /** It ended before its failpoint was passed: another row's death came first. */ missed?: true
}

type Going = { row: MatrixRow; begun: Begun; reached(): { missed?: true; wrong: string[] } }

const BEFORE_THE_HOUR_MILLISECONDS = 8_000
const MAXIMUM_TRIES = 4
const TOGETHER = 8
const AGREES_MILLISECONDS = 90_000

/**
 * `told`: each result as it comes. Never throws for a row: what went wrong stands in its result.
 */
export async function runRows(
  world: World,
  rows: readonly MatrixRow[],
  told: (result: Result) => void = () => undefined,
): Promise<Result[]> {
  const results: Result[] = []
  const missed: MatrixRow[] = []
  const tell = (result: Result) => {
    results.push(result)
    told(result)
  }
  /** What the deaths of others kept from its own is run once more when nothing is beside it. */
  const tellOrKeep = (result: Result) => {
    if (result.missed === true && result.wrong.length === 0) missed.push(result.row)
    else tell(result)
  }
  await Promise.all([...new Set(rows.map((row) => row.flow))].map((flow) => flow.prepare?.(world)))
  const now = rows.filter((row) => row.venue.hour !== true)
  const beside = now.filter((row) => row.flow.apart === undefined)
  await Promise.all(
    VENUES.map(async (venue) => {
      for (const group of groupsOf(beside.filter((row) => row.flow.venue === venue)))
        await runGroups(world, group, TOGETHER, tellOrKeep)
    }),
  )
  for (const group of groupsOf(now.filter((row) => row.flow.apart !== undefined)))
    await runGroups(world, group, group[0]?.flow.apart ?? 1, tellOrKeep)
  for (const row of missed)
    await runGroups(world, [row], 1, (result) =>
      tell(result.missed === true ? neverMet(result) : result),
    )
  const later = rows.filter((row) => row.venue.hour === true)
  if (later.length > 0) for (const result of await runHour(world, later)) tell(result)
  return results
}

const neverMet = (result: Result): Result => ({
  ...result,
  wrong: [
    ...result.wrong,
    result.outcome?.tooSlow === true
      ? 'it was too slow each time'
      : 'its failpoint was never passed',
  ],
})

/** What must be true of the whole when nothing is under way: nothing, when it is. */
export async function wholeWrong(world: World): Promise<string[]> {
  const wrong = (await world.verify()).map((fault) => `books: ${fault}`)
  for (const venue of VENUES) wrong.push(...(await differences(world, venue)))
  return [...wrong, ...(await unexplained(world))]
}

/**
 * What is sent alike: a fault of making orders would meet those that are to be canceled, and one
 * that slows the venue lets orders grow old.
 */
const groupsOf = (rows: readonly MatrixRow[]): MatrixRow[][] => [
  ...Map.groupBy(
    rows,
    ({ venue, flow }) =>
      `${flow.apart === undefined ? '' : flow.name} ${venue.name} ` +
      `${flow.order === undefined ? '' : flow.send}`,
  ).values(),
]

/**
 * Each death costs all that run beside it some seconds: too many together would only wait for each
 * other.
 */
async function runGroups(
  world: World,
  group: readonly MatrixRow[],
  together: number,
  tell: (result: Result) => void,
): Promise<void> {
  const [first] = group
  if (first === undefined) return
  const {
    venue: fault,
    flow: { venue },
  } = first
  const ended: Result[] = []
  for (let next = 0; next < group.length; next += together)
    ended.push(...(await runGroup(world, venue, fault, group.slice(next, next + together))))
  const apart = await differences(world, venue)
  for (const result of ended) tell({ ...result, wrong: [...result.wrong, ...apart] })
}

async function runGroup(
  world: World,
  venue: VenueKey,
  fault: VenueFault,
  rows: readonly MatrixRow[],
): Promise<Result[]> {
  await setFault(world, venue, fault, rows)
  const going = await beginAll(world, rows, async () => {
    if (fault.halt === true)
      await world.sandbox.control('POST', `${venue}/halt`, { status: 'cancel_only' })
  })
  const results = await Promise.all(
    going.map(async (going) => ('wrong' in going ? going : finish(world, fault, going))),
  )
  for (const [index, result] of results.entries())
    results[index] = await again(world, fault, result)
  await world.clear(venue)
  return results
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
  const [going] = await beginAll(world, [result.row])
  if (going === undefined || 'wrong' in going) return going ?? result
  const next = await finish(world, fault, going)
  return again(world, fault, { ...next, wrong: [...result.wrong, ...next.wrong] }, tries - 1)
}

async function setFault(
  world: World,
  venue: VenueKey,
  fault: VenueFault,
  rows: readonly MatrixRow[],
): Promise<void> {
  const orders = rows.some((row) => row.flow.order !== undefined)
  const set = (venue === 'bank' ? fault.bank : orders ? fault.order : undefined) ?? fault.set
  for (const setting of [set, fault.also, venue === 'bank' ? fault.told : undefined]) {
    if (setting === undefined) continue
    const operations =
      setting.operation === 'send'
        ? new Set(rows.map((row) => row.flow.send ?? '*'))
        : [setting.operation]
    for (const operation of operations) {
      await world.sandbox.fault(venue, operation, setting.kind, {
        remaining: setting.times ?? -1,
        ...(setting.delay_seconds === undefined
          ? {}
          : { delay_ms: setting.delay_seconds * 1000 * PACE }),
      })
    }
  }
}

/** Nothing that is due goes on until the failpoints of all are set. */
function beginAll(
  world: World,
  rows: readonly MatrixRow[],
  begun: () => Promise<void> = async () => undefined,
): Promise<(Going | Result)[]> {
  return world.processes.held(async () => {
    const going: (Going | Result)[] = []
    for (const row of rows) {
      try {
        going.push(await begin(world, row))
      } catch (error) {
        going.push({ row, outcome: undefined, wrong: [`could not begin: ${String(error)}`] })
      }
    }
    await begun()
    return going
  })
}

async function begin(world: World, row: MatrixRow): Promise<Going> {
  const { service, venue, flow } = row
  const key = newId()
  const cuts = service.cut === undefined ? [] : [world.cut(service.cut, [key])]
  const early =
    service.point !== undefined && service.api === true
      ? [world.processes.arm('api', service.point)]
      : []
  const begun = await flow.begin(world, venue.expected, key)
  if (service.cut !== undefined) cuts.push(world.cut(service.cut, begun.marks))
  const armed = [
    ...early,
    ...(service.point !== undefined && service.api !== true
      ? [world.processes.arm('worker', service.point, begun.subject)]
      : []),
  ]
  return {
    row,
    begun,
    reached: () => {
      for (const cut of cuts) cut.live = false
      const missed = armed.filter((cut) => cut.waits())
      for (const cut of missed) cut.disarm()
      return {
        ...(missed.length > 0 ? { missed: true as const } : {}),
        wrong: cuts.length > 0 && cuts.every((cut) => cut.cuts === 0) ? ['nothing was cut'] : [],
      }
    },
  }
}

async function finish(
  world: World,
  fault: VenueFault,
  { row, begun, reached }: Going,
): Promise<Result> {
  let statement = fault.statement !== true
  try {
    const outcome = await until(`${row.flow.name}: ${nameOf(row)}`, async () => {
      const seen = await begun.outcome()
      if (seen === undefined && !statement) {
        await world.sandbox.control('POST', 'bank/statement', {})
        await pauseWorld(world)
      }
      statement ||= seen !== undefined
      return seen
    })
    const { missed, wrong } = reached()
    return {
      row,
      outcome,
      wrong: [...outcome.wrong, ...wrong],
      ...(missed === true || outcome.tooSlow === true ? { missed: true as const } : {}),
    }
  } catch (error) {
    return {
      row,
      outcome: undefined,
      wrong: [
        String(error),
        ...reached().wrong,
        ...(begun.subject === undefined ? [] : await tasksOf(world, begun.subject)),
      ],
    }
  }
}

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

/** A few seconds of world time, so that what was accepted is booked. */
const pauseWorld = (world: World): Promise<unknown> =>
  world.sandbox.control('POST', 'clock', { advance_ms: 5_000 })

/**
 * All venues fall silent, an hour passes for everybody, they are still silent; then they answer
 * again.
 */
async function runHour(world: World, rows: readonly MatrixRow[]): Promise<Result[]> {
  const [first] = rows
  if (first === undefined) return []
  const venues = [...new Set(rows.map((row) => row.flow.venue))]
  // What the beginning asks its venue (a fee, the allow-list) is still answered.
  const going = await world.processes.held(async () => {
    const begun = await beginEach(world, rows)
    for (const venue of venues)
      await setFault(
        world,
        venue,
        first.venue,
        rows.filter((row) => row.flow.venue === venue),
      )
    return begun
  })
  await until('the venues to be asked', () => isAsked(world), BEFORE_THE_HOUR_MILLISECONDS).catch(
    () => undefined,
  ) // what cannot even begin is no fault
  await world.hour()
  await until('the venues to be found silent', () => isSilent(world, venues))
  const waited = await Promise.all(
    going.map(async (going) => ('wrong' in going ? [] : going.begun.waiting())),
  )
  for (const venue of venues) await world.clear(venue)
  // The bank reads its outbox again when its own silence has passed.
  await world.sandbox.control('POST', 'clock', { advance_ms: 3_600_000 })
  const ended = await Promise.all(
    going.map(async (going) => ('wrong' in going ? going : finish(world, first.venue, going))),
  )
  const results: Result[] = []
  for (const [index, result] of ended.entries())
    results.push({ ...result, wrong: [...result.wrong, ...(waited[index] ?? [])] })
  const apart = new Map<VenueKey, string[]>()
  for (const venue of venues) apart.set(venue, await differences(world, venue))
  return results.map((result) => ({
    ...result,
    wrong: [...result.wrong, ...(apart.get(result.row.flow.venue) ?? [])],
  }))
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

async function beginEach(world: World, rows: readonly MatrixRow[]): Promise<(Going | Result)[]> {
  const going: (Going | Result)[] = []
  for (const row of rows)
    going.push(
      await begin(world, row).catch((error: unknown): Result => ({
        row,
        outcome: undefined,
        wrong: [`could not begin: ${String(error)}`],
      })),
    )
  return going
}

type Position = {
  venue_id: string
  asset: string
  difference: string
  on_the_way: string
  state: string
  compared_at: number
  wallets: { wallet: string | null; difference: string | null }[]
}

const differs = ({ difference }: { difference: string | null }) => Number(difference) !== 0

/**
 * Ledger = venue, asset by asset and wallet by wallet, by the service's own reconciliation; what is
 * not so after a while.
 */
async function differences(world: World, venue: VenueKey): Promise<string[]> {
  let positions: Position[] = []
  const apart = () =>
    positions.filter(
      (position) =>
        position.venue_id === world.venues[venue] &&
        (differs(position) || position.wallets.some(differs)),
    )
  const asked = Date.now()
  try {
    await until(
      'agreement',
      async () => {
        await world.poll(venue)
        positions = await world.call<Position[]>('POST', '/desk/reconciliation/run')
        return apart().length === 0 ? true : undefined
      },
      AGREES_MILLISECONDS,
    )
    return []
  } catch {
    return apart().map(
      (position) =>
        `${venue} differs by ${position.difference} ${position.asset}${position.wallets
          .filter(differs)
          .map(({ wallet, difference }) => `, in ${wallet} by ${difference}`)
          .join('')} after ${Math.round((Date.now() - asked) / 1000)} s`,
    )
  }
}

type Item = { id: string; quantity: string }

/**
 * TRANSIT is what own transfers that left have not brought yet, SUSPENSE what deposits and
 * withdrawals have that is nobody's: item by item. TRADING is settled.
 */
async function unexplained(world: World): Promise<string[]> {
  const { db, workspace } = world
  const trading = await db.query<{ label: string; asset: string; total: string }>(sql`
    select a.label, b.asset, b.total
    from balances b
    join accounts a on a.workspace = b.workspace
      and a.id = b.account_id
    where b.workspace = ${workspace}
      and a.type = 'TRADING'
      and b.total <> 0`)
  const wrong = trading.map(({ label, asset, total }) => `${label} still has ${total} ${asset}`)
  const open = await db.query<{ cause_type: string; cause_id: string }>(
    sql`
      select cause_type, cause_id
      from holds
      where workspace = ${workspace}
        and state = 'OPEN'`,
  )
  wrong.push(...open.map((hold) => `${hold.cause_type} ${hold.cause_id} still has a hold`))
  const balances = await db.query<{ type: string; asset: string; total: string }>(sql`
    select a.type, b.asset, b.total
    from balances b
    join accounts a on a.workspace = b.workspace
      and a.id = b.account_id
    where b.workspace = ${workspace}
      and a.type in ('TRANSIT', 'SUSPENSE')`)
  for (const { type, asset, total } of balances) {
    const items = await db.query<Item>(
      type === 'TRANSIT'
        ? sql`
          select w.id, w.quantity
          from withdrawals w
          where w.workspace = ${workspace}
            and w.asset = ${asset}
            and w.own_transfer
            and w.state = 'SUCCESS'
            and not exists (
              select
              from deposits d
              where d.workspace = w.workspace
                and d.related_withdrawal_id = w.id
                and d.state = 'SUCCESSFUL'
            )`
        : sql`
          select id, quantity - assigned_quantity as quantity
          from deposits
          where workspace = ${workspace}
            and asset = ${asset}
            and not own_transfer
            and state in ('UNASSIGNED', 'PARTIALLY_ASSIGNED', 'ASSIGNED', 'REJECTED')
          union all
          select w.id, coalesce(sum(a.quantity), 0) - w.quantity
          from withdrawals w
          left join assignments a on a.workspace = w.workspace
            and a.withdrawal_id = w.id
            and a.state = 'SUCCESSFUL'
          where w.workspace = ${workspace}
            and w.asset = ${asset}
            and not w.own_transfer
            and w.account_id is null
            and w.state = 'SUCCESS'
          group by w.id, w.quantity
          having coalesce(sum(a.quantity), 0) <> w.quantity`,
    )
    const explained = items.reduce((sum, item) => sum + decimal(item.quantity), 0n)
    if (explained !== decimal(total))
      wrong.push(
        `${type} has ${total} ${asset}; its items come to ${format(explained)}: ` +
          `${items.map((item) => `${item.id} ${item.quantity}`).join(', ') || 'none'}`,
      )
    // Everything has ended: nothing may be left on the way, and everything that came has an owner.
    if (items.length > 0)
      wrong.push(
        `${type} still has ` +
          `${items.map((item) => `${item.id} ${item.quantity} ${asset}`).join(', ')}`,
      )
  }
  return wrong
}

const COLUMNS = ['fault', 'flow', 'state', 'asked', 'effects', 'hold', 'books = venues'] as const

/**
 * Fault × flow × outcome; rows that ended alike under kills of the same flow stand as one line
 * unless one is wrong.
 */
export function tableOf(results: readonly Result[]): string {
  const lines = results.map(({ row, outcome, wrong }) => [
    nameOf(row),
    row.flow.name,
    outcome?.state ?? 'NO END',
    outcome?.asked === null || outcome === undefined ? '–' : `${outcome.asked}×`,
    `${outcome?.effects ?? '?'}×`,
    outcome?.hold ?? '?',
    wrong.length === 0 ? 'right' : 'WRONG',
  ])
  const widths = COLUMNS.map((head, column) =>
    Math.max(head.length, ...lines.map((line) => line[column]?.length ?? 0)),
  )
  const text = (line: readonly string[]) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return [text(COLUMNS), ...lines.map(text)].join('\n')
}
