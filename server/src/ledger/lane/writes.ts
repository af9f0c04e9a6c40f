/**
 * Second trip of the lane: what the fold accepted, as one statement per table with array
 * parameters. An update names its keys twice: joined alone, a plan that was made while the table
 * was empty reads all rows of the workspace and then compares.
 */
import pg from 'pg'
import { format } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { storableJson } from '../../core/storable.ts'
import { putTasksQuery } from '../../store/tasks.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { balanceKey } from '../changes.ts'
import type { BalanceState, Books, Change, HoldState, Writes } from '../changes.ts'
import { HOLD_MOVES } from '../ledger.schema.ts'
import type { ChainLink } from './chain.ts'
import { totalsStatements } from './judging.ts'
import type { LaneRow } from './reads.ts'
import { recordStatements } from './recorded.ts'
import { spendingStatements } from './spending.ts'

type BatchContext = {
  workspace: WorkspaceId
  books: Books
  lane: LaneRow
  /** The batch's place in the chain of hashes; undefined when it books nothing. */
  link: ChainLink | undefined
  writer: string
  commit_id: string
}

export function writeStatements(
  { workspace, books, lane, link, writer, commit_id }: BatchContext,
  writes: Writes,
): Query[] {
  const tasks = writes.accepted.flatMap((change) =>
    (change.tasks ?? []).map((task) => ({ workspace, ...task })),
  )
  return [
    ...moveStatements(workspace, books.at, writes),
    ...writes.accepted.flatMap((change) => change.rows ?? []),
    ...(link === undefined ? [] : bookingStatements(workspace, books.at, writes, link)),
    ...balanceStatements(workspace, writes),
    ...holdStatements(workspace, books.at, writes),
    ...eventStatements(workspace, books.at, writes),
    ...keyStatements(workspace, writes.accepted),
    ...spendingStatements(workspace, writes),
    ...totalsStatements(workspace, writes),
    ...recordStatements(workspace, books.at, writes),
    sql`
      update lanes
      set booking_sequence = ${books.booking_sequence}, event_sequence = ${books.event_sequence},
        batch_no = ${link?.batch_no ?? lane.batch_no},
        last_hash = ${link?.hash ?? lane.last_hash}, committed_at = ${books.at}
      where workspace = ${workspace}`,
    sql`
      insert into lane_writers (workspace, writer, last_commit_id, committed_at)
      values (${workspace}, ${writer}, ${commit_id}, ${books.at})
      on conflict (workspace, writer) do update
      set last_commit_id = excluded.last_commit_id, committed_at = excluded.committed_at`,
    ...(tasks.length === 0 ? [] : [putTasksQuery(tasks)]),
  ]
}

/**
 * A row that several changes of the batch move ends in the last one's state, its version grown by
 * each.
 */
function moveStatements(workspace: WorkspaceId, at: number, writes: Writes): Query[] {
  const tables = new Map<string, Map<string, { to: string | null; by: string; steps: number }>>()
  for (const { guard, by } of writes.moves) {
    const rows =
      tables.get(guard.table) ?? new Map<string, { to: string | null; by: string; steps: number }>()
    tables.set(guard.table, rows)
    const earlier = rows.get(guard.id)
    rows.set(guard.id, {
      to: guard.to ?? earlier?.to ?? null,
      by,
      steps: (earlier?.steps ?? 0) + 1,
    })
  }
  return [...tables].map(([table, rows]) => {
    const list = [...rows.values()]
    return sql`
      update ${raw(table)} as t
      set state = coalesce(m.state, t.state), version = t.version + m.steps,
        system_updated_at = ${at}, system_updated_by = m.by
      from unnest(
        ${[...rows.keys()]}::uuid[], ${list.map((row) => row.to)}::text[],
        ${list.map((row) => row.by)}::text[], ${list.map((row) => row.steps)}::integer[]
      ) as m (id, state, by, steps)
      where t.workspace = ${workspace}
        and t.id = any(${[...rows.keys()]}::uuid[])
        and t.id = m.id`
  })
}

