/**
 * The sending of withdrawals. One task takes a transaction, with all withdrawals that it pays, to
 * its venue; no two processes run it at a time.
 *
 *   waits        for approval, it or another one of its transaction: nothing is done
 *   not sent     made before this start: look it up first (first-lookup.ts)
 *                wait while a halt is set or an account frozen; store that it is being sent
 *                (commit); seal the history; call the venue; record the outcome
 *   maybe sent   look up our reference at the venue; record what is found; only `absent`
 *                allows sending again
 *   sent         look it up until the venue's state is final
 *
 * A process may die between any two steps: the next one starts from what is stored. A failpoint
 * stands between every two awaits, so that a test can end the process exactly there.
 */
import { mustExist } from '../../core/assert.ts'
import { decimal, sum } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { waitReason } from '../../ledger/index.ts'
import { updateRow } from '../../store/rows.ts'
import type { TaskHandler, TaskResult } from '../../store/tasks.ts'
import { isUnreachable } from '../../venues/index.ts'
import type {
  Lookup,
  Outcome,
  TransferLookup,
  TransferOrder,
  TransferOutput,
  TransferReport,
  Transfers,
} from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { walletsById } from '../wallets/rows.ts'
import { claimedReferences } from './claimed-references.ts'
import { assumeSent, mustLookFirst, recordFound } from './first-lookup.ts'
import { inFlightCounter } from './in-flight.ts'
import type { InFlightCounter } from './in-flight.ts'
import { storeIntent } from './intents.ts'
import { recordAbsent, recordRefusal, recordReport, recordUnknown } from './outcome.ts'
import { DEPOSIT_REVERSED, goneDepositReason } from './returned-deposits.ts'
import { withdrawalsOfTransaction, withdrawalRow, WITHDRAWALS } from './rows.ts'
import type { TransactionGroup, WithdrawalRow } from './rows.ts'
import { screeningWait } from './screening.ts'
import type { SendingWait } from './screening.ts'
import { liveGroup, retryOnLiveRows } from './shared-transaction.ts'
import { travelRuleWait } from './travel-rule.ts'

/**
 * How long after storing its intent a process may still start the call. Later another process may
 * already be looking it up.
 */
const SEND_WITHIN_MILLISECONDS = 3_000
/** After this `absent` is final: a call that began in time has reached the venue or never will. */
const ABSENT_AFTER_MILLISECONDS = 10_000
const POLL_FIRST_MILLISECONDS = 500
const POLL_LONGEST_MILLISECONDS = 15_000
const FIND_LONGEST_MILLISECONDS = 60_000
/** Between two lookups of old withdrawals, shared by all that are in flight at a venue. */
const POLL_SPACING_MILLISECONDS = 25
const RETRY_MILLISECONDS = 2_000

/** In order; each has a failpoint before and after it. */
type SendingStep = 'load' | 'connect' | 'intent' | 'send' | 'record' | 'claimed' | 'find' | 'follow'

const step = <T>(name: SendingStep, subject: string, work: () => Promise<T>): Promise<T> =>
  withFailpoints(`withdrawal.${name}`, subject, work)

/** Subject: the first withdrawal of the transaction. */
export const withdrawalTask = (app: TreasuryApp): TaskHandler => {
  const inFlightAt = inFlightCounter(app)
  return async ({ workspace, subject_id }) => {
    const rows = await step('load', subject_id, async () =>
      liveGroup(
        await withdrawalsOfTransaction(app.db, await withdrawalRow(app.db, workspace, subject_id)),
      ),
    )
    // What was made outside is never sent from here: reading what leaves the venue follows it.
    if (rows === undefined || rows[0].origin === 'EXTERNAL') return 'done'
    // The approval, or the end without it, makes this task due again.
    if (rows.some(({ state }) => state === 'PENDING_APPROVAL')) return 'done'
    const way = await step('connect', subject_id, () => transfersAt(app, rows[0]))
    if (rows[0].submitted_at !== null) return pollOutcome(app, way.transfers, rows, inFlightAt)
    return (await mustLookFirst(app, rows))
      ? step('intent', subject_id, () => assumeSent(app, way, rows))
      : send(app, way, rows)
  }
}

/** `sent_over`: its connection, which may be another one at the next connect. */
type Way = { transfers: Transfers; sent_over: string | null; reached_since: number }

