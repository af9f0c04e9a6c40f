/**
 * One transaction's way to its venue, with all the withdrawals that it pays, worked off by one task that no two processes run at a time.
 *
 *   not sent   → wait while a halt is set or its account frozen → store that it is being sent (commit) → call the venue → record the answer
 *   maybe sent → ask the venue for our reference: found is recorded, only `absent` allows sending again
 *   sent       → ask until the venue's state is final
 *
 * A process may die between any two steps: the next one starts from what is stored. Between every two awaits stands a
 * failpoint, so that a test can let it die exactly there.
 */
import { withFailpoints } from '../../core/failpoint.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { retryOnStale, waitReason } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { TaskHandler, TaskResult } from '../../store/tasks.ts'
import { isUnreachable } from '../../venues/index.ts'
import type {
  Lookup,
  Outcome,
  Transfers,
  TransferLookup,
  TransferReport,
} from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { recordAbsent, recordRefusal, recordReport, recordUnknown } from './outcome.ts'
import { orderOf, transactionOf } from './shared-transaction.ts'
import type { Together } from './shared-transaction.ts'
import { withdrawalRow, WITHDRAWAL_ROW_COLUMNS } from './withdrawals.ts'
import type { WithdrawalRow } from './withdrawals.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** Longer than this after the intent was stored a process does not start the call any more: another may be asking already. */
const SEND_WITHIN_MILLISECONDS = 3_000
/** So long after the intent `absent` is believed: a call that began in time has reached the venue or never will. */
const ABSENT_AFTER_MILLISECONDS = 10_000
const POLL_FIRST_MILLISECONDS = 500
const POLL_LONGEST_MILLISECONDS = 15_000
const FIND_LONGEST_MILLISECONDS = 60_000
/** Old ones are asked about at most so often in all, however many of a venue are under way; what changes there, reading what leaves it tells. */
const POLL_APART_MILLISECONDS = 25
const COUNTED_AGAIN_MILLISECONDS = 5_000
const RETRY_MILLISECONDS = 2_000
/** Venue references of other withdrawals of this time are told to the adapter as claimed. */
const CLAIMED_MILLISECONDS = 3 * 86_400_000
const MAXIMUM_CLAIMED = 10_000

/** The steps of sending, in order; each has a failpoint before and after it. */
const SENDING_STEPS = [
  'load',
  'connect',
  'intent',
  'send',
  'record',
  'claimed',
  'find',
  'follow',
] as const

/** Subject: the first withdrawal of the transaction. One that was canceled before it left is no part of it any more. */
export const withdrawalTask = (app: TreasuryApp): TaskHandler => {
  const underwayAt = counting(app)
  return async ({ workspace, subject_id }) => work(app, workspace, subject_id, underwayAt)
}

async function work(
  app: TreasuryApp,
  workspace: WorkspaceId,
  subject_id: string,
  underwayAt: Counting,
): Promise<TaskResult> {
  const rows = liveOf(
    await step('load', subject_id, async () =>
      transactionOf(app.db, await withdrawalRow(app.db, workspace, subject_id)),
    ),
  )
  // What was made outside is never sent from here; how it goes is read with all that leaves the venue.
  if (rows === undefined || rows[0].origin === 'EXTERNAL') return 'done'
  const [{ venue_id, submitted_at }] = rows
  const { adapter } = await step('connect', subject_id, () =>
    app.venues.connected(workspace, venue_id),
  )
  const { transfers } = adapter
  if (transfers === undefined) throw new Error(`venue ${venue_id} makes no transfers any more`)
  return submitted_at === null
    ? send(app, transfers, rows)
    : follow(app, transfers, rows, submitted_at, underwayAt)
}

type Counting = (workspace: WorkspaceId, venue_id: string) => Promise<number>

/** How many are under way at a venue, counted anew when older than five seconds. */
function counting(app: TreasuryApp): Counting {
  const known = new Map<string, { at: number; count: number }>()
  return async (workspace, venue_id) => {
    const before = known.get(venue_id)
    if (before !== undefined && performance.now() - before.at < COUNTED_AGAIN_MILLISECONDS)
      return before.count
    const [row] = await app.db.query<{ count: number }>(
      sql`select count(*) as count from withdrawals where workspace = ${workspace} and venue_id = ${venue_id} and state = any(${[...LIVE_STATES]})`,
    )
    const count = row?.count ?? 0
    known.set(venue_id, { at: performance.now(), count })
    return count
  }
}