function bookingStatements(
  workspace: WorkspaceId,
  at: number,
  writes: Writes,
  link: ChainLink,
): Query[] {
  const { bookings } = writes
  const legs = bookings.flatMap((booking) =>
    booking.legs.map((leg, index) => ({
      ...leg,
      sequence: booking.sequence,
      leg_no: index + 1,
      booking_type: booking.type,
    })),
  )
  return [
    sql`
      insert into legs (
        workspace, booking_sequence, leg_no, account_id, type, quantity, balance_after, booking_type
      )
      select ${workspace}::uuid, *
      from unnest(
        ${legs.map((leg) => leg.sequence)}::bigint[], ${legs.map((leg) => leg.leg_no)}::smallint[],
        ${legs.map((leg) => leg.account_id)}::uuid[], ${legs.map((leg) => leg.type)}::text[],
        ${legs.map((leg) => format(leg.quantity))}::numeric[],
        ${legs.map((leg) => format(leg.balance_after))}::numeric[],
        ${legs.map((leg) => leg.booking_type)}::text[]
      )`,
    sql`
      insert into bookings (
        workspace, sequence, id, event_sequence, batch_no, type, asset, value_date, booked_at,
        reference_type, reference_id, description, description_salt, reverses_id, booked_by
      )
      select ${workspace}::uuid, b.sequence, b.id, b.event_sequence, ${link.batch_no}::bigint,
        b.type, b.asset, b.value_date, ${at}::bigint, b.reference_type, b.reference_id,
        b.description, b.description_salt, b.reverses_id, b.booked_by
      from unnest(
        ${bookings.map((booking) => booking.sequence)}::bigint[],
        ${bookings.map((booking) => booking.id)}::uuid[],
        ${bookings.map((booking) => booking.event_sequence)}::bigint[],
        ${bookings.map((booking) => booking.type)}::text[],
        ${bookings.map((booking) => booking.asset)}::text[],
        ${bookings.map((booking) => booking.value_date)}::bigint[],
        ${bookings.map((booking) => booking.reference_type ?? null)}::text[],
        ${bookings.map((booking) => booking.reference_id ?? null)}::uuid[],
        ${bookings.map((booking) => booking.description ?? null)}::text[],
        ${bookings.map((booking) => booking.description_salt ?? null)}::bytea[],
        ${bookings.map((booking) => booking.reverses_id ?? null)}::uuid[],
        ${bookings.map((booking) => booking.booked_by)}::text[]
      )
        as b (
          sequence, id, event_sequence, type, asset, value_date, reference_type, reference_id,
          description, description_salt, reverses_id, booked_by
        )`,
    sql`
      insert into batches (
        workspace, batch_no, first_sequence, last_sequence, previous_hash, hash, committed_at
      )
      values (
        ${workspace}, ${link.batch_no}, ${bookings[0]?.sequence ?? 0},
        ${bookings.at(-1)?.sequence ?? 0}, ${link.previous_hash}, ${link.hash}, ${at}
      )`,
  ]
}

function balanceStatements(workspace: WorkspaceId, writes: Writes): Query[] {
  const balances = [...writes.balances]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, balance]) => balance)
  if (balances.length === 0) return []
  return [
    sql`
      insert into balances (
        workspace, account_id, asset, total, held_withdrawal, held_trading, floor
      )
      select ${workspace}::uuid, *
      from unnest(
        ${balances.map((balance) => balance.account_id)}::uuid[],
        ${balances.map((balance) => balance.asset)}::text[],
        ${balances.map((balance) => format(balance.total))}::numeric[],
        ${balances.map((balance) => format(balance.held_withdrawal))}::numeric[],
        ${balances.map((balance) => format(balance.held_trading))}::numeric[],
        ${balances.map(({ floor }) => (floor === null ? null : format(floor)))}::numeric[]
      )
      on conflict (workspace, account_id, asset) do update
      set total = excluded.total, held_withdrawal = excluded.held_withdrawal,
        held_trading = excluded.held_trading, floor = excluded.floor`,
    ...unsettledStatements(workspace, writes, balances),
  ]
}

/** Apart, because few changes touch it. */
function unsettledStatements(
  workspace: WorkspaceId,
  writes: Writes,
  balances: readonly BalanceState[],
): Query[] {
  const touched = new Set(
    [...writes.new_holds.values(), ...writes.changed_holds.values()]
      .filter((hold) => hold.kind === 'UNSETTLED')
      .map((hold) => balanceKey(hold.account_id, hold.asset)),
  )
  if (touched.size === 0) return []
  const rows = balances.filter((balance) =>
    touched.has(balanceKey(balance.account_id, balance.asset)),
  )
  return [
    sql`
      update balances as t
      set unsettled = b.unsettled
      from unnest(
        ${rows.map((row) => row.account_id)}::uuid[], ${rows.map((row) => row.asset)}::text[],
        ${rows.map((row) => format(row.unsettled))}::numeric[]
      ) as b (account_id, asset, unsettled)
      where t.workspace = ${workspace}
        and t.account_id = any(${rows.map((row) => row.account_id)}::uuid[])
        and t.account_id = b.account_id
        and t.asset = b.asset`,
  ]
}

