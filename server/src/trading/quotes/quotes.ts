/**
 * Quotes: what an amount or a volume costs and brings now, on both sides, within liquidity, guards
 * and the route's maximum. With a hold time a quote is firm; one quote makes one execution
 * (executions.ts accepts it).
 */
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError, notFound } from '../../core/errors.ts'
import { factorOf } from '../../core/factor.ts'
import { idAt } from '../../core/ids.ts'
import type { CustomerId, QuoteId, WorkspaceId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { activeCustomersRead } from '../../customers/index.ts'
import { amountOf, assertNoHaltStops, assetIn, assetsOf } from '../../ledger/index.ts'
import type { Assets } from '../../ledger/index.ts'
import { decimalText, withIdempotentReplay, onceInTransaction } from '../../http/index.ts'
import type { Caller, ListQuery } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Db, Reader } from '../../store/db.ts'
import { insertWithReads } from '../../store/reads.ts'
import type { AnswersOf, ReadMemory } from '../../store/reads.ts'
import {
  columnsOf,
  createdBy,
  insertRowWhere,
  shownOf,
  tableOf,
  updateRow,
} from '../../store/rows.ts'
import { columnIn, raw, sql } from '../../store/sql.ts'
import { stateIn, stateNotIn } from '../../store/states.ts'
import type { Terms } from '../pricing/pricing.ts'
import { assertNearReference, assertOnGrid, freshMarket } from '../routes/market.ts'
import type { PricesNow, RouteMarket } from '../routes/market.ts'
import {
  activeRouteRead,
  basisReads,
  tradingScope,
  gridOf,
  hopsOf,
  marginFor,
} from '../routes/routes.ts'
import type { Grid } from '../routes/routes.ts'
import { QUOTE_MOVES } from '../states.ts'
import type { QuoteState } from '../states.ts'
import { QuoteRecord } from './quotes.schema.ts'
import type { CreateQuoteBody, Quote } from './quotes.schema.ts'
import { withQuotePartition } from './partitions.ts'
import { riskOf } from './risk.ts'
import { assertVolumeReaches, quoteSides } from './sides.ts'
import type { QuoteRequest } from './sides.ts'

/** How long an indicative quote can be accepted. */
const INDICATIVE_MILLISECONDS = 5_000
const EXPIRED_AT_ONCE = 200
const WORKER = 'trading'

export const QUOTES = tableOf('quotes', QuoteRecord, {
  inside: { taker_fee: decimalText('Of the venue, at the time; a factor') },
})
export type StoredQuote = NonNullable<typeof QUOTES.types>['row']

const QUOTE_COLUMNS = columnsOf(QuoteRecord)

export type QuotesApp = PricesNow & { db: Db }

const readsOf = (workspace: WorkspaceId, { route_id, customer_id }: CreateQuoteBody) => ({
  route: activeRouteRead(workspace, route_id),
  customers: activeCustomersRead(workspace, [{ id: customer_id, path: 'customer_id' }]),
  ...basisReads(workspace),
})
/** What a quote stands on. */
type QuoteBasis = AnswersOf<ReturnType<typeof readsOf>> & { assets: Assets }

/** Per connection pool. */
const memories = new WeakMap<Db, ReadMemory<Omit<QuoteBasis, 'assets'>>>()

