/**
 * The library, loaded only when an exchange is configured and only for that one: all of ccxt would
 * cost a second and 93 MB. Two instances are made: `String` numbers for money, where every digit
 * counts, and `Number` for order books, because ccxt's books take the text "0" for a level that
 * still exists.
 */
import type { Credential } from '../lease/credential.ts'
import type { Term } from '../terms.ts'

export const EXCHANGES = ['kraken', 'bitstamp', 'okx'] as const

/** Their files in ccxt: of OKX the one for the EEA, which differs by its addresses alone. */
const FILES: Readonly<Record<(typeof EXCHANGES)[number], string>> = {
  kraken: 'kraken',
  bitstamp: 'bitstamp',
  okx: 'myokx',
}

export type ExchangeConfig = {
  /** What we move there, in its words: what is shipped unless given. */
  terms?: readonly Term[]
  exchange: (typeof EXCHANGES)[number]
  api_key: string
  api_secret: string
  /** Where the exchange wants a third secret: OKX. */
  passphrase?: string
  /** The exchange's own unless given; the part before the version. */
  base_url?: string
  /**
   * The exchange's own unless given; Kraken's must contain `v2`, by which ccxt knows the dialect.
   */
  websocket_url?: string
  /** Of private messages, where the exchange has a server of its own for them. */
  private_websocket_url?: string
  /** The limits of the account: those of the smallest one unless given (kraken/tiers.ts, …). */
  tier?: string
  request_timeout_ms?: number
  /** How long balances may stay unread while nothing happens; other lists four times. */
  quiet_poll_ms?: number
  /** How long the exchange may take to list what it has accepted; `absent` is not said earlier. */
  listing_grace_ms?: number
  /**
   * How long after it was signed a request may still be accepted, where no growing nonce ends that
   * sooner.
   */
  request_window_ms?: number
  /** Ping interval of the sockets; two missing answers count as a lost connection. */
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
  limits: { amount: { min: string | undefined }; cost: { min: string | undefined } }
}

/** What we use of ccxt with String numbers, at every exchange. */
export type Money = {
  markets: Record<string, Market> | undefined
  loadMarkets(reload?: boolean): Promise<Record<string, Market>>
  safeCurrencyCode(id: string): string
  createOrder(
    symbol: string,
    type: string,
    side: string,
    amount: string,
    price: string | undefined,
    parameters: Record<string, string>,
  ): Promise<{ id?: string }>
  cancelOrder(
    id: string,
    symbol: string | undefined,
    parameters: Record<string, string>,
  ): Promise<unknown>
  withdraw(
    code: string,
    amount: string,
    address: string | undefined,
    tag: string | undefined,
    parameters: Record<string, string>,
  ): Promise<{ id?: string; info?: unknown }>
  close(): Promise<void>
}

/**
 * Loads the markets once. A failed load stays in ccxt as a rejected promise; asked to reload, it
 * tries again.
 */
export const marketsOf = (money: Money) => async (): Promise<void> => {
  if (money.markets === undefined) await money.loadMarkets(true)
}

export type Message = Record<string, unknown>
export type Socket = {
  lastPong?: number
  connection?: { terminate?(): void }
  resolve(result: unknown, hash: string): void
}

/** What we use of ccxt.pro with Number numbers, at every exchange. */
export type Books = {
  markets: Record<string, { id: string; info: Record<string, unknown> }> | undefined
  clients: Record<string, Socket> | undefined
  orderbooks: Record<string, unknown>
  loadMarkets(reload?: boolean): Promise<unknown>
  loadHttpProxyAgent(): Promise<unknown>
  handleMessage(client: Socket, message: Message): void
  close(): Promise<void>
}

/** OKX lists more kinds of markets. */
const OPTIONS = { fetchMarkets: { types: ['spot'] } }

const REQUEST_TIMEOUT_MILLISECONDS = 10_000

async function load<Instance>(module: string, options: Record<string, unknown>): Promise<Instance> {
  // ccxt exports only its whole; the one exchange's file lies beside the entry.
  const file = new URL(module, import.meta.resolve('ccxt')).href
  const loaded = (await import(file)) as {
    default: new (options: Record<string, unknown>) => Instance
  }
  return new loaded.default(options)
}

/** `websocket` says where ccxt keeps the address of the stream. */
function options(
  config: ExchangeConfig,
  websocket: (url: string) => Record<string, unknown>,
): Record<string, unknown> {
  const { base_url, websocket_url } = config
  return {
    timeout: config.request_timeout_ms ?? REQUEST_TIMEOUT_MILLISECONDS,
    // Its throttle knows neither our tier nor what is urgent: the limiter of the key does.
    enableRateLimit: false,
    fetchHistoryCacheSize: 0,
    options: OPTIONS,
    ...(base_url === undefined
      ? {}
      : {
          urls: {
            api: {
              rest: base_url,
              public: base_url,
              private: base_url,
              ...(websocket_url === undefined ? {} : websocket(websocket_url)),
            },
          },
        }),
  }
}

/** ccxt signs a request in the moment in which it sends it. */
type Signing = { sign(path: string, api: string, ...more: unknown[]): unknown }

/** Every call that is signed needs the credential. */
export async function loadMoney<Instance extends Money>(
  config: ExchangeConfig,
  credential: Credential,
): Promise<Instance> {
  const money = await load<Instance & Signing>(`./src/${FILES[config.exchange]}.js`, {
    ...options(config, () => ({})),
    apiKey: config.api_key,
    secret: config.api_secret,
    ...(config.passphrase === undefined ? {} : { password: config.passphrase }),
    number: String,
  })
  const sign = money.sign.bind(money)
  money.sign = (path, api, ...more) => {
    if (api !== 'public') credential.use()
    return sign(path, api, ...more)
  }
  return money
}

/** With the markets loaded. */
export async function loadBooks<Instance extends Books>(
  config: ExchangeConfig,
  keepAlive: number,
  websocket: (url: string) => Record<string, unknown>,
): Promise<Instance> {
  const books = await load<Instance>(`./src/pro/${FILES[config.exchange]}.js`, {
    ...options(config, websocket),
    streaming: { keepAlive: config.keep_alive_ms ?? keepAlive },
    options: { ...OPTIONS, ws: { backoff: { base: 200, factor: 2, max: 5_000 } } },
  })
  await books.loadHttpProxyAgent()
  await books.loadMarkets(true)
  return books
}
