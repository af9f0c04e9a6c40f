/**
 * For tests: a workspace with a customer, money, a route, and an exchange that does what the test
 * says.
 */
import assert from 'node:assert/strict'
import { createWorkspace } from '../../access/index.ts'
import { manualClock } from '../../core/clock.ts'
import type { ManualClock } from '../../core/clock.ts'
import { absolute, decimal, format, multiply } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { workerCaller } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import { createCustomer } from '../../customers/index.ts'
import type { Customer } from '../../customers/index.ts'
import {
  balancesOf,
  houseAccounts,
  openBooks,
  openLane,
  openVenueAccounts,
  putAsset,
  venueAccounts,
  verifyBooks,
} from '../../ledger/index.ts'
import { openPriceBook } from '../../market-data/index.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import type {
  Lookup,
  MarketPair,
  OrderReport,
  Outcome,
  PriceFeed,
  Trading,
  Venue,
  VenueFill,
  VenueOrder,
  VenueRecord,
} from '../../venues/index.ts'
import { executionById } from '../executions/rows.ts'
import type { TradingApp } from '../app.ts'
import { advanceExecution } from '../orders/orders.ts'
import { applyPriceRoutes } from '../routes/declarations.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { PriceRoute } from '../routes/routes.schema.ts'

const ETH_BTC: MarketPair = {
  base_asset: 'ETH',
  quote_asset: 'BTC',
  price_step: decimal('0.00001'),
  amount_step: decimal('0.00000001'),
  min_amount: decimal('0.001'),
  taker_fee: decimal('0.0026'),
}
export const START = 1_800_000_000_000
export const ASKS = '60000×1 60100×2 61000×5'
export const BIDS = '60000×1 59900×2 59000×5'

export type Exchange = {
  pair: MarketPair
  /** What the next calls answer, in order; the last one stays. */
  sends: ((order: VenueOrder) => Outcome<OrderReport>)[]
  finds: ((order: VenueOrder) => Lookup<OrderReport>)[]
  cancels: ((order: VenueOrder) => Outcome<OrderReport>)[]
  sent: VenueOrder[]
  canceled: VenueOrder[]
  /** Takes no FOK and no GTD unless the test says so. */
  supports: Trading['supports']
  feed(): PriceFeed
  settlement: 'PREFUNDED' | 'POST_TRADE'
}

export type World = {
  app: TradingApp
  clock: ManualClock
  database: TestDatabase
  workspace: WorkspaceId
  caller: Caller
  venue_id: string
  route: PriceRoute
  /** ETH/EUR over ETH/BTC and BTC/EUR; of a real venue there is none. */
  two_hops: PriceRoute
  exchange: Exchange
  customer(
    more?: Partial<Customer>,
    money?: { BTC?: string; EUR?: string; ETH?: string },
  ): Promise<Customer>
  market(asks?: string, bids?: string): void
  /** The book of ETH/BTC. */
  ethMarket(asks: string, bids: string): void
  /** Runs the execution's task until it is done, moving the clock to when it wants to come back. */
  finish(id: string): Promise<Execution>
  balances(account_id: string): Promise<Record<string, string>>
  /** Books verify, TRADING is 0 and the house equation holds in every asset. */
  assertBooks(): Promise<void>
  close(): Promise<void>
}

const levels = (text: string) =>
  text
    .split(' ')
    .filter((part) => part !== '')
    .map((part) => {
      const [price = '', quantity = ''] = part.split('×')
      return { price: decimal(price), quantity: decimal(quantity) }
    })

function machineClock(): ManualClock {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    set: (time) => {
      ahead = time - Date.now()
    },
    advance: (milliseconds) => {
      ahead += milliseconds
    },
  }
}

/** A fill of this order; its volume has the venue's digits, its fee is 0.26 % unless given. */
export function fillFor(
  foreign_id: string,
  price: string,
  quantity: string,
  fee?: string,
  fee_asset = 'EUR',
): VenueFill {
  const volume = multiply(decimal(price), decimal(quantity), 10, 'half_even')
  return {
    foreign_id,
    price: decimal(price),
    quantity: decimal(quantity),
    volume,
    fee: fee === undefined ? multiply(volume, decimal('0.0026'), 5, 'half_even') : decimal(fee),
    fee_asset,
    liquidity: 'TAKER',
    executed_at: START,
    busted: false,
  }
}

