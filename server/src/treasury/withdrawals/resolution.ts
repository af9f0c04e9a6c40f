/**
 * What people may do with a withdrawal under way: cancel it before anything has left, tell its outcome where the venue does
 * not, and have the venue asked now. Whether it has left is decided by the same guard that the sending passes.
 */
import { decimal, format } from '../../core/decimal.ts'
import { mustExist } from '../../core/assert.ts'
import { refuse } from '../../core/errors.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Idempotency } from '../../http/index.ts'
import { retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { constraintOf } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import { within } from '../../venues/index.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import type { TreasuryApp } from '../app.ts'
import { endChange, recordReport, successChange } from './outcome.ts'
import { lookupOf, onLive, underway } from './sending.ts'
import { allOf, reportsOf } from './shared-transaction.ts'
import { withdrawalById, withdrawalRow } from './withdrawals.ts'
import type { WithdrawalRow } from './withdrawals.ts'
import { WITHDRAWAL_MOVES } from './withdrawals.schema.ts'
import type {
  CancelWithdrawalBody,
  ResolveWithdrawalBody,
  Withdrawal,
} from './withdrawals.schema.ts'

/** Releases what was blocked. Refuses STATE_NOT_ALLOWED once sending has begun: it may have left. */
export function cancelWithdrawal(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: string,
  { reason }: CancelWithdrawalBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Withdrawal> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await withdrawalRow(app.db, workspace, id)
      if (row.state !== 'PENDING' || row.submitted_at !== null) {
        const why = row.state === 'PENDING' ? 'already being sent' : row.state
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `withdrawal ${id} is ${why}: only what has not left is canceled`,
        )
      }
      const end = {
        reason_code: 'CANCELED_ON_REQUEST',
        reason: reason ?? null,
        sub_state: row.sub_state,
      }
      const change = await endChange(app, row, 'CANCELED', end, { by })
      return commit(
        app,
        { ...change, class: 'command' },
        { ...row, state: 'CANCELED', ...end, completed_at: app.clock.now() },
        by,
        idempotency,
      )
    }),
  )
}

/**
 * Ends an UNKNOWN withdrawal, and those that share its transaction, as somebody found it out, and stores who and by what. SUCCESS books like the venue's own word,
 * FAILED releases. Refused: STATE_NOT_ALLOWED in every other state, CONFLICT with what the venue told already, with money that
 * arrived or came back, DUPLICATE when the venue's reference is another withdrawal's.
 */
export function resolveWithdrawal(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: string,
  body: ResolveWithdrawalBody,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Withdrawal> {
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await withdrawalRow(app.db, workspace, id)
      if (row.state !== 'UNKNOWN')
        throw refuse(
          'STATE_NOT_ALLOWED',
          '',
          `withdrawal ${id} is ${row.state}: only an UNKNOWN one is resolved`,
        )
      const all = mustExist(await underway(app, row), 'an UNKNOWN withdrawal was sent')
      for (const withdrawal of all) await assertResolution(app, withdrawal, body)
      const now = app.clock.now()
      const report = {
        foreign_id: body.foreign_id ?? row.foreign_id,
        sub_state: row.sub_state,
        reason: null,
        transaction_hash: body.transaction_hash ?? row.transaction_hash,
        confirmations: row.confirmations,
        fee: body.fee === undefined ? null : decimal(body.fee),
        fee_asset: row.fee_asset,
      }
      const why = { reason_code: 'RESOLVED_BY_HAND', reason: body.evidence }
      const more = { by, told: { resolved_by: by, evidence: body.evidence } }
      const reports = await reportsOf(app.db, all, report)
      const [first, ...further] = await Promise.all(
        reports.map((report) =>
          body.state === 'SUCCESS'
            ? successChange(app, report.row, report.report, more)
            : endChange(
                app,
                report.row,
                'FAILED',
                { ...why, sub_state: row.sub_state },
                { ...more, report: report.report },
              ),
        ),
      )
      const change = allOf([mustExist(first, 'it is one of them'), ...further])
      change.rows = [
        ...(change.rows ?? []),
        sql`update withdrawals set reason_code = ${why.reason_code}, reason = ${why.reason}, resolved_by = ${by}, resolved_at = ${now}, evidence = ${body.evidence} where workspace = ${workspace} and id = any(${all.map((withdrawal) => withdrawal.id)}::uuid[])`,
      ]
      const fee = reports.find((report) => report.row.id === id)?.report.fee ?? null
      const after: WithdrawalRow = {
        ...row,
        ...why,
        state: body.state,
        foreign_id: report.foreign_id,
        transaction_hash: report.transaction_hash,
        fee: fee === null ? row.fee : format(fee),
        fee_asset: body.state === 'SUCCESS' ? (row.fee_asset ?? row.asset) : row.fee_asset,
        completed_at: now,
        resolved_by: by,
        resolved_at: now,
        evidence: body.evidence,
      }
      return commit(app, change, after, by, idempotency)
    }),
  )
}

