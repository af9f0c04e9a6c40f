/**
 * DELETE /executions/:execution_id: a resting LIMIT order is canceled at its venue, a waiting
 * STOP_MARKET here.
 */
import { refuse } from '../../core/errors.ts'
import { failpoint } from '../../core/failpoint.ts'
import type { ExecutionId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { commitWithReply, retryOnStale } from '../../ledger/index.ts'
import type { Change, Guard } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { EXECUTION_TASK, EXECUTIONS, executionById, readExecution } from './rows.ts'
import type { TradingApp } from '../app.ts'
import { releases, untradedEventData } from './stops.ts'
import { EXECUTION_MOVES } from '../states.ts'
import type { ExecutionState } from '../states.ts'
import type { Execution } from './executions.schema.ts'

/**
 * Answers the execution in CANCELING: the venue decides whether it is CANCELED or was DONE first;
 * or at once in CANCELED. Throws 4004, and 3001 STATE_NOT_ALLOWED naming the state for everything
 * else. A halt does not stop it.
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
  if (before.execution_type === 'LIMIT' && before.state === 'PROCESSING')
    return cancelResting(caller, app, before)
  if (before.execution_type === 'STOP_MARKET' && before.state === 'WAITING_FOR_TRIGGER')
    return cancelWaiting(caller, app, before)
  throw refuse(
    'STATE_NOT_ALLOWED',
    '',
    `${before.execution_type} execution ${id} is ${before.state}; ` +
      'this needs LIMIT in PROCESSING or STOP_MARKET in WAITING_FOR_TRIGGER',
  )
}

/** The record as the cancellation leaves it. */
const changed = ({ by }: Caller, before: Execution, now: number): Execution => ({
  ...before,
  version: before.version + 1,
  system_updated_at: now,
  system_updated_by: by,
})

const guardMove = ({ id, state, version }: Execution, to: ExecutionState): Guard => ({
  table: 'executions',
  resource: 'execution',
  id,
  ...move(EXECUTION_MOVES, state, to),
  version,
})

/** The task of the execution asks the venue. */
function cancelResting(caller: Caller, app: TradingApp, before: Execution): Promise<Execution> {
  const { workspace, id } = before
  const now = app.clock.now()
  const execution: Execution = { ...changed(caller, before, now), state: 'CANCELING' }
  const change: Change = {
    workspace,
    class: 'command',
    by: caller.by,
    guards: [guardMove(before, 'CANCELING')],
    events: [{ type: 'execution.cancel_requested', resource_id: id, data: execution }],
    tasks: [{ kind: EXECUTION_TASK, subject_id: id, due_at: now }],
  }
  return commitWithReply(app.lane, caller, change, execution)
}

/** Nothing of it is at a venue. */
async function cancelWaiting(
  caller: Caller,
  app: TradingApp,
  before: Execution,
): Promise<Execution> {
  const { workspace, id } = before
  const now = app.clock.now()
  const end = { state: 'CANCELED' as const, reason_code: 'CANCELED_ON_REQUEST', reason: null }
  const execution: Execution = { ...changed(caller, before, now), ...end, completed_at: now }
  const stored = await readExecution(app.db, workspace, id)
  const change: Change = {
    workspace,
    class: 'command',
    by: caller.by,
    guards: [guardMove(before, 'CANCELED')],
    ledger: releases(stored),
    rows: [
      updateGuardedRow(EXECUTIONS, {
        where: { workspace, id },
        set: { completed_at: now, reason_code: end.reason_code },
      }),
    ],
    events: [{ type: 'execution.canceled', resource_id: id, data: untradedEventData(stored, end) }],
  }
  return commitWithReply(app.lane, caller, change, execution)
}
