/**
 * What programs may move. The limits of an API key are judged, and what it has moved today is
 * counted, in the transaction that moves it and under the lane's lock: two requests at once cannot
 * use a limit twice. A key that has been revoked meanwhile moves nothing more.
 *
 * The day is that of UTC. What is ordered counts, whatever becomes of it.
 */
import { decimal, format, INTEGER_DIGITS, ONE } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, keyRefused } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { asset, closed, decimalText, id, time } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { insertRows, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Books, Change, Moved, ProgramState, Writes } from '../changes.ts'

const SPENDING = tableOf(
  'api_key_spending',
  closed({
    workspace: id<WorkspaceId>(),
    key_id: id(),
    day: time(),
    asset: asset(),
    quantity: decimalText(),
  }),
)
const DAY_MILLISECONDS = 86_400_000
const KEPT_MILLISECONDS = 90 * DAY_MILLISECONDS
/** More than any limit can say; a column holds it. */
const UNCOUNTABLE: Decimal = 10n ** BigInt(INTEGER_DIGITS) * ONE - 1n
const NOTHING: ReadonlyMap<string, Decimal> = new Map()

const dayOf = (at: number): number => at - (at % DAY_MILLISECONDS)
const spentKey = (key_id: string, day: number, asset: string) => `${key_id} ${day} ${asset}`

/** What the lane reads for the programs that these changes come from. */
export function programReads(
  workspace: WorkspaceId,
  changes: readonly Change[],
  now: number,
): Query[] {
  const ids = [...new Set(changes.flatMap(({ api_key }) => api_key?.id ?? []))].toSorted()
  if (ids.length === 0) return []
  return [
    sql`
      select id, label, state, expires_at, limits
      from api_keys
      where workspace = ${workspace}
        and id = any(${ids}::uuid[])`,
    sql`
      select key_id, day, asset, quantity as spent
      from api_key_spending
      where workspace = ${workspace}
        and key_id = any(${ids}::uuid[])
        and day >= ${dayOf(now)}`,
  ]
}

/** Takes one row of `programReads`; false when it is none. */
export function loadProgram(books: Books, row: Record<string, unknown>): boolean {
  if ('spent' in row) {
    const key = spentKey(String(row['key_id']), Number(row['day']), String(row['asset']))
    books.spent.set(key, decimal(String(row['spent'])))
    return true
  }
  if (!('limits' in row)) return false
  books.programs.set(String(row['id']), row as ProgramState)
  return true
}

/**
 * What the program has moved today, with this change, by `spentKey`. Throws 1001 for a key that is
 * over, 1003 LIMIT_EXCEEDED or DAILY_LIMIT_EXCEEDED.
 */
export function spend(books: Books, change: Change): ReadonlyMap<string, Decimal> {
  const { api_key } = change
  if (api_key === undefined) return NOTHING
  const program = books.programs.get(api_key.id)
  if (program === undefined) throw new ApiError('MissingToken')
  if (api_key.standing !== true) assertLives(program, books.at)
  const day = dayOf(books.at)
  const after = new Map<string, Decimal>()
  for (const moved of movesOf(change)) {
    const key = spentKey(program.id, day, moved.asset)
    const before = after.get(key) ?? books.spent.get(key) ?? 0n
    assertWithin(program, moved, { before, path: change.amount_path ?? '' })
    const sum = before + moved.quantity
    if (moved.prepares !== true && moved.quantity > 0n)
      after.set(key, sum < UNCOUNTABLE ? sum : UNCOUNTABLE)
  }
  return after
}

function assertLives({ label, state, expires_at }: ProgramState, at: number): void {
  if (state !== 'ACTIVE') throw keyRefused('API_KEY_REVOKED', `API key ${label} is ${state}`)
  if (at >= expires_at) throw keyRefused('API_KEY_EXPIRED', `API key ${label} has expired`)
}

/**
 * What a change does not say it moves is what it books and blocks, all of an asset at once: an
 * amount is not divided into legs to stay below a limit.
 */
function movesOf({ moves, ledger = [] }: Change): readonly Moved[] {
  if (moves !== undefined) return moves
  const sums = new Map<string, Decimal>()
  const add = (asset: string, quantity: Decimal): void => {
    sums.set(asset, (sums.get(asset) ?? 0n) + quantity)
  }
  for (const step of ledger) {
    if (step.step === 'hold') add(step.hold.asset, step.hold.quantity)
    if (step.step !== 'book') continue
    const { asset, legs } = step.booking
    for (const { type, quantity } of legs) if (type === 'DEBIT') add(asset, quantity)
  }
  return [...sums].map(([asset, quantity]) => ({ asset, quantity }))
}

function assertWithin(
  { label, limits: { assets, routes } }: ProgramState,
  { asset, quantity, route_id }: Moved,
  { before, path }: { before: Decimal; path: string },
): void {
  if (routes !== null && route_id !== undefined && !routes.includes(route_id ?? ''))
    throw exceeded(
      route_id === null
        ? `API key ${label} may send over its routes alone, not without one`
        : `API key ${label} may not use route ${route_id}`,
    )
  if (assets === null) return
  const limit = assets.find((known) => known.asset === asset)
  if (limit === undefined) throw exceeded(`API key ${label} may not move ${asset}`)
  const { per_transaction, per_day } = limit
  const asked = `${format(quantity)} asked`
  if (per_transaction !== null && quantity > decimal(per_transaction))
    throw exceeded(`API key ${label} moves at most ${per_transaction} ${asset} at once: ${asked}`, {
      path,
    })
  if (per_day !== null && before + quantity > decimal(per_day))
    throw exceeded(
      `API key ${label} moves at most ${per_day} ${asset} a day: ` +
        `${format(before)} moved today, ${asked}`,
      { path, code: 'DAILY_LIMIT_EXCEEDED' },
    )
}

const EXCEEDED = ['LIMIT_EXCEEDED', 'DAILY_LIMIT_EXCEEDED'] as const

/** What is over the limit of a day may be asked again on the next. */
const exceeded = (
  message: string,
  { path = '', code = 'LIMIT_EXCEEDED' }: { path?: string; code?: (typeof EXCEEDED)[number] } = {},
): ApiError => new ApiError('PermissionDenied', message, [{ path, code, message }])

/** Whether a program was refused for its limits. */
export const isLimitExceeded = (error: unknown): error is ApiError =>
  error instanceof ApiError && EXCEEDED.some((code) => code === error.details[0]?.code)

export function spendingStatements(workspace: WorkspaceId, { spent }: Writes): Query[] {
  if (spent.size === 0) return []
  const rows = [...spent].map(([key, quantity]) => {
    const [key_id = '', day = '', asset = ''] = key.split(' ')
    return { workspace, key_id, day: Number(day), asset, quantity: format(quantity) }
  })
  return [
    sql`
      ${insertRows(SPENDING, rows, { by: null, now: 0 })}
      on conflict (workspace, key_id, day, asset) do update
      set quantity = excluded.quantity`,
  ]
}

/** Deletes what keys moved long ago; answers how many rows. */
export async function forgetOldSpending(reader: Reader, clock: Clock): Promise<number> {
  const forgotten = await reader.query(sql`
    delete from api_key_spending
    where day < ${dayOf(clock.now()) - KEPT_MILLISECONDS}
    returning 1`)
  return forgotten.length
}
