/**
 * What people may do with a withdrawal in flight: cancel it before anything has left, enter its
 * outcome where the venue does not report it, and have the venue asked now. Whether it has left is
 * decided by the same guard that the sending passes.
 */
import type { WithdrawalId } from '../../core/ids.ts'
import { allInOrder } from '../../core/all-in-order.ts'
import { mustExist } from '../../core/assert.ts'
import { decimal, format } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import { isFinal } from '../../core/moves.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import {
  approvalMove,
  approvalRow,
  assertVersion,
  commitWithReply,
  retryOnStale,
} from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { constraintOf } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import { withTimeLimit } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { pendingAssignmentsOf } from '../assignments/rows.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import { unsuccessfulChange } from './failure.ts'
import { assertNotInDoubt } from './first-lookup.ts'
import { recordReport } from './outcome.ts'
import {
  formerTransactions,
  withdrawalById,
  withdrawalOf,
  withdrawalRow,
  WITHDRAWALS,
} from './rows.ts'
import type { FinalReport, TransactionGroup, WithdrawalRow } from './rows.ts'
import { lookupFor } from './sending.ts'
import { mergeChanges, retryOnLiveRows, splitReport, submittedGroup } from './shared-transaction.ts'
import { successChange } from './success.ts'
import { NOT_CREDITED, WITHDRAWAL_MOVES } from './withdrawals.schema.ts'
import type {
  CancelWithdrawalBody,
  ResolveWithdrawalBody,
  Withdrawal,
} from './withdrawals.schema.ts'

/**
 * Releases what was blocked; an approval that it waits for is no longer asked for. Refuses
 * STATE_NOT_ALLOWED once sending has begun: it may have left.
 */
export function cancelWithdrawal(
  caller: Caller,
  app: TreasuryApp,
  id: WithdrawalId,
  body: CancelWithdrawalBody,
): Promise<Withdrawal> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await withdrawalRow(app.db, workspace, id)
      assertNotSent(row)
      if (row.state === 'PENDING') await assertNotInDoubt(app, row)
      const reason = body.reason ?? null
      const end = { reason_code: 'CANCELED_ON_REQUEST', reason, sub_state: row.sub_state }
      const change = await unsuccessfulChange(app, row, { to: 'CANCELED', ...end }, { by })
      const after = { ...row, state: 'CANCELED', ...end, completed_at: app.clock.now() } as const
      const owners = await pendingAssignmentsOf(app.db, workspace, { withdrawal_id: id })
      const ended = { row: after, owners }
      const withdrawn = await withoutApproval(app, row, by)
      const all = mergeChanges([{ ...change, class: 'command' }, ...withdrawn])
      return commitResolution(caller, app, all, ended)
    }),
  )
}

/** What is canceled while it waits for approval is not asked for any more. */
async function withoutApproval(
  app: TreasuryApp,
  { workspace, state, approval_request_id, external_id }: WithdrawalRow,
  by: string,
): Promise<Change[]> {
  if (state !== 'PENDING_APPROVAL' || approval_request_id === null) return []
  const approval = await approvalRow(app.db, workspace, approval_request_id)
  const now = app.clock.now()
  const ended = approvalMove(approval, { to: 'WITHDRAWN', by, now })
  const tasks = [{ kind: WITHDRAWAL_TASK, subject_id: external_id, due_at: now }]
  return [{ workspace, class: 'command', by, ...ended, tasks }]
}

function assertNotSent({ id, state, submitted_at }: WithdrawalRow): void {
  if ((state === 'PENDING' || state === 'PENDING_APPROVAL') && submitted_at === null) return
  const now = state === 'PENDING' ? 'already being sent' : state
  throw refuse(
    'STATE_NOT_ALLOWED',
    '',
    `withdrawal ${id} is ${now}: only a withdrawal that has not left can be canceled`,
  )
}

/**
 * Ends an UNKNOWN withdrawal, or one in review at a bank past its day (`assertResolvable`), and
 * those that share its transaction, as somebody found it out; stores who and by what evidence.
 * SUCCESS books like a report of the venue, FAILED releases. Refused: STATE_NOT_ALLOWED in every
 * other state; CONFLICT with what the venue has reported, or with money that arrived or came back;
 * DUPLICATE when the venue's reference is another withdrawal's; STALE_VERSION.
 */
