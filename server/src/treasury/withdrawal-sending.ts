/**
 * One withdrawal's way to its venue, worked off by one task that no two processes run at a time.
 *
 *   not sent   → wait while a brake is set or its account frozen → store that it is being sent (commit) → call the venue → record the answer
 *   maybe sent → ask the venue for our reference: found is recorded, only `absent` allows sending again
 *   sent       → ask until the venue's state is final
 *
 * A process may die between any two steps: the next one starts from what is stored. Between every two awaits stands a
 * failpoint, so that a test can let it die exactly there.
 */
import { decimal } from '../core/decimal.ts'
import { stepped } from '../core/failpoint.ts'
import { isFinal } from '../core/moves.ts'
import { standstill } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import type { TaskHandler, TaskResult } from '../store/tasks.ts'
import { isUnreachable } from '../venues/index.ts'
import type { Lookup, Transfers, TransferLookup, TransferOrder, TransferReport } from '../venues/index.ts'
import { onFreshRows } from './assignment-rows.ts'
import type { TreasuryApp } from './wallets.ts'
import { recordAbsent, recordRefusal, recordReport, recordUnknown } from './withdrawal-outcome.ts'
import { withdrawalRow } from './withdrawals.ts'
import type { WithdrawalRow } from './withdrawals.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** Longer than this after the intent was stored a process does not start the call any more: another may be asking already. */
const SEND_WITHIN_MILLISECONDS = 3_000
/** So long after the intent `absent` is believed: a call that began in time has reached the venue or never will. */
const ABSENT_AFTER_MILLISECONDS = 10_000
const POLL_FIRST_MILLISECONDS = 500
const POLL_LONGEST_MILLISECONDS = 15_000
const FIND_LONGEST_MILLISECONDS = 60_000
const RETRY_MILLISECONDS = 2_000
/** Venue references of other withdrawals of this time are told to the adapter as claimed. */
const CLAIMED_MILLISECONDS = 3 * 86_400_000
const MAXIMUM_CLAIMED = 10_000

/** The steps of sending, in order; each has a failpoint before and after it. */
export const SENDING_STEPS = ['load', 'connect', 'intent', 'send', 'record', 'claimed', 'find', 'follow'] as const

export const withdrawalTask = (app: TreasuryApp): TaskHandler => async ({ workspace, subject_id }) => {
  const row = await step('load', subject_id, () => withdrawalRow(app.db, workspace, subject_id))
  // What was made outside is never sent from here; how it goes is read with all that leaves the venue.
  if (isFinal(WITHDRAWAL_MOVES, row.state) || row.origin === 'EXTERNAL') return 'done'
  const { adapter } = await step('connect', row.id, () => app.venues.connected(workspace, row.venue_id))
  const { transfers } = adapter
  if (transfers === undefined) throw new Error(`venue ${row.venue_id} makes no transfers any more`)
  return row.submitted_at === null ? send(app, transfers, row) : follow(app, transfers, row, row.submitted_at)
}

const step = <T>(name: (typeof SENDING_STEPS)[number], subject: string, work: () => Promise<T>): Promise<T> => stepped(`withdrawal.${name}`, subject, work)

async function send(app: TreasuryApp, transfers: Transfers, row: WithdrawalRow): Promise<TaskResult> {
  const started = performance.now()
  const intended = await step('intent', row.id, async () => !(await mustWait(app, row)) && intend(app, row))
  if (!intended) return { again_at: app.clock.now() + RETRY_MILLISECONDS }
  if (performance.now() - started > SEND_WITHIN_MILLISECONDS) return { again_at: app.clock.now() + RETRY_MILLISECONDS }
  const outcome = await step('send', row.id, () => transfers.send(orderOf(row)))
  await step('record', row.id, () => onLive(app, row, async (now) => {
    if (outcome.outcome === 'accepted') await recordReport(app, now, outcome.report)
    else if (outcome.outcome === 'refused') await recordRefusal(app, now, outcome.reason, outcome.native)
    else await recordUnknown(app, now, outcome.reason)
  }))
  return { again_at: app.clock.now() + POLL_FIRST_MILLISECONDS }
}

/** A brake that was set, or an account that was frozen, after the withdrawal was accepted: nothing leaves until it is released. */
async function mustWait(app: TreasuryApp, row: WithdrawalRow): Promise<boolean> {
  const standing = await standstill(app.db, row.workspace, { action: 'WITHDRAWALS', venue_ids: [row.venue_id], assets: [row.asset] }, row.id)
  const [reason_code, reason] = [standing?.details[0]?.code ?? null, standing?.message ?? null]
  if (reason !== row.reason) {
    await app.db.query(sql`
      update withdrawals set reason_code = ${reason_code}, reason = ${reason}, version = version + 1, system_updated_at = ${app.clock.now()}, system_updated_by = 'treasury'
      where workspace = ${row.workspace} and id = ${row.id} and state = 'PENDING' and submitted_at is null`)
  }
  return standing !== undefined
}

