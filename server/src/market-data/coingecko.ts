/**
 * An aggregator that speaks CoinGecko's interface: how many coins of each kind circulate. Figures
 * keep every digit.
 */
import type { ClientOptions } from '@coingecko/coingecko-typescript'
import { tryDecimal } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'

export const PLANS = ['DEMO', 'PRO'] as const
type Plan = (typeof PLANS)[number]

/** `told_at`: Unix milliseconds by the aggregator's own clock, undefined when it does not say. */
export type Supply = { quantity: Decimal; told_at: number | undefined }

export type Aggregator = {
  /** By coin id; left out is what it does not know. Throws AggregatorError. */
  supplies(coins: readonly string[]): Promise<Map<string, Supply>>
}

/** No answer, or none that can be used. */
export class AggregatorError extends Error {
  /** How long it wants to be left alone, if it says. */
  readonly retry_after_ms: number | undefined

  constructor(message: string, retry_after_ms?: number) {
    super(message)
    this.name = 'AggregatorError'
    this.retry_after_ms = retry_after_ms
  }
}

const BASE_URLS: Readonly<Record<Plan, string>> = {
  DEMO: 'https://api.coingecko.com/api/v3',
  PRO: 'https://pro-api.coingecko.com/api/v3',
}
/** What is refused by the client is quoted in its error: a key must not be. */
const SENDABLE = /^[A-Za-z0-9_-]+$/
const COINS_PER_REQUEST = 250
const REQUEST_TIMEOUT_MILLISECONDS = 10_000
const LONGEST_ERROR = 200

export type CoinGeckoConfig = {
  plan: Plan
  base_url?: string
  api_key?: string
  request_timeout_ms?: number
}

/** Without a key its public interface is asked. */
export async function openCoinGecko({
  plan,
  base_url = BASE_URLS[plan],
  api_key,
  request_timeout_ms = REQUEST_TIMEOUT_MILLISECONDS,
}: CoinGeckoConfig): Promise<Aggregator> {
  const { Coingecko } = await import('@coingecko/coingecko-typescript')
  if (api_key !== undefined && !SENDABLE.test(api_key))
    throw new AggregatorError(
      'the API key is not one: it has other characters than letters, digits, - and _',
    )
  const options: ClientOptions = {
    baseURL: base_url,
    proAPIKey: plan === 'PRO' ? (api_key ?? null) : null,
    demoAPIKey: plan === 'DEMO' ? (api_key ?? null) : null,
    // Null says that the key is left out on purpose; whoever calls decides when to try again.
    ...(api_key === undefined ? { defaultHeaders: { 'x-cg-pro-api-key': null } } : {}),
    maxRetries: 0,
    timeout: request_timeout_ms,
    logLevel: 'off',
  }
  const client = new Coingecko(options)

  const ask = async (ids: readonly string[]): Promise<string> => {
    const signal = AbortSignal.timeout(request_timeout_ms)
    try {
      const response = await client.coins.markets
        .get({ vs_currency: 'usd', ids: ids.join(','), per_page: COINS_PER_REQUEST }, { signal })
        .asResponse()
      return await response.text()
    } catch (error) {
      throw failureOf(error)
    }
  }
  return {
    async supplies(coins) {
      const ids = [...new Set(coins)]
      const all = new Map<string, Supply>()
      for (let first = 0; first < ids.length; first += COINS_PER_REQUEST) {
        for (const [coin, supply] of suppliesIn(
          await ask(ids.slice(first, first + COINS_PER_REQUEST)),
        ))
          all.set(coin, supply)
      }
      return all
    },
  }
}

function failureOf(error: unknown): AggregatorError {
  const { status, headers, message } = error as {
    status?: unknown
    headers?: unknown
    message?: unknown
  }
  const seconds = headers instanceof Headers ? Number(headers.get('retry-after') ?? NaN) : NaN
  const reason = typeof message === 'string' && message !== '' ? message : String(error)
  return new AggregatorError(
    (typeof status === 'number' ? reason : `no answer: ${reason}`).slice(0, LONGEST_ERROR),
    seconds > 0 ? seconds * 1000 : undefined,
  )
}

/**
 * The coins of an answer to /coins/markets that have a supply; each number is read from the text
 * itself.
 */
export function suppliesIn(text: string): Map<string, Supply> {
  const coins = parseNumbersAsText(text)
  if (!Array.isArray(coins)) throw new AggregatorError('the answer is not a list of coins')
  return new Map(
    coins.flatMap((coin: unknown): [string, Supply][] => {
      if (typeof coin !== 'object' || coin === null) return []
      const { id, circulating_supply, last_updated } = coin as Record<string, unknown>
      const quantity =
        circulating_supply instanceof NumberText ? exact(circulating_supply.text) : undefined
      if (typeof id !== 'string' || quantity === undefined || quantity <= 0n) return []
      const told_at = typeof last_updated === 'string' ? Date.parse(last_updated) : NaN
      return [[id, { quantity, told_at: Number.isFinite(told_at) ? told_at : undefined }]]
    }),
  )
}

class NumberText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Reviver = (key: string, value: unknown, context: { source?: string }) => unknown
const parseWith = JSON.parse as (text: string, reviver: Reviver) => unknown

function parseNumbersAsText(text: string): unknown {
  try {
    return parseWith(text, (_key, value, { source }) =>
      typeof value === 'number' && source !== undefined ? new NumberText(source) : value,
    )
  } catch {
    throw new AggregatorError('the answer is not valid JSON')
  }
}

const NUMBER = /^(\d+)(?:\.(\d+))?(?:[eE]\+?(\d{1,2}))?$/
const FRACTION = 18

/** Also with an exponent; undefined for what no supply can be. */
function exact(text: string): Decimal | undefined {
  const match = NUMBER.exec(text)
  if (match === null) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = match
  const digits = fraction.padEnd(Number(exponent), '0')
  const integer = `${whole}${digits.slice(0, Number(exponent))}`.replace(/^0+(?=\d)/, '')
  const rest = digits.slice(Number(exponent), Number(exponent) + FRACTION)
  return tryDecimal(rest === '' ? integer : `${integer}.${rest}`)
}