export function resolveWithdrawal(
  caller: Caller,
  app: TreasuryApp,
  id: WithdrawalId,
  body: ResolveWithdrawalBody,
): Promise<Withdrawal> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await withdrawalRow(app.db, workspace, id)
      assertVersion('withdrawal', row, body.version)
      assertResolvable(row, app.clock.now())
      const rows = mustExist(await submittedGroup(app, row), 'what can be resolved was sent')
      for (const shared of rows) await assertResolution(app.db, shared, body)
      const reports = await splitReport(app.db, rows, resolvedReport(row, body))
      const resolution = resolutionOf(body, by, app.clock.now())
      const { change, ends } = await resolvedChange(app, reports, { body, by, resolution })
      const after = mustExist(
        ends.find((end) => end.row.id === id),
        'it is one of its transaction',
      )
      return commitResolution(caller, app, change, after)
    }),
  )
}

/**
 * A bank may say nothing of a payment that was canceled there after a payee check. Before the day
 * of the payment is over everywhere it may still be released.
 */
function assertResolvable({ id, state, execution_date }: WithdrawalRow, now: number): void {
  if (state === 'UNKNOWN') return
  const is = `withdrawal ${id} is ${state}`
  if (state !== 'PENDING_REVIEW' || execution_date === null)
    throw refuse('STATE_NOT_ALLOWED', '', `${is}: only an UNKNOWN withdrawal can be resolved`)
  if (execution_date < lastDayOnEarth(now)) return
  throw refuse(
    'STATE_NOT_ALLOWED',
    '',
    `${is}: it can be resolved once its execution date ${execution_date} is over`,
  )
}

const LAST_ZONE_MILLISECONDS = 12 * 3_600_000
const lastDayOnEarth = (now: number): string =>
  new Date(now - LAST_ZONE_MILLISECONDS).toISOString().slice(0, 10)

/** What a person knows, as the report of a venue. */
const resolvedReport = (row: WithdrawalRow, body: ResolveWithdrawalBody): FinalReport => ({
  foreign_id: body.foreign_id ?? row.foreign_id,
  sub_state: row.sub_state,
  reason: null,
  transaction_hash: body.transaction_hash ?? row.transaction_hash,
  confirmations: row.confirmations,
  fee: body.fee === undefined ? null : decimal(body.fee),
  fee_asset: row.fee_asset,
})

/** The fields that every resolved withdrawal has. */
const resolutionOf = ({ evidence }: ResolveWithdrawalBody, by: string, now: number) => ({
  reason_code: 'RESOLVED_BY_HAND',
  reason: evidence,
  resolved_by: by,
  resolved_at: now,
  evidence,
})
type Resolution = ReturnType<typeof resolutionOf>

/** A withdrawal as it is after the change, and whose. */
type Ended = { row: WithdrawalRow; owners: Parameters<typeof withdrawalOf>[1] }

/** The change, and every withdrawal of the transaction as it is after it. */
async function resolvedChange(
  app: TreasuryApp,
  reports: readonly { row: WithdrawalRow; report: FinalReport }[],
  entered: { body: ResolveWithdrawalBody; by: string; resolution: Resolution },
): Promise<{ change: Change; ends: Ended[] }> {
  const parts = await allInOrder(reports.map((part) => resolvedPart(app, part, entered)))
  const [first, ...further] = parts.map((part) => part.change)
  const change = mergeChanges([mustExist(first, 'a transaction has withdrawals'), ...further])
  const { workspace } = change
  const ends = parts.map((part) => part.end)
  const stored = updateGuardedRow(WITHDRAWALS, {
    where: { workspace, id: ends.map(({ row }) => row.id) },
    set: entered.resolution,
  })
  return { change: { ...change, rows: [...(change.rows ?? []), stored] }, ends }
}

async function resolvedPart(
  app: TreasuryApp,
  { row, report }: { row: WithdrawalRow; report: FinalReport },
  { body, by, resolution }: Parameters<typeof resolvedChange>[2],
): Promise<{ change: Change; end: Ended }> {
  const { workspace, id } = row
  const pending = await pendingAssignmentsOf(app.db, workspace, { withdrawal_id: id })
  const ending = { by, eventData: { resolved_by: by, evidence: body.evidence } }
  if (body.state === 'SUCCESS') {
    const { change, fields, matched } = await successChange(app, row, report, ending)
    const after = { ...row, ...fields, ...resolution, state: 'SUCCESS' } as const
    return { change, end: { row: after, owners: [...pending, ...matched] } }
  }
  const { reason_code, reason } = resolution
  const { sub_state } = report
  const end = { to: 'FAILED', reason_code, reason, sub_state, report } as const
  return {
    change: await unsuccessfulChange(app, row, end, ending),
    end: { row: afterFailure(row, report, resolution), owners: pending },
  }
}

