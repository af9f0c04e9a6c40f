/** The calls of one key at OKX, as the limits of each endpoint allow: what is urgent goes first. */
import type { CallBudget } from '../../contract.ts'
import { rows, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import { CallLimiter, limiterOf } from '../call-limiter.ts'
import type { Call } from '../call-limiter.ts'
import { marketsOf } from '../ccxt.ts'
import type { ExchangeConfig } from '../ccxt.ts'
import { shippedTerms, termsOf } from '../../terms.ts'
import type { Terms } from '../../terms.ts'
import type { Operation, OkxMoney } from './money.ts'
import { okxMeters } from './tiers.ts'
import { FAILURES, refusalOf } from './vocabulary.ts'

type Parameters = Record<string, unknown>
type How = Partial<Pick<Call, 'urgency' | 'wait_ms' | 'signal'>>

export type OkxCalls = {
  money: OkxMoney
  terms: Terms
  ready(): Promise<void>
  /** The rows of an answer. Throws with OKX's own code, also for one that stands in a row. */
  ask(operation: Operation, parameters: Parameters, how?: How): Promise<Row[]>
  /** The first row, of an answer that must have one. */
  askOne(operation: Operation, parameters: Parameters, how?: How): Promise<Row>
  /** One after another: what looks at the wallets and then moves something between them. */
  alone<Result>(work: () => Promise<Result>): Promise<Result>
  /** Of the endpoint of which most is used. */
  budget(): CallBudget
}

const EXCEEDED = /^(50011|50061|58102):/
/** These are counted by currency, or by instrument, too. */
const BY: Partial<Record<Operation, string>> = {
  PostAssetTransfer: 'ccy',
  PostTradeOrder: 'instId',
  GetTradeOrder: 'instId',
  PostTradeCancelOrder: 'instId',
}

export function okxCalls(money: OkxMoney, config: ExchangeConfig): OkxCalls {
  const terms = termsOf('okx', config.terms ?? shippedTerms('okx'))
  const ready = marketsOf(money)
  const limiters = new Set<CallLimiter>()
  const limiter = (operation: Operation, by: string) => {
    const own = limiterOf(
      { ...config, base_url: `${config.base_url ?? ''} ${operation} ${by}` },
      () => new CallLimiter('okx', okxMeters(operation, config.tier)),
    )
    limiters.add(own)
    return own
  }
  const ask: OkxCalls['ask'] = (operation, parameters, { urgency = 'poll', ...more } = {}) => {
    const limit = limiter(operation, String(parameters[BY[operation] ?? ''] ?? ''))
    return limit.go({ urgency, cost: 1, ...more }, async () => {
      try {
        return dataOf(await money[`private${operation}`](parameters))
      } catch (error) {
        if (EXCEEDED.test(FAILURES.failureOf(error).native ?? '')) limit.exceeded()
        throw error
      }
    })
  }
  let last: Promise<unknown> = Promise.resolve()
  return {
    money,
    terms,
    ready,
    ask,
    budget() {
      const budgets = [...limiters].map((own) => own.budget())
      return {
        used: Math.max(0, ...budgets.map(({ used }) => used)),
        waiting: budgets.reduce((sum, { waiting }) => sum + waiting, 0),
      }
    },
    async askOne(operation, parameters, how) {
      const [first] = await ask(operation, parameters, how)
      if (first === undefined) throw unreadableAnswer('data')
      return first
    },
    alone(work) {
      const next = last.then(work)
      last = next.catch(() => undefined)
      return next
    },
  }
}

/** A refusal may stand in the row of an answer whose own code is 0. */
function dataOf(answer: unknown): Row[] {
  const body = answer as { code?: unknown; msg?: unknown; data?: unknown }
  if (refusalOf(body) !== undefined) throw new Error(`okx ${JSON.stringify(body)}`)
  return rows(body.data)
}
