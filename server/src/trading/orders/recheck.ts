/** The venue of an execution is asked now, because a person wants to know. */
import { mustExist } from '../../core/assert.ts'
import { refuse } from '../../core/errors.ts'
import type { ExecutionId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import type { Caller } from '../../http/index.ts'
import { retryOnStale } from '../../ledger/index.ts'
import { putTasks } from '../../store/tasks.ts'
import { withTimeLimit } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import type { Execution } from '../executions/executions.schema.ts'
import { EXECUTION_TASK, executionById, readExecution, readOrders } from '../executions/rows.ts'
import { EXECUTION_MOVES, ORDER_MOVES } from '../states.ts'
import { takeReport } from './contradictions.ts'
import { applyReport } from './fills.ts'
import type { SentOrder } from './submissions.ts'
import { lookupOf } from './venue-orders.ts'

/**
 * Asks the venue now and takes its report in; also in place of what a person has entered and the
 * venue contradicts. What only the sender may conclude (it never got the order: send again) is left
 * to the task, which is made due. Refuses STATE_NOT_ALLOWED when there is nothing to ask about;
 * 2003 when the venue does not answer within 5 s.
 */
export async function recheckExecution(
  caller: Caller,
  app: TradingApp,
  id: ExecutionId,
): Promise<Execution> {
  const { workspace } = caller
  const { state } = await executionById(app.db, workspace, id)
  const orders = await readOrders(app.db, workspace, id)
  const doubtful = orders.find((order) => order.contradiction !== null)
  const open = orders.find((order) => !isFinal(ORDER_MOVES, order.state))
  if (isFinal(EXECUTION_MOVES, state) && doubtful === undefined)
    throw refuse('STATE_NOT_ALLOWED', '', `execution ${id} is ${state}: it has ended`)
  const order = doubtful ?? open
  if (order !== undefined && order.sent_at !== null)
    await lookUpNow(caller, app, { ...order, sent_at: order.sent_at })
  await putTasks(app.db, [
    { workspace, kind: EXECUTION_TASK, subject_id: id, due_at: app.clock.now() },
  ])
  return executionById(app.db, workspace, id)
}

async function lookUpNow(caller: Caller, app: TradingApp, sent: SentOrder): Promise<void> {
  const { workspace, execution_id } = sent
  const { venue, adapter } = await app.venues.connect(workspace, sent.venue_id)
  if (adapter.trading === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', '', `the venue ${venue.label} takes no orders`)
  const looking = adapter.trading.find(lookupOf(sent, sent.sent_at))
  const found = await withTimeLimit(looking, venue.label)
  if (found.lookup === 'unknown') return
  const report = found.lookup === 'found' ? found.report : undefined
  await retryOnStale(async () => {
    const [execution, orders] = await Promise.all([
      readExecution(app.db, workspace, execution_id),
      readOrders(app.db, workspace, execution_id),
    ])
    const order = mustExist(
      orders.find((row) => row.id === sent.id),
      'an order stays with its execution',
    )
    const work = { execution, orders, order, venue }
    if (order.contradiction !== null) {
      // Without a reference of its own, the venue is certain that it never got the order.
      const isCertain = report !== undefined || order.foreign_id === null
      if (isCertain) await takeReport(caller, app, work, report)
    } else if (report !== undefined && !isFinal(ORDER_MOVES, order.state))
      await applyReport(app, work, report)
  })
}
