/**
 * Quotes: what an amount or a volume costs and brings now, on both sides, within liquidity, guards
 * and the route's maximum. With a hold time a quote is firm; one quote makes one execution
 * (executions.ts accepts it).
 */
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, notFound, refuse } from '../../core/errors.ts'
import { factorOf } from '../../core/factor.ts'
import { newId } from '../../core/ids.ts'
import type { CustomerId, QuoteId, WorkspaceId } from '../../core/ids.ts'
import { activeCustomersRead } from '../../customers/index.ts'
import { amountOf, assertNoHaltStops, assetIn, assetsOf } from '../../ledger/index.ts'
import type { Assets } from '../../ledger/index.ts'
import { withIdempotentReplay, onceInTransaction } from '../../http/index.ts'
import type { Idempotency, ListQuery } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Db, Reader } from '../../store/db.ts'
import { insertWithReads } from '../../store/reads.ts'
import type { AnswersOf, ReadMemory } from '../../store/reads.ts'
import { columnIn, raw, sql } from '../../store/sql.ts'
import {
  availableAmount,
  displayPrice,
  NOTHING,
  priceAmount,
  sideForAmount,
  sideForVolume,
} from '../pricing/pricing.ts'
import type { Level, Limits, PriceParts, Side, Terms } from '../pricing/pricing.ts'
import { riskOf } from './risk.ts'
import { assertNearReference, assertOnGrid, freshMarket, reachOf } from '../routes/market.ts'
import type { PricesNow } from '../routes/market.ts'
import { createdBy, insertRow } from '../rows.ts'
import {
  activeRouteRead,
  basisReads,
  tradingScope,
  gridOf,
  hopsOf,
  marginFor,
} from '../routes/routes.ts'
import type { Grid, RouteRow } from '../routes/routes.ts'
import type { CreateQuoteBody, Quote, QuoteSide } from './quotes.schema.ts'
import type { QuoteState } from '../states.ts'

/** How long an indicative quote can be accepted. */
const INDICATIVE_MILLISECONDS = 5_000
const EXPIRED_AT_ONCE = 200

const QUOTE_COLUMNS = raw(`
    id, workspace, state, route_id, symbol, customer_id, firm, request_asset, request_quantity,
      request_side, execution_type, risk_duration_ms, margin, risk, risk_source, created_at,
      expires_at, buy, sell, execution_id, system_created_at, system_created_by, system_updated_at,
      system_updated_by, version`)

export type QuotesApp = PricesNow & { db: Db }

const readsOf = (workspace: WorkspaceId, { route_id, customer_id }: CreateQuoteBody) => ({
  route: activeRouteRead(workspace, route_id),
  customers: activeCustomersRead(workspace, [{ id: customer_id, path: 'customer_id' }]),
  ...basisReads(workspace),
})
type Facts = AnswersOf<ReturnType<typeof readsOf>>

/** Per connection pool. */
const memories = new WeakMap<Db, ReadMemory<Facts>>()

function memoryOf(db: Db): ReadMemory<Facts> {
  const memory = memories.get(db) ?? new Map()
  memories.set(db, memory)
  return memory
}

/**
 * Prices by route, customer, settings and halts as they are when the quote is written; only the
 * quote is. Throws 4004 for an unknown route or customer, 2001 for a third asset (as specified),
 * 3001: NOT_ACTIVE, HALTED, SCALE, BELOW_MINIMUM, RANGE, STALE_PRICE. Never refused for being
 * large.
 */
export function createQuote(
  app: QuotesApp,
  workspace: WorkspaceId,
  body: CreateQuoteBody,
  by: string,
  idempotency?: Idempotency,
): Promise<Quote> {
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const assets = await assetsOf(app.db, workspace)
    const quoted = async (reader: Reader): Promise<Quote> =>
      (
        await insertWithReads(reader, {
          reads: readsOf(workspace, body),
          memory: memoryOf(app.db),
          make: (facts) => priceQuote(app, workspace, body, by, facts, assets),
          insert: ({ quote, taker_fee }, condition) =>
            insertRow(
              'quotes',
              {
                ...quote,
                buy: JSON.stringify(quote.buy),
                sell: JSON.stringify(quote.sell),
                taker_fee,
              },
              condition,
            ),
        })
      ).quote
    return idempotency === undefined
      ? quoted(app.db)
      : ((await onceInTransaction(app, { workspace, idempotency }, quoted)) as Quote)
  })
}

