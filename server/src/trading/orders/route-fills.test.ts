/** What was traded over a route, as its chart marks it. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { VenueOrder } from '../../venues/index.ts'
import { routeFills } from '../routes/route-fills.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { executeAtMarket, resetWithCustomers } from './splits.testing.ts'

let desk: Desk
before(async () => {
  desk = await openDesk()
})
after(() => desk.close())

const filledAt = (price: string, fee_asset: string) => (order: VenueOrder) => ({
  outcome: 'accepted' as const,
  report: {
    ...report('FILLED', [
      {
        ...fillFor(newId(), price, format(order.quantity), { fee_asset }),
        executed_at: desk.world.clock.now(),
      },
    ]),
    foreign_id: `O${order.client_order_id}`,
  },
})

it('fills of one hop are marked one by one, those of several as one trade', async () => {
  const { world } = desk
  const { app, workspace, route, two_hops } = world
  const { alice } = await resetWithCustomers(desk)
  world.exchange.sends = [filledAt('60000', 'EUR')]
  const short = await executeAtMarket(desk, alice, { amount: '0.5' })
  await world.finish(short.id)
  world.exchange.sends = [filledAt('0.05', 'BTC'), filledAt('60000', 'EUR')]
  const long = await executeAtMarket(desk, alice, { route_id: two_hops.id, amount: '2' })
  await world.finish(long.id)

  const read = async (id: string) =>
    (await routeFills(app, workspace, id)).map(({ execution_id, side, base_asset, ...fill }) => ({
      execution_id,
      traded: `${side} ${fill.quantity} ${base_asset} at ${fill.price}`,
    }))
  assert.deepEqual(await read(route.id), [
    { execution_id: short.id, traded: 'BUY 0.5 BTC at 60000' },
  ])
  const [whole, ...more] = await read(two_hops.id)
  const { filled_volume } = await desk.read(long.id)
  assert.equal(whole?.execution_id, long.id)
  assert.equal(
    whole.traded,
    `BUY 2 ETH at ${Number(filled_volume) / 2}`,
    'the notional at the venue by the amount',
  )
  assert.deepEqual(more, [])

  const { status } = await desk.api.call('GET', `/price-stream/routes/${newId()}/fills`)
  assert.equal(status, 404)
  await assert.rejects(routeFills(app, newId(), route.id), /does not exist/)
  // Two hours later the chart has moved on.
  await world.clock.advance(2 * 3_600_000 + 1)
  assert.deepEqual(await read(route.id), [])
})
