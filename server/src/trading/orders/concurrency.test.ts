/**
 * Everything at the same moment: two workers, cancels, fills, late and busted ones, the observer of
 * trades, the watcher of stops.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format, sum } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { isFinal } from '../../core/moves.ts'
import type { Customer } from '../../customers/index.ts'
import { balancesOf, venueAccounts } from '../../ledger/index.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { applyFills } from './fills.ts'
import { advanceExecution } from './orders.ts'
import { watchStops } from '../executions/stops.ts'
import { HastyExchange, numbersOf } from '../testing/hasty-exchange.fixture.ts'
import type { Numbers } from '../testing/hasty-exchange.fixture.ts'
import { EXECUTION_MOVES } from '../states.ts'
import type { Execution } from '../executions/executions.schema.ts'

const ROUNDS = 8
const BURSTS = 6
const AT_ONCE = 5

/** Any type of execution of this side, with and without an end. */
function anyKind({ pick }: Numbers, side: string, now: number): object {
  const limit = { execution_type: 'LIMIT', price: side === 'BUY' ? '61000' : '59000' }
  const stop = {
    execution_type: 'STOP_MARKET',
    stop_order_condition: 'TAKE_PROFIT',
    price: '60000',
  }
  return pick<object>([
    limit,
    { ...limit, tif_mode: 'GTD', expires_at: now + 3_000 },
    stop,
    { ...stop, tif_mode: 'GTD', expires_at: now + 2_000 },
    { execution_type: 'MARKET' },
  ])
}

/** Whoever comes second is refused, and looks again. */
function ignoreSecond(error: unknown): void {
  const isSecond =
    error instanceof ApiError &&
    error.details.some(({ code }) => code === 'STALE_VERSION' || code === 'STATE_NOT_ALLOWED')
  if (!isSecond) throw error
}