function priceQuote(
  app: QuotesApp,
  workspace: WorkspaceId,
  body: CreateQuoteBody,
  by: string,
  { route, customers: [customer], ...basis }: Facts,
  assets: Assets,
): { quote: Quote; taker_fee: string } {
  assertNoHaltStops(basis.halts, tradingScope(route))
  const by_amount = body.request_asset === route.base_asset
  if (!by_amount && body.request_asset !== route.quote_asset) {
    throw new ApiError(
      'InternalServerError',
      `request_asset ${body.request_asset} is neither the base asset ${route.base_asset} nor the quote asset ${route.quote_asset} of the route`,
    )
  }
  const quantity = amountOf(
    body.request_quantity,
    assetIn(assets, body.request_asset, 'request_asset'),
    'request_quantity',
  )
  const requested = factorOf(body.margin, 'margin')
  const { scale } = assetIn(assets, route.quote_asset)
  const { settings } = basis
  const market = freshMarket(app, route)
  const grid = gridOf(route, market)
  assertNearReference(
    app,
    basis,
    route,
    [...market.book.asks.slice(0, 1), ...market.book.bids.slice(0, 1)].map((top) => top.price),
  )
  if (by_amount) assertOnGrid(quantity, grid, route.base_asset, 'request_quantity')

  const { risk, source } = riskOf(
    hopsOf(route).map((hop) => app.prices.moves(hop.venue_id, hop)),
    decimal(route.risk_quantile),
    body.risk_duration_ms,
    decimal(settings.default_risk),
  )
  const terms: Terms = {
    taker_fee: market.pair.taker_fee,
    risk,
    margin: marginFor(
      mustExist(customer, 'one customer was asked for'),
      route,
      settings,
      requested,
    ),
  }
  const limits = { scale, ...grid }
  const sideOf = (side: Side) =>
    quoteSide(
      side,
      reachOf(side, market, decimal(settings.slippage), grid.price_step)?.levels ?? [],
      quantity,
      by_amount,
      terms,
      limits,
    )
  const [buy, sell] = [sideOf('BUY'), sideOf('SELL')]
  if (!by_amount) assertVolumeReaches([buy, sell], grid, route)

  const now = app.clock.now()
  const firm = body.risk_duration_ms > 0
  const quote: Quote = {
    id: newId(),
    workspace,
    state: 'ACTIVE',
    route_id: route.id,
    symbol: route.symbol,
    customer_id: body.customer_id,
    firm,
    request_asset: body.request_asset,
    request_quantity: format(quantity),
    request_side: body.request_side ?? null,
    execution_type: body.execution_type ?? null,
    risk_duration_ms: body.risk_duration_ms,
    margin: format(terms.margin),
    risk: format(risk),
    risk_source: source,
    created_at: now,
    expires_at: now + (firm ? body.risk_duration_ms : INDICATIVE_MILLISECONDS),
    buy,
    sell,
    execution_id: null,
    ...createdBy(by, now),
  }
  return { quote, taker_fee: format(terms.taker_fee) }
}

/** What is less than the least amount, or brings nothing, is not executed and not offered. */
function quoteSide(
  side: Side,
  levels: readonly Level[],
  quantity: Decimal,
  by_amount: boolean,
  terms: Terms,
  limits: Limits & Pick<Grid, 'min_amount'>,
): QuoteSide {
  const had = (priced: PriceParts) =>
    priced.amount < limits.min_amount || priced.total <= 0n ? NOTHING : priced
  const asked = (by_amount ? sideForAmount : sideForVolume)(side, levels, quantity, terms, limits)
  const priced = had(asked.priced)
  const complete = asked.complete && priced === asked.priced
  const available = had(
    priceAmount(side, levels, availableAmount(levels, limits), terms, limits.scale) ?? NOTHING,
  )
  const shown = (value: Decimal) => {
    const price = displayPrice(side, value, priced.amount)
    return price === undefined ? null : format(price)
  }
  return {
    price: shown(priced.total),
    amount: format(priced.amount),
    volume: format(priced.total),
    available_amount: format(available.amount),
    available_volume: format(available.total),
    complete,
    vwap: shown(priced.notional),
    fee: format(priced.fee),
    risk: format(priced.risk),
    margin: format(priced.margin),
  }
}