const ENDED = move(HOLD_MOVES, 'OPEN', 'ENDED')

const stateOf = ({ captured, released, quantity }: HoldState): keyof typeof HOLD_MOVES =>
  captured + released === quantity ? ENDED.to : 'OPEN'

function holdStatements(workspace: WorkspaceId, at: number, writes: Writes): Query[] {
  const queries: Query[] = []
  const fresh = [...writes.new_holds.values()]
  if (fresh.length > 0) {
    queries.push(sql`
      insert into holds (
        workspace, id, kind, account_id, asset, quantity, captured, released, state, cause_type,
        cause_id, expires_at, created_at
      )
      select ${workspace}::uuid, h.*, ${at}::bigint
      from unnest(
        ${fresh.map((hold) => hold.id)}::uuid[],
        ${fresh.map((hold) => hold.kind)}::text[],
        ${fresh.map((hold) => hold.account_id)}::uuid[],
        ${fresh.map((hold) => hold.asset)}::text[],
        ${fresh.map((hold) => format(hold.quantity))}::numeric[],
        ${fresh.map((hold) => format(hold.captured))}::numeric[],
        ${fresh.map((hold) => format(hold.released))}::numeric[],
        ${fresh.map(stateOf)}::text[], ${fresh.map((hold) => hold.cause_type)}::text[],
        ${fresh.map((hold) => hold.cause_id)}::uuid[],
        ${fresh.map((hold) => hold.expires_at ?? null)}::bigint[]
      ) as h`)
  }
  const changed = [...writes.changed_holds.values()]
  if (changed.length > 0) {
    queries.push(sql`
      update holds as t
      set captured = h.captured, released = h.released, state = h.state
      from unnest(
        ${changed.map((hold) => hold.id)}::uuid[],
        ${changed.map((hold) => format(hold.captured))}::numeric[],
        ${changed.map((hold) => format(hold.released))}::numeric[],
        ${changed.map(stateOf)}::text[]
      ) as h (id, captured, released, state)
      where t.workspace = ${workspace}
        and t.id = any(${changed.map((hold) => hold.id)}::uuid[])
        and t.id = h.id`)
  }
  return queries
}

function eventStatements(workspace: WorkspaceId, at: number, writes: Writes): Query[] {
  const { events } = writes
  if (events.length === 0) return []
  return [
    sql`
      insert into events (workspace, sequence, id, type, resource_id, occurred_at, data, told_by)
      select ${workspace}::uuid, e.sequence, e.id, e.type, e.resource_id, ${at}::bigint,
        e.data::jsonb, e.told_by
      from unnest(
        ${events.map((event) => event.sequence)}::bigint[],
        ${events.map((event) => event.id)}::uuid[], ${events.map((event) => event.type)}::text[],
        ${events.map((event) => event.resource_id)}::uuid[],
        ${events.map((event) => storableJson(event.data))}::text[],
        ${events.map((event) => event.by)}::text[]
      ) as e (sequence, id, type, resource_id, data, told_by)`,
  ]
}

/** The batch's key was taken by a request that does not go through the lane. */
export const isKeyTaken = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === UNIQUE_VIOLATION &&
  error.table === 'idempotency_keys'

const UNIQUE_VIOLATION = '23505'

/**
 * Requests that run in steps claim keys without the lane's lock, so also after the batch has read
 * them. Such a key refuses the insert: the batch is not committed.
 */
function keyStatements(workspace: WorkspaceId, accepted: readonly Change[]): Query[] {
  const keys = accepted.flatMap((change) =>
    change.idempotency === undefined ? [] : [change.idempotency],
  )
  if (keys.length === 0) return []
  const data = (reply: (typeof keys)[number]['reply']) =>
    'data' in reply ? storableJson({ data: reply.data }) : null
  const id = (reply: (typeof keys)[number]['reply']) =>
    'booking_id' in reply ? reply.booking_id : null
  return [
    sql`
      insert into idempotency_keys (workspace, key, request_hash, state, reply, reply_id)
      select ${workspace}::uuid, k.key, k.request_hash, 'DONE', k.reply::jsonb, k.reply_id
      from unnest(
        ${keys.map((key) => key.key)}::text[], ${keys.map((key) => key.request_hash)}::bytea[],
        ${keys.map((key) => data(key.reply))}::text[], ${keys.map((key) => id(key.reply))}::uuid[]
      ) as k (key, request_hash, reply, reply_id)`,
  ]
}
