/**
 * Repeats of a request that carries an Idempotency-Key. A successful answer is stored with the hash of the request and
 * replayed for 24 h; a refusal is not stored. The lane stores its own keys (ledger/lane/lane.ts) in the same table.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../core/clock.ts'
import { ApiError, refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { Idempotency } from './caller.ts'

export const KEPT_MILLISECONDS = 24 * 60 * 60 * 1000
/** After this a request that never finished counts as dead, and the key may be tried again. */
const ABANDONED_MILLISECONDS = 120_000
const FORGOTTEN_AT_ONCE = 10_000
const STORE_ATTEMPTS = 5
const STORE_PAUSE_MILLISECONDS = 100
const KEY = /^[\x21-\x7e]{1,128}$/

export function idempotencyOf(
  header: string | string[] | undefined,
  method: string,
  url: string,
  body: Json,
): Idempotency | undefined {
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !KEY.test(header))
    throw refuse(
      'FORMAT',
      'Idempotency-Key',
      'Idempotency-Key is 1 to 128 visible ASCII characters',
    )
  return {
    key: header,
    request_hash: createHash('sha256')
      .update(`${method} ${url}\n`)
      .update(canonicalJson(body))
      .digest(),
  }
}

type Stored = {
  request_hash: Buffer
  state: 'RUNNING' | 'DONE'
  reply: { data: Json } | null
  reply_id: string | null
  created_at: number
}

const find = async (reader: Reader, workspace: WorkspaceId, key: string) =>
  (
    await reader.query<Stored>(
      sql`select request_hash, state, reply, reply_id, created_at from idempotency_keys where workspace = ${workspace} and key = ${key}`,
    )
  )[0]

function sameRequest(stored: { request_hash: Buffer }, idempotency: Idempotency): void {
  if (!stored.request_hash.equals(idempotency.request_hash))
    throw new ApiError('IdempotencyConflict')
}

