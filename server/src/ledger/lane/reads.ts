/** First trip of the lane: the lock, and what the changes of a batch touch. */
import { assert } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { HALT_MOVES } from '../halts.schema.ts'
import type { ActiveHalt } from '../halts.schema.ts'
import { balanceKey, guardKey } from '../changes.ts'
import type { Books, Change, StoredKey } from '../changes.ts'
import type { AccountType, HoldKind } from '../ledger.schema.ts'
import { loadTotal, totalsReads } from './judging.ts'
import { loadProgram, programReads } from './spending.ts'

export type LaneRow = {
  booking_sequence: number
  event_sequence: number
  batch_no: number
  last_hash: Buffer
  committed_at: number
  policy_version: number
}

type TouchedRows = {
  keys: string[]
  accounts: string[]
  /** Accounts and assets, place by place. */
  balances: { accounts: string[]; assets: string[] }
  holds: string[]
  tables: Map<string, string[]>
  halts: boolean
}

/** Which rows the changes name; sorted, so that every process reads in one order. */
function findTouchedRows(changes: readonly Change[]): TouchedRows {
  const keys = new Set<string>()
  const accounts = new Set<string>()
  const balances = new Set<string>()
  const holds = new Set<string>()
  const tables = new Map<string, Set<string>>()
  for (const change of changes) {
    if (change.idempotency !== undefined) keys.add(change.idempotency.key)
    for (const guard of change.guards ?? []) {
      const ids = tables.get(guard.table)
      if (ids === undefined) tables.set(guard.table, new Set([guard.id]))
      else ids.add(guard.id)
    }
    for (const step of change.ledger ?? []) {
      if (step.step === 'book') {
        for (const { account_id } of step.booking.legs) {
          accounts.add(account_id)
          balances.add(balanceKey(account_id, step.booking.asset))
        }
      } else if (step.step === 'hold') {
        accounts.add(step.hold.account_id)
        balances.add(balanceKey(step.hold.account_id, step.hold.asset))
      } else {
        holds.add(step.hold_id)
      }
    }
  }
  const sorted = (set: Set<string>) => [...set].toSorted()
  const pairs = sorted(balances).map((key) => pairOf(key))
  return {
    keys: sorted(keys),
    accounts: sorted(accounts),
    balances: {
      accounts: pairs.map(({ account_id }) => account_id),
      assets: pairs.map(({ asset }) => asset),
    },
    holds: sorted(holds),
    tables: new Map([...tables].toSorted().map(([table, ids]) => [table, sorted(ids)])),
    halts: changes.some((change) => change.halt !== undefined),
  }
}

/** Of a balanceKey: neither an id nor an asset has a blank. */
function pairOf(key: string): { account_id: string; asset: string } {
  const [account_id = '', asset = ''] = key.split(' ')
  return { account_id, asset }
}

const TABLE = /^[a-z_]+$/

/** The reads of a batch in their order: the lane's lock first, the rows of the guards last. */
export function laneStatements(
  workspace: WorkspaceId,
  changes: readonly Change[],
  now: number,
): Query[] {
  const touched = findTouchedRows(changes)
  return [
    sql`
      select booking_sequence, event_sequence, batch_no, last_hash, committed_at,
        policy_version
      from lanes
      where workspace = ${workspace}
      for update`,
    ...(touched.keys.length === 0 ? [] : [readKeys(workspace, touched.keys)]),
    ...(touched.holds.length === 0 ? [] : [readHolds(workspace, touched.holds)]),
    ...readAccounts(workspace, touched),
    ...(touched.holds.length === 0 ? [] : readAccountsOfHolds(workspace, touched.holds)),
    ...(touched.halts ? [readHalts(workspace)] : []),
    ...programReads(workspace, changes, now),
    ...totalsReads(workspace, changes),
    ...[...touched.tables].map(([table, ids]) => readGuarded(workspace, table, ids)),
  ]
}

const readKeys = (workspace: WorkspaceId, keys: readonly string[]) => sql`
  select key, request_hash, state, reply, reply_id
  from idempotency_keys
  where workspace = ${workspace}
    and key = any(${keys}::text[])`

const readHolds = (workspace: WorkspaceId, holds: readonly string[]) => sql`
  select id, kind, account_id, asset, quantity, captured, released, cause_type, cause_id
  from holds
  where workspace = ${workspace}
    and id = any(${holds}::uuid[])`

function readAccounts(workspace: WorkspaceId, { accounts, balances }: TouchedRows): Query[] {
  return [
    sql`
      select id, type, label, overdraft,
        case when frozen then coalesce(frozen_reason, '') end as frozen
      from accounts
      where workspace = ${workspace}
        and id = any(${accounts}::uuid[])`,
    sql`
      select b.*
      from unnest(
        ${balances.accounts}::uuid[], ${balances.assets}::text[]
      ) as touched (account_id, asset)
      cross join lateral (${balanceOfTouched(workspace)}) b`,
  ]
}

/** `limit 1` keeps it a look at the index for each pair, whatever the planner knows. */
const balanceOfTouched = (workspace: WorkspaceId) => sql`
  select account_id, asset, total, held_withdrawal, held_trading, unsettled, floor
  from balances
  where workspace = ${workspace}
    and account_id = touched.account_id
    and asset = touched.asset
  limit 1`