function memoryOf(db: Db): ReadMemory<Omit<QuoteBasis, 'assets'>> {
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
export function createQuote(caller: Caller, app: QuotesApp, body: CreateQuoteBody): Promise<Quote> {
  const { workspace, by, idempotency } = caller
  return withIdempotentReplay(app, workspace, idempotency, async () => {
    const assets = await assetsOf(app.db, workspace)
    const insertQuote = async (reader: Reader): Promise<Quote> => {
      const { quote } = await insertWithReads(reader, {
        reads: readsOf(workspace, body),
        memory: memoryOf(app.db),
        make: (reads) => makeQuote(caller, app, body, { ...reads, assets }),
        insert: ({ quote, taker_fee }, condition) =>
          insertRowWhere(
            QUOTES,
            { ...quote, taker_fee },
            { by, now: quote.system_created_at },
            condition,
          ),
      })
      return quote
    }
    return withQuotePartition(app, async () =>
      idempotency === undefined
        ? insertQuote(app.db)
        : ((await onceInTransaction(app, caller, insertQuote)) as Quote),
    )
  })
}

function makeQuote(
  { workspace, by }: Caller,
  app: QuotesApp,
  body: CreateQuoteBody,
  basis: QuoteBasis,
): { quote: Quote; taker_fee: string } {
  const { route, settings } = basis
  assertNoHaltStops(basis.halts, tradingScope(route))
  const request = readRequest(body, basis)
  const { scale } = assetIn(basis.assets, route.quote_asset)
  const { market, grid } = readMarket(app, request, basis)
  const { risk, source } = riskOf(
    hopsOf(route).map((hop) => app.prices.moves(hop.venue_id, hop)),
    decimal(route.risk_quantile),
    body.risk_duration_ms,
    decimal(settings.default_risk),
  )
  const terms = termsOf(request, { market, risk, basis })
  const slippage = decimal(settings.slippage)
  const sides = quoteSides(market, request, { terms, slippage, limits: { scale, ...grid } })
  if (!request.by_amount) assertVolumeReaches(sides, grid, route)

  const now = app.clock.now()
  const firm = body.risk_duration_ms > 0
  const quote: Quote = {
    id: idAt(now),
    workspace,
    state: 'ACTIVE',
    route_id: route.id,
    symbol: route.symbol,
    customer_id: body.customer_id,
    firm,
    request_asset: body.request_asset,
    request_quantity: format(request.quantity),
    request_side: body.request_side ?? null,
    execution_type: body.execution_type ?? null,
    risk_duration_ms: body.risk_duration_ms,
    margin: format(terms.margin),
    risk: format(risk),
    risk_source: source,
    created_at: now,
    expires_at: now + (firm ? body.risk_duration_ms : INDICATIVE_MILLISECONDS),
    buy: sides.BUY,
    sell: sides.SELL,
    execution_id: null,
    ...createdBy({ by, now }),
  }
  return { quote, taker_fee: format(terms.taker_fee) }
}

function readRequest(
  body: CreateQuoteBody,
  { route, assets }: Pick<QuoteBasis, 'route' | 'assets'>,
): QuoteRequest & { margin: Decimal | undefined } {
  const by_amount = body.request_asset === route.base_asset
  if (!by_amount && body.request_asset !== route.quote_asset) {
    throw new ApiError(
      'InternalServerError',
      `request_asset ${body.request_asset} is neither the base asset ${route.base_asset} ` +
        `nor the quote asset ${route.quote_asset} of the route`,
    )
  }
  const quantity = amountOf(
    body.request_quantity,
    assetIn(assets, body.request_asset, 'request_asset'),
    'request_quantity',
  )
  return { quantity, by_amount, margin: factorOf(body.margin, 'margin') }
}

/** Refused: prices that are old or far from the reference, an amount off the grid. */
function readMarket(
  app: QuotesApp,
  { quantity, by_amount }: QuoteRequest,
  basis: QuoteBasis,
): { market: RouteMarket; grid: Grid } {
  const { route } = basis
  const market = freshMarket(app, route)
  const grid = gridOf(route, market)
  const { asks, bids } = market.book
  assertNearReference(
    app,
    basis,
    route,
    [...asks.slice(0, 1), ...bids.slice(0, 1)].map((top) => top.price),
  )
  if (by_amount) assertOnGrid(quantity, grid, route.base_asset, 'request_quantity')
  return { market, grid }
}

function termsOf(
  { margin }: { margin: Decimal | undefined },
  { market, risk, basis }: { market: RouteMarket; risk: Decimal; basis: QuoteBasis },
): Terms {
  const customer = mustExist(basis.customers[0], 'one customer was asked for')
  return {
    taker_fee: market.pair.taker_fee,
    risk,
    margin: marginFor(customer, basis.route, basis.settings, margin),
  }
}

export const showQuote = (quote: StoredQuote): Quote => shownOf(QUOTES, quote)

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
        from all_quotes
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
            and ${stateIn(QUOTE_MOVES, 'ACTIVE')}
            and expires_at > ${clock.now()}
          limit 1`,
      )
    ).length > 0

/**
 * Only tables that have such quotes are read. Of both, the view would be read whole and sorted: it
 * has a condition for one of them.
 */
function listOfStates(workspace: WorkspaceId, states: readonly QuoteState[]): ListQuery<Quote> {
  const taken = states.includes('ACCEPTED')
  const both = taken && states.some((state) => state !== 'ACCEPTED')
  const one = raw(taken ? 'taken_quotes' : 'quotes')
  return {
    select: sql`
      select ${QUOTE_COLUMNS}
      from ${both ? BOTH_TABLES : one}`,
    conditions: [
      sql`workspace = ${workspace}`,
      columnIn('state', states),
      ...(both ? [IS_NO_TRACE] : []),
    ],
    key: { column: 'id', type: 'uuid' },
  }
}

const BOTH_TABLES = sql`
  (
    select *
    from quotes
    union all
    select *
    from taken_quotes
  ) as both_tables`
/** Of a taken quote a row without its execution stays among the others for a time. */
const IS_NO_TRACE = sql`(${stateNotIn(QUOTE_MOVES, 'ACCEPTED')} or execution_id is not null)`

/** Those of these states; without, those that can still be accepted. */
export function listQuotes(
  workspace: WorkspaceId,
  now: number,
  states: readonly QuoteState[] | undefined,
): ListQuery<Quote> {
  if (states !== undefined) return listOfStates(workspace, states)
  // `+ 0`: by the index of their ends all that can be accepted would be read and sorted.
  return {
    select: sql`
      select ${QUOTE_COLUMNS}
      from quotes`,
    conditions: [
      sql`workspace = ${workspace}`,
      stateIn(QUOTE_MOVES, 'ACTIVE'),
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
    const isOver = sql`
      (workspace, id) in (
        select workspace, id
        from quotes
        where ${stateIn(QUOTE_MOVES, 'ACTIVE')}
          and expires_at <= ${now}
        order by expires_at
        limit ${EXPIRED_AT_ONCE}::int
        for update skip locked
      )`
    const update = updateRow(QUOTES, {
      where: isOver,
      move: move(QUOTE_MOVES, 'ACTIVE', 'EXPIRED'),
      by: WORKER,
      now,
    })
    const rows = await db.query(sql`${update} returning 1`)
    marked = rows.length
  }
}
