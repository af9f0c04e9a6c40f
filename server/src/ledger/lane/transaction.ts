/**
 * One batch as one transaction of two round trips, in four phases:
 *
 *   read     lock the lane's row and read what the changes touch (separate statements: each sees
 *            what was committed before the lock was granted)
 *   decide   after a lost COMMIT: whether it had happened; then fold the changes
 *   write    what the fold accepted, and COMMIT
 *   give up  roll back, and say how far the transaction had come
 */
import type pg from 'pg'
import type { Clock } from '../../core/clock.ts'
import { ApiError } from '../../core/errors.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Hint } from '../../store/hints.ts'
import { statement } from '../../store/sql.ts'
import type { Query, Statement } from '../../store/sql.ts'
import { taskHint } from '../../store/tasks.ts'
import type { Change, Verdict } from '../changes.ts'
import { eventHint } from '../events.ts'
import { linkToChain } from './chain.ts'
import { fold } from './fold.ts'
import { laneStatements, loadBooks, readLastCommit } from './reads.ts'
import { isConnectionDead, makeRoundTrip } from './round-trip.ts'
import type { RoundTripOptions } from './round-trip.ts'
import { writeStatements } from './writes.ts'

export type Batch = {
  workspace: WorkspaceId
  changes: readonly Change[]
  /** Names this try in the writer's row, so that a lost COMMIT can be looked up. */
  commit_id: string
  /** The try whose COMMIT was not answered. */
  lost_commit_id: string | undefined
}

/**
 * How far a failed transaction had come. `start`: the lane was not locked, so no change is to
 * blame. `lock`: it was locked. `decided`: it was also known whether a lost COMMIT had happened.
 */
export type FailurePoint = 'start' | 'lock' | 'decided'

export type BatchResult =
  | { outcome: 'committed'; verdicts: Verdict[]; hints: Hint[] }
  | { outcome: 'was committed' }
  | { outcome: 'failed'; error: unknown; reached: FailurePoint }
  /** The connection died before COMMIT was sent: nothing has happened. */
  | { outcome: 'dead'; error: unknown }
  /** The connection died at COMMIT: it may have happened. */
  | { outcome: 'lost'; verdicts: Verdict[]; error: unknown }

export type TransactionOptions = RoundTripOptions & {
  clock: Clock
  /** Why nothing may be changed now, asked under the lock. */
  fault?: (() => string | undefined) | undefined
  /** This process in the table of writers. */
  writer: string
}

const FAULT_RETRY_SECONDS = 30

/** This process may change nothing now. */
class LaneFault extends Error {
  readonly reason: ApiError

  constructor(reason: ApiError) {
    super(reason.message)
    this.reason = reason
  }
}

const BEGIN: Query = { strings: ['begin'], values: [] }
const COMMIT: Query = { strings: ['commit'], values: [] }

type Decision =
  | BatchResult
  | {
      outcome: 'write'
      statements: Statement[]
      verdicts: Verdict[]
      hints: Hint[]
    }

export async function commitBatch(
  client: pg.Client,
  batch: Batch,
  options: TransactionOptions,
): Promise<BatchResult> {
  let reads: Statement[]
  try {
    reads = readStatements(batch, options)
  } catch (error) {
    return { outcome: 'failed', error, reached: 'lock' }
  }
  const read = await makeRoundTrip(client, reads, 'read', options)
  if (read.error !== undefined)
    return giveUp(client, read.error, read.rows[1]?.length === 1 ? 'lock' : 'start')
  let decision: Decision
  try {
    decision = await decide(client, batch, read.rows, options)
  } catch (error) {
    // No change is to blame: trying each alone would only hold the lane for longer.
    if (error instanceof LaneFault) return giveUp(client, error.reason, 'start')
    return giveUp(client, error, 'decided')
  }
  if (decision.outcome !== 'write') return decision
  const { statements, verdicts, hints } = decision
  const { error, tag } = await makeRoundTrip(client, statements, 'write', options)
  if (error === undefined && tag === 'COMMIT') return { outcome: 'committed', verdicts, hints }
  if (isConnectionDead(client, error)) return { outcome: 'lost', verdicts, error }
  return giveUp(client, error ?? new Error(`transaction ended with ${tag}`), 'decided')
}

function readStatements(batch: Batch, { clock, writer }: TransactionOptions): Statement[] {
  const lookup = batch.lost_commit_id === undefined ? [] : [readLastCommit(batch.workspace, writer)]
  const { workspace, changes } = batch
  return [BEGIN, ...laneStatements(workspace, changes, clock.now()), ...lookup].map(statement)
}

async function decide(
  client: pg.Client,
  batch: Batch,
  rows: unknown[][],
  { clock, fault, writer }: TransactionOptions,
): Promise<Decision> {
  const { workspace, changes, commit_id, lost_commit_id } = batch
  if (lost_commit_id !== undefined) {
    const [last] = rows.pop() as { last_commit_id: string }[]
    if (last?.last_commit_id === lost_commit_id) {
      await rollBack(client)
      return { outcome: 'was committed' }
    }
  }
  const reason = fault?.()
  if (reason !== undefined)
    throw new LaneFault(new ApiError('Busy', reason, [], FAULT_RETRY_SECONDS))
  const { books, lane } = loadBooks(rows.slice(1), { workspace, changes, clock })
  const { verdicts, writes } = fold(books, changes)
  if (writes.accepted.length === 0) {
    await rollBack(client)
    return { outcome: 'committed', verdicts, hints: [] }
  }
  const link = linkToChain(lane, writes.bookings)
  const queries = writeStatements({ workspace, books, lane, link, writer, commit_id }, writes)
  const tasks = writes.accepted.flatMap((change) => change.tasks ?? [])
  const hints = [
    ...(books.event_sequence > lane.event_sequence
      ? [eventHint(workspace, books.event_sequence)]
      : []),
    ...(tasks.length === 0 ? [] : [taskHint(tasks)]),
  ]
  return {
    outcome: 'write',
    statements: [...queries, COMMIT].map(statement),
    verdicts,
    hints,
  }
}

async function rollBack(client: pg.Client): Promise<void> {
  // A connection that dies here is noticed by the next query on it; nothing was written.
  await client.query('rollback').catch(() => undefined)
}

async function giveUp(
  client: pg.Client,
  error: unknown,
  reached: FailurePoint,
): Promise<BatchResult> {
  if (isConnectionDead(client, error)) return { outcome: 'dead', error }
  try {
    await client.query('rollback')
    return { outcome: 'failed', error, reached }
  } catch {
    return { outcome: 'dead', error }
  }
}
