/**
 * What people and programs ask a venue for, as one question: who asks while it is being answered
 * gets that answer. Whoever asks in a loop gets the last answer again, so that the calls that a
 * venue allows us are left for orders and transfers.
 */
import { TokenBuckets } from '../core/token-buckets.ts'
import type { Venue } from './contract.ts'

/** Of one venue in this process: so many at once, then one in five seconds. */
const RATE = { burst: 10, per_second: 0.2 }

type Question = 'balances' | 'protocols'
type Asked = { answer: Promise<unknown>; isOpen: boolean }

/** Of an adapter, which lives as long as the configuration of its venue stays the same. */
class LiveReads {
  readonly #buckets = new TokenBuckets(RATE)
  readonly #asked = new Map<Question, Asked>()

  read<Answer>(question: Question, ask: () => Promise<Answer>): Promise<Answer> {
    const before = this.#asked.get(question)
    if (before !== undefined && (before.isOpen || this.#buckets.waitFor(question, 1) > 0))
      return before.answer as Promise<Answer>
    this.#buckets.take(question, 1)
    const answer = ask()
    const asked: Asked = { answer, isOpen: true }
    this.#asked.set(question, asked)
    const close = () => {
      asked.isOpen = false
    }
    answer.then(close, close)
    return answer
  }
}

const READS = new WeakMap<Venue, LiveReads>()

/** The answer of now, or of a few seconds ago where it is asked for often. */
export function readLive<Answer>(
  adapter: Venue,
  question: Question,
  ask: () => Promise<Answer>,
): Promise<Answer> {
  const reads = READS.get(adapter) ?? new LiveReads()
  READS.set(adapter, reads)
  return reads.read(question, ask)
}
