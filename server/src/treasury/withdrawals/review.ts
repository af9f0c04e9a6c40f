/**
 * A person's decision about a payment that a bank holds because its payee does not match. The bank
 * takes it at its own desk alone, so here it is recorded, and the withdrawal goes on waiting for
 * what the bank reports. Nothing is sent, and nothing is booked or released.
 */
import type { WithdrawalId } from '../../core/ids.ts'
import { refuse } from '../../core/errors.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { commitWithReply, retryOnStale } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import type { TreasuryApp } from '../app.ts'
import { pendingAssignmentsOf } from '../assignments/rows.ts'
import {
  withdrawalEvent,
  withdrawalGuard,
  withdrawalOf,
  withdrawalRow,
  WITHDRAWALS,
} from './rows.ts'
import type { WithdrawalRow } from './rows.ts'
import type { ReviewDecisionBody, Withdrawal } from './withdrawals.schema.ts'

/**
 * Refused: STATE_NOT_ALLOWED unless a bank holds it after a check of its payee; CONFLICT when the
 * bank has found something else meanwhile. A later decision takes the place of an earlier one.
 */
export function decideReview(
  caller: Caller,
  app: TreasuryApp,
  id: WithdrawalId,
  body: ReviewDecisionBody,
): Promise<Withdrawal> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, () =>
    retryOnStale(async () => {
      const row = await withdrawalRow(app.db, workspace, id)
      assertToDecide(row, body)
      const now = app.clock.now()
      const decided = {
        review_decision: body.decision,
        review_reason: body.reason,
        review_decided_by: by,
        review_decided_at: now,
      }
      const { payee_check, payee_name, version } = row
      const after = { ...row, ...decided }
      const { review_decided_at: _at, ...told } = decided
      const pending = await pendingAssignmentsOf(app.db, workspace, { withdrawal_id: id })
      const record = withdrawalOf(
        { ...after, version: version + 1, system_updated_at: now, system_updated_by: by },
        pending,
      )
      const change = {
        workspace,
        class: 'command' as const,
        by,
        guards: [withdrawalGuard(row, ['PENDING_REVIEW'])],
        rows: [updateGuardedRow(WITHDRAWALS, { where: { workspace, id }, set: decided })],
        events: [withdrawalEvent('review_decided', after, { payee_check, payee_name, ...told })],
      }
      return commitWithReply(app.lane, caller, change, record)
    }),
  )
}

function assertToDecide(
  { id, state, payee_check }: WithdrawalRow,
  { payee_check: seen }: ReviewDecisionBody,
): void {
  if (state !== 'PENDING_REVIEW' || payee_check === null)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `withdrawal ${id} is ${state}: only one that a bank holds for its payee can be decided about`,
    )
  if (payee_check !== seen)
    throw refuse('CONFLICT', 'payee_check', `the bank says ${payee_check} of the payee now`)
}