async function transfersAt(app: TreasuryApp, { workspace, venue_id }: WithdrawalRow): Promise<Way> {
  const { adapter } = await app.venues.connect(workspace, venue_id)
  if (adapter.transfers === undefined)
    throw new Error(`venue ${venue_id} makes no transfers any more`)
  const { transfers, connection = null, reached_since = 0 } = adapter
  return { transfers, sent_over: connection, reached_since }
}

async function send(
  app: TreasuryApp,
  { transfers, sent_over }: Way,
  rows: TransactionGroup,
): Promise<TaskResult> {
  const subject = rows[0].external_id
  // Composed first: nothing is read between the stored intent and the call.
  const composed = await transferOrder(app, rows)
  const execution_date = transfers.executionDate?.(composed, app.clock.now()) ?? null
  const order = { ...composed, execution_date }
  const started = performance.now()
  const submitted_at = await step('intent', subject, async () =>
    (await mustWait(app, rows))
      ? undefined
      : markSubmitted(app, rows, { execution_date, sent_over }),
  )
  const late = performance.now() - started > SEND_WITHIN_MILLISECONDS
  if (submitted_at === undefined || late) return { again_at: app.clock.now() + RETRY_MILLISECONDS }
  const outcome = await step('send', subject, () => sendOrder(transfers, order))
  await step('record', subject, () =>
    retryOnLiveRows(app, rows, (liveRows) => recordAnswer(app, liveRows, outcome, submitted_at)),
  )
  return { again_at: app.clock.now() + POLL_FIRST_MILLISECONDS }
}

/** The one order to the venue. Its fee is what was agreed for all of them. */
async function transferOrder(app: TreasuryApp, rows: TransactionGroup): Promise<TransferOrder> {
  const [first, ...further] = await withoutPurposeToVenues(app, rows)
  return {
    external_id: first.external_id,
    asset: first.asset,
    protocol: first.protocol,
    speed_level: first.speed_level,
    source_wallet: first.source_wallet,
    ...transferOutput(first),
    fee: sum(rows.map((row) => decimal(row.fee_estimate ?? '0'))),
    ...(further.length === 0 ? {} : { further_outputs: further.map(transferOutput) }),
  }
}

/**
 * A venue of ours recognises what arrives by its reference, exactly as it gave it. So a purpose is
 * not sent there beside the reference.
 */
async function withoutPurposeToVenues(
  app: TreasuryApp,
  rows: TransactionGroup,
): Promise<TransactionGroup> {
  const wallet_ids = rows.flatMap((row) => (row.purpose === null ? [] : (row.to_wallet_id ?? [])))
  if (wallet_ids.length === 0) return rows
  const wallets = await walletsById(app.db, rows[0].workspace, wallet_ids)
  const sent = (row: WithdrawalRow): WithdrawalRow => {
    const destination = wallets.get(row.to_wallet_id ?? '')
    return destination === undefined || destination.venue_id === null
      ? row
      : { ...row, purpose: null }
  }
  const [first, ...further] = rows
  return [sent(first), ...further.map(sent)]
}

const transferOutput = (row: WithdrawalRow): TransferOutput => ({
  quantity: decimal(row.quantity),
  destination_address: row.destination_address,
  tag: row.tag,
  transfer: row.transfer,
  recipient_name: row.recipient_name,
  purpose: row.purpose,
})

/**
 * Whether a halt was set, or an account frozen, after a withdrawal was accepted. Then nothing of
 * its transaction leaves until it is released. A return whose deposit is gone waits for a person,
 * and so do coins without their travel-rule data, and what screening finds: it is the last to be
 * asked, so its lists are those of now.
 */
async function mustWait(app: TreasuryApp, rows: TransactionGroup): Promise<boolean> {
  const [{ workspace, venue_id, asset }] = rows
  const scope = { action: 'WITHDRAWALS', venue_ids: [venue_id], assets: [asset] } as const
  let obstacle: Obstacle
  for (const row of rows) obstacle ??= await waitReason(app.db, workspace, scope, row.id)
  const wait = await waitOf(app, rows, obstacle)
  const { reason_code, reason } = wait ?? { reason_code: null, reason: null }
  const changed = rows.filter((row) => row.reason !== reason).map((row) => row.id)
  if (changed.length > 0)
    await app.db.query(
      updateRow(WITHDRAWALS, {
        where: { workspace, id: changed, state: 'PENDING', submitted_at: null },
        set: { reason_code, reason },
        by: TREASURY_WORKER,
        now: app.clock.now(),
      }),
    )
  return reason !== null
}

type Obstacle = Awaited<ReturnType<typeof waitReason>>

