/**
 * The library, loaded only when an exchange is configured and only for Kraken: all of ccxt would cost a second and
 * 93 MB. Two instances are made: `String` numbers for money, where every digit counts, and `Number` for order books, because
 * ccxt's books take the text "0" for a level that still exists.
 */

export type ExchangeConfig = {
  exchange: 'kraken'
  api_key: string
  api_secret: string
  /** `https://api.kraken.com` unless given; the part before `/0/public`. */
  base_url?: string
  /** `wss://ws.kraken.com/v2` unless given; must contain `v2`, by which ccxt knows the dialect. */
  websocket_url?: string
  request_timeout_ms?: number
  /** How long Kraken may take to list what it has accepted; `absent` is not said earlier. */
  listing_grace_ms?: number
  /** Ping interval of the price socket; two missing answers count as a lost connection. */
  keep_alive_ms?: number
}

/** A market as ccxt describes it, with String numbers. */
export type Market = {
  id: string
  symbol: string
  base: string
  quote: string
  active: boolean
  taker: string
  precision: { amount: string; price: string }
  limits: { amount: { min: string | undefined } }
}

export type RawReply = { result?: unknown }
type Call = (parameters: Record<string, string | boolean>) => Promise<RawReply>

/** What we use of ccxt's kraken with String numbers. */
export type Money = {
  markets: Record<string, Market> | undefined
  timeout: number
  nonce(): number
  loadMarkets(reload?: boolean): Promise<Record<string, Market>>
  safeCurrencyCode(id: string): string
  createOrder(symbol: string, type: string, side: string, amount: string, price: string | undefined, parameters: Record<string, string>): Promise<{ id?: string }>
  cancelOrder(id: string, symbol: string | undefined, parameters: Record<string, string>): Promise<unknown>
  withdraw(code: string, amount: string, address: string | undefined, tag: undefined, parameters: Record<string, string>): Promise<{ id?: string }>
  close(): Promise<void>
  publicGetTime(parameters: Record<string, string>): Promise<RawReply>
} & Record<
  | 'privatePostBalanceEx' | 'privatePostQueryOrders' | 'privatePostOpenOrders' | 'privatePostClosedOrders' | 'privatePostQueryTrades'
  | 'privatePostDepositMethods' | 'privatePostDepositStatus' | 'privatePostWithdrawMethods' | 'privatePostWithdrawAddresses'
  | 'privatePostWithdrawInfo' | 'privatePostWithdrawStatus', Call>

/** One side of ccxt's book: rows of price and quantity, best first. */
export type BookSide = [number, number][]
export type CcxtBook = { bids: BookSide; asks: BookSide }
export type Socket = { connection?: { terminate?(): void } }
export type Message = Record<string, unknown>

/** What we use of ccxt.pro's kraken with Number numbers. */
export type Books = {
  markets: Record<string, { id: string; info: { altname: string; pair_decimals: number | string; lot_decimals: number | string } }> | undefined
  clients: Record<string, Socket> | undefined
  orderbooks: Record<string, CcxtBook | undefined>
  tickers: Record<string, { bid?: number; ask?: number; last?: number; baseVolume?: number; percentage?: number } | undefined>
  loadMarkets(reload?: boolean, parameters?: Record<string, string>): Promise<unknown>
  loadHttpProxyAgent(): Promise<unknown>
  watchOrderBook(symbol: string, limit: number): Promise<unknown>
  watchTicker(symbol: string, parameters: Record<string, string>): Promise<unknown>
  handleMessage(client: Socket, message: Message): void
  handleOrderBook(client: Socket, message: Message): void
  handleTicker(client: Socket, message: Message): void
  orderBook(snapshot: unknown, depth: number): unknown
  close(): Promise<void>
}

const REQUEST_TIMEOUT_MILLISECONDS = 10_000
const KEEP_ALIVE_MILLISECONDS = 5_000

async function load<Instance>(module: string, options: Record<string, unknown>): Promise<Instance> {
  // ccxt exports only its whole; the one exchange's file lies beside the entry.
  const file = new URL(module, import.meta.resolve('ccxt')).href
  const loaded = await import(file) as { default: new (options: Record<string, unknown>) => Instance }
  return new loaded.default(options)
}

function options(config: ExchangeConfig): Record<string, unknown> {
  return {
    timeout: config.request_timeout_ms ?? REQUEST_TIMEOUT_MILLISECONDS,
    // Kraken's call counter; a server of one's own does not have it.
    enableRateLimit: config.base_url === undefined,
    fetchHistoryCacheSize: 0,
    ...(config.base_url === undefined ? {} : { urls: { api: { public: config.base_url, private: config.base_url, ...websocket(config) } } }),
  }
}

function websocket(config: ExchangeConfig): Record<string, unknown> {
  return config.websocket_url === undefined ? {} : { ws: { publicV2: config.websocket_url } }
}

export async function loadMoney(config: ExchangeConfig): Promise<Money> {
  const money = await load<Money & { number: unknown }>('./src/kraken.js', { ...options(config), apiKey: config.api_key, secret: config.api_secret, number: String })
  // Kraken wants a nonce that only grows; milliseconds repeat. Microseconds stay below 2^53 until the year 2255.
  let last = 0
  money.nonce = () => { last = Math.max(last + 1, Date.now() * 1000); return last }
  return money
}

export async function loadBooks(config: ExchangeConfig): Promise<Books> {
  const books = await load<Books>('./src/pro/kraken.js', {
    ...options(config), streaming: { keepAlive: config.keep_alive_ms ?? KEEP_ALIVE_MILLISECONDS }, options: { ws: { backoff: { base: 200, factor: 2, max: 5_000 } } },
  })
  await books.loadHttpProxyAgent()
  return books
}