/** A volume too small for the smallest amount could not be executed on either side. */
function assertVolumeReaches(sides: readonly QuoteSide[], grid: Grid, route: RouteRow): void {
  if (sides.every((side) => decimal(side.amount) === 0n && decimal(side.available_amount) > 0n)) {
    throw refuse(
      'BELOW_MINIMUM',
      'request_quantity',
      `request_quantity is worth less than the minimum ${format(grid.min_amount)} ${route.base_asset}`,
    )
  }
}

/** The parts behind a side, as they were priced. */
export function pricedOf(side: Side, quoted: QuoteSide): PriceParts {
  const [total, fee, risk, margin] = [
    decimal(quoted.volume),
    decimal(quoted.fee),
    decimal(quoted.risk),
    decimal(quoted.margin),
  ]
  return {
    amount: decimal(quoted.amount),
    notional: side === 'BUY' ? total - fee - risk - margin : total + fee + risk + margin,
    fee,
    risk,
    margin,
    total,
  }
}

export type StoredQuote = Quote & { taker_fee: string }

/** Throws 4004. */
export async function quoteById(
  reader: Reader,
  workspace: WorkspaceId,
  id: QuoteId,
): Promise<StoredQuote> {
  const quote = only(
    await reader.query<StoredQuote>(
      sql`
        select ${QUOTE_COLUMNS}, taker_fee
        from quotes
        where workspace = ${workspace}
          and id = ${id}`,
    ),
  )
  if (quote === undefined) throw notFound('quote', id, 'quote_id')
  return quote
}

/** Whether a customer may still accept one. */
export const hasQuotes =
  (clock: Clock) =>
  async (reader: Reader, workspace: WorkspaceId, customer_id: CustomerId): Promise<boolean> =>
    (
      await reader.query(
        sql`
          select 1
          from quotes
          where workspace = ${workspace}
            and customer_id = ${customer_id}
            and state = 'ACTIVE'
            and expires_at > ${clock.now()}
          limit 1`,
      )
    ).length > 0

/** Those of these states; without, those that can still be accepted. */
export function listQuotes(
  workspace: WorkspaceId,
  now: number,
  states: readonly QuoteState[] | undefined,
): ListQuery<Quote> {
  if (states !== undefined)
    return {
      select: sql`
        select ${QUOTE_COLUMNS}
        from quotes`,
      conditions: [sql`workspace = ${workspace}`, columnIn('state', states)],
      key: { column: 'id', type: 'uuid' },
    }
  // `+ 0`: by the index of their ends all that can be accepted would be read and sorted.
  return {
    select: sql`
      select ${QUOTE_COLUMNS}
      from quotes`,
    conditions: [
      sql`workspace = ${workspace}`,
      sql`state = 'ACTIVE'`,
      sql`expires_at + 0 > ${now}`,
    ],
    key: { column: 'id', type: 'uuid' },
  }
}

/**
 * Marks those that are over, a slice at a time, over all workspaces; until then they are refused by
 * their time.
 */
export async function expireQuotes({ db, clock }: Pick<QuotesApp, 'db' | 'clock'>): Promise<void> {
  const now = clock.now()
  for (let marked = EXPIRED_AT_ONCE; marked === EXPIRED_AT_ONCE;) {
    const rows = await db.query(sql`
      update quotes
      set state = 'EXPIRED', version = version + 1, system_updated_at = ${now},
        system_updated_by = 'trading'
      where (workspace, id) in (
        select workspace, id
        from quotes
        where state = 'ACTIVE'
          and expires_at <= ${now}
        order by expires_at
        limit ${EXPIRED_AT_ONCE}::int
        for update skip locked
      )
      returning 1`)
    marked = rows.length
  }
}
