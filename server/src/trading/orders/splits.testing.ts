/** For tests of splits, volumes and hops: two customers, and markets of BTC/EUR and ETH/BTC. */
import type { Customer } from '../../customers/index.ts'
import type { Desk } from '../testing/desk.testing.ts'
import type { Execution } from '../executions/executions.schema.ts'

/** Alice is ADVANCED; Bob is SIMPLE with a margin of his own, and has ETH too. */
export async function resetWithCustomers(desk: Desk): Promise<{ alice: Customer; bob: Customer }> {
  desk.reset()
  desk.world.ethMarket('0.05×10 0.0501×10', '0.0499×10 0.0498×10')
  return {
    alice: await desk.world.customer(),
    bob: await desk.world.customer(
      { margin: 'PREMIUM', booking_schema: 'SIMPLE' },
      { BTC: '5', EUR: '500000', ETH: '20' },
    ),
  }
}

/** One BTC is bought at the market's price, unless the test says otherwise. */
export const executeAtMarket = (
  desk: Desk,
  customer: Customer,
  more: Record<string, unknown>,
): Promise<Execution> =>
  desk.execute({
    execution_type: 'MARKET',
    side: 'BUY',
    amount: '1',
    customers: [{ customer_id: customer.id }],
    ...more,
  })
