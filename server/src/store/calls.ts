/**
 * The call that is being served, so that whatever is committed for it is recorded with it, in the
 * same commit (docs/decisions/0062-audit-trail.md). It is found through the asynchronous context:
 * what none of the use cases may forget is not handed on by each of them. Work that no call asked
 * for has none.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { idAt, isId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Db, Tx } from './db.ts'
import { sql, statement } from './sql.ts'
import type { Query } from './sql.ts'

export type Call = {
  readonly workspace: WorkspaceId
  readonly operation: string
  readonly request_id: string
  /** A user or an API key. */
  readonly actor: string
  readonly session_id: string | null
  readonly address: string | null
  readonly agent: string | null
  /** The record that its address names. */
  readonly record_id: string | null
  /** An entry of a kind of its own tells of what its transaction does. */
  told: boolean
  ended: boolean
}

const calls = new AsyncLocalStorage<Call | undefined>()

/** Serves the call with `work`. What outlives it is no longer done for it. */
export async function servingCall<T>(call: Call, work: () => Promise<T> | T): Promise<T> {
  try {
    return await calls.run(call, work)
  } finally {
    call.ended = true
  }
}

/** What this writes is no effect of the call: counts of attempts, codes that are used up. */
export const besideCall = <T>(work: () => Promise<T>): Promise<T> => calls.run(undefined, work)

/** What this tells of is a part of what the call does: its own entry is written all the same. */
export async function partOfCall<T>(work: () => Promise<T>): Promise<T> {
  const result = await work()
  const call = callBeingServed()
  if (call !== undefined) call.told = false
  return result
}

/** The call for which something is done just now. */
export function callBeingServed(): Call | undefined {
  const call = calls.getStore()
  return call === undefined || call.ended ? undefined : call
}

export const MAXIMUM_ADDRESS = 100
export const MAXIMUM_AGENT = 200

/** Where a request came from, as it is stored. */
export const placeOf = ({
  address,
  agent,
}: {
  address?: string | undefined
  agent?: string | undefined
}): Pick<Call, 'address' | 'agent'> => ({
  address: address?.slice(0, MAXIMUM_ADDRESS) ?? null,
  agent: agentOf(agent),
})

/** What a program calls itself, as far as it can be stored and shown. */
function agentOf(header = ''): string | null {
  const plain = header
    .slice(0, MAXIMUM_AGENT)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .trim()
  return plain === '' ? null : plain
}

/** What a commit did to one record. */
export type RecordedEffect = { call: Call; record_id: string | null; details: object }

const LAST_DIGITS = 6

/** Of one commit: their ids differ at the end alone, by which they have one place in the chain. */
export function effectEntries(
  workspace: WorkspaceId,
  now: number,
  effects: readonly RecordedEffect[],
  details: Query = sql`e.details::jsonb`,
): Query {
  const start = idAt(now).slice(0, -LAST_DIGITS)
  const column = <Value>(value: (effect: RecordedEffect, place: number) => Value): Value[] =>
    effects.map(value)
  return sql`
    insert into security_log (
      workspace, id, kind, occurred_at, actor, session_id, address, agent, count, details,
      operation, request_id, record_id
    )
    select ${workspace}::uuid, e.id, 'CALLED', ${now}::bigint, e.actor, e.session_id, e.address,
      e.agent, 1, ${details}, e.operation, e.request_id, e.record_id
    from unnest(
      ${column((_, place) => start + place.toString(16).padStart(LAST_DIGITS, '0'))}::uuid[],
      ${column(({ call }) => call.actor)}::text[],
      ${column(({ call }) => call.session_id)}::uuid[],
      ${column(({ call }) => call.address)}::text[],
      ${column(({ call }) => call.agent)}::text[],
      ${column(({ details }) => JSON.stringify(details))}::text[],
      ${column(({ call }) => call.operation)}::text[],
      ${column(({ call }) => call.request_id)}::uuid[],
      ${column(({ record_id }) => record_id)}::uuid[]
    ) as e (id, actor, session_id, address, agent, details, operation, request_id, record_id)`
}

/**
 * Rows that were written over this connection; the number may go back between transactions, not
 * within one. Keys of repeats are no effect.
 */
const WRITTEN_ROWS = sql`(
  select sum(
    pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid)
      + pg_stat_get_xact_tuples_deleted(oid)
  )::text
  from pg_class
  where relnamespace = 'public'::regnamespace
    and relkind = 'r'
    and relname <> 'idempotency_keys'
)`

/** Triggers note what the transaction changes, once there is something (0530_audit_trail). */
const BEGUN = sql`
  select set_config('kontor.changes', ' ', true),
    set_config('kontor.written', ${WRITTEN_ROWS}, true)`

/** One that has only locked rows has no effect. */
const HAS_EFFECT = sql`
  pg_current_xact_id_if_assigned() is not null
    and (
      current_setting('track_counts') = 'off'
      or ${WRITTEN_ROWS} <> current_setting('kontor.written')
    )`

const NOTED_CHANGES = sql`case current_setting('kontor.changes')
  when ' ' then '{}'
  else '{"changes": [' || current_setting('kontor.changes') || ']}'
end::jsonb`

/** To be run at the end of a transaction, by whoever commits it. */
async function recordCommit(
  tx: Tx,
  { call, now, result }: { call: Call; now: number; result: unknown },
): Promise<void> {
  const record_id = call.record_id ?? idIn(result)
  const effects = [{ call, record_id, details: {} }]
  const entry = effectEntries(call.workspace, now, effects, NOTED_CHANGES)
  await tx.query(sql`
    ${entry}
    where ${HAS_EFFECT}`)
}

/** The same connections; what a call commits over them is recorded. */
export function recordingCalls(db: Db, now: () => number): Db {
  const tx: Db['tx'] = (work) => {
    const serving = callBeingServed()
    if (serving === undefined) return db.tx(work)
    return db.tx(async (inside) => {
      // Of its own: a call may have several transactions at once.
      const call = { ...serving, told: false }
      await inside.query(BEGUN)
      const result = await servingCall(call, () => work(inside))
      if (!call.told) await recordCommit(inside, { call, now: now(), result })
      return result
    })
  }
  return {
    ...db,
    tx,
    query: <Row>(query: Query): Promise<Row[]> =>
      callBeingServed() !== undefined && isWrite(query)
        ? tx((inside) => inside.query<Row>(query))
        : db.query<Row>(query),
  }
}

const WRITES = /\b(?:insert into|update|delete from)\b/i

/** By its words; one that is taken for a write and is none is a transaction without an effect. */
const isWrite = (query: Query): boolean => WRITES.test(statement(query).text)

/** Of the record that a commit answers, where the call's address names none. */
function idIn(result: unknown): string | null {
  const [one, ...others]: unknown[] = Array.isArray(result) ? result : [result]
  if (others.length > 0 || typeof one !== 'object' || one === null || !('id' in one)) return null
  return typeof one.id === 'string' && isId(one.id) ? one.id : null
}
