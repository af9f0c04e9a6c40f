/**
 * The lane: the one ordered way in for money. Changes queue in memory per workspace; the next batch
 * is what queued while the previous one was in flight. A batch is one transaction of two round
 * trips:
 *
 *   1. lock the lane row, then read what the changes touch (separate statements: each sees what was
 *      committed before the lock was granted);
 *   2. write what the fold accepted, and commit.
 *
 * A refused change does not disturb the others. A batch that fails as a whole is replayed change by
 * change. When the connection dies at COMMIT, this writer's own row tells under the lock whether it
 * had committed, whatever other processes have committed since. Limits: MAXIMUM_BATCH changes.
 */
import type { Duplex } from 'node:stream'
import type pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { mustExist } from '../../core/assert.ts'
import type { Db, Reader } from '../../store/db.ts'
import { sql, statement } from '../../store/sql.ts'
import type { Query, Statement } from '../../store/sql.ts'
import { chainHash } from './chain.ts'
import { openEventHints } from '../events.ts'
import { fold } from './fold.ts'
import type { Accepted, Change, Replayed, Verdict } from '../changes.ts'
import { laneStatements, lastCommitOf, loadBooks } from './reads.ts'
import { writeStatements } from './writes.ts'

export type Lane = {
  /**
   * Commits the change wholly or not at all, and answers its bookings with their sequence. Throws
   * the ApiError that refused it, or the database's error when its own rows could not be written.
   */
  commit(change: Change): Promise<Accepted | Replayed>
  /** Waits for what is queued and closes the connections. */
  close(): Promise<void>
}

export type LaneOptions = {
  /** Domain time to forget idempotency keys after. */
  key_lifetime_ms: number
  /** Called before each statement of a batch: where tests kill the backend. */
  probe?: (step: string) => Promise<void>
  /** SILENCE_MILLISECONDS when absent. */
  silence_ms?: number
}

const MAXIMUM_BATCH = 512
const RECONNECT_ATTEMPTS = 60
/** Twice the server's lock_timeout is longer than it lets a paused process keep the lane. */
const LANE_WAITS = 2
const RECONNECT_PAUSE_MILLISECONDS = 250
const KEPT_CONNECTIONS = 2
/**
 * A trip without an answer for longer than the server lets anyone wait for a lock means that the
 * connection is lost.
 */
const SILENCE_MILLISECONDS = 30_000
/** At once, over all workspaces of this process. */
const MAXIMUM_CONNECTIONS = 8

type Waiting = {
  change: Change
  resolve(verdict: Accepted | Replayed): void
  reject(error: unknown): void
}

