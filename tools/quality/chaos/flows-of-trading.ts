/** Orders at market, split, over two hops, waiting for their trigger, resting; and firm quotes. */
import { setTimeout as pause } from 'node:timers/promises'
import { mustExist } from '../../../server/src/core/assert.ts'
import { newId } from '../../../server/src/core/ids.ts'
import { Refusal } from '../faults/client.ts'
import type { Ground } from '../faults/furniture.ts'
import type { ChaosFlow, Desk } from './flow.ts'

const PRICE_LOOKS = 20
const REST_LOOKS = 60
const LOOK_MILLISECONDS = 500
const WITHOUT_PRICE = ['STALE_PRICE', 'NO_LIQUIDITY']
const AT_MARKET = { execution_type: 'MARKET', amount: '0.0012' }

async function routeId({ call }: Ground, label: string): Promise<string> {
  const routes = await call<{ id: string; label: string }[]>('GET', '/price-stream/routes')
  return mustExist(
    routes.find((route) => route.label === label),
    label,
  ).id
}

/** Who is refused for want of a price asks again, with the same key. */
async function untilPriced<T>(ask: () => Promise<T>): Promise<T> {
  for (let look = 1; ; look += 1) {
    try {
      return await ask()
    } catch (error) {
      const isWithout =
        error instanceof Refusal && error.codes.some((code) => WITHOUT_PRICE.includes(code))
      if (!isWithout || look === PRICE_LOOKS) throw error
      await pause(LOOK_MILLISECONDS)
    }
  }
}

async function execute({ ground, journal }: Desk, label: string, order: object): Promise<string> {
  const body = {
    route_id: await routeId(ground, label),
    customers: [{ customer_id: ground.customer.id }],
    ...order,
  }
  const key = newId()
  const { id } = await untilPriced(() =>
    ground.call<{ id: string }>('POST', '/executions', body, key),
  )
  journal.executions.add(id)
  return id
}

const order = (name: string, label: string, draft: (desk: Desk) => object): ChaosFlow => ({
  name: `order: ${name}`,
  run: (desk) => execute(desk, label, draft(desk)),
})

/** Far below the market: it rests until it is filled at the exchange, or canceled here. */
const resting = (venue: string, label: string): ChaosFlow => ({
  name: `order: resting, ${venue}`,
  async run(desk) {
    const { ground, dice } = desk
    const id = await execute(desk, label, {
      execution_type: 'LIMIT',
      side: 'BUY',
      amount: '0.0014',
      price: '50000',
      tif_mode: 'GTC',
    })
    const foreign_id = await placed(ground, id)
    if (dice.roll() < 0.5 || foreign_id === undefined)
      await ground.call('DELETE', `/executions/${id}`)
    else await ground.sandbox.control('POST', `${venue}/orders/${foreign_id}/fill`, {})
    return id
  },
})

/** Its order as the exchange knows it, once it rests there. */
async function placed({ call }: Ground, id: string): Promise<string | undefined> {
  for (let look = 0; look < REST_LOOKS; look += 1) {
    const [order] = await call<{ state: string; foreign_id: string | null }[]>(
      'GET',
      `/executions/${id}/orders`,
    )
    if (order?.state === 'NEW' && order.foreign_id !== null) return order.foreign_id
    await pause(LOOK_MILLISECONDS)
  }
  return undefined
}

/** A firm quote is taken once, however often somebody tries. */
const quoted: ChaosFlow = {
  name: 'quote and its execution',
  async run(desk) {
    const { ground, journal, dice } = desk
    const { call, customer } = ground
    const route_id = await routeId(ground, 'BTC/EUR at Kraken')
    const key = newId()
    const quote = await untilPriced(() =>
      call<{ id: string }>(
        'POST',
        '/price-stream/quotes',
        {
          route_id,
          request_asset: 'BTC',
          request_quantity: '0.0011',
          risk_duration_ms: 10_000,
          customer_id: customer.id,
        },
        key,
      ),
    )
    const body = {
      route_id,
      amount: '0.0011',
      side: dice.pick(['BUY', 'SELL']),
      execution_type: 'MARKET',
      customers: [{ customer_id: customer.id }],
      quote_id: quote.id,
    }
    const takers = await Promise.allSettled(
      [1, 2].map(() => call<{ id: string }>('POST', '/executions', body)),
    )
    const taken = takers.flatMap((taker) => (taker.status === 'fulfilled' ? [taker.value.id] : []))
    for (const id of taken) journal.executions.add(id)
    if (taken.length > 1) journal.wrong.push(`quote ${quote.id} was taken ${taken.length} times`)
    for (const taker of takers)
      if (taker.status === 'rejected' && (taken.length === 0 || !(taker.reason instanceof Refusal)))
        throw taker.reason
    return `${quote.id} ${taken.join()}`
  },
}

export const TRADES: readonly ChaosFlow[] = [
  order('market, Kraken', 'BTC/EUR at Kraken', () => ({ ...AT_MARKET, side: 'BUY' })),
  order('market, Bitstamp', 'BTC/EUR at Bitstamp', () => ({ ...AT_MARKET, side: 'SELL' })),
  order('market, OKX', 'BTC/EUR at OKX', () => ({ ...AT_MARKET, side: 'SELL' })),
  order('split, Kraken', 'BTC/EUR at Kraken', ({ ground }) => ({
    ...AT_MARKET,
    side: 'SELL',
    customers: [
      { customer_id: ground.customer.id, quantity_absolute: '0.0005' },
      { customer_id: ground.other.id },
    ],
  })),
  order('stop, Kraken', 'BTC/EUR at Kraken', () => ({
    execution_type: 'STOP_MARKET',
    side: 'SELL',
    stop_order_condition: 'STOP_LOSS',
    amount: '0.0013',
    price: '60100',
  })),
  order('two hops', 'ETH/EUR over BTC, Kraken and Bitstamp', () => ({
    execution_type: 'MARKET',
    side: 'BUY',
    amount: '0.05',
  })),
  resting('kraken', 'BTC/EUR at Kraken'),
  resting('bitstamp', 'BTC/EUR at Bitstamp'),
  resting('okx', 'BTC/EUR at OKX'),
  quoted,
]
