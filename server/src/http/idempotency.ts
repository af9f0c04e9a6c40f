/**
 * Repeats of a request that carries an Idempotency-Key. A successful answer is stored with the hash
 * of the request and replayed for 24 hours; a refusal is not stored. The lane stores its own keys
 * in the same table (ledger/lane/writes.ts).
 *
 * A key that is there counts, whatever any process takes for the time: a key ends by being deleted,
 * by the database's clock.
 */
import { createHmac, hash } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { ApiError, refuse } from '../core/errors.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { canonicalJson } from '../core/json.ts'
import type { Json } from '../core/json.ts'
import { move, statesOf } from '../core/moves.ts'
import type { Moves } from '../core/moves.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { insertRow, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { stateIn } from '../store/states.ts'
import type { Caller, Idempotency } from './caller.ts'
import { closed, id, nullable, oneOf, text, Type } from './shapes.ts'
import type { Static } from './shapes.ts'

/** After this time a request that never finished counts as dead, and may be repeated. */
const ABANDONED_SECONDS = 120
const STORE_ATTEMPTS = 5
const STORE_PAUSE_MILLISECONDS = 100
const KEYED = Buffer.from([1])
const KEY = /^[\x21-\x7e]{1,128}$/

type Requested = { method: string; url: string; body: Json }

/**
 * `request_key`: without it who reads the table could guess what was asked, an amount at a time.
 */
export function idempotencyOf(
  header: string | string[] | undefined,
  { method, url, body }: Requested,
  request_key: KeyObject | undefined,
): Idempotency | undefined {
  if (header === undefined) return undefined
  if (typeof header !== 'string' || !KEY.test(header))
    throw refuse(
      'FORMAT',
      'Idempotency-Key',
      'Idempotency-Key is 1 to 128 visible ASCII characters',
    )
  const plain = hash('sha256', `${method} ${url}\n${canonicalJson(body)}`, 'buffer')
  if (request_key === undefined) return { key: header, request_hash: plain }
  return { key: header, request_hash: keyedHash(request_key, plain), former_hash: plain }
}

/**
 * A byte longer than the hash of before, so that none is taken for the other. Of plain bytes each
 * HMAC would make a key anew, which takes four times as long.
 */
const keyedHash = (request_key: KeyObject, plain: Buffer): Buffer =>
  Buffer.concat([KEYED, createHmac('sha256', request_key).update(plain).digest()])

/** Whether a request is the one whose hash is stored. */
export const isSameRequest = (
  stored: Buffer,
  { request_hash, former_hash }: Pick<Idempotency, 'request_hash' | 'former_hash'>,
): boolean =>
  stored.equals(request_hash) || (former_hash !== undefined && stored.equals(former_hash))

type KeyState = 'RUNNING' | 'DONE'
type KeyMoves = Moves<KeyState>

/** Internal, and so not among the state tables that docs/generated shows. */
const KEY_MOVES: KeyMoves = { RUNNING: ['DONE'], DONE: [] }

/** A key as it is stored. The API does not show it. */
const KeyRow = closed({
  workspace: id<WorkspaceId>(),
  key: text(128),
  request_hash: Type.Unsafe<Buffer>({ 'x-column': 'bytea' }),
  state: oneOf(statesOf(KEY_MOVES)),
  reply: nullable(Type.Unsafe<{ data: Json }>({ type: 'object' })),
  reply_id: nullable(id()),
})
type StoredKey = Omit<Static<typeof KeyRow>, 'workspace' | 'key'>

const KEYS = tableOf('idempotency_keys', KeyRow)

/** The table says by itself when a key was stored. */
const UNSTAMPED = { by: null, now: 0 }

type App = { db: Db }

/** By what a repeat is recognised. */
export type Repeatable = Pick<Caller, 'workspace' | 'idempotency'>

async function findKey(
  reader: Reader,
  workspace: WorkspaceId,
  key: string,
): Promise<StoredKey | undefined> {
  const [stored] = await reader.query<StoredKey>(sql`
    select request_hash, state, reply, reply_id
    from idempotency_keys
    where workspace = ${workspace} and key = ${key}`)
  return stored
}

function assertSameRequest(stored: StoredKey, idempotency: Idempotency): void {
  if (!isSameRequest(stored.request_hash, idempotency)) throw new ApiError('IdempotencyConflict')
}

/** The answer to a repeat. Throws for another request, and while the first is running. */
function replayOf(stored: StoredKey, idempotency: Idempotency): Json {
  assertSameRequest(stored, idempotency)
  if (stored.state === 'RUNNING') throw new ApiError('IdempotencyInProgress')
  return stored.reply?.data ?? null
}

/**
 * Stores the key in this state, over an older one only where `mayReplace` holds. Answers since when
 * it is there, by which its owner knows it again.
 */
