/**
 * DELETE /executions/:execution_id: a wish to cancel, in any open state. A waiting STOP_MARKET ends
 * here, unless it may have triggered in what the database has lost. Of all others the wish is
 * stored, and the task of the execution carries it out when it can: what has not been sent is not
 * sent, what is open is canceled at its venue, and what is not known is canceled once it is known
 * and open.
 */
import { refuse } from '../../core/errors.ts'
import { failpoint } from '../../core/failpoint.ts'
import type { ExecutionId } from '../../core/ids.ts'
import { isFinal, move } from '../../core/moves.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { commitWithReply, retryOnStale } from '../../ledger/index.ts'
import type { Change, Guard } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { draftOrderToFind, isInDoubt } from './in-doubt.ts'
import { EXECUTION_TASK, EXECUTIONS, executionById, insertOrder, readExecution } from './rows.ts'
import type { OrderDraft } from './rows.ts'
import type { TradingApp } from '../app.ts'
import { releases, untradedEventData } from './stops.ts'
import { EXECUTION_MOVES } from '../states.ts'
import type { ExecutionState } from '../states.ts'
import type { Execution } from './executions.schema.ts'

/**
 * Answers the execution in CANCELING, or in UNKNOWN with the wish: the venue decides whether it is
 * CANCELED or was DONE first; or at once in CANCELED. Throws 4004, and 3001 STATE_NOT_ALLOWED when
 * it has ended or the wish is stored already. A halt does not stop it.
 */
export function cancelExecution(
  caller: Caller,
  app: TradingApp,
  id: ExecutionId,
): Promise<Execution> {
  return withIdempotentReplay(app, caller.workspace, caller.idempotency, async () => {
    const canceled = await retryOnStale(() => commitCancellation(caller, app, id))
    await failpoint('execution.cancel_requested', id)
    return canceled
  })
}

async function commitCancellation(
  caller: Caller,
  app: TradingApp,
  id: ExecutionId,
): Promise<Execution> {
  const before = await executionById(app.db, caller.workspace, id)
  const { state, cancel_requested_at } = before
  if (state === 'WAITING_FOR_TRIGGER') return cancelWaiting(caller, app, before)
  if (!isFinal(EXECUTION_MOVES, state) && cancel_requested_at === null)
    return requestCancellation(caller, app, before)
  const why = isFinal(EXECUTION_MOVES, state) ? 'it has ended' : 'its cancellation is requested'
  throw refuse('STATE_NOT_ALLOWED', '', `execution ${id} is ${state}: ${why}`)
}

/** The record as the cancellation leaves it. */
const changed = ({ by }: Caller, before: Execution, now: number): Execution => ({
  ...before,
  cancel_requested_at: now,
  cancel_requested_by: by,
  version: before.version + 1,
  system_updated_at: now,
  system_updated_by: by,
})

const guardMove = ({ id, state, version }: Execution, to: ExecutionState): Guard => ({
  table: 'executions',
  resource: 'execution',
  id,
  ...(to === state ? { from: [state] } : move(EXECUTION_MOVES, state, to)),
  version,
})

/**
 * The task of the execution asks the venue. What is not known stays UNKNOWN until it is. `order`:
 * the one that is looked for.
 */
function requestCancellation(
  caller: Caller,
  app: TradingApp,
  before: Execution,
  order?: OrderDraft,
): Promise<Execution> {
  const { workspace, id } = before
  const now = app.clock.now()
  const state = before.state === 'UNKNOWN' ? 'UNKNOWN' : 'CANCELING'
  const execution: Execution = { ...changed(caller, before, now), state }
  const change: Change = {
    workspace,
    class: 'command',
    by: caller.by,
    guards: [guardMove(before, state)],
    rows: [
      storeWish(execution),
      ...(order === undefined ? [] : [insertOrder(before, order, { by: caller.by, now })]),
    ],
    events: [{ type: 'execution.cancel_requested', resource_id: id, data: execution }],
    tasks: [{ kind: EXECUTION_TASK, subject_id: id, due_at: now }],
  }
  return commitWithReply(app.lane, caller, change, execution)
}

const storeWish = ({ workspace, id, cancel_requested_at, cancel_requested_by }: Execution) =>
  updateGuardedRow(EXECUTIONS, {
    where: { workspace, id },
    set: { cancel_requested_at, cancel_requested_by },
  })

/** It ends here, as nothing of it is at a venue; where that is in doubt its venue is asked. */
async function cancelWaiting(
  caller: Caller,
  app: TradingApp,
  before: Execution,
): Promise<Execution> {
  const { workspace, id } = before
  const stored = await readExecution(app.db, workspace, id)
  if (await isInDoubt(app, stored))
    return requestCancellation(caller, app, before, draftOrderToFind(stored))
  const now = app.clock.now()
  const end = { state: 'CANCELED' as const, reason_code: 'CANCELED_ON_REQUEST', reason: null }
  const execution: Execution = { ...changed(caller, before, now), ...end, completed_at: now }
  const change: Change = {
    workspace,
    class: 'command',
    by: caller.by,
    guards: [guardMove(before, 'CANCELED')],
    ledger: releases(stored),
    rows: [
      storeWish(execution),
      updateGuardedRow(EXECUTIONS, {
        where: { workspace, id },
        set: { completed_at: now, reason_code: end.reason_code },
      }),
    ],
    events: [{ type: 'execution.canceled', resource_id: id, data: untradedEventData(stored, end) }],
  }
  return commitWithReply(app.lane, caller, change, execution)
}
