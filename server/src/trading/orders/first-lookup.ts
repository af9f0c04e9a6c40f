/**
 * The first sending of an order that was made before this start. The database may have been set
 * back since: then the order was sent, and nobody here knows. So it counts as sent since it was
 * made, and is looked up like any other, before it is sent or given up.
 */
import { withFailpoints } from '../../core/failpoint.ts'
import type { OrderLookup } from '../../venues/index.ts'
import { updateRow } from '../../store/rows.ts'
import type { TaskResult } from '../../store/tasks.ts'
import type { TradingApp } from '../app.ts'
import { askVenueFirst, draftOrderToFind, isInDoubt } from '../executions/in-doubt.ts'
import { clientOrderId, EXECUTIONS } from '../executions/rows.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import { recordLookup } from './submissions.ts'
import type { SentOrder } from './submissions.ts'
import { WORKER } from './trades.ts'
import { askVenueAt, venueOrderOf } from './venue-orders.ts'

const ASK_AGAIN_MILLISECONDS = 10_000

type Looked = { execution: StoredExecution; order: OrderRow }

/**
 * Undefined: nothing of it is at its venue. `connect` tells over which connection it is looked for:
 * where nothing is lost of its time, it was sent over no other one.
 */
export async function lookFirst(
  app: TradingApp,
  { execution, order }: Looked,
  connect: () => Promise<{ sent_over: string | null }>,
): Promise<TaskResult | undefined> {
  const sent_at = await mayBeSentSince(app, execution, order)
  if (sent_at === undefined) return undefined
  const isKnown = sent_at > (await app.history.setBackAt())
  const { sent_over } = isKnown ? await connect() : { sent_over: null }
  await withFailpoints('execution.intent', execution.id, () =>
    recordLookup(app, order, { sent_at, sent_over }),
  )
  return { again_at: app.clock.now() }
}

async function mayBeSentSince(
  app: TradingApp,
  execution: StoredExecution,
  order: OrderRow,
): Promise<number | undefined> {
  const before = await app.history.lookUpBefore()
  const asked_after = Math.max(before, await app.history.setBackAt())
  if ((order.looked_up_at ?? 0) >= asked_after) return undefined
  // The order itself may be made again, under the same reference.
  if (await isInDoubt(app, execution)) return execution.system_created_at
  return order.system_created_at < before ? order.system_created_at : undefined
}

/**
 * Asks the venue of a stop that waits whether it has its order. It is put to work when it has; when
 * it certainly has not, it is in doubt no more.
 */
export async function lookForStop(app: TradingApp, stop: StoredExecution): Promise<TaskResult> {
  const { workspace, id, version, system_created_at: sent_at } = stop
  if (!(await isInDoubt(app, stop))) return 'done'
  const { hop, ...draft } = draftOrderToFind(stop)
  const { venue_id, base_asset, quote_asset } = hop
  const client_order_id = clientOrderId(stop, 0)
  const order = { ...draft, base_asset, quote_asset, client_order_id }
  const lookup = { ...venueOrderOf(order), foreign_id: null, sent_at }
  const found = await askVenueAt(app, { workspace, venue_id }, await withTimeOfSetBack(app, lookup))
  const stamp = { by: WORKER, now: app.clock.now() }
  if (found.lookup === 'unknown') return { again_at: stamp.now + ASK_AGAIN_MILLISECONDS }
  if (found.lookup === 'found') await app.lane.commit(askVenueFirst(stop, stamp))
  else
    await app.db.query(
      updateRow(EXECUTIONS, {
        where: { workspace, id, version },
        set: { looked_up_at: stamp.now },
        ...stamp,
      }),
    )
  return 'done'
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
  await recordLookup(app, order, { sent_at: null, sent_over: null, looked_up_at: now })
  return { again_at: now }
}
