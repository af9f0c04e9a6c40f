/**
 * For tests of what is priced, not executed: two exchanges whose books the test says, routes over
 * them, and customers.
 */
import assert from 'node:assert/strict'
import { workerCaller } from '../../http/index.ts'
import { manualClock } from '../../core/clock.ts'
import type { ManualClock } from '../../core/clock.ts'
import { decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Customer } from '../../customers/index.ts'
import { openPriceBook } from '../../market-data/index.ts'
import type { PriceBook } from '../../market-data/index.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { testDatabase } from '../../store/testing.ts'
import type { MarketPair, PriceFeed, VenueRecord } from '../../venues/index.ts'
import { levels } from './pricing.fixture.ts'
import { createAlice, openWorkspace } from './workspace.fixture.ts'
import { createQuote } from '../quotes/quotes.ts'
import type { QuotesApp } from '../quotes/quotes.ts'
import { applyPriceRoutes } from '../routes/declarations.ts'
import { ROUTE_COLUMNS } from '../routes/routes.ts'
import type { RouteRow } from '../routes/routes.ts'
import type { CreateQuoteBody, Quote } from '../quotes/quotes.schema.ts'
import type { DeclaredPriceRoute } from '../routes/routes.schema.ts'

export const START = 1_800_000_000_000

/** base, quote, price step, least amount, taker fee */
type Listed = readonly [string, string, string, string, string]
const LISTED: Record<'north' | 'south', readonly Listed[]> = {
  north: [
    ['BTC', 'EUR', '0.1', '0.0001', '0.0026'],
    ['ETH', 'BTC', '0.00001', '0.001', '0.0026'],
    ['ETH', 'EUR', '0.01', '0.001', '0.0026'],
  ],
  south: [['BTC', 'EUR', '1', '0.01', '0.004']],
}
type VenueName = keyof typeof LISTED
const NAMES = ['north', 'south'] as const

const route = (
  key: string,
  symbol: string,
  hops: readonly (readonly [string, string, string])[],
  more: Partial<DeclaredPriceRoute> = {},
): DeclaredPriceRoute => {
  const [base_asset = '', quote_asset = ''] = symbol.split('/')
  return {
    key,
    label: key,
    base_asset,
    quote_asset,
    hops: hops.map(([venue, base, quote]) => ({ venue, base_asset: base, quote_asset: quote })),
    margin: { PREMIUM: '0.001' },
    risk_quantile: '0.99',
    min_amount: '0.001',
    max_amount: '10',
    amount_step: '0.00001',
    price_step: '0.01',
    ...more,
  }
}

export const ROUTES = {
  north: route('north', 'BTC/EUR', [['north', 'BTC', 'EUR']]),
  south: route('south', 'BTC/EUR', [['south', 'BTC', 'EUR']]),
  across: route(
    'across',
    'ETH/EUR',
    [
      ['north', 'ETH', 'BTC'],
      ['south', 'BTC', 'EUR'],
    ],
    { max_amount: '100' },
  ),
  direct: route('direct', 'ETH/EUR', [['north', 'ETH', 'EUR']], { max_amount: '100' }),
}

export type PricingWorld = {
  app: QuotesApp
  /** Of its database, as the owner of the tables. */
  url: string
  clock: ManualClock
  workspace: WorkspaceId
  venue_ids: Record<VenueName, string>
  declare(routes: readonly DeclaredPriceRoute[]): Promise<void>
  routeOf(key: string): Promise<RouteRow>
  /** A book as of now: `price×quantity …` of asks and bids. */
  market(venue: VenueName, symbol: string, asks: string, bids: string): void
  lost(venue: VenueName, symbol: string, reason: string): void
  customer(more?: Partial<Customer>): Promise<Customer>
  quote(body: CreateQuoteBody): Promise<Quote>
  close(): Promise<void>
}

export async function openPricingWorld(): Promise<PricingWorld> {
  const database = await testDatabase()
  const { db } = database
  const clock = manualClock(START)
  const workspace = await openWorkspace(db, clock)
  const caller = workerCaller(workspace, 'test')
  const prices = openPriceBook()
  const venue_ids = { north: newId(), south: newId() }
  const feeds = await followVenues(prices, venue_ids)
  const venues = new Map(
    NAMES.map((name) => [name, venueRecord(workspace, name, venue_ids[name])] as const),
  )
  const app: QuotesApp = { db, clock, prices }
  const declare: PricingWorld['declare'] = (routes) =>
    db.tx((tx) => applyPriceRoutes({ workspace, by: 'test' }, { tx, clock }, routes, venues))
  await declare(Object.values(ROUTES))
  return {
    app,
    url: database.url,
    clock,
    workspace,
    venue_ids,
    declare,
    routeOf: (key) => readRoute(db, workspace, key),
    market: (venue, symbol, asks, bids) => {
      feeds.get(venue)?.book({
        ...pairOf(symbol),
        asks: levels(asks),
        bids: levels(bids),
        received_at: clock.now(),
      })
    },
    lost: (venue, symbol, reason) => {
      const { base_asset, quote_asset } = pairOf(symbol)
      feeds.get(venue)?.lost(base_asset, quote_asset, reason)
    },
    customer: (more = {}) => createAlice(caller, app, more),
    quote: (body) => createQuote(caller, app, body),
    async close() {
      await prices.close()
      await database.drop()
    },
  }
}

const venueRecord = (workspace: WorkspaceId, name: VenueName, id: string) =>
  ({
    id,
    workspace,
    label: name,
    kind: 'EXCHANGE',
    services: [{ id: newId(), type: 'TOMS', state: 'RUNNING' }],
  }) as unknown as VenueRecord

const pairOf = (symbol: string) => {
  const [base_asset = '', quote_asset = ''] = symbol.split('/')
  return { base_asset, quote_asset }
}

/** The feeds by which the test tells prices. */
async function followVenues(
  prices: PriceBook,
  venue_ids: Record<VenueName, string>,
): Promise<Map<VenueName, PriceFeed>> {
  const feeds = new Map<VenueName, PriceFeed>()
  for (const name of NAMES) {
    const pairs = LISTED[name].map(
      ([base_asset, quote_asset, price_step, min_amount, taker_fee]): MarketPair => ({
        base_asset,
        quote_asset,
        price_step: decimal(price_step),
        amount_step: decimal('0.00000001'),
        min_amount: decimal(min_amount),
        taker_fee: decimal(taker_fee),
      }),
    )
    const source = {
      pairs: async () => pairs,
      watch: (_pairs: unknown, feed: PriceFeed) => {
        feeds.set(name, feed)
        return async () => undefined
      },
    }
    await prices.follow(venue_ids[name], source, pairs)
  }
  return feeds
}

async function readRoute(db: Db, workspace: WorkspaceId, key: string): Promise<RouteRow> {
  const [route] = await db.query<RouteRow>(
    sql`
      select ${ROUTE_COLUMNS}
      from price_stream_routes
      where workspace = ${workspace}
        and key = ${key}`,
  )
  if (route === undefined) throw new Error(`no route ${key}`)
  return route
}

/** Of what is refused: the code and the path of its first detail. */
export async function refusal(work: Promise<unknown>): Promise<{ code?: string; path?: string }> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  assert.ok(error instanceof ApiError)
  const { code, path } = error.details[0] ?? {}
  return { code, path } as { code?: string; path?: string }
}
