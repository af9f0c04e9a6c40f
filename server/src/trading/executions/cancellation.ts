/**
 * DELETE /executions/:execution_id: a resting LIMIT order is canceled at its venue, a waiting
 * STOP_MARKET here.
 */
import { refuse } from '../../core/errors.ts'
import { failpoint } from '../../core/failpoint.ts'
import type { ExecutionId, WorkspaceId } from '../../core/ids.ts'
import { withIdempotentReplay } from '../../http/index.ts'
import type { Idempotency } from '../../http/index.ts'
import { retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import { EXECUTION_TASK, executionById, readExecution } from './rows.ts'
import type { TradingApp } from '../app.ts'
import { releases, untradedEventData } from './stops.ts'
import type { Execution } from './executions.schema.ts'

/**
 * Answers the execution in CANCELING: the venue decides whether it is CANCELED or was DONE first;
 * or at once in CANCELED. Throws 4004, and 3001 STATE_NOT_ALLOWED naming the state for everything
 * else. A halt does not stop it.
 */
export function cancelExecution(
  app: TradingApp,
  workspace: WorkspaceId,
  id: ExecutionId,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Execution> {
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const canceled = await retryOnStale(() =>
      commitCancellation(app, workspace, id, by, idempotency),
    )
    await failpoint('execution.cancel_requested', id)
    return canceled
  })
}

async function commitCancellation(
  app: TradingApp,
  workspace: WorkspaceId,
  id: ExecutionId,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<Execution> {
  const { execution, change } = await composeCancellation(app, workspace, id, by, idempotency)
  const committed = await app.lane.commit(change)
  return committed.verdict === 'replayed' && 'data' in committed.reply
    ? (committed.reply.data as Execution)
    : execution
}

async function composeCancellation(
  app: TradingApp,
  workspace: WorkspaceId,
  id: ExecutionId,
  by: string,
  idempotency: Idempotency | undefined,
): Promise<{ execution: Execution; change: Change }> {
  const before = await executionById(app.db, workspace, id)
  const resting = before.execution_type === 'LIMIT' && before.state === 'PROCESSING'
  const waiting = before.execution_type === 'STOP_MARKET' && before.state === 'WAITING_FOR_TRIGGER'
  if (!resting && !waiting) {
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      `${before.execution_type} execution ${id} is ${before.state}; this needs LIMIT in PROCESSING or STOP_MARKET in WAITING_FOR_TRIGGER`,
    )
  }
  const now = app.clock.now()
  const moved = { version: before.version + 1, system_updated_at: now, system_updated_by: by }
  const end = { state: 'CANCELED' as const, reason_code: 'CANCELED_ON_REQUEST', reason: null }
  const execution: Execution = resting
    ? { ...before, ...moved, state: 'CANCELING' }
    : { ...before, ...moved, ...end, completed_at: now }
  const guard = {
    table: 'executions',
    resource: 'execution',
    id,
    from: [before.state],
    to: execution.state,
    version: before.version,
  }
  const common = {
    workspace,
    by,
    guards: [guard],
    ...(idempotency === undefined
      ? {}
      : { idempotency: { ...idempotency, reply: { data: execution } } }),
  }
  if (resting) {
    return {
      execution,
      change: {
        ...common,
        class: 'command',
        events: [{ type: 'execution.cancel_requested', resource_id: id, data: execution }],
        tasks: [{ kind: EXECUTION_TASK, subject_id: id, due_at: now }],
      },
    }
  }
  const worked = await readExecution(app.db, workspace, id)
  return {
    execution,
    change: {
      ...common,
      class: 'command',
      ledger: releases(worked),
      rows: [
        sql`
          update executions
          set completed_at = ${now}, reason_code = ${end.reason_code}
          where workspace = ${workspace}
            and id = ${id}`,
      ],
      events: [
        { type: 'execution.canceled', resource_id: id, data: untradedEventData(worked, end) },
      ],
    },
  }
}
