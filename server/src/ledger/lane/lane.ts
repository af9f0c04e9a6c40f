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
 * change. When the connection dies at COMMIT, this writer's own row shows under the lock whether it
 * had committed, whatever other processes have committed since. Limits: MAXIMUM_BATCH changes in a
 * batch, LONGEST_QUEUE waiting.
 */
import type { Caller } from '../../http/index.ts'
import type pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { mustExist } from '../../core/assert.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { tracingInUse } from '../../core/tracing.ts'
import type { SpanStart } from '../../core/tracing.ts'
import type { Waits } from '../../core/waits.ts'
import { callBeingServed } from '../../store/calls.ts'
import { NoAnswer } from '../../store/db.ts'
import type { Db, Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Acceptance, Change, Replay, Verdict } from '../changes.ts'
import { LaneConnections } from './connections.ts'
import { commitBatch } from './transaction.ts'
import type { Batch, BatchResult, FailurePoint, TransactionOptions } from './transaction.ts'
import { isKeyTaken } from './writes.ts'

export type Lane = {
  /**
   * Commits the change wholly or not at all, and answers its bookings with their sequence. Throws
   * the ApiError that refused it, or the database's error when its own rows could not be written.
   */
  commit(change: Change): Promise<Acceptance | Replay>
  /** Waits for what is queued and closes the connections. */
  close(): Promise<void>
}

type LaneOptions = {
  /** Why nothing may be changed now; undefined while nothing is against it. */
  fault?: () => string | undefined
  /** Called before each statement of a batch: where tests kill the backend. */
  probe?: (step: string) => Promise<void>
  /** SILENCE_MILLISECONDS when absent. */
  silence_ms?: number
  /** LONGEST_QUEUE when absent. */
  longest_queue?: number
  /** Of changes, from their coming to their verdict. */
  waits?: Waits
}

const MAXIMUM_BATCH = 512
/** Changes of one workspace that wait for their batch: what is booked in about two seconds. */
const LONGEST_QUEUE = 16_384
const QUEUE_RETRY_SECONDS = 2
const RECONNECT_ATTEMPTS = 60
/** Twice the server's lock_timeout is longer than it lets a paused process keep the lane. */
const LANE_WAITS = 2
/** How often the keys of a batch are read again because one was taken after they were read. */
const KEY_READS = 3
const RECONNECT_PAUSE_MILLISECONDS = 250
/**
 * A trip without an answer for longer than the server lets anyone wait for a lock means that the
 * connection is lost.
 */
const SILENCE_MILLISECONDS = 30_000

export function openLane(db: Db, clock: Clock, options: LaneOptions = {}): Lane {
  const writer = new OrderedWriter(db, {
    clock,
    silence_ms: options.silence_ms ?? SILENCE_MILLISECONDS,
    longest_queue: options.longest_queue ?? LONGEST_QUEUE,
    probe: options.probe,
    fault: options.fault,
    writer: newId(),
  })
  const { waits } = options
  const commit: Lane['commit'] = (asked) => {
    const call = callBeingServed()
    const change = call === undefined ? asked : { ...asked, call }
    return waits === undefined ? writer.commit(change) : waits.during(() => writer.commit(change))
  }
  const tracing = tracingInUse()
  return {
    commit:
      tracing === undefined
        ? commit
        : (change) => tracing.during(spanOf(change), () => commit(change)),
    close: () => writer.close(),
  }
}

const spanOf = ({ workspace, class: kind, events = [] }: Change): SpanStart => ({
  name: 'lane commit',
  attributes: {
    'kontor.workspace': workspace,
    'kontor.change': kind,
    'kontor.events': events.map(({ type }) => type).join(' '),
  },
})

type QueuedChange = {
  change: Change
  resolve(verdict: Acceptance | Replay): void
  reject(error: unknown): void
}

/** `replay`: nothing was committed, and a change may be to blame. */
type BatchOutcome =
  | { committed: true; verdicts: Verdict[] }
  | { committed: false; error: unknown; replay: boolean }

class OrderedWriter {
  readonly #db: Db
  readonly #connections: LaneConnections
  readonly #options: TransactionOptions
  readonly #longest: number
  readonly #queues = new Map<WorkspaceId, QueuedChange[]>()
  readonly #running = new Map<WorkspaceId, Promise<void>>()
  #closed = false

  constructor(db: Db, options: TransactionOptions & { longest_queue: number }) {
    this.#db = db
    this.#connections = new LaneConnections(db)
    this.#longest = options.longest_queue
    this.#options = options
  }

