/** For tests of LIMIT orders: what an exchange reports of them, and how one comes to rest there. */
import type { Customer } from '../../customers/index.ts'
import type { OrderReport, VenueFill } from '../../venues/index.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { report } from '../testing/trading.fixture.ts'
import { advanceExecution } from './orders.ts'

export const found = (state: OrderReport['state'], ...fills: VenueFill[]) => ({
  lookup: 'found' as const,
  report: report(state, fills),
})

export const accepted = (state: OrderReport['state'], ...fills: VenueFill[]) => ({
  outcome: 'accepted' as const,
  report: report(state, fills),
})

/** One BTC is bought at 60000 at most, unless the test says otherwise. */
export const executeLimit = (
  desk: Desk,
  customer: Customer,
  more: Record<string, unknown> = {},
): Promise<Execution> =>
  desk.execute({
    execution_type: 'LIMIT',
    side: 'BUY',
    amount: '1',
    price: '60000',
    customers: [{ customer_id: customer.id }],
    ...more,
  })

/** Sent, and resting at the exchange. */
export async function restLimit(
  desk: Desk,
  customer: Customer,
  more: Record<string, unknown> = {},
): Promise<Execution> {
  const { app, workspace, exchange } = desk.world
  const created = await executeLimit(desk, customer, more)
  exchange.sends = [() => accepted('NEW')]
  exchange.finds = [() => found('NEW')]
  await advanceExecution(app, workspace, created.id)
  return created
}
