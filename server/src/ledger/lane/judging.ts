/**
 * What the policy says, under the lane's lock: each change was composed for what its policy said
 * then. Another policy or another answer now means composing anew, so that two requests at once
 * cannot use one limit twice, and no policy in force is led around.
 */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, refuse } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { asset, closed, decimalText, id, oneOf, text, time } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { insertRows, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Books, Change, Writes } from '../changes.ts'
import { countedParts, deniedError, judge } from '../policy/judge.ts'
import type { TotalKey } from '../policy/judge.ts'
import { PER } from '../policy/policy.schema.ts'
import type { Per } from '../policy/policy.schema.ts'

const TOTALS = tableOf(
  'policy_totals',
  closed({
    workspace: id<WorkspaceId>(),
    per: oneOf(PER),
    key: text(),
    asset: asset(),
    day: time(),
    quantity: decimalText(),
  }),
)
const DAY_MILLISECONDS = 86_400_000
const KEPT_MILLISECONDS = 90 * DAY_MILLISECONDS
const NOTHING: ReadonlyMap<string, Decimal> = new Map()

const nameOf = ({ per, key, asset: of, day }: TotalKey) => `${per} ${key} ${of} ${day}`

/** Of a `nameOf`: neither an id nor an asset has a blank. */
function keyOf(name: string): TotalKey {
  const [per = '', key = '', of = '', day = ''] = name.split(' ')
  return { per: per as Per, key, asset: of, day: Number(day) }
}

function totalsQuery(workspace: WorkspaceId, keys: readonly TotalKey[]): Query {
  return sql`
    select t.*
    from unnest(
      ${keys.map(({ per }) => per)}::text[], ${keys.map(({ key }) => key)}::text[],
      ${keys.map((total) => total.asset)}::text[], ${keys.map(({ day }) => day)}::bigint[]
    ) as asked (per, key, asset, day)
    cross join lateral (
      select per, key, asset, day, quantity as counted
      from policy_totals
      where workspace = ${workspace}
        and per = asked.per
        and key = asked.key
        and asset = asked.asset
        and day = asked.day
      limit 1
    ) t`
}

type TotalRow = TotalKey & { counted: string }

/** What is counted now, for who composes a change. */
export async function countedTotals(
  reader: Reader,
  workspace: WorkspaceId,
  keys: readonly TotalKey[],
): Promise<(key: TotalKey) => Decimal> {
  if (keys.length === 0) return () => 0n
  const rows = await reader.query<TotalRow>(totalsQuery(workspace, keys))
  const known = new Map(rows.map((row) => [nameOf(row), decimal(row.counted)]))
  return (key) => known.get(nameOf(key)) ?? 0n
}

/** What the lane reads for what these changes count and take back. */
export function totalsReads(workspace: WorkspaceId, changes: readonly Change[]): Query[] {
  const names = new Set<string>()
  for (const { policy = [], uncounted = [] } of changes) {
    for (const { facts } of policy)
      if (facts !== null) for (const part of countedParts(facts)) names.add(nameOf(part))
    for (const part of uncounted) names.add(nameOf(part))
  }
  return names.size === 0 ? [] : [totalsQuery(workspace, [...names].toSorted().map(keyOf))]
}

/** Takes one row of `totalsReads`; false when it is none. */
export function loadTotal(books: Books, row: Record<string, unknown>): boolean {
  if (!('counted' in row)) return false
  const total = row as unknown as TotalRow
  books.totals.set(nameOf(total), decimal(total.counted))
  return true
}

/**
 * The sums as they are with this change. Throws POLICY_DENIED, and STALE_VERSION where the policy
 * says something else than what the change was composed for.
 */
export function count(books: Books, change: Change): ReadonlyMap<string, Decimal> {
  const { policy: asks = [], uncounted = [], judged_by } = change
  if (judged_by !== undefined && judged_by !== books.policy_version) throw changed()
  if (asks.length === 0 && uncounted.length === 0) return NOTHING
  const after = new Map<string, Decimal>()
  const total = (key: TotalKey) => after.get(nameOf(key)) ?? books.totals.get(nameOf(key)) ?? 0n
  for (const { policy, facts, expected } of asks) {
    if (policy.version !== books.policy_version) throw changed()
    if (facts === null) continue
    const judgement = judge(policy, facts, total)
    if (judgement.verdict === 'DENY') throw deniedError(judgement)
    if (judgement.verdict !== expected.verdict || judgement.rule !== expected.rule) throw changed()
    for (const part of countedParts(facts)) after.set(nameOf(part), total(part) + part.quantity)
  }
  for (const part of uncounted) {
    const left = total(part) - decimal(part.quantity)
    after.set(nameOf(part), left < 0n ? 0n : left)
  }
  return after
}

const CHANGED = 'the policy says something else by now: ask again'
const changed = (): ApiError => refuse('STALE_VERSION', '', CHANGED)

/** Whoever asked the policy asks it again. */
export const isPolicyChanged = (error: unknown): boolean =>
  error instanceof ApiError && error.message === CHANGED

export function totalsStatements(workspace: WorkspaceId, { totals }: Writes): Query[] {
  if (totals.size === 0) return []
  const rows = [...totals]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, quantity]) => ({ workspace, ...keyOf(name), quantity: format(quantity) }))
  return [
    sql`
      ${insertRows(TOTALS, rows, { by: null, now: 0 })}
      on conflict (workspace, per, key, asset, day) do update
      set quantity = excluded.quantity`,
  ]
}

/** Deletes what was counted long ago; answers how many rows. */
export async function forgetOldTotals(reader: Reader, clock: Clock): Promise<number> {
  const forgotten = await reader.query(sql`
    delete from policy_totals
    where day < ${clock.now() - KEPT_MILLISECONDS}
    returning 1`)
  return forgotten.length
}
