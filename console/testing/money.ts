/**
 * For tests that trade: both customers of the demo world get money of the house, and there are
 * prices.
 */
import { PATIENCE_MILLISECONDS, until } from './browser.ts'
import type { Installation } from './browser.ts'

export async function givePeopleMoney({ kontor }: Installation): Promise<void> {
  await until(
    'the customers are there and prices too',
    PATIENCE_MILLISECONDS,
    async () =>
      (await kontor.get('/customers')).length === 2 &&
      (await kontor.get('/price-stream/routes')).every((route) => route.state === 'UP'),
  )
  const house =
    (await kontor.get('/accounts')).find((account) => account.type === 'HOUSE')?.id ?? ''
  for (const { account_id } of await kontor.get('/customers')) {
    for (const [asset, quantity] of [
      ['EUR', '100000'],
      ['BTC', '2'],
      ['ETH', '5'],
    ] as const) {
      await kontor.post('/bookings', {
        body: {
          asset,
          description: 'Given by the house',
          legs: [
            { account_id: house, quantity, type: 'DEBIT' },
            { account_id, quantity, type: 'CREDIT' },
          ],
        },
      })
    }
  }
}

/** Executes at the venue that is paid after the trade. */
export async function tradeAtPrime(
  { kontor }: Installation,
  side: 'BUY' | 'SELL',
  amount: string,
): Promise<void> {
  const routes = await kontor.get('/price-stream/routes')
  const route_id = routes.find(({ label }) => label === 'BTC/EUR at Prime')?.id ?? ''
  const customer_id = (await kontor.get('/customers'))[0]?.id ?? ''
  const { id } = await kontor.post('/executions', {
    body: { route_id, side, execution_type: 'MARKET', amount, customers: [{ customer_id }] },
  })
  const params = { execution_id: id }
  await until('it is traded', PATIENCE_MILLISECONDS, async () => {
    const { state } = await kontor.get('/executions/{execution_id}', { params })
    return state === 'DONE'
  })
}

/** From the bank to an account of Jonas Keller elsewhere. */
export async function routeToJonas({ kontor }: Installation): Promise<void> {
  const jonas = (await kontor.get('/customers')).find(({ label }) => label === 'Jonas Keller')
  const wallets = await kontor.get('/treasury/wallets')
  const bank = wallets.find(({ label }) => label === 'Bank EUR')
  const { id } = await kontor.post('/treasury/wallets', {
    body: {
      type: 'CUSTOMER',
      asset: 'EUR',
      address: 'DE89370400440532013000',
      label: "Jonas Keller's own",
      account_id: jonas?.account_id ?? '',
      customer_id: jonas?.id ?? '',
      access_type: 'EXTERNAL',
    },
  })
  await kontor.post('/treasury/wallets/routes', {
    body: {
      label: 'Bank to Jonas',
      from_wallet_id: bank?.id ?? '',
      to_wallet_id: id,
      protocol: 'SEPA',
      transfer: { to: { name: 'Jonas Keller', reference: 'savings' } },
    },
  })
}

/** Payments to Jonas Keller that wait for tomorrow; answers their ids. */
export async function orderPayments(
  { kontor }: Installation,
  quantities: readonly string[],
): Promise<string[]> {
  const routes = await kontor.get('/treasury/wallets/routes')
  const route_id = routes.find(({ label }) => label === 'Bank to Jonas')?.id ?? ''
  const jonas = (await kontor.get('/customers')).find(({ label }) => label === 'Jonas Keller')
  const account_id = jonas?.account_id ?? ''
  const send_at = Date.now() + 86_400_000
  const ids: string[] = []
  for (const quantity of quantities) {
    const body = { route_id, account_id, quantity, send_at }
    ids.push((await kontor.post('/treasury/payments', { body })).id)
  }
  return ids
}