/** Runs `work` in one transaction together with the key, or answers what it answered before. */
export async function onceInTransaction(
  db: Db,
  clock: Clock,
  workspace: WorkspaceId,
  idempotency: Idempotency | undefined,
  work: (tx: Tx) => Promise<Json>,
): Promise<Json> {
  if (idempotency === undefined) return db.tx(work)
  return db.tx(async (tx) => {
    const [lock] = await tx.query<{ free: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended(${`${workspace} ${idempotency.key}`}, 0)) as free`,
    )
    if (lock?.free !== true) throw new ApiError('IdempotencyInProgress')
    const stored = await find(tx, workspace, idempotency.key)
    if (stored !== undefined && clock.now() - stored.created_at < KEPT_MILLISECONDS) {
      sameRequest(stored, idempotency)
      if (stored.state === 'RUNNING') throw new ApiError('IdempotencyInProgress')
      return stored.reply?.data ?? null
    }
    const data = await work(tx)
    const now = clock.now()
    const kept =
      await tx.query(sql`insert into idempotency_keys (workspace, key, request_hash, state, reply, created_at)
      values (${workspace}, ${idempotency.key}, ${idempotency.request_hash}, 'DONE', ${JSON.stringify({ data })}::jsonb, ${now})
      on conflict (workspace, key) do update set request_hash = excluded.request_hash, state = 'DONE', reply = excluded.reply, reply_id = null, created_at = excluded.created_at
        where idempotency_keys.created_at <= ${now - KEPT_MILLISECONDS} returning 1`)
    // Taken meanwhile by a request that does not pass here (in steps, or through the lane): another one, under the same key.
    if (kept.length === 0) throw new ApiError('IdempotencyConflict')
    return data
  })
}

/**
 * For work that keeps the key itself, with what it commits: a repeat of what was done is answered as it was then, although
 * the checks would refuse it by now. Throws like any repeat when the key was used for another request.
 */
export async function withIdempotentReplay<T>(
  app: { db: Db; clock: Clock },
  workspace: WorkspaceId,
  idempotency: Idempotency | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const stored =
      error instanceof ApiError
        ? (await storedAnswer(app.db, app.clock, workspace, idempotency))?.reply?.data
        : undefined
    if (stored === undefined) throw error
    return stored as T
  }
}

/** The id of the booking that the request was answered with before. */
export async function storedReplyId(
  reader: Reader,
  clock: Clock,
  workspace: WorkspaceId,
  idempotency: Idempotency | undefined,
): Promise<string | undefined> {
  return (await storedAnswer(reader, clock, workspace, idempotency))?.reply_id ?? undefined
}

async function storedAnswer(
  reader: Reader,
  clock: Clock,
  workspace: WorkspaceId,
  idempotency: Idempotency | undefined,
): Promise<Stored | undefined> {
  if (idempotency === undefined) return undefined
  const stored = await find(reader, workspace, idempotency.key)
  if (
    stored === undefined ||
    stored.state === 'RUNNING' ||
    clock.now() - stored.created_at >= KEPT_MILLISECONDS
  )
    return undefined
  sameRequest(stored, idempotency)
  return stored
}

/** For work of several steps: the key is stored as running first, and the answer when it is there. */
export async function onceInSteps(
  db: Db,
  clock: Clock,
  workspace: WorkspaceId,
  idempotency: Idempotency | undefined,
  work: () => Promise<Json>,
): Promise<Json> {
  if (idempotency === undefined) return work()
  const started = clock.now()
  const claimed = await db.query<{ key: string }>(sql`
    insert into idempotency_keys (workspace, key, request_hash, state, created_at)
    values (${workspace}, ${idempotency.key}, ${idempotency.request_hash}, 'RUNNING', ${started})
    on conflict (workspace, key) do update set request_hash = excluded.request_hash, state = 'RUNNING', reply = null, reply_id = null, created_at = excluded.created_at
      where idempotency_keys.created_at <= ${started - KEPT_MILLISECONDS}
        or (idempotency_keys.state = 'RUNNING' and idempotency_keys.created_at <= ${started - ABANDONED_MILLISECONDS} and idempotency_keys.request_hash = excluded.request_hash)
    returning key`)
  if (claimed.length === 0) {
    const stored = await find(db, workspace, idempotency.key)
    if (stored === undefined) throw new ApiError('IdempotencyInProgress')
    sameRequest(stored, idempotency)
    if (stored.state === 'RUNNING') throw new ApiError('IdempotencyInProgress')
    return stored.reply?.data ?? null
  }
  // Ours as long as nobody took it over as abandoned.
  const ours = sql`workspace = ${workspace} and key = ${idempotency.key} and state = 'RUNNING' and created_at = ${started}`
  let data: Json
  try {
    data = await work()
  } catch (error) {
    await db.query(sql`delete from idempotency_keys where ${ours}`)
    throw error
  }
  await store(
    db,
    sql`update idempotency_keys set state = 'DONE', reply = ${JSON.stringify({ data })}::jsonb where ${ours}`,
  )
  return data
}

/** The work is done, and its caller is told so even when the answer cannot be kept: the key then stays in progress, never free. */
async function store(db: Db, update: Query): Promise<void> {
  for (let attempt = 1; attempt <= STORE_ATTEMPTS; attempt += 1) {
    const stored = await db.query(update).then(
      () => true,
      () => false,
    )
    if (stored) return
    await new Promise((resolve) => {
      setTimeout(resolve, STORE_PAUSE_MILLISECONDS)
    })
  }
}

/** Deletes keys whose time is over, a slice at a time; answers how many. */
export async function forgetOldKeys(db: Db, clock: Clock): Promise<number> {
  let forgotten = 0
  for (;;) {
    const [slice] = await db.query<{ count: number }>(sql`
      with gone as (
        delete from idempotency_keys where (workspace, key) in (
          select workspace, key from idempotency_keys where created_at <= ${clock.now() - KEPT_MILLISECONDS} order by created_at limit ${FORGOTTEN_AT_ONCE}::int for update skip locked
        ) returning 1
      ) select count(*) as count from gone`)
    const count = slice?.count ?? 0
    forgotten += count
    if (count < FORGOTTEN_AT_ONCE) return forgotten
  }
}
