/**
 * Payments that are sent at the same time go into one file, where the bank wants that. Each has its
 * own stored intent before it comes here, and gets its own answer: that of its file.
 */
import type { PutResult } from './transport.ts'

export type SharingTerms = {
  /** The most payments of one file; with 1 nothing waits. */
  payments_per_file: number
  /** How long a payment waits for others. */
  collect_ms: number
}

export const ALONE: SharingTerms = { payments_per_file: 1, collect_ms: 0 }

/** Far below what banks take in one file. */
const MOST_PAYMENTS = 100
/** Well within the time in which a payment is handed over or not at all. */
const LONGEST_WAIT_MILLISECONDS = 2_000
const DEFAULT_WAIT_MILLISECONDS = 250

/** From the options; undefined where each payment has a file of its own. Throws RangeError. */
export function sharingTerms(values: Record<string, string>): SharingTerms | undefined {
  const most = countOf(values, 'payments_per_file', { least: 1, most: MOST_PAYMENTS })
  const wait = countOf(values, 'collect_ms', { least: 0, most: LONGEST_WAIT_MILLISECONDS })
  if (most === undefined || most === 1) {
    if (wait === undefined) return undefined
    throw new RangeError("the bank's collect_ms needs payments_per_file above 1")
  }
  return { payments_per_file: most, collect_ms: wait ?? DEFAULT_WAIT_MILLISECONDS }
}

function countOf(
  values: Record<string, string>,
  name: string,
  { least, most }: { least: number; most: number },
): number | undefined {
  const text = values[name]
  if (!text) return undefined
  const count = Number(text)
  if (!/^[0-9]{1,6}$/.test(text) || count < least || count > most)
    throw new RangeError(`the bank's ${name} must be a number from ${least} to ${most}`)
  return count
}

/** A payment that waits for others. `until` is a time of `performance.now()`. */
type Waiting<Payment> = { payment: Payment; until: number; answer(result: PutResult): void }

type HandOver<Payment> = (payments: readonly Payment[], until: number) => Promise<PutResult[]>

export class Collector<Payment> {
  readonly #terms: SharingTerms
  readonly #handOver: HandOver<Payment>
  readonly #open = new Map<string, Waiting<Payment>[]>()

  /** `handOver` answers for each of the payments. */
  constructor(terms: SharingTerms, handOver: HandOver<Payment>) {
    this.#terms = terms
    this.#handOver = handOver
  }

  /** Only payments of one kind share a file. */
  add(kind: string, payment: Payment, until: number): Promise<PutResult> {
    return new Promise((answer) => {
      const waiting = { payment, until, answer }
      const open = this.#open.get(kind)
      if (open === undefined) this.#begin(kind, waiting)
      else {
        open.push(waiting)
        if (open.length >= this.#terms.payments_per_file) this.#end(kind, open)
      }
    })
  }

  #begin(kind: string, waiting: Waiting<Payment>): void {
    const open = [waiting]
    this.#open.set(kind, open)
    setTimeout(() => {
      this.#end(kind, open)
    }, this.#terms.collect_ms)
  }

  /** Once for each of them, by time or when it is full. */
  #end(kind: string, open: readonly Waiting<Payment>[]): void {
    if (this.#open.get(kind) !== open) return
    this.#open.delete(kind)
    void this.#handOverAll(open)
  }

  async #handOverAll(open: readonly Waiting<Payment>[]): Promise<void> {
    const payments = open.map(({ payment }) => payment)
    const until = Math.min(...open.map((waiting) => waiting.until))
    const results = await this.#handOver(payments, until).catch((error: unknown) => unknown(error))
    for (const [at, { answer }] of open.entries())
      answer((Array.isArray(results) ? results[at] : results) ?? unknown('no answer'))
  }
}

const unknown = (error: unknown): PutResult => ({
  put: 'unknown',
  reason: error instanceof Error ? error.message : String(error),
})
