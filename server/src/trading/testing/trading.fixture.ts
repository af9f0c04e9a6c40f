/**
 * For tests: a workspace with a customer, money, a route, and an exchange that does what the test
 * says.
 */
import assert from 'node:assert/strict'
import { manualClock } from '../../core/clock.ts'
import type { Clock, ManualClock } from '../../core/clock.ts'
import { decimal, multiply } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { ExecutionId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { until } from '../../core/testing.ts'
import { workerCaller } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import type { Customer } from '../../customers/index.ts'
import { houseAccounts, openLane, openVenueAccounts, venueAccounts } from '../../ledger/index.ts'
import { openPriceBook } from '../../market-data/index.ts'
import type { Db } from '../../store/db.ts'
import { testHistory } from '../../store/history.testing.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { TestDatabase } from '../../store/testing.ts'
import type { OrderReport, Venue, VenueFill, VenueRecord } from '../../venues/index.ts'
import { executionById } from '../executions/rows.ts'
import type { TradingApp } from '../app.ts'
import { advanceExecution } from '../orders/orders.ts'
import { applyPriceRoutes } from '../routes/declarations.ts'
import type { Execution } from '../executions/executions.schema.ts'
import type { PriceRoute } from '../routes/routes.schema.ts'
import { assertBooksOf, readTotals } from './books.fixture.ts'
import { levels } from './pricing.fixture.ts'
import { ETH_BTC, ScriptedExchange } from './scripted-exchange.fixture.ts'
import { createAlice, openWorkspace } from './workspace.fixture.ts'

const START = 1_800_000_000_000
const ASKS = '60000×1 60100×2 61000×5'
const BIDS = '60000×1 59900×2 59000×5'

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
  exchange: ScriptedExchange
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
  { fee, fee_asset = 'EUR' }: { fee?: string; fee_asset?: string } = {},
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
  const lane = openLane(db, clock)
  const venue_id = newId()
  const workspace = await openWithVenue(db, clock, venue_id)
  const exchange = new ScriptedExchange()
  const adapter = real ?? exchange.adapter
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
    history: testHistory(db, clock),
  }
  const symbols = real === undefined ? (['btc-eur', 'eth-eur'] as const) : (['btc-eur'] as const)
  const { route, two_hops } = await declareRoutes(app, venue(), symbols)
  assert.ok(adapter.prices)
  const pairs = real === undefined ? [exchange.pair, ETH_BTC] : [exchange.pair]
  await prices.follow(venue_id, adapter.prices, pairs)
  const caller = workerCaller(workspace, 'test')
  const publish = (base_asset: string, quote_asset: string, asks: string, bids: string) =>
    exchange.feed().book({
      base_asset,
      quote_asset,
      asks: levels(asks),
      bids: levels(bids),
      received_at: clock.now(),
    })
  return {
    app,
    clock,
    database,
    workspace,
    caller,
    venue_id,
    route,
    two_hops,
    exchange,
    market: (asks = ASKS, bids = BIDS) => publish('BTC', 'EUR', asks, bids),
    ethMarket: (asks, bids) => publish('ETH', 'BTC', asks, bids),
    balances: (account_id) => readTotals(app, workspace, account_id),
    customer: (more = {}, money = { BTC: '5', EUR: '500000' }) =>
      createFunded(caller, app, venue_id, { more, money }),
    finish: (id) => finishExecution(app, workspace, id),
    assertBooks: () => assertBooksOf(app, workspace, exchange.settlement),
    async close() {
      await prices.close()
      await lane.close()
      await database.drop()
    },
  }
}

async function openWithVenue(db: Db, clock: Clock, venue_id: VenueId): Promise<WorkspaceId> {
  const workspace = await openWorkspace(db, clock)
  const venue = { id: venue_id, label: 'Exchange' }
  await db.tx((tx) => openVenueAccounts({ workspace, by: 'test' }, { tx, clock }, venue))
  return workspace
}

const hop = (base_asset: string, quote_asset: string) => ({
  venue: 'exchange',
  base_asset,
  quote_asset,
})

const LIMITS = {
  margin: { PREMIUM: '0.001' },
  risk_quantile: '0.99',
  min_amount: '0.001',
  max_amount: '10',
  amount_step: '0.00001',
  price_step: '0.1',
}

const ROUTES = {
  'btc-eur': {
    key: 'btc-eur',
    label: 'BTC/EUR',
    base_asset: 'BTC',
    quote_asset: 'EUR',
    hops: [hop('BTC', 'EUR')],
    ...LIMITS,
  },
  'eth-eur': {
    key: 'eth-eur',
    label: 'ETH/EUR over BTC',
    base_asset: 'ETH',
    quote_asset: 'EUR',
    hops: [hop('ETH', 'BTC'), hop('BTC', 'EUR')],
    ...LIMITS,
  },
}

/** Without the second one the first stands for it. */
async function declareRoutes(
  { db, clock }: TradingApp,
  venue: VenueRecord,
  keys: readonly (keyof typeof ROUTES)[],
): Promise<{ route: PriceRoute; two_hops: PriceRoute }> {
  const { workspace } = venue
  await db.tx((tx) =>
    applyPriceRoutes(
      { workspace, by: 'test' },
      { tx, clock },
      keys.map((key) => ROUTES[key]),
      new Map([['exchange', venue]]),
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
  return { route, two_hops }
}

type Funding = { more: Partial<Customer>; money: Record<string, string> }

/** Paid in, and as much of our own, so that the venue can deliver. */
async function createFunded(
  caller: Caller,
  { db, clock, lane }: TradingApp,
  venue_id: VenueId,
  { more, money }: Funding,
): Promise<Customer> {
  const { workspace } = caller
  const { HOUSE } = await houseAccounts(db, workspace)
  const { VENUE } = await venueAccounts(db, workspace, venue_id)
  const customer = await createAlice(caller, { db, clock }, more)
  for (const [asset, amount] of Object.entries(money))
    for (const account_id of [customer.account_id, HOUSE]) {
      const quantity = decimal(amount)
      const legs = [
        { account_id: VENUE, type: 'DEBIT' as const, quantity },
        { account_id, type: 'CREDIT' as const, quantity },
      ]
      await lane.commit({
        workspace,
        class: 'command',
        by: 'test',
        ledger: [{ step: 'book', booking: { id: newId(), type: 'OPENING', asset, legs } }],
      })
    }
  return customer
}

async function finishExecution(
  app: TradingApp,
  workspace: WorkspaceId,
  id: ExecutionId,
): Promise<Execution> {
  const clock = app.clock as ManualClock
  for (let step = 0; step < 50; step += 1) {
    const result = await advanceExecution(app, workspace, id)
    if (result === 'done') return executionById(app.db, workspace, id)
    clock.set(Math.max(clock.now(), result.again_at))
  }
  throw new Error('the execution does not end')
}