  commit(change: Change): Promise<Acceptance | Replay> {
    return new Promise((resolve, reject) => {
      if (this.#closed) return reject(new Error('the lane is closed'))
      const { workspace } = change
      const queued = { change, resolve, reject }
      const queue = this.#queues.get(workspace)
      if (change.class === 'command' && (queue?.length ?? 0) >= this.#longest)
        return reject(queueIsFull())
      if (queue === undefined) this.#queues.set(workspace, [queued])
      else queue.push(queued)
      if (!this.#running.has(workspace)) this.#running.set(workspace, this.#drain(workspace))
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#running.values())
    await this.#connections.close()
  }

  /** Commits batch after batch until the workspace's queue is empty. */
  async #drain(workspace: WorkspaceId): Promise<void> {
    // One turn of the event loop gathers the requests that arrived together.
    await new Promise(setImmediate)
    for (;;) {
      const batch = this.#queues.get(workspace)?.splice(0, MAXIMUM_BATCH) ?? []
      if (batch.length === 0) break
      try {
        await this.#commitQueued(workspace, batch)
      } catch (error) {
        // Whatever goes wrong in here, the next batch has its turn.
        for (const queued of batch) queued.reject(error)
      }
    }
    this.#queues.delete(workspace)
    this.#running.delete(workspace)
  }

  /** Answers every change of the batch. A batch that fails as a whole is replayed one by one. */
  async #commitQueued(workspace: WorkspaceId, batch: QueuedChange[]): Promise<void> {
    const changes = batch.map((queued) => queued.change)
    const outcome = await this.#commitDurably(workspace, changes)
    if (outcome.committed) {
      batch.forEach((queued, index) => {
        answer(queued, mustExist(outcome.verdicts[index], 'one verdict per change'))
      })
    } else if (batch.length === 1 || !outcome.replay) {
      for (const queued of batch) queued.reject(outcome.error)
    } else {
      for (const queued of batch) await this.#commitQueued(workspace, [queued])
    }
  }

  /**
   * Tries until the batch is committed or is known not to be. A batch is not replayed without a
   * server or the lane's lock, nor while it is unknown whether a COMMIT has happened.
   */
  async #commitDurably(workspace: WorkspaceId, changes: Change[]): Promise<BatchOutcome> {
    let lost: { commit_id: string; verdicts: Verdict[] } | undefined
    let failure: unknown
    let waits = 0
    let keyReads = 0
    for (let tries = 0; tries < RECONNECT_ATTEMPTS; tries += 1) {
      const client = await this.#connections.take().catch((error: unknown) => {
        failure = error
      })
      if (client === undefined) {
        if (lost === undefined) return { committed: false, error: failure, replay: false }
        await pause()
        continue
      }
      const commit_id = newId()
      const batch = { workspace, changes, commit_id, lost_commit_id: lost?.commit_id }
      const result = await this.#commitOver(client, batch)
      switch (result.outcome) {
        case 'committed':
          for (const hint of result.hints) this.#db.hint(hint)
          return { committed: true, verdicts: result.verdicts }
        case 'was committed': {
          const { verdicts } = mustExist(lost, 'only a lost commit can turn out committed')
          return { committed: true, verdicts }
        }
        case 'lost':
          lost = { commit_id, verdicts: result.verdicts }
          break
        case 'failed':
          // Read again, the key refuses its own change and no other.
          if (isKeyTaken(result.error) && keyReads++ < KEY_READS) break
          if (isReplayable(result.reached, lost !== undefined))
            return { committed: false, error: result.error, replay: true }
          if (lost !== undefined) await pause()
          else if (++waits === LANE_WAITS)
            return { committed: false, error: result.error, replay: false }
          break
        case 'dead':
          // A server that has just become a standby refuses at once.
          if (lost !== undefined || tries > 2) await pause()
          break
      }
      failure = result.error
    }
    const error =
      lost === undefined ? failure : new NoAnswer('a commit was not answered', { cause: failure })
    return { committed: false, error, replay: false }
  }

  async #commitOver(client: pg.Client, batch: Batch): Promise<BatchResult> {
    let result: BatchResult | undefined
    try {
      result = await commitBatch(client, batch, this.#options)
      return result
    } finally {
      const broken = result === undefined || result.outcome === 'lost' || result.outcome === 'dead'
      this.#connections.give(client, broken)
    }
  }
}

/**
 * Only for commands, whose caller can ask again: a fact has happened, and the tasks that report
 * facts are few.
 */
const queueIsFull = (): ApiError =>
  new ApiError(
    'RateLimited',
    'the queue of this workspace is full; nothing was changed',
    [],
    QUEUE_RETRY_SECONDS,
  )

/** Under the lane's lock, and once it is known what has become of a lost COMMIT. */
const isReplayable = (reached: FailurePoint, lost: boolean): boolean =>
  reached === 'decided' || (reached === 'lock' && !lost)

function answer(queued: QueuedChange, verdict: Verdict): void {
  if (verdict.verdict === 'refused') queued.reject(verdict.error)
  else queued.resolve(verdict)
}

function pause(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, RECONNECT_PAUSE_MILLISECONDS)
  })
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

type Asking = Pick<Caller, 'idempotency' | 'api_key' | 'judged_by'>

/** What a change carries of its caller: the program, and by what a repeat is recognised. */
export function askedBy(
  { idempotency, api_key, judged_by }: Asking,
  reply: NonNullable<Change['idempotency']>['reply'],
): Pick<Change, 'idempotency' | 'api_key' | 'judged_by'> {
  return {
    ...(judged_by === undefined ? {} : { judged_by }),
    ...(api_key === undefined ? {} : { api_key: { id: api_key.id } }),
    ...(idempotency === undefined ? {} : { idempotency: { ...idempotency, reply } }),
  }
}

/**
 * Commits the change and answers `data`. A repeat under the caller's key changes nothing and gets
 * the answer of the first time.
 */
export async function commitWithReply<Data>(
  lane: Lane,
  caller: Asking,
  change: Change,
  data: Data,
): Promise<Data> {
  const reply = { data } as { data: never }
  const committed = await lane.commit({ ...change, ...askedBy(caller, reply) })
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Data)
    : data
}