function afterFailure(
  row: WithdrawalRow,
  report: FinalReport,
  resolution: Resolution,
): WithdrawalRow {
  const { foreign_id, transaction_hash, fee } = report
  return {
    ...row,
    ...resolution,
    state: 'FAILED',
    foreign_id,
    transaction_hash,
    former_transactions: formerTransactions(row, report),
    fee: fee === null ? row.fee : format(fee),
    completed_at: resolution.resolved_at,
  }
}

async function assertResolution(
  reader: Reader,
  row: WithdrawalRow,
  { state, foreign_id }: ResolveWithdrawalBody,
): Promise<void> {
  if (state === 'FAILED') await assertNothingArrived(reader, row)
  // What was blocked for it must not be free: the money is not there any more.
  if (state === 'FAILED' && row.reason_code === NOT_CREDITED)
    throw refuse('CONFLICT', 'state', `it has left, says the venue: ${row.sub_state}`)
  if (foreign_id === undefined) return
  if (row.foreign_id !== null && row.foreign_id !== foreign_id)
    throw refuse('CONFLICT', 'foreign_id', `the venue knows this withdrawal as ${row.foreign_id}`)
  const [other] = await reader.query<{ id: string }>(sql`
    select id
    from withdrawals
    where workspace = ${row.workspace}
      and venue_id = ${row.venue_id}
      and foreign_id = ${foreign_id}
      and external_id <> ${row.external_id}`)
  if (other !== undefined)
    throw refuse(
      'DUPLICATE',
      'foreign_id',
      `${foreign_id} is the venue's reference of withdrawal ${other.id}`,
    )
}

async function assertNothingArrived(reader: Reader, row: WithdrawalRow): Promise<void> {
  const [deposit] = await reader.query<{ id: string }>(sql`
    select id
    from deposits
    where workspace = ${row.workspace}
      and related_withdrawal_id = ${row.id}
      and state <> all(${['FAILED', 'REVERSED']})
    limit 1`)
  if (deposit !== undefined)
    throw refuse('CONFLICT', 'state', `it has left and came back as deposit ${deposit.id}`)
}

/** Answers the withdrawal as it is after the change. */
async function commitResolution(
  caller: Caller,
  app: TreasuryApp,
  change: Change,
  { row, owners }: Ended,
): Promise<Withdrawal> {
  const stamp = { system_updated_at: app.clock.now(), system_updated_by: caller.by }
  const record = withdrawalOf({ ...row, version: row.version + 1, ...stamp }, owners)
  try {
    return await commitWithReply(app.lane, caller, change, record)
  } catch (error) {
    // Entered for another one since it was looked for.
    if (constraintOf(error) === 'withdrawals_foreign_id')
      throw refuse(
        'DUPLICATE',
        'foreign_id',
        `${record.foreign_id} is the venue's reference of another withdrawal`,
      )
    throw error
  }
}

/**
 * Asks the venue now and records its report. What only the sender may conclude (nothing arrived:
 * send again) is left to its task, which is made due. Refuses STATE_NOT_ALLOWED when the withdrawal
 * has ended; 2003 when the venue does not answer within 5 s.
 */
export async function recheckWithdrawal(
  { workspace }: Caller,
  app: TreasuryApp,
  id: WithdrawalId,
): Promise<Withdrawal> {
  const row = await withdrawalRow(app.db, workspace, id)
  if (isFinal(WITHDRAWAL_MOVES, row.state))
    throw refuse('STATE_NOT_ALLOWED', '', `withdrawal ${id} is ${row.state}: it has ended`)
  const rows = await submittedGroup(app, row)
  if (rows !== undefined && row.submitted_at !== null) await lookUpNow(app, rows)
  await putTasks(app.db, [
    { workspace, kind: WITHDRAWAL_TASK, subject_id: row.external_id, due_at: app.clock.now() },
  ])
  return withdrawalById(app.db, workspace, id)
}

async function lookUpNow(app: TreasuryApp, rows: TransactionGroup): Promise<void> {
  const [{ workspace, venue_id }] = rows
  const { venue, adapter } = await app.venues.connect(workspace, venue_id)
  if (adapter.transfers === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', '', `the venue ${venue.label} does not support transfers`)
  const found = await withTimeLimit(adapter.transfers.find(await lookupFor(app, rows)), venue.label)
  if (found.lookup === 'found')
    await retryOnLiveRows(app, rows, (liveRows) => recordReport(app, liveRows, found.report))
}
