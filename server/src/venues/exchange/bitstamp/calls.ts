/** The calls of one key at Bitstamp, as its limits allow: what is urgent goes first. */
import type { CallBudget } from '../../contract.ts'
import { CallLimiter, limiterOf } from '../call-limiter.ts'
import type { Call, Urgency } from '../call-limiter.ts'
import type { ExchangeConfig } from '../ccxt.ts'
import type { BitstampMoney, ReadOperation } from './money.ts'
import { bitstampMeters } from './tiers.ts'
import { FAILURES } from './vocabulary.ts'

/**
 * Of each read, as its most urgent caller needs it. A lookup says what became of an order or a
 * withdrawal, or what one needs.
 */
const URGENCIES: Readonly<Record<ReadOperation, Urgency>> = {
  AccountBalances: 'poll',
  OrderStatus: 'lookup',
  UserTransactions: 'lookup',
  CryptoTransactions: 'poll',
  WithdrawalRequests: 'lookup',
  FeesWithdrawal: 'lookup',
  FeesTrading: 'poll',
  WebsocketsToken: 'poll',
}
const READS = Object.entries(URGENCIES) as [ReadOperation, Urgency][]
/** Bitstamp's text for its code 400.002. */
const EXCEEDED = /exceeded rate limit/i

/** Orders and transfers: in turn, before all that is read. */
export type Act = <Result>(wait_ms: number, work: () => Promise<Result>) => Promise<Result>

type BitstampCalls = {
  money: BitstampMoney
  act: Act
  /** Not asked any more when its caller has gone. */
  balances(signal: AbortSignal | undefined): Promise<unknown>
  budget(): CallBudget
}

/** The same library object, whose reads wait for their turn, how to act, and what is used. */
export function limitCalls(money: BitstampMoney, config: ExchangeConfig): BitstampCalls {
  const limiter = limiterOf(config, () => new CallLimiter('bitstamp', bitstampMeters(config.tier)))
  const go = <Result>(call: Call, work: () => Promise<Result>): Promise<Result> =>
    limiter.go(call, async () => {
      try {
        return await work()
      } catch (error) {
        if (EXCEEDED.test(FAILURES.failureOf(error).native ?? '')) limiter.exceeded()
        throw error
      }
    })
  const balances = money.privatePostAccountBalances.bind(money)
  for (const [operation, urgency] of READS) {
    const name = `privatePost${operation}` as const
    const read = money[name].bind(money)
    money[name] = (parameters) => go({ urgency, cost: 1 }, () => read(parameters))
  }
  return {
    money,
    balances: (signal) => go({ urgency: 'poll', cost: 1, signal }, () => balances({})),
    act: (wait_ms, work) => go({ urgency: 'act', cost: 1, wait_ms }, work),
    budget: () => limiter.budget(),
  }
}