/**
 * Stores that the withdrawal is being sent. Not while another one with the same content has no reference of the venue yet: a
 * venue that keeps no reference of ours could not tell the two apart.
 */
async function intend(app: TreasuryApp, row: WithdrawalRow): Promise<boolean> {
  const { workspace, id } = row
  return app.db.tx(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`${row.venue_id} ${row.asset} ${row.destination_address} ${row.quantity}`}, 0))`)
    const now = app.clock.now()
    const sent = await tx.query(sql`
      update withdrawals w set submitted_at = ${now}, version = w.version + 1, system_updated_at = ${now}, system_updated_by = 'treasury'
      where w.workspace = ${workspace} and w.id = ${id} and w.state = 'PENDING' and w.submitted_at is null and not exists (
        select from withdrawals other where other.workspace = w.workspace and other.venue_id = w.venue_id and other.submitted_at is not null and other.id <> w.id
          and other.asset = w.asset and other.destination_address = w.destination_address and other.quantity = w.quantity
          and other.foreign_id is null and other.state = any(${[...LIVE_STATES]}))
      returning 1`)
    return sent.length > 0
  })
}

async function follow(app: TreasuryApp, transfers: Transfers, row: WithdrawalRow, submitted_at: number): Promise<TaskResult> {
  const lookup = await step('claimed', row.id, () => lookupOf(app, row, submitted_at))
  const found = await step('find', row.id, () => findAt(transfers, lookup))
  const age = app.clock.now() - submitted_at
  const absent = row.foreign_id === null && found.lookup === 'absent' && age >= ABSENT_AFTER_MILLISECONDS
  await step('follow', row.id, () => onLive(app, row, async (now) => {
    if (found.lookup === 'found') await recordReport(app, now, found.report)
    else if (absent) await recordAbsent(app, now)
    else if (row.foreign_id === null && found.lookup === 'unknown') await recordUnknown(app, now, found.reason)
  }))
  if (absent) return { again_at: app.clock.now() }
  const longest = found.lookup === 'found' ? POLL_LONGEST_MILLISECONDS : FIND_LONGEST_MILLISECONDS
  return { again_at: app.clock.now() + Math.max(POLL_FIRST_MILLISECONDS, Math.min(longest, Math.floor(age / 4))) }
}

/** Records on the row as it is now: an assignment may have changed it since it was read. */
export const onLive = (app: TreasuryApp, { workspace, id }: WithdrawalRow, record: (now: WithdrawalRow) => Promise<void>): Promise<void> => onFreshRows(async () => {
  const now = await withdrawalRow(app.db, workspace, id)
  if (!isFinal(WITHDRAWAL_MOVES, now.state)) await record(now)
})

async function findAt(transfers: Transfers, lookup: TransferLookup): Promise<Lookup<TransferReport>> {
  try {
    return await transfers.find(lookup)
  } catch (error) {
    if (isUnreachable(error)) return { lookup: 'unknown', reason: error.message }
    throw error
  }
}

/** What the venue is asked about this withdrawal. */
export async function lookupOf(app: TreasuryApp, row: WithdrawalRow, submitted_at: number): Promise<TransferLookup> {
  return { ...orderOf(row), foreign_id: row.foreign_id, submitted_at, claimed: await claimedOf(app, row, submitted_at) }
}

async function claimedOf(app: TreasuryApp, row: WithdrawalRow, submitted_at: number): Promise<string[]> {
  if (row.foreign_id !== null) return []
  const rows = await app.db.query<{ foreign_id: string }>(sql`
    select foreign_id from withdrawals where workspace = ${row.workspace} and venue_id = ${row.venue_id} and submitted_at >= ${submitted_at - CLAIMED_MILLISECONDS} and foreign_id is not null
    order by submitted_at desc limit ${MAXIMUM_CLAIMED}`)
  return rows.map((each) => each.foreign_id)
}

function orderOf(row: WithdrawalRow): TransferOrder {
  return {
    external_id: row.external_id, asset: row.asset, protocol: row.protocol, quantity: decimal(row.quantity), speed_level: row.speed_level, fee: decimal(row.fee_estimate ?? '0'),
    source_wallet: row.source_wallet, destination_address: row.destination_address, tag: row.tag, transfer: row.transfer, recipient_name: row.recipient_name,
  }
}
