/** For browser tests: orders of which nobody knows what became of them. */
import pg from 'pg'
import { PATIENCE_MILLISECONDS, until } from './browser.ts'
import type { Installation } from './browser.ts'

/** Straight in the database: nobody waits for the time in which an order may be on its way. */
export async function sentLongAgo(here: Installation, execution_id: string): Promise<void> {
  const db = new pg.Client({ connectionString: here.database_url })
  await db.connect()
  try {
    await db.query(
      `update execution_orders
       set sent_at = sent_at - 180_000
       where execution_id = $1`,
      [execution_id],
    )
  } finally {
    await db.end()
  }
}

/** Kraken does not answer its next order, and does not say what became of it. */
async function forgetNextOrder({ kontor, control }: Installation): Promise<void> {
  // The fault meets the next order that is sent: those of before must have ended.
  await until('no order is on its way', PATIENCE_MILLISECONDS, async () =>
    (await kontor.get('/executions')).every(({ state }) => state !== 'PROCESSING'),
  )
  const fault = (operation: string, kind: string, remaining: number) =>
    control('POST', 'faults', { venue: 'kraken', operation, kind, remaining })
  await fault('AddOrder', 'CUT', 1)
  for (const lookup of ['OpenOrders', 'ClosedOrders', 'QueryOrders'])
    await fault(lookup, 'DOWN', -1)
}

/** Jonas Keller buys bitcoin at the market; answers the id once the outcome is not known. */
export async function loseOrderAtKraken(here: Installation, amount: string): Promise<string> {
  await forgetNextOrder(here)
  const { kontor } = here
  const routes = await kontor.get('/price-stream/routes')
  const route_id = routes.find(({ label }) => label === 'BTC/EUR at Kraken')?.id ?? ''
  const people = await kontor.get('/customers')
  const customer_id = people.find(({ label }) => label === 'Jonas Keller')?.id ?? ''
  const { id } = await kontor.post('/executions', {
    body: { route_id, side: 'BUY', execution_type: 'MARKET', amount, customers: [{ customer_id }] },
  })
  const params = { execution_id: id }
  await until('its outcome is not known', PATIENCE_MILLISECONDS, async () => {
    const { state } = await kontor.get('/executions/{execution_id}', { params })
    return state === 'UNKNOWN'
  })
  return id
}