const step = <T>(
  name: (typeof SENDING_STEPS)[number],
  subject: string,
  work: () => Promise<T>,
): Promise<T> => withFailpoints(`withdrawal.${name}`, subject, work)

/** Those that have not ended; they are sent together and end together. */
function liveOf(rows: readonly WithdrawalRow[]): Together | undefined {
  const [first, ...further] = rows.filter((row) => !isFinal(WITHDRAWAL_MOVES, row.state))
  return first === undefined ? undefined : [first, ...further]
}

async function send(app: TreasuryApp, transfers: Transfers, rows: Together): Promise<TaskResult> {
  const started = performance.now()
  const subject = rows[0].external_id
  const submitted_at = await step('intent', subject, async () =>
    (await mustWait(app, rows)) ? undefined : intend(app, rows),
  )
  if (submitted_at === undefined) return { again_at: app.clock.now() + RETRY_MILLISECONDS }
  if (performance.now() - started > SEND_WITHIN_MILLISECONDS)
    return { again_at: app.clock.now() + RETRY_MILLISECONDS }
  const outcome = await step('send', subject, () => sendOrder(transfers, rows))
  await step('record', subject, () =>
    onLive(app, rows, async (now) => {
      if (outcome.outcome === 'accepted') await recordReport(app, now, outcome.report)
      else if (!isSentAt(now, submitted_at)) return
      else if (outcome.outcome === 'refused')
        await recordRefusal(app, now, outcome.reason, outcome.native)
      else await recordUnknown(app, now, outcome.reason)
    }),
  )
  return { again_at: app.clock.now() + POLL_FIRST_MILLISECONDS }
}

async function sendOrder(transfers: Transfers, rows: Together): Promise<Outcome<TransferReport>> {
  const order = orderOf(rows)
  // An adapter that knows nothing of further destinations would pay the first one only.
  if (rows.length > 1 && (transfers.output_group?.(order) ?? null) === null)
    return { outcome: 'refused', reason: 'the venue pays one destination at a time', native: null }
  return transfers.send(order)
}

/** A halt that was set, or an account that was frozen, after a withdrawal was accepted: nothing of its transaction leaves until it is released. */
async function mustWait(app: TreasuryApp, rows: Together): Promise<boolean> {
  const [{ workspace, venue_id, asset }] = rows
  let standing: Awaited<ReturnType<typeof waitReason>>
  for (const row of rows)
    standing ??= await waitReason(
      app.db,
      workspace,
      { action: 'WITHDRAWALS', venue_ids: [venue_id], assets: [asset] },
      row.id,
    )
  const [reason_code, reason] = [standing?.details[0]?.code ?? null, standing?.message ?? null]
  const told = rows.filter((row) => row.reason !== reason).map((row) => row.id)
  if (told.length > 0) {
    await app.db.query(sql`
      update withdrawals set reason_code = ${reason_code}, reason = ${reason}, version = version + 1, system_updated_at = ${app.clock.now()}, system_updated_by = 'treasury'
      where workspace = ${workspace} and id = any(${told}::uuid[]) and state = 'PENDING' and submitted_at is null`)
  }
  return standing !== undefined
}

/**
 * Stores that the transaction is being sent: all of these withdrawals, or none. Not while another one with the same content as
 * one of them has no reference of the venue yet: a venue that keeps no reference of ours could not tell the two apart. Answers when.
 */
