/**
 * Private calls of one account. They go one after another, because a nonce must be above every
 * earlier one, with the markets loaded, and as the key's counter allows.
 */
import type { CallBudget, Listen } from '../../contract.ts'
import type { Credential } from '../../lease/credential.ts'
import { AccountStream, listenTo } from '../account-stream.ts'
import { row, text } from '../answers.ts'
import { CallLimiter, limiterOf } from '../call-limiter.ts'
import type { Call } from '../call-limiter.ts'
import { marketsOf } from '../ccxt.ts'
import type { ExchangeConfig } from '../ccxt.ts'
import { QuietLists } from '../quiet-lists.ts'
import { SharedReads } from '../shared-reads.ts'
import { shippedTerms, termsOf } from '../../terms.ts'
import type { Terms } from '../../terms.ts'
import { krakenStream } from './account-stream.ts'
import type { KrakenMoney, ReadOperation } from './money.ts'
import { costOf, krakenTier, pacesOf } from './tiers.ts'
import { FAILURES } from './vocabulary.ts'

/** How old an answer may be that serves others too, and the oldest that is kept. */
const SHARED_MILLISECONDS = 1_000
const KEPT_MILLISECONDS = 10_000
/**
 * After `EGeneral:Temporary lockout` nothing must be asked ("Error messages",
 * docs.kraken.com/exchange/guides/general/errors: a few minutes).
 */
const LOCKOUT_MILLISECONDS = 180_000
const LONGEST_PAUSE_MILLISECONDS = 600_000
const THROTTLED = /^EService:\s*Throttled:\s*([0-9]+)/

type Parameters = Record<string, string | boolean>
/** A poll unless it says otherwise. A lookup is not answered with what was asked before. */
export type Asking = Partial<Pick<Call, 'urgency' | 'wait_ms' | 'signal'>> & {
  /** How old an answer may be that others have asked for. */
  max_age_ms?: number | undefined
}

/** What must be true now goes before polls: a reading that others wait for. */
export const askingFor = (fresh: boolean | undefined): Asking =>
  fresh === true ? { urgency: 'lookup', max_age_ms: 0 } : {}

export type KrakenCalls = {
  money: KrakenMoney
  terms: Terms
  /** Whether Kraken's counter is followed. */
  counted: boolean
  quiet: QuietLists
  ready(): Promise<void>
  /** Orders and transfers, before all that is read. `operation` says what Kraken counts. */
  act<Result>(operation: string, wait_ms: number, work: () => Promise<Result>): Promise<Result>
  /** Answers the result of Kraken's reply; the same question at the same time is asked once. */
  ask(operation: ReadOperation, parameters: Parameters, asking?: Asking): Promise<unknown>
  /** Where its calls are counted: from now on Kraken says by itself when something is new. */
  follow(): void
  /** Absent where there is no stream. */
  listen?: Listen
  budget(): CallBudget
  /** Reads that wait for their turn are dropped. */
  close(): void
}

export function krakenCalls(
  money: KrakenMoney,
  config: ExchangeConfig,
  credential: Credential,
): KrakenCalls {
  const terms = termsOf('kraken', config.terms ?? shippedTerms('kraken'))
  const { counted, meters } = krakenTier(config.tier)
  const limiter = limiterOf(config, () => new CallLimiter('kraken', meters, 1))
  const shared = new SharedReads(counted ? KEPT_MILLISECONDS : 0)
  const quiet = new QuietLists(
    counted ? () => pacesOf(config.quiet_poll_ms, stream?.listening) : null,
  )
  const changed = () => {
    shared.forget()
    quiet.changed()
  }
  const ready = marketsOf(money)
  const go = <Result>(call: Call, work: () => Promise<Result>): Promise<Result> =>
    limiter.go(call, async () => {
      try {
        return await work()
      } catch (error) {
        heed(limiter, FAILURES.failureOf(error).native)
        throw error
      }
    })
  const ask: KrakenCalls['ask'] = (operation, parameters, asking = {}) => {
    const { signal, max_age_ms, urgency = 'poll', wait_ms } = asking
    const question = JSON.stringify(Object.entries(parameters).toSorted())
    // Who is urgent does not wait in another's place.
    const key = `${urgency} ${wait_ms ?? ''} ${operation} ${question}`
    const since = Date.now() - (max_age_ms ?? (urgency === 'poll' ? SHARED_MILLISECONDS : 0))
    const call = { urgency, cost: costOf(operation), ...(wait_ms === undefined ? {} : { wait_ms }) }
    return shared.read(key, { signal, since }, (gone, begin) =>
      go({ ...call, signal: gone }, async () => {
        begin()
        await ready()
        return (await money[`privatePost${operation}`](parameters)).result
      }),
    )
  }
  const stream = openStream(config, credential, { ask, changed })
  const stopHearing = credential.onChange(changed)
  return {
    money,
    terms,
    counted,
    quiet,
    ready,
    ask,
    follow: () => (counted ? stream?.start() : undefined),
    ...(stream === undefined ? {} : { listen: listenTo([stream]) }),
    budget: () => limiter.budget(),
    close: () => {
      stopHearing()
      shared.close()
      stream?.close()
    },
    act: (operation, wait_ms, work) =>
      go({ urgency: 'act', cost: costOf(operation), wait_ms }, async () => {
        changed()
        try {
          return await work()
        } finally {
          changed()
        }
      }),
  }
}

const STREAM = 'wss://ws-auth.kraken.com/v2'

/** Undefined at a server of one's own that has none. */
function openStream(
  { base_url, private_websocket_url }: ExchangeConfig,
  credential: Credential,
  { ask, changed }: Pick<KrakenCalls, 'ask'> & { changed(): void },
): AccountStream | undefined {
  const url = private_websocket_url ?? (base_url === undefined ? STREAM : undefined)
  if (url === undefined) return undefined
  const token = async () => text(row(await ask('GetWebSocketsToken', {})), 'token')
  const stream = new AccountStream(krakenStream(url, token), credential)
  stream.hear(changed)
  return stream
}

/** What Kraken says of its limits. */
function heed(limiter: CallLimiter, native: string | null): void {
  if (native === null) return
  const now = Date.now()
  if (native === 'EAPI:Rate limit exceeded') limiter.exceeded()
  if (native.startsWith('EGeneral:Temporary lockout'))
    limiter.pauseUntil(now + LOCKOUT_MILLISECONDS)
  const [, seconds] = THROTTLED.exec(native) ?? []
  if (seconds !== undefined)
    limiter.pauseUntil(Math.min(Number(seconds) * 1000, now + LONGEST_PAUSE_MILLISECONDS))
}