describe('whatever happens at the same moment', () => {
  let desk: Desk
  before(async () => {
    desk = await openDesk()
  })
  after(() => desk.close())

  const owed = async () => {
    const { TRADING } = await venueAccounts(
      desk.world.database.db,
      desk.world.workspace,
      desk.world.venue_id,
    )
    return new Map(
      (await balancesOf(desk.world.database.db, desk.world.workspace, TRADING)).map((balance) => [
        balance.asset,
        balance.total,
      ]),
    )
  }

  async function round(numbers: Numbers) {
    const { world } = desk
    const { app, workspace, clock } = world
    const { below, often, pick } = numbers
    desk.reset()
    world.exchange.settlement = pick(['PREFUNDED', 'POST_TRADE'])
    const people = await Promise.all(
      Array.from({ length: 1 + below(3) }, () =>
        world.customer({
          booking_schema: pick(['SIMPLE', 'ADVANCED']),
          margin: pick(['DEFAULT', 'PREMIUM']),
        }),
      ),
    )
    const side = pick(['BUY', 'SELL'])
    const kind = anyKind(numbers, side, clock.now())
    const exchange = new HastyExchange(numbers)
    const { adapter } = await app.venues.connect(workspace, world.venue_id)
    Object.assign(adapter.trading ?? {}, exchange.trading)
    const owedBefore = await owed()
    const created = await desk.execute({
      amount: pick(['1', '0.33333', '0.00107']),
      side,
      ...kind,
      customers: people.map(({ id }, index) => ({
        customer_id: id,
        ...(index === 0 ? {} : { quantity_absolute: '0.0003' }),
      })),
    })
    const acts = actsOn(created.id, exchange, numbers)
    for (let burst = 0; burst < BURSTS; burst += 1)
      await Promise.all(Array.from({ length: AT_ONCE }, () => pick(acts)().catch(ignoreSecond)))
    exchange.canceled ||= often(50)
    await bringToEnd(created.id, exchange)
    await observe(created.id, exchange)
    return { execution: await desk.read(created.id), people, exchange, owedBefore, kind }
  }

  async function observe(id: string, exchange: HastyExchange): Promise<void> {
    const { app, workspace } = desk.world
    const [order] = await desk.orders(id)
    if (order !== undefined)
      await applyFills(app, { workspace, order_id: order.id }, exchange.listed())
  }

  async function cancel(id: string): Promise<void> {
    assert.notEqual((await desk.api.call('DELETE', `/executions/${id}`)).status, 500)
  }

  /** What may happen at any moment. */
  function actsOn(
    id: string,
    exchange: HastyExchange,
    { below }: Numbers,
  ): [() => Promise<unknown>, ...(() => Promise<unknown>)[]] {
    const { world } = desk
    const { app, workspace, clock } = world
    const work = () => advanceExecution(app, workspace, id)
    return [
      work,
      work,
      () => observe(id, exchange),
      () => cancel(id),
      async () => {
        if (!exchange.canceled) exchange.fill()
      },
      async () => {
        exchange.bust()
      },
      async () => {
        clock.advance(below(700))
        world.market()
      },
      () => watchStops(app, workspace),
    ]
  }

  async function bringToEnd(id: string, exchange: HastyExchange): Promise<void> {
    const { world } = desk
    const { app, workspace, clock } = world
    for (
      let tries = 0;
      tries < 60 && !isFinal(EXECUTION_MOVES, (await desk.read(id)).state);
      tries += 1
    ) {
      await watchStops(app, workspace)
      const result = await advanceExecution(app, workspace, id)
      if (tries === 30) exchange.canceled = true
      if (tries > 30) await cancel(id)
      clock.advance(result === 'done' ? 500 : Math.max(0, result.again_at - clock.now()))
      world.market()
    }
  }

  async function assertCustomer(execution: Execution, { account_id }: Customer, index: number) {
    const { database, workspace, exchange } = desk.world
    const bought = execution.side === 'BUY'
    const share = execution.customers[index]
    const [base, quote] = [
      decimal(share?.filled_amount ?? '0'),
      decimal(share?.filled_volume ?? '0'),
    ]
    const sign = bought ? 1n : -1n
    for (const { asset, total, held_trading, unsettled } of await balancesOf(
      database.db,
      workspace,
      account_id,
    )) {
      const received = new Map(bought ? [['BTC', base]] : [['EUR', quote]])
      assert.deepEqual(
        { asset, total, held_trading, unsettled },
        {
          asset,
          total: asset === 'BTC' ? decimal('5') + sign * base : decimal('500000') - sign * quote,
          held_trading: 0n,
          unsettled: exchange.settlement === 'PREFUNDED' ? 0n : (received.get(asset) ?? 0n),
        },
      )
    }
  }

  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    it(`one order; shares and TRADING follow the trades that stand (${seed})`, async () => {
      const { execution, people, exchange, owedBefore } = await round(numbersOf(seed * 7_919))
      assert.ok(isFinal(EXECUTION_MOVES, execution.state), execution.state)
      assert.ok(exchange.sent <= 1)
      const standing = exchange.standing()
      assert.equal(execution.filled_amount, format(sum(standing.map((fill) => fill.quantity))))
      assert.equal(
        format(sum(execution.customers.map((customer) => decimal(customer.filled_amount)))),
        execution.filled_amount,
      )
      for (const [index, person] of people.entries()) await assertCustomer(execution, person, index)
      const prefunded = desk.world.exchange.settlement === 'PREFUNDED'
      const direction = execution.side === 'BUY' ? 1n : -1n
      const sign = prefunded ? 0n : direction
      const fees = sign === 0n ? 0n : sum(standing.map((fill) => fill.fee))
      const owedAfter = await owed()
      assert.deepEqual(
        ['BTC', 'EUR'].map((asset) => (owedAfter.get(asset) ?? 0n) - (owedBefore.get(asset) ?? 0n)),
        [
          -sign * sum(standing.map((fill) => fill.quantity)),
          sign * sum(standing.map((fill) => fill.volume)) + fees,
        ],
      )
    })
  }
})