async function intend(app: TreasuryApp, rows: Together): Promise<number | undefined> {
  const [{ workspace }] = rows
  const contents = rows
    .map((row) => `${row.venue_id} ${row.asset} ${row.destination_address} ${row.quantity}`)
    .toSorted()
  return app.db.tx(async (tx) => {
    for (const content of contents)
      await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${content}, 0))`)
    const now = app.clock.now()
    const sent = await tx.query(sql`
      with free as (
        select w.id from withdrawals w where w.workspace = ${workspace} and w.id = any(${rows.map((row) => row.id)}::uuid[]) and w.state = 'PENDING' and w.submitted_at is null and not exists (
          select from withdrawals other where other.workspace = w.workspace and other.venue_id = w.venue_id and other.submitted_at is not null and other.external_id <> w.external_id
            and other.asset = w.asset and other.destination_address = w.destination_address and other.quantity = w.quantity
            and other.foreign_id is null and other.state = any(${[...LIVE_STATES]}))
        order by w.id for update of w)
      update withdrawals w set submitted_at = ${now}, version = w.version + 1, system_updated_at = ${now}, system_updated_by = 'treasury'
      from free where w.workspace = ${workspace} and w.id = free.id and (select count(*) from free) = ${rows.length}
      returning 1`)
    return sent.length > 0 ? now : undefined
  })
}

async function follow(
  app: TreasuryApp,
  transfers: Transfers,
  rows: Together,
  submitted_at: number,
  underwayAt: Counting,
): Promise<TaskResult> {
  const [{ external_id: subject, foreign_id, workspace, venue_id }] = rows
  const lookup = await step('claimed', subject, () => lookupOf(app, rows, submitted_at))
  const found = await step('find', subject, () => findAt(transfers, lookup))
  const age = app.clock.now() - submitted_at
  const absent =
    foreign_id === null && found.lookup === 'absent' && age >= ABSENT_AFTER_MILLISECONDS
  await step('follow', subject, () =>
    onLive(app, rows, async (now) => {
      if (found.lookup === 'found') await recordReport(app, now, found.report)
      else if (!isSentAt(now, submitted_at)) return
      else if (absent) await recordAbsent(app, now)
      else if (foreign_id === null && found.lookup === 'unknown')
        await recordUnknown(app, now, found.reason)
    }),
  )
  if (absent) return { again_at: app.clock.now() }
  const longest = Math.max(
    found.lookup === 'found' ? POLL_LONGEST_MILLISECONDS : FIND_LONGEST_MILLISECONDS,
    (await underwayAt(workspace, venue_id)) * POLL_APART_MILLISECONDS,
  )
  return {
    again_at:
      app.clock.now() + Math.max(POLL_FIRST_MILLISECONDS, Math.min(longest, Math.floor(age / 4))),
  }
}

/** Whoever was slow may have been overtaken: what he did not hear, or was told to be absent, says nothing of a later sending. */
const isSentAt = (rows: Together, submitted_at: number): boolean =>
  rows.every((row) => row.submitted_at === submitted_at)

/** Records on the rows as they are now: an assignment may have changed one since it was read. */
export const onLive = (
  app: TreasuryApp,
  rows: Together,
  record: (now: Together) => Promise<void>,
): Promise<void> =>
  retryOnStale(async () => {
    const now = liveOf(
      await app.db.query<WithdrawalRow>(
        sql`select ${WITHDRAWAL_ROW_COLUMNS} from withdrawals where workspace = ${rows[0].workspace} and id = any(${rows.map((row) => row.id)}::uuid[]) order by output`,
      ),
    )
    if (now !== undefined) await record(now)
  })

/** Those of the transaction of this withdrawal that were sent with it and have not ended; undefined when none was. */
export async function underway(
  app: TreasuryApp,
  row: WithdrawalRow,
): Promise<Together | undefined> {
  return liveOf(
    (await transactionOf(app.db, row)).filter((withdrawal) => withdrawal.submitted_at !== null),
  )
}

async function findAt(
  transfers: Transfers,
  lookup: TransferLookup,
): Promise<Lookup<TransferReport>> {
  try {
    return await transfers.find(lookup)
  } catch (error) {
    if (isUnreachable(error)) return { lookup: 'unknown', reason: error.message }
    throw error
  }
}

/** What the venue is asked about this transaction. */
export async function lookupOf(
  app: TreasuryApp,
  rows: Together,
  submitted_at: number,
): Promise<TransferLookup> {
  return {
    ...orderOf(rows),
    foreign_id: rows[0].foreign_id,
    submitted_at,
    claimed: await claimedOf(app, rows[0], submitted_at),
  }
}

async function claimedOf(
  app: TreasuryApp,
  row: WithdrawalRow,
  submitted_at: number,
): Promise<string[]> {
  if (row.foreign_id !== null) return []
  const rows = await app.db.query<{ foreign_id: string }>(sql`
    select foreign_id from withdrawals where workspace = ${row.workspace} and venue_id = ${row.venue_id} and submitted_at >= ${submitted_at - CLAIMED_MILLISECONDS} and foreign_id is not null
    order by submitted_at desc limit ${MAXIMUM_CLAIMED}`)
  return rows.map((row) => row.foreign_id)
}