export function report(
  state: OrderReport['state'],
  fills: VenueFill[],
  filled?: string,
): OrderReport {
  return {
    foreign_id: 'OABC',
    state,
    reason: null,
    filled_quantity:
      filled === undefined
        ? fills.reduce((total, fill) => total + fill.quantity, 0n)
        : decimal(filled),
    fills,
  }
}

/**
 * Who is told that there is no fresh price asks again: on a slow machine the next one comes late.
 */
export function priced<T>(ask: () => Promise<T>): Promise<Exclude<T, undefined | false>> {
  return until('a fresh price', () =>
    ask().catch((error: unknown) => {
      if (error instanceof ApiError && error.details[0]?.code === 'STALE_PRICE')
        return undefined as T
      throw error
    }),
  )
}

/**
 * `real`: an exchange that is not made up, and its BTC/EUR as it comes; time is then the machine's
 * unless given.
 */
export async function openWorld(
  real?: Venue,
  clock = real === undefined ? manualClock(START) : machineClock(),
): Promise<World> {
  const database = await testDatabase()
  const { db } = database
  const lane = openLane(db, clock, { key_lifetime_ms: 86_400_000 })
  const { id: workspace } = await db.tx((tx) => createWorkspace(tx, clock, { name: 'Trading' }))
  const venue_id = newId()
  await db.tx(async (tx) => {
    await openBooks({ workspace, by: 'test' }, { tx, clock })
    await openVenueAccounts(
      { workspace, by: 'test' },
      { tx, clock },
      { id: venue_id, label: 'Exchange' },
    )
  })
  for (const [code, scale] of [
    ['BTC', 8],
    ['EUR', 2],
    ['ETH', 8],
  ] as const)
    await putAsset(db, workspace, {
      code,
      label: code,
      kind: code === 'EUR' ? 'FIAT' : 'CRYPTO',
      scale,
      circulating_supply: null,
    })

  let feed: PriceFeed | undefined
  const exchange: Exchange = {
    pair: {
      base_asset: 'BTC',
      quote_asset: 'EUR',
      price_step: decimal('0.1'),
      amount_step: decimal('0.00000001'),
      min_amount: decimal('0.0001'),
      taker_fee: decimal('0.0026'),
    },
    sends: [],
    finds: [],
    cancels: [],
    sent: [],
    canceled: [],
    supports: ({ tif_mode }) => tif_mode === 'IOC' || tif_mode === 'GTC',
    settlement: 'PREFUNDED',
    feed: () => {
      assert.ok(feed)
      return feed
    },
  }
  const next = <T>(answers: T[], what: string): T => {
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    assert.ok(answer, `the test says what ${what} answers`)
    return answer
  }
  const adapter: Venue = real ?? {
    kind: 'EXCHANGE',
    balances: async () => [],
    protocols: async () => [],
    close: async () => undefined,
    trading: {
      supports: (kind) => exchange.supports(kind),
      send: async (order) => {
        exchange.sent.push(order)
        return next(exchange.sends, 'send')(order)
      },
      find: async (order) => next(exchange.finds, 'find')(order),
      cancel: async (order) => {
        exchange.canceled.push(order)
        return next(exchange.cancels, 'cancel')(order)
      },
    },
    prices: {
      pairs: async () => [exchange.pair, ETH_BTC],
      watch: (_pairs, given) => {
        feed = given
        return async () => undefined
      },
    },
  }
  const services = [{ id: newId(), type: 'TOMS' as const, state: 'RUNNING' as const }]
  const venue = () =>
    ({
      id: venue_id,
      workspace,
      label: 'Exchange',
      kind: 'EXCHANGE',
      settlement: exchange.settlement,
      services,
    }) as VenueRecord
  const prices = openPriceBook()
  const app: TradingApp = {
    db,
    clock,
    lane,
    prices,
    venues: { connect: async () => ({ venue: venue(), adapter }), list: async () => [venue()] },
  }
  const common = {
    margin: { PREMIUM: '0.001' },
    risk_quantile: '0.99',
    min_amount: '0.001',
    max_amount: '10',
    amount_step: '0.00001',
    price_step: '0.1',
  }
  await db.tx((tx) =>
    applyPriceRoutes(
      { workspace, by: 'test' },
      { tx, clock },
      [
        {
          key: 'btc-eur',
          label: 'BTC/EUR',
          base_asset: 'BTC',
          quote_asset: 'EUR',
          hops: [{ venue: 'exchange', base_asset: 'BTC', quote_asset: 'EUR' }],
          ...common,
        },
        ...(real === undefined
          ? [
              {
                key: 'eth-eur',
                label: 'ETH/EUR over BTC',
                base_asset: 'ETH',
                quote_asset: 'EUR',
                hops: [
                  { venue: 'exchange', base_asset: 'ETH', quote_asset: 'BTC' },
                  { venue: 'exchange', base_asset: 'BTC', quote_asset: 'EUR' },
                ],
                ...common,
              },
            ]
          : []),
      ],
      new Map([['exchange', venue()]]),
    ),
  )
  const [route, two_hops = route] = await db.query<PriceRoute>(
    sql`
      select *
      from price_stream_routes
      where workspace = ${workspace}
      order by id`,
  )
  assert.ok(route && two_hops)
  assert.ok(adapter.prices)
  await prices.follow(
    venue_id,
    adapter.prices,
    real === undefined ? [exchange.pair, ETH_BTC] : [exchange.pair],
  )
  const house = await houseAccounts(db, workspace)
  const { VENUE } = await venueAccounts(db, workspace, venue_id)

  const market = (asks = ASKS, bids = BIDS) => {
    exchange.feed().book({
      base_asset: 'BTC',
      quote_asset: 'EUR',
      asks: levels(asks),
      bids: levels(bids),
      received_at: clock.now(),
    })
  }
  const ethMarket = (asks: string, bids: string) => {
    exchange.feed().book({
      base_asset: 'ETH',
      quote_asset: 'BTC',
      asks: levels(asks),
      bids: levels(bids),
      received_at: clock.now(),
    })
  }
  const balances = async (account_id: string) =>
    Object.fromEntries(
      (await balancesOf(db, workspace, account_id))
        .filter((balance) => balance.total !== 0n)
        .map((balance) => [balance.asset, format(balance.total)]),
    )

  return {
    app,
    clock,
    database,
    workspace,
    caller: workerCaller(workspace, 'test'),
    venue_id,
    route,
    two_hops,
    exchange,
    market,
    ethMarket,
    balances,
    async customer(more = {}, money = { BTC: '5', EUR: '500000' }) {
      const customer = await db.tx((tx) =>
        createCustomer(workerCaller(workspace, 'test'), tx, clock, {
          type: 'RETAIL',
          label: 'Alice',
          first_name: 'Alice',
          last_name: 'A',
          margin: 'DEFAULT',
          booking_schema: 'ADVANCED',
          ignore_balance_check: false,
          ignore_margin: false,
          ...more,
        } as never),
      )
      for (const [asset, amount] of Object.entries(money)) {
        // Paid in, and as much of our own, so that the venue can deliver.
        const quantity = decimal(amount)
        for (const account_id of [customer.account_id, house.HOUSE]) {
          await lane.commit({
            workspace,
            class: 'command',
            by: 'test',
            ledger: [
              {
                step: 'book',
                booking: {
                  id: newId(),
                  type: 'OPENING',
                  asset,
                  legs: [
                    { account_id: VENUE, type: 'DEBIT', quantity },
                    { account_id, type: 'CREDIT', quantity },
                  ],
                },
              },
            ],
          })
        }
      }
      return customer
    },
    async finish(id) {
      for (let step = 0; step < 50; step += 1) {
        const result = await advanceExecution(app, workspace, id)
        if (result === 'done') return executionById(db, workspace, id)
        clock.set(Math.max(clock.now(), result.again_at))
      }
      throw new Error('the execution does not end')
    },
    async assertBooks() {
      assert.deepEqual((await verifyBooks(db, workspace)).faults, [])
      const rows = await db.query<{ type: string; asset: string; total: string }>(sql`
        select a.type, b.asset, sum(b.total) as total
        from balances b
        join accounts a on a.workspace = b.workspace
          and a.id = b.account_id
        where b.workspace = ${workspace}
        group by 1, 2`)
      for (const asset of ['BTC', 'EUR', 'ETH']) {
        const of = (type: string) =>
          decimal(rows.find((row) => row.type === type && row.asset === asset)?.total ?? '0')
        if (exchange.settlement === 'PREFUNDED')
          assert.equal(format(of('TRADING')), '0', `TRADING ${asset}`)
        assert.equal(
          format(of('VENUE') + of('FEE')),
          format(
            of('CUSTOMER') +
              of('HOUSE') +
              of('MARGIN') +
              of('RISK') +
              of('ROUNDING') +
              of('TRADING'),
          ),
          `house equation in ${asset}`,
        )
        assert.ok(absolute(of('ROUNDING')) < decimal('10'), `ROUNDING ${asset} holds cents`)
      }
    },
    async close() {
      await prices.close()
      await lane.close()
      await database.drop()
    },
  }
}