export function openLane(db: Db, clock: Clock, options: LaneOptions): Lane {
  const { silence_ms = SILENCE_MILLISECONDS } = options
  const queues = new Map<string, Waiting[]>()
  const running = new Map<string, Promise<void>>()
  const connections: pg.Client[] = []
  const writer = newId()
  const hints = openEventHints(db)
  /** Connections in use, and the workspaces that wait for one, first come first served. */
  let busy = 0
  const turns: (() => void)[] = []
  let closed = false

  const take = async (): Promise<pg.Client> => {
    if (busy < MAXIMUM_CONNECTIONS) busy += 1
    else
      await new Promise<void>((resolve) => {
        turns.push(resolve)
      })
    const kept = connections.pop()
    if (kept !== undefined) return kept
    try {
      const client = await db.connect({ pipeline: true })
      // A connection that dies between batches is noticed by the next query on it.
      client.on('error', () => undefined)
      await client.query('set plan_cache_mode = force_generic_plan')
      return client
    } catch (error) {
      passOn()
      throw error
    }
  }
  const give = (client: pg.Client, broken: boolean) => {
    if (broken || closed || connections.length >= KEPT_CONNECTIONS)
      void client.end().catch(() => undefined)
    else connections.push(client)
    passOn()
  }
  const passOn = () => {
    const next = turns.shift()
    if (next === undefined) busy -= 1
    else next()
  }

  const run = async (workspace: WorkspaceId): Promise<void> => {
    // One turn of the event loop gathers the requests that arrived together.
    await new Promise(setImmediate)
    for (;;) {
      const queue = queues.get(workspace)
      const batch = queue?.splice(0, MAXIMUM_BATCH) ?? []
      if (batch.length === 0) break
      try {
        await commitBatch(workspace, batch)
      } catch (error) {
        // Whatever goes wrong in here, the next batch has its turn.
        for (const waiting of batch) waiting.reject(error)
      }
    }
    queues.delete(workspace)
    running.delete(workspace)
  }

  const commitBatch = async (workspace: WorkspaceId, batch: Waiting[]): Promise<void> => {
    const outcome = await attempt(
      workspace,
      batch.map((waiting) => waiting.change),
    )
    if (outcome.committed) {
      batch.forEach((waiting, index) => {
        settle(waiting, mustExist(outcome.verdicts[index], 'one verdict per change'))
      })
    } else if (batch.length === 1 || !outcome.replay) {
      for (const waiting of batch) waiting.reject(outcome.error)
    } else {
      for (const waiting of batch) await commitBatch(workspace, [waiting])
    }
  }

  type Outcome =
    | { committed: true; verdicts: Verdict[] }
    | { committed: false; error: unknown; replay: boolean }

  /**
   * `replay`: nothing was committed and a change may be to blame. Not so without a server or the
   * lane's lock, nor while a COMMIT's fate is unknown.
   */
  const attempt = async (workspace: WorkspaceId, changes: Change[]): Promise<Outcome> => {
    let lost: { commit_id: string; verdicts: Verdict[] } | undefined
    let failure: unknown
    let waits = 0
    for (let tries = 0; tries < RECONNECT_ATTEMPTS; tries += 1) {
      let client: pg.Client
      try {
        client = await take()
      } catch (error) {
        failure = error
        if (lost === undefined) return { committed: false, error, replay: false }
        await pause()
        continue
      }
      const commit_id = newId()
      let result: Result | undefined
      try {
        result = await transact(client, workspace, changes, commit_id, lost?.commit_id)
      } finally {
        give(client, result === undefined || result.outcome === 'lost' || result.outcome === 'dead')
      }
      if (result.outcome === 'committed') return { committed: true, verdicts: result.verdicts }
      if (result.outcome === 'was committed')
        return {
          committed: true,
          verdicts: mustExist(lost, 'only a lost commit can turn out committed').verdicts,
        }
      failure = result.error
      if (result.outcome === 'failed') {
        if (result.reached === 'look' || (result.reached === 'lock' && lost === undefined))
          return { committed: false, error: failure, replay: true }
        if (lost !== undefined) await pause()
        else if (++waits === LANE_WAITS) return { committed: false, error: failure, replay: false }
      }
      // Dead before COMMIT was sent: nothing happened, the batch is tried anew on a fresh
      // connection.
      if (result.outcome === 'lost') lost = { commit_id, verdicts: result.verdicts }
    }
    return { committed: false, error: failure, replay: false }
  }

  const pause = () =>
    new Promise((resolve) => {
      setTimeout(resolve, RECONNECT_PAUSE_MILLISECONDS)
    })

  /**
   * start: the lane was not locked, so no change is to blame; lock: it was; look: and it is known
   * whether a lost COMMIT had happened.
   */
  type Reached = 'start' | 'lock' | 'look'

  type Result =
    | { outcome: 'committed'; verdicts: Verdict[] }
    | { outcome: 'was committed' }
    | { outcome: 'failed'; error: unknown; reached: Reached }
    | { outcome: 'dead'; error: unknown }
    | { outcome: 'lost'; verdicts: Verdict[]; error: unknown }

  const transact = async (
    client: pg.Client,
    workspace: WorkspaceId,
    changes: Change[],
    commit_id: string,
    lost: string | undefined,
  ): Promise<Result> => {
    let reads: Statement[]
    try {
      const asked = lost === undefined ? [] : [lastCommitOf(workspace, writer)]
      reads = [BEGIN, ...laneStatements(workspace, changes), ...asked].map(statement)
    } catch (error) {
      return { outcome: 'failed', error, reached: 'lock' }
    }
    const read = await pipeline(client, reads, 'read')
    if (read.error !== undefined)
      return giveUp(client, read.error, read.rows[1]?.length === 1 ? 'lock' : 'start')
    let verdicts: Verdict[]
    let statements: Statement[]
    let first_event = 0
    let last_event = 0
    try {
      if (lost !== undefined) {
        const [last] = read.rows.pop() as { last_commit_id: string }[]
        if (last?.last_commit_id === lost) {
          await client.query('rollback').catch(() => undefined)
          return { outcome: 'was committed' }
        }
      }
      const { books, lane } = loadBooks(
        read.rows.slice(1),
        workspace,
        changes,
        clock,
        options.key_lifetime_ms,
      )
      const folded = fold(books, changes)
      verdicts = folded.verdicts
      if (folded.writes.accepted.length === 0) {
        await client.query('rollback').catch(() => undefined)
        return { outcome: 'committed', verdicts }
      }
      first_event = lane.event_sequence
      last_event = books.event_sequence
      const { bookings } = folded.writes
      const chained =
        bookings.length === 0
          ? undefined
          : {
              batch_no: lane.batch_no + 1,
              previous_hash: lane.last_hash,
              hash: chainHash(lane.last_hash, bookings),
            }
      statements = [
        ...writeStatements(workspace, books, lane, folded.writes, chained, { writer, commit_id }),
        COMMIT,
      ].map(statement)
    } catch (error) {
      return giveUp(client, error, 'look')
    }
    const written = await pipeline(client, statements, 'write')
    if (written.error === undefined && written.tag === 'COMMIT') {
      if (last_event > first_event) hints.tell(workspace, last_event)
      return { outcome: 'committed', verdicts }
    }
    if (isDead(client, written.error)) return { outcome: 'lost', verdicts, error: written.error }
    return giveUp(
      client,
      written.error ?? new Error(`transaction ended with ${written.tag}`),
      'look',
    )
  }

  const giveUp = async (client: pg.Client, error: unknown, reached: Reached): Promise<Result> => {
    if (isDead(client, error)) return { outcome: 'dead', error }
    try {
      await client.query('rollback')
      return { outcome: 'failed', error, reached }
    } catch {
      return { outcome: 'dead', error }
    }
  }

  const pipeline = async (
    client: pg.Client,
    statements: Statement[],
    trip: string,
  ): Promise<{ rows: unknown[][]; tag: string; error: unknown }> => {
    if (options.probe !== undefined) {
      // Statement by statement, so that a test can stop between any two.
      const rows: unknown[][] = []
      let tag = ''
      for (const [index, each] of statements.entries()) {
        await options.probe(`${trip} ${index}`)
        try {
          const result = await client.query(each)
          rows.push(result.rows as unknown[])
          tag = result.command
        } catch (error) {
          return { rows, tag, error }
        }
      }
      return { rows, tag, error: undefined }
    }
    const { stream } = (client as unknown as { connection: { stream: Duplex } }).connection
    stream.cork()
    const sent = statements.map((statement) => client.query(statement))
    stream.uncork()
    const watchdog = setTimeout(() => {
      stream.destroy(new Error(`the database has not answered for ${silence_ms} ms`))
    }, silence_ms)
    const settled = await Promise.allSettled(sent)
    clearTimeout(watchdog)
    // The first failure is the cause; the rest only say that the transaction was already aborted.
    const failed = settled.find((result) => result.status === 'rejected')
    const rows = settled.map((result) =>
      result.status === 'fulfilled' ? (result.value.rows as unknown[]) : [],
    )
    const last = settled.at(-1)
    return {
      rows,
      tag: last?.status === 'fulfilled' ? last.value.command : '',
      error: failed?.reason,
    }
  }

  return {
    commit: (change) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error('the lane is closed'))
        const waiting = { change, resolve, reject }
        const queue = queues.get(change.workspace)
        if (queue === undefined) queues.set(change.workspace, [waiting])
        else queue.push(waiting)
        if (!running.has(change.workspace)) running.set(change.workspace, run(change.workspace))
      }),
    async close() {
      closed = true
      await Promise.all(running.values())
      await hints.close()
      await Promise.all(connections.map((client) => client.end()))
    },
  }
}

const WRITER_KEPT_MILLISECONDS = 86_400_000

/**
 * Forgets the writers of processes long gone; answers how many. One that still looks for its COMMIT
 * gave up long before.
 */
export async function forgetOldWriters(reader: Reader, clock: Clock): Promise<number> {
  return (
    await reader.query(
      sql`
        delete from lane_writers
        where committed_at < ${clock.now() - WRITER_KEPT_MILLISECONDS}
        returning 1`,
    )
  ).length
}

const BEGIN: Query = { strings: ['begin'], values: [] }
const COMMIT: Query = { strings: ['commit'], values: [] }

function settle(waiting: Waiting, verdict: Verdict): void {
  if (verdict.verdict === 'refused') waiting.reject(verdict.error)
  else waiting.resolve(verdict)
}

function isDead(client: pg.Client, error: unknown): boolean {
  const { _queryable, _ended } = client as unknown as { _queryable: boolean; _ended: boolean }
  if (!_queryable || _ended) return true
  const code = (error as { code?: unknown } | undefined)?.code
  // 57P01–57P03: the server is going away under this session.
  return typeof code === 'string' && /^(57P0[1-3]|08)/.test(code)
}