/** A capture or release touches the hold's own account, and only the hold's row names it. */
function readAccountsOfHolds(workspace: WorkspaceId, holds: readonly string[]): Query[] {
  return [
    sql`
      select a.id, a.type, a.label, a.overdraft,
        case when a.frozen then coalesce(a.frozen_reason, '') end as frozen
      from accounts a
      where a.workspace = ${workspace}
        and a.id = any(
          array(
            select h.account_id
            from holds h
            where h.workspace = ${workspace}
              and h.id = any(${holds}::uuid[])
          )
        )`,
    sql`
      select b.*
      from holds touched
      cross join lateral (${balanceOfTouched(workspace)}) b
      where touched.workspace = ${workspace}
        and touched.id = any(${holds}::uuid[])`,
  ]
}

const IS_SET = stateIn(HALT_MOVES, 'SET')

const readHalts = (workspace: WorkspaceId) => sql`
  select action, venue_id, asset, reason
  from brakes
  where workspace = ${workspace}
    and ${IS_SET}`

function readGuarded(workspace: WorkspaceId, table: string, ids: readonly string[]): Query {
  assert(TABLE.test(table), `a guard names a table: ${table}`)
  return sql`
    select id, state, version, ${raw(`'${table}'`)}::text as guarded_table
    from ${raw(table)}
    where workspace = ${workspace}
      and id = any(${ids}::uuid[])
    order by id
    for update`
}

/** Under the lock of the lane: which of its transactions this writer committed last. */
export function readLastCommit(workspace: WorkspaceId, writer: string): Query {
  return sql`
    select last_commit_id
    from lane_writers
    where workspace = ${workspace}
      and writer = ${writer}`
}

type Row = Record<string, unknown>

type LoadOptions = {
  workspace: WorkspaceId
  changes: readonly Change[]
  clock: Clock
}

/** Reads the answers to `laneStatements`; each row shows by its columns what it is. */
export function loadBooks(
  answers: unknown[][],
  { workspace, changes, clock }: LoadOptions,
): { books: Books; lane: LaneRow } {
  const lane = answers[0]?.[0] as LaneRow | undefined
  assert(lane !== undefined, `workspace ${workspace} has no books`)
  const books: Books = {
    // Never before the last batch, so that time and sequence agree although processes' clocks
    // differ.
    at: Math.max(clock.now(), lane.committed_at),
    booking_sequence: lane.booking_sequence,
    event_sequence: lane.event_sequence,
    accounts: new Map(),
    balances: new Map(),
    holds: new Map(),
    guarded: new Map(),
    keys: new Map(),
    halts: [],
    programs: new Map(),
    spent: new Map(),
    policy_version: lane.policy_version,
    totals: new Map(),
  }
  assert(
    changes.every((change) => change.workspace === workspace),
    'a batch belongs to one workspace',
  )
  for (const row of (answers.slice(1) as Row[][]).flat()) {
    if (loadProgram(books, row) || loadTotal(books, row)) continue
    if ('guarded_table' in row)
      books.guarded.set(guardKey({ table: String(row['guarded_table']), id: String(row['id']) }), {
        state: String(row['state']),
        version: Number(row['version']),
      })
    else if ('action' in row) books.halts.push(row as ActiveHalt)
    else if ('request_hash' in row) loadKey(books, row)
    else if ('cause_id' in row) books.holds.set(String(row['id']), holdOf(row))
    else if ('overdraft' in row)
      books.accounts.set(String(row['id']), {
        type: row['type'] as AccountType,
        label: String(row['label']),
        overdraft: row['overdraft'] === true,
        frozen: row['frozen'] === null ? null : String(row['frozen']),
      })
    else
      books.balances.set(balanceKey(String(row['account_id']), String(row['asset'])), {
        account_id: String(row['account_id']),
        asset: String(row['asset']),
        total: decimal(String(row['total'])),
        held_withdrawal: decimal(String(row['held_withdrawal'])),
        held_trading: decimal(String(row['held_trading'])),
        unsettled: decimal(String(row['unsettled'])),
        floor: row['floor'] === null ? null : decimal(String(row['floor'])),
      })
  }
  return { books, lane }
}

/** A key that is there counts, whatever the time is taken for: it ends by being deleted. */
function loadKey(books: Books, row: Row): void {
  const request_hash = row['request_hash'] as Buffer
  books.keys.set(String(row['key']), { request_hash, reply: storedReply(row) })
}

/** Undefined while the request that named the key is still running. */
function storedReply(row: Row): StoredKey['reply'] {
  if (row['state'] === 'RUNNING') return undefined
  if (row['reply_id'] !== null) return { booking_id: String(row['reply_id']) }
  return { data: (row['reply'] as { data: Json } | null)?.data ?? null }
}

function holdOf(row: Row) {
  return {
    id: String(row['id']),
    kind: row['kind'] as HoldKind,
    account_id: String(row['account_id']),
    asset: String(row['asset']),
    quantity: decimal(String(row['quantity'])),
    captured: decimal(String(row['captured'])),
    released: decimal(String(row['released'])),
    cause_type: String(row['cause_type']),
    cause_id: String(row['cause_id']),
  }
}