async function assertResolution(
  app: TreasuryApp,
  row: WithdrawalRow,
  body: ResolveWithdrawalBody,
): Promise<void> {
  const [came] =
    body.state === 'SUCCESS'
      ? []
      : await app.db.query<{ id: string }>(
          sql`select id from deposits where workspace = ${row.workspace} and related_withdrawal_id = ${row.id} and state not in ('FAILED', 'REVERSED') limit 1`,
        )
  if (came !== undefined)
    throw refuse('CONFLICT', 'state', `deposit ${came.id} is what became of it: it has left`)
  if (body.foreign_id === undefined) return
  if (row.foreign_id !== null && row.foreign_id !== body.foreign_id)
    throw refuse('CONFLICT', 'foreign_id', `the venue knows this withdrawal as ${row.foreign_id}`)
  const [other] = await app.db.query<{ id: string }>(
    sql`select id from withdrawals where workspace = ${row.workspace} and venue_id = ${row.venue_id} and foreign_id = ${body.foreign_id} and external_id <> ${row.external_id}`,
  )
  if (other !== undefined)
    throw refuse(
      'DUPLICATE',
      'foreign_id',
      `${body.foreign_id} is the venue's reference of withdrawal ${other.id}`,
    )
}

async function commit(
  app: TreasuryApp,
  change: Change,
  after: WithdrawalRow,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Withdrawal> {
  const {
    own_transfer: _own,
    venue_charge: _charge,
    fee_borne_by: _bearer,
    source_wallet: _wallet,
    transfer: _transfer,
    recipient_name: _name,
    output: _output,
    outputs: _outputs,
    ...shown
  } = after
  const record: Withdrawal = {
    ...shown,
    version: after.version + 1,
    system_updated_at: app.clock.now(),
    system_updated_by: by,
  }
  const committed = await app.lane
    .commit({
      ...change,
      ...(idempotency === undefined
        ? {}
        : { idempotency: { ...idempotency, reply: { data: record } } }),
    })
    .catch((error: unknown) => {
      // Named for another one since it was looked for.
      if (constraintOf(error) === 'withdrawals_foreign_id')
        throw refuse(
          'DUPLICATE',
          'foreign_id',
          `${record.foreign_id} is the venue's reference of another withdrawal`,
        )
      throw error
    })
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Withdrawal)
    : record
}

/**
 * Asks the venue now and records what it says. What only the sender may conclude (nothing arrived: send again) is left to its
 * task, which is made due. Refuses STATE_NOT_ALLOWED when it has ended; 2003 when the venue does not answer within 5 s.
 */
export async function recheckWithdrawal(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: string,
): Promise<Withdrawal> {
  const row = await withdrawalRow(app.db, workspace, id)
  if (isFinal(WITHDRAWAL_MOVES, row.state))
    throw refuse('STATE_NOT_ALLOWED', '', `withdrawal ${id} is ${row.state}: it has ended`)
  const all = await underway(app, row)
  if (all !== undefined && row.submitted_at !== null) {
    const { venue, adapter } = await app.venues.connected(workspace, row.venue_id)
    if (adapter.transfers === undefined)
      throw refuse('UNSUPPORTED_BY_VENUE', '', `the venue ${venue.label} makes no transfers`)
    const found = await within(
      adapter.transfers.find(await lookupOf(app, all, row.submitted_at)),
      venue.label,
    )
    if (found.lookup === 'found')
      await onLive(app, all, (now) => recordReport(app, now, found.report))
  }
  await putTasks(app.db, [
    { workspace, kind: WITHDRAWAL_TASK, subject_id: row.external_id, due_at: app.clock.now() },
  ])
  return withdrawalById(app.db, workspace, id)
}
