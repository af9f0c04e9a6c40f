/**
 * The first sending of an order that was made before this start. The database may have been set
 * back since: then the order was sent, and nobody here knows. So it counts as sent since it was
 * made, and is looked up like any other, before it is sent or given up.
 */
import { withFailpoints } from '../../core/failpoint.ts'
import type { OrderLookup } from '../../venues/index.ts'
import type { TaskResult } from '../../store/tasks.ts'
import type { TradingApp } from '../app.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import { recordLookup } from './submissions.ts'
import type { SentOrder } from './submissions.ts'

/** Undefined: nothing of it is at its venue. */
export async function lookFirst(
  app: TradingApp,
  execution: StoredExecution,
  order: OrderRow,
): Promise<TaskResult | undefined> {
  const sent_at = await mayBeSentSince(app, execution, order)
  if (sent_at === undefined) return undefined
  await withFailpoints('execution.intent', execution.id, () =>
    recordLookup(app, order, { sent_at }),
  )
  return { again_at: app.clock.now() }
}

async function mayBeSentSince(
  { history }: TradingApp,
  execution: StoredExecution,
  order: OrderRow,
): Promise<number | undefined> {
  const before = await history.lookUpBefore()
  if ((order.looked_up_at ?? 0) >= before) return undefined
  // The order itself may be made again, under the same reference.
  if (execution.system_created_at < (await history.setBackAt())) return execution.system_created_at
  return order.system_created_at < before ? order.system_created_at : undefined
}

/** It may have been sent again in the time that the database has lost. */
export async function withTimeOfSetBack(
  { history }: TradingApp,
  lookup: OrderLookup,
): Promise<OrderLookup> {
  const sent_until = await history.setBackAt()
  return lookup.sent_at < sent_until ? { ...lookup, sent_until } : lookup
}

/** Whether an order that its venue does not have was sent, or may have been, before this start. */
export const isOfBefore = async ({ history }: TradingApp, { sent_at }: SentOrder) =>
  sent_at < (await history.lookUpBefore())

/** Nothing of it has left: it waits as before its intent. */
export async function forgetSending(app: TradingApp, order: SentOrder): Promise<TaskResult> {
  const now = app.clock.now()
  await recordLookup(app, order, { sent_at: null, looked_up_at: now })
  return { again_at: now }
}