function putKey(
  row: Omit<Static<typeof KeyRow>, 'reply' | 'reply_id'> & { reply?: { data: Json } },
  mayReplace: Query,
): Query {
  return sql`
    ${insertRow(KEYS, row, UNSTAMPED)}
    on conflict (workspace, key) do update
    set request_hash = excluded.request_hash,
      state = excluded.state,
      reply = excluded.reply,
      reply_id = null,
      stored_at = excluded.stored_at
    where ${mayReplace}
    returning stored_at::text as since`
}

/** Runs `work` in one transaction together with the key, or answers what it answered before. */
export async function onceInTransaction(
  { db }: App,
  { workspace, idempotency }: Repeatable,
  work: (tx: Tx) => Promise<Json>,
): Promise<Json> {
  if (idempotency === undefined) return db.tx(work)
  return db.tx(async (tx) => {
    const locked = `${workspace} ${idempotency.key}`
    const [lock] = await tx.query<{ free: boolean }>(
      sql`select pg_try_advisory_xact_lock(hashtextextended(${locked}, 0)) as free`,
    )
    if (lock?.free !== true) throw new ApiError('IdempotencyInProgress')
    const stored = await findKey(tx, workspace, idempotency.key)
    if (stored !== undefined) return replayOf(stored, idempotency)
    const data = await work(tx)
    const kept = await tx.query(
      putKey({ workspace, ...storedOf(idempotency), state: 'DONE', reply: { data } }, sql`false`),
    )
    // Meanwhile a request that does not take this lock (in steps, or through the lane) used the
    // key.
    if (kept.length === 0) throw new ApiError('IdempotencyConflict')
    return data
  })
}

/**
 * For work that stores the key itself, with what it commits: a repeat gets the first answer,
 * although the checks would refuse it by now. Throws like any repeat when the key was used for
 * another request.
 */
export async function withIdempotentReplay<T>(
  app: App,
  workspace: WorkspaceId,
  idempotency: Idempotency | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const stored =
      error instanceof ApiError
        ? (await storedAnswer(app.db, workspace, idempotency))?.reply?.data
        : undefined
    if (stored === undefined) throw error
    return stored as T
  }
}

/** The id of the booking that the request was answered with before. */
export async function storedReplyId(
  reader: Reader,
  workspace: WorkspaceId,
  idempotency: Idempotency | undefined,
): Promise<string | undefined> {
  return (await storedAnswer(reader, workspace, idempotency))?.reply_id ?? undefined
}

/** A repeat of what was done: its answer is the first one. */
export const isAnswered = async (
  reader: Reader,
  { workspace, idempotency }: Repeatable,
): Promise<boolean> => (await storedAnswer(reader, workspace, idempotency)) !== undefined

async function storedAnswer(
  reader: Reader,
  workspace: WorkspaceId,
  idempotency: Idempotency | undefined,
): Promise<StoredKey | undefined> {
  if (idempotency === undefined) return undefined
  const stored = await findKey(reader, workspace, idempotency.key)
  if (stored === undefined || stored.state === 'RUNNING') return undefined
  assertSameRequest(stored, idempotency)
  return stored
}

/**
 * For work of several steps: the key is stored as running first, and with the answer at the end.
 */
export async function onceInSteps(
  { db }: App,
  { workspace, idempotency }: Repeatable,
  work: () => Promise<Json>,
): Promise<Json> {
  if (idempotency === undefined) return work()
  const [claim] = await db.query<{ since: string }>(
    putKey({ workspace, ...storedOf(idempotency), state: 'RUNNING' }, isAbandoned(idempotency)),
  )
  if (claim === undefined) {
    const stored = await findKey(db, workspace, idempotency.key)
    if (stored === undefined) throw new ApiError('IdempotencyInProgress')
    return replayOf(stored, idempotency)
  }
  // The key is ours as long as no other request took it over as abandoned.
  const ours = sql`
    workspace = ${workspace}
      and key = ${idempotency.key}
      and stored_at = ${claim.since}::timestamptz`
  let data: Json
  try {
    data = await work()
  } catch (error) {
    await db.query(sql`
      delete from idempotency_keys
      where ${ours} and ${stateIn(KEY_MOVES, 'RUNNING')}`)
    throw error
  }
  await store(
    db,
    updateRow(KEYS, {
      where: ours,
      move: move(KEY_MOVES, 'RUNNING', 'DONE'),
      set: { reply: { data } },
      ...UNSTAMPED,
    }),
  )
  return data
}

const storedOf = ({ key, request_hash }: Idempotency) => ({ key, request_hash })

/** An earlier run of the same request, whose process counts as dead. */
const isAbandoned = ({ request_hash, former_hash = request_hash }: Idempotency): Query => sql`
  ${stateIn(KEY_MOVES, 'RUNNING', 'idempotency_keys.state')}
    and idempotency_keys.stored_at <= now() - make_interval(secs => ${ABANDONED_SECONDS})
    and idempotency_keys.request_hash in (${request_hash}, ${former_hash})`

/**
 * The work is done, and its caller hears so even when the answer cannot be stored: the key then
 * stays in progress, never free.
 */
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