async function waitOf(
  app: TreasuryApp,
  rows: TransactionGroup,
  obstacle: Obstacle,
): Promise<SendingWait | undefined> {
  const gone = await goneDepositReason(app.db, rows[0].workspace, rows[0])
  if (gone !== undefined) return { reason_code: DEPOSIT_REVERSED, reason: gone }
  if (obstacle === undefined)
    return (await travelRuleWait(app, rows)) ?? (await screeningWait(app, rows))
  return { reason_code: obstacle.details[0]?.code ?? null, reason: obstacle.message }
}

/** Stores that it is being sent, and that the database must not be older than that. */
async function markSubmitted(
  app: TreasuryApp,
  rows: TransactionGroup,
  sending: Pick<WithdrawalRow, 'execution_date' | 'sent_over'>,
): Promise<number | undefined> {
  const submitted_at = await storeIntent(app, rows, sending)
  if (submitted_at !== undefined) await app.history.seal()
  return submitted_at
}

async function sendOrder(
  transfers: Transfers,
  order: TransferOrder,
): Promise<Outcome<TransferReport>> {
  // An adapter that knows nothing of further destinations would pay the first one only.
  if (order.further_outputs !== undefined && (transfers.output_group?.(order) ?? null) === null)
    return { outcome: 'refused', reason: 'the venue pays one destination at a time', native: null }
  return transfers.send(order)
}

async function recordAnswer(
  app: TreasuryApp,
  rows: TransactionGroup,
  outcome: Outcome<TransferReport>,
  submitted_at: number,
): Promise<void> {
  if (outcome.outcome === 'accepted') await recordReport(app, rows, outcome.report)
  else if (!wasSubmittedAt(rows, submitted_at)) return
  else if (outcome.outcome === 'refused')
    await recordRefusal(app, rows, outcome.reason, outcome.native)
  else await recordUnknown(app, rows, outcome.reason)
}

/**
 * Whether this very sending is still the last one. A slow process may have been overtaken; that it
 * got no answer then says nothing about the later sending.
 */
const wasSubmittedAt = (rows: TransactionGroup, submitted_at: number | null): boolean =>
  rows.every((row) => row.submitted_at === submitted_at)

async function pollOutcome(
  app: TreasuryApp,
  transfers: Transfers,
  rows: TransactionGroup,
  inFlightAt: InFlightCounter,
): Promise<TaskResult> {
  const [first] = rows
  const subject = first.external_id
  const lookup = await step('claimed', subject, () => lookupFor(app, rows))
  const found = await step('find', subject, () => lookUp(transfers, lookup))
  const now = app.clock.now()
  const age = now - lookup.submitted_at
  const absent =
    first.foreign_id === null &&
    found.lookup === 'absent' &&
    now - Math.max(lookup.submitted_at, lookup.sent_until ?? 0) >= ABSENT_AFTER_MILLISECONDS
  await step('follow', subject, () =>
    retryOnLiveRows(app, rows, async (liveRows) => {
      if (found.lookup === 'found') await recordFound(app, liveRows, found.report)
      else if (!wasSubmittedAt(liveRows, lookup.submitted_at)) return
      else if (absent) await recordAbsent(app, liveRows)
      else if (first.foreign_id === null && found.lookup === 'unknown')
        await recordUnknown(app, liveRows, found.reason)
    }),
  )
  if (absent) return { again_at: app.clock.now() }
  const longest = Math.max(
    found.lookup === 'found' ? POLL_LONGEST_MILLISECONDS : FIND_LONGEST_MILLISECONDS,
    (await inFlightAt(first)) * POLL_SPACING_MILLISECONDS,
  )
  const pause = Math.max(POLL_FIRST_MILLISECONDS, Math.min(longest, Math.floor(age / 4)))
  return { again_at: app.clock.now() + pause }
}

/** What the venue is asked about a transaction that was sent. */
export async function lookupFor(app: TreasuryApp, rows: TransactionGroup): Promise<TransferLookup> {
  const [first] = rows
  const submitted_at = mustExist(first.submitted_at, 'the transaction was sent')
  const sent_until = await app.history.setBackAt()
  return {
    ...(await transferOrder(app, rows)),
    foreign_id: first.foreign_id,
    submitted_at,
    sent_over: first.sent_over,
    ...(submitted_at < sent_until ? { sent_until } : {}),
    claimed: first.foreign_id === null ? await claimedReferences(app.db, first, submitted_at) : [],
  }
}

async function lookUp(
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
