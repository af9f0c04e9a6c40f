/** She buys on a quote and sells at the market. */
import { balanceText, retryOnStalePrice, priceRoute, until } from './context.ts'
import type { Context } from './context.ts'
import type { DayCustomer } from './customer.ts'

export async function buy(context: Context, customer: DayCustomer, amount: string): Promise<void> {
  const { kontor, say } = context
  const route = await priceRoute(kontor, 'BTC/EUR at Kraken')
  const quote = await retryOnStalePrice(() =>
    kontor.post('/price-stream/quotes', {
      body: {
        route_id: route.id,
        request_asset: 'BTC',
        request_quantity: amount,
        request_side: 'BUY',
        risk_duration_ms: 60_000,
        customer_id: customer.id,
      },
    }),
  )
  say(
    `Quote for ${amount} BTC, firm until ${new Date(quote.expires_at).toISOString()}: ` +
      `BUY ${quote.buy.volume} EUR, SELL ${quote.sell.volume} EUR`,
  )
  const execution = await kontor.post('/executions', {
    body: {
      route_id: route.id,
      amount,
      side: 'BUY',
      execution_type: 'MARKET',
      customers: [{ customer_id: customer.id }],
      quote_id: quote.id,
      client_ref: `day-buy-${customer.reference}`,
    },
  })
  await awaitExecution(context, customer, execution.id, 'She takes it')
}

export async function sell(context: Context, customer: DayCustomer, amount: string): Promise<void> {
  const { kontor } = context
  const route = await priceRoute(kontor, 'BTC/EUR at Kraken')
  const execution = await retryOnStalePrice(() =>
    kontor.post('/executions', {
      body: {
        route_id: route.id,
        amount,
        side: 'SELL',
        execution_type: 'MARKET',
        customers: [{ customer_id: customer.id }],
        client_ref: `day-sell-${customer.reference}`,
      },
    }),
  )
  await awaitExecution(context, customer, execution.id, 'She sells some at the market')
}

async function awaitExecution(
  { kontor, say }: Context,
  customer: DayCustomer,
  execution_id: string,
  why: string,
): Promise<void> {
  const execution = await until('the execution is done', async () => {
    const now = await kontor.get('/executions/{execution_id}', { params: { execution_id } })
    if (['FAILED', 'CANCELED', 'EXPIRED', 'REJECTED'].includes(now.state))
      throw new Error(`execution ${execution_id} ended ${now.state}: ${now.reason}`)
    return now.state === 'DONE' ? now : undefined
  })
  const fills = await kontor.get('/executions/{execution_id}/orders/fills', {
    params: { execution_id },
  })
  say(
    `${why}: ${execution.side} ${execution.filled_amount} BTC for ` +
      `${execution.filled_volume} EUR; ${fills.length} fills at ` +
      `${fills.map((fill) => fill.price).join(', ')}`,
  )
  say(`Balance: ${await balanceText(kontor, customer.account_id)}`)
}
