/**
 * The calls of one API key: which goes next, and when the exchange's limits let it. Acts go before
 * lookups of what an act has led to, and these before polls. Who waits too long, or has gone, is
 * dropped and never sent.
 */
import type { CallBudget } from '../contract.ts'
import type { Meter } from './call-meters.ts'
import type { ExchangeConfig } from './ccxt.ts'

/** `act`: orders and transfers. `lookup`: what an act has led to, or needs first. */
export type Urgency = 'act' | 'lookup' | 'poll'

export type Call = {
  urgency: Urgency
  /** In the exchange's points. */
  cost: number
  /** How long it may wait for its turn. */
  wait_ms?: number
  /** Aborted when its caller has gone. */
  signal?: AbortSignal | undefined
}

const URGENCIES = ['act', 'lookup', 'poll'] as const
/** Of each limit. What is left is kept for the more urgent. */
const SHARES: Readonly<Record<Urgency, number>> = { act: 1, lookup: 0.8, poll: 0.6 }
const WAIT_MILLISECONDS: Readonly<Record<Urgency, number>> = {
  act: 10_000,
  lookup: 20_000,
  poll: 8_000,
}

/** So many turns of others a call waits for at most, where there is room for it. */
const OVERTAKEN_AT_MOST = 8

/** Nothing was sent: the message says why. */
export class NotCalled extends Error {
  override name = 'NotCalled'
}

const LIMITERS = new Map<string, CallLimiter>()

/** One for each key of an exchange, whoever in this process calls with it. */
export function limiterOf(
  { exchange, base_url = '', api_key, tier = '' }: ExchangeConfig,
  open: () => CallLimiter,
): CallLimiter {
  const key = JSON.stringify([exchange, base_url, api_key, tier])
  const limiter = LIMITERS.get(key) ?? open()
  LIMITERS.set(key, limiter)
  return limiter
}

type Queued = Call & { start(): void; drop(reason: string): void }

export class CallLimiter {
  readonly #name: string
  readonly #meters: readonly Meter[]
  readonly #atOnce: number
  readonly #queues: Readonly<Record<Urgency, Queued[]>> = { act: [], lookup: [], poll: [] }
  #running = 0
  #overtaken = 0
  #pausedUntil = 0
  #wake: NodeJS.Timeout | undefined

  /** `atOnce`: how many calls may be under way together. */
  constructor(name: string, meters: readonly Meter[], atOnce: number = Infinity) {
    this.#name = name
    this.#meters = meters
    this.#atOnce = atOnce
  }

  /** Does the work when it is its turn. Throws NotCalled when that never comes. */
  async go<Result>(call: Call, work: () => Promise<Result>): Promise<Result> {
    await this.#turn(call)
    try {
      return await work()
    } finally {
      // What was read for an act, such as its fee, is followed by the act, not by a poll.
      if (call.urgency === 'act') setImmediate(() => this.#ended())
      else this.#ended()
    }
  }

  #ended(): void {
    this.#running -= 1
    this.#next()
  }

  /** The exchange says that its counter is full. */
  exceeded(): void {
    for (const meter of this.#meters) meter.fill(Date.now())
  }

  /** The exchange takes no call before `at`. */
  pauseUntil(at: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, at)
  }

  budget(): CallBudget {
    const now = Date.now()
    return {
      used: Math.max(
        this.#pausedUntil > now ? 1 : 0,
        ...this.#meters.map((meter) => meter.used(now)),
      ),
      waiting: URGENCIES.reduce((sum, urgency) => sum + this.#queues[urgency].length, 0),
    }
  }

  #turn(call: Call): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const queue = this.#queues[call.urgency]
    const leave = () => {
      clearTimeout(limit)
      call.signal?.removeEventListener('abort', gone)
    }
    const queued: Queued = {
      ...call,
      start: () => {
        leave()
        resolve()
      },
      drop: (reason) => {
        leave()
        const place = queue.indexOf(queued)
        if (place >= 0) queue.splice(place, 1)
        reject(new NotCalled(`${this.#name} was not called: ${reason}`))
        this.#next()
      },
    }
    const gone = () => {
      queued.drop('nobody waits for the answer any more')
    }
    const wait = call.wait_ms ?? WAIT_MILLISECONDS[call.urgency]
    const limit = setTimeout(() => {
      queued.drop(`its call limit left no room within ${wait / 1000} s`)
    }, wait)
    queue.push(queued)
    if (call.signal?.aborted === true) gone()
    else {
      call.signal?.addEventListener('abort', gone)
      this.#next()
    }
    return promise
  }

  /** Starts whatever may go now. */
  #next(): void {
    clearTimeout(this.#wake)
    while (this.#running < this.#atOnce) {
      const now = Date.now()
      const queued = this.#take(now)
      if (queued === undefined) return
      this.#running += 1
      for (const meter of this.#meters) meter.add(queued.cost, now)
      queued.start()
    }
  }

  /**
   * Of the most urgent. What it has no room for is not given to the others, but after some turns of
   * a busy line one that waits behind it is let in.
   */
  #take(now: number): Queued | undefined {
    const waiting = URGENCIES.map((urgency) => this.#queues[urgency]).filter(
      (queue) => queue.length > 0,
    )
    const [first] = waiting
    if (first === undefined) return undefined
    const last = waiting.at(-1) ?? first
    this.#overtaken = first === last ? 0 : this.#overtaken + 1
    const patient =
      this.#overtaken > OVERTAKEN_AT_MOST ? takeFirst(last, this.#mayGo(now)) : undefined
    if (patient !== undefined) this.#overtaken = 0
    const taken = patient ?? takeFirst(first, this.#mayGo(now))
    if (taken === undefined) {
      const earliest = Math.min(...first.map((queued) => this.#freeAt(queued, now)))
      this.#wake = setTimeout(() => {
        this.#next()
      }, earliest - now)
    }
    return taken
  }

  #mayGo = (now: number) => (call: Call) => this.#freeAt(call, now) <= now

  #freeAt({ cost, urgency }: Call, now: number): number {
    return Math.max(
      this.#pausedUntil,
      ...this.#meters.map((meter) => meter.freeAt(cost, SHARES[urgency], now)),
    )
  }
}

function takeFirst(queue: Queued[], mayGo: (call: Call) => boolean): Queued | undefined {
  const place = queue.findIndex(mayGo)
  return place < 0 ? undefined : queue.splice(place, 1)[0]
}
