/**
 * Everything at the same moment: two workers, cancels, fills, late and busted ones, the observer of
 * trades, the watcher of stops.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format, sum, unitOf } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { isFinal } from '../../core/moves.ts'
import { newId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { balancesOf, venueAccounts } from '../../ledger/index.ts'
import type { OrderReport, Trading, VenueFill } from '../../venues/index.ts'
import { openDesk } from '../testing/desk.testing.ts'
import type { Desk } from '../testing/desk.testing.ts'
import { applyFills } from './fills.ts'
import { advanceExecution } from './orders.ts'
import { watchStops } from '../executions/stops.ts'
import { fillFor, report } from '../testing/trading.fixture.ts'
import { EXECUTION_MOVES } from '../states.ts'
import type { Execution } from '../executions/executions.schema.ts'

const ROUNDS = 8
const BURSTS = 6
const AT_ONCE = 5

/** The same numbers in every run. */
function numbersOf(seed: number) {
  let state = seed
  const below = (end: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * end)
  }
  return {
    below,
    often: (percent: number) => below(100) < percent,
    pick: <T>(of: readonly [T, ...T[]]): T => of[below(of.length)] ?? of[0],
  }
}
type Numbers = ReturnType<typeof numbersOf>

/** An exchange with one order, which it may answer late or not at all. */
function exchangeOf({ below, often, pick }: Numbers) {
  const state = { sent: 0, canceled: false, quantity: 0n, fills: [] as VenueFill[] }
  const filled = () => sum(state.fills.map((fill) => fill.quantity))
  const moment = async () => {
    for (let turns = below(20); turns > 0; turns -= 1)
      await new Promise((resolve) => {
        setImmediate(resolve)
      })
  }
  const shown = (): OrderReport => {
    const word =
      filled() >= state.quantity
        ? 'FILLED'
        : state.canceled
          ? 'CANCELED'
          : state.fills.length > 0
            ? 'PARTIALLY_FILLED'
            : 'NEW'
    return report(
      word,
      state.fills.map((fill) => ({ ...fill })),
      format(sum(state.fills.filter((fill) => !fill.busted).map((fill) => fill.quantity))),
    )
  }
  const fill = () => {
    const left = state.quantity - filled()
    if (left <= 0n) return
    const part = ((state.quantity * BigInt(below(60) + 1)) / 100n / unitOf(8)) * unitOf(8)
    state.fills.push(
      fillFor(
        newId(),
        pick(['60000', '59990.1', '60010.3']),
        format(part === 0n || part > left ? left : part),
      ),
    )
  }
  const trading: Pick<Trading, 'send' | 'find' | 'cancel'> = {
    async send({ quantity, tif_mode }) {
      state.sent += 1
      await moment()
      state.quantity = quantity
      if (tif_mode === 'IOC' && often(70)) fill()
      state.canceled = tif_mode === 'IOC'
      return often(20)
        ? { outcome: 'unknown', reason: 'no answer' }
        : { outcome: 'accepted', report: shown() }
    },
    async find() {
      const answer =
        state.quantity > 0n
          ? { lookup: 'found' as const, report: shown() }
          : { lookup: 'absent' as const }
      await moment()
      return answer
    },
    async cancel() {
      await moment()
      if (filled() >= state.quantity || often(20))
        return { outcome: 'refused', reason: 'not now', native: null }
      state.canceled = true
      return often(30)
        ? { outcome: 'unknown', reason: 'no answer' }
        : { outcome: 'accepted', report: shown() }
    },
  }
  return {
    state,
    trading,
    fill,
    bust: () => {
      const [one] = state.fills
      if (one !== undefined && often(30)) pick([one, ...state.fills]).busted = true
    },
  }
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
    const limit = { execution_type: 'LIMIT', price: side === 'BUY' ? '61000' : '59000' }
    const stop = {
      execution_type: 'STOP_MARKET',
      stop_order_condition: 'TAKE_PROFIT',
      price: '60000',
    }
    const kind = pick<object>([
      limit,
      { ...limit, tif_mode: 'GTD', expires_at: clock.now() + 3_000 },
      stop,
      { ...stop, tif_mode: 'GTD', expires_at: clock.now() + 2_000 },
      { execution_type: 'MARKET' },
    ])
    const exchange = exchangeOf(numbers)
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

    const work = () => advanceExecution(app, workspace, created.id)
    const observe = async () => {
      const [order] = await desk.orders(created.id)
      if (order !== undefined)
        await applyFills(
          app,
          { workspace, order_id: order.id },
          exchange.state.fills.map((fill) => ({ ...fill })),
        )
    }
    const cancel = async () => {
      assert.notEqual((await desk.api.call('DELETE', `/executions/${created.id}`)).status, 500)
    }
    const time = async () => {
      clock.advance(below(700))
      world.market()
    }
    const acts: [() => Promise<unknown>, ...(() => Promise<unknown>)[]] = [
      work,
      work,
      observe,
      cancel,
      async () => {
        if (!exchange.state.canceled) exchange.fill()
      },
      async () => {
        exchange.bust()
      },
      time,
      () => watchStops(app, workspace),
    ]
    // Whoever comes second is told so, and looks again.
    const unlessSecond = (error: unknown) => {
      if (
        !(error instanceof ApiError) ||
        !error.details.some(
          (errorDetail) =>
            errorDetail.code === 'STALE_VERSION' || errorDetail.code === 'STATE_NOT_ALLOWED',
        )
      )
        throw error
    }
    for (let burst = 0; burst < BURSTS; burst += 1)
      await Promise.all(Array.from({ length: AT_ONCE }, () => pick(acts)().catch(unlessSecond)))
    exchange.state.canceled ||= often(50)
    for (
      let tries = 0;
      tries < 60 && !isFinal(EXECUTION_MOVES, (await desk.read(created.id)).state);
      tries += 1
    ) {
      await watchStops(app, workspace)
      const result = await work()
      if (tries === 30) exchange.state.canceled = true
      if (tries > 30) await cancel()
      clock.advance(result === 'done' ? 500 : Math.max(0, result.again_at - clock.now()))
      world.market()
    }
    await observe()
    return { execution: await desk.read(created.id), people, exchange, owedBefore, kind }
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
      const got =
        exchange.settlement === 'PREFUNDED'
          ? 0n
          : asset === 'BTC' && bought
            ? base
            : asset === 'EUR' && !bought
              ? quote
              : 0n
      assert.deepEqual(
        [asset, total, held_trading, unsettled],
        [
          asset,
          asset === 'BTC' ? decimal('5') + sign * base : decimal('500000') - sign * quote,
          0n,
          got,
        ],
      )
    }
  }

  for (let seed = 1; seed <= ROUNDS; seed += 1) {
    it(`one order at most, customers' parts are the trades that stand, nothing stays blocked, TRADING says what is owed (${seed})`, async () => {
      const {
        execution,
        people,
        exchange: { state },
        owedBefore,
      } = await round(numbersOf(seed * 7_919))
      assert.ok(isFinal(EXECUTION_MOVES, execution.state), execution.state)
      assert.ok(state.sent <= 1)
      const standing = state.fills.filter((fill) => !fill.busted)
      assert.equal(execution.filled_amount, format(sum(standing.map((fill) => fill.quantity))))
      assert.equal(
        format(sum(execution.customers.map((customer) => decimal(customer.filled_amount)))),
        execution.filled_amount,
      )
      for (const [index, person] of people.entries()) await assertCustomer(execution, person, index)
      const sign =
        desk.world.exchange.settlement === 'PREFUNDED' ? 0n : execution.side === 'BUY' ? 1n : -1n
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
