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
