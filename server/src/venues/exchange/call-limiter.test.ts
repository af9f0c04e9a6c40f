/** Which call of a key goes next, when the limits let it, and which is never sent. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { TestContext } from 'node:test'
import { bitstampMeters } from './bitstamp/tiers.ts'
import { CallLimiter, NotCalled } from './call-limiter.ts'
import type { Call, Urgency } from './call-limiter.ts'
import { decayingMeter, windowMeter } from './call-meters.ts'
import { SharedReads } from './shared-reads.ts'

const STARTER = { maximum: 15, per_second: 0.33 }
const SECOND = 1_000
const TICK = 50

/** Time goes on only when the test says so. */
function stopTime({ mock }: TestContext): (milliseconds: number) => Promise<void> {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1_800_000_000_000 })
  return async (milliseconds) => {
    mock.timers.tick(milliseconds)
    await settle()
  }
}

/** What is due now has been done, and what is due after an act. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 2; turn += 1)
    await new Promise((resolve) => {
      setImmediate(resolve)
    })
}

/** Calls of a limiter, each ended by the test. */
class Line {
  readonly started: string[] = []
  readonly startedAt: number[] = []
  readonly dropped: string[] = []
  readonly limiter: CallLimiter
  readonly #ends = new Map<string, () => void>()

  constructor(limiter: CallLimiter) {
    this.limiter = limiter
  }

  ask(name: string, urgency: Urgency, more: Partial<Call> = {}): void {
    this.limiter
      .go({ urgency, cost: 1, ...more }, async () => {
        this.started.push(name)
        this.startedAt.push(Date.now())
        const { promise, resolve } = Promise.withResolvers<void>()
        this.#ends.set(name, resolve)
        await promise
      })
      .catch((error: unknown) => {
        assert.ok(error instanceof NotCalled)
        this.dropped.push(name)
      })
  }

  async end(name: string): Promise<void> {
    this.#ends.get(name)?.()
    await settle()
  }
}

const starterMeter = () => decayingMeter(STARTER.maximum, STARTER.per_second)

describe('the limiter of a key', () => {
  it('sends one after the other, acts first, then lookups, then polls', async () => {
    const line = new Line(new CallLimiter('kraken', [starterMeter()], 1))
    line.ask('first', 'poll')
    for (const urgency of ['poll', 'lookup', 'act'] as const) line.ask(urgency, urgency)
    await settle()
    for (const name of ['first', 'act', 'lookup', 'poll']) await line.end(name)
    assert.deepEqual(line.started, ['first', 'act', 'lookup', 'poll'])
  })

  it('lets an act follow what was read for it, before a poll that waits', async () => {
    const line = new Line(new CallLimiter('kraken', [starterMeter()], 1))
    const withdrawal = line.limiter
      .go({ urgency: 'act', cost: 1 }, async () => {
        line.started.push('its fee')
      })
      .then(() => {
        line.ask('the withdrawal', 'act')
      })
    line.ask('poll', 'poll')
    await withdrawal
    await settle()
    await line.end('the withdrawal')
    assert.deepEqual(line.started, ['its fee', 'the withdrawal', 'poll'])
  })

  it('lets polls use part of the counter only, and acts all of it', async (context) => {
    const pass = stopTime(context)
    const line = new Line(new CallLimiter('kraken', [starterMeter()]))
    for (let index = 0; index < 20; index += 1) line.ask(`poll ${index}`, 'poll')
    await settle()
    assert.equal(line.started.length, 9)
    for (let index = 0; index < 20; index += 1) line.ask(`act ${index}`, 'act')
    await settle()
    assert.equal(line.started.length, 15)
    line.ask('order', 'act', { cost: 0 })
    await settle()
    assert.equal(line.started.at(-1), 'order')
    // A point takes three seconds.
    await pass(2 * SECOND)
    assert.equal(line.started.length, 16)
    await pass(1.1 * SECOND)
    assert.equal(line.started.length, 17)
  })

  it('says how much of the counter is used, and how many wait', async (context) => {
    stopTime(context)
    const line = new Line(new CallLimiter('kraken', [starterMeter()]))
    for (let index = 0; index < 12; index += 1) line.ask(`poll ${index}`, 'poll')
    await settle()
    assert.deepEqual(line.limiter.budget(), { used: 9 / STARTER.maximum, waiting: 3 })
    line.limiter.exceeded()
    assert.deepEqual(line.limiter.budget(), { used: 1, waiting: 3 })
  })

  it('never exceeds what Kraken counts, whoever asks how much', async (context) => {
    const pass = stopTime(context)
    const line = new Line(new CallLimiter('kraken', [starterMeter()]))
    for (let second = 0; second < 120; second += 1) {
      for (let index = 0; index < 3; index += 1) line.ask(`${second}.${index}`, 'act')
      for (let tick = 0; tick < SECOND; tick += TICK) await pass(TICK)
    }
    // A call is noted at the end of the tick in which it began.
    const inexact = (TICK / SECOND) * STARTER.per_second
    let [level, at] = [0, 0]
    for (const startedAt of line.startedAt) {
      level = Math.max(0, level - ((startedAt - at) / SECOND) * STARTER.per_second) + 1
      at = startedAt
      assert.ok(level <= STARTER.maximum + inexact, `${level}`)
    }
    // Fifteen at once, then a third of a point a second.
    assert.ok(line.started.length >= 50 && line.started.length <= 55, `${line.started.length}`)
  })

  it('takes the counter for full when the exchange says so', async (context) => {
    const pass = stopTime(context)
    const line = new Line(new CallLimiter('kraken', [starterMeter()]))
    line.limiter.exceeded()
    line.ask('transfer', 'act')
    line.ask('order', 'act', { cost: 0 })
    await settle()
    assert.deepEqual(line.started, ['order'])
    await pass(3.1 * SECOND)
    assert.deepEqual(line.started, ['order', 'transfer'])
  })

  it('sends nothing before the time that the exchange has named', async (context) => {
    const pass = stopTime(context)
    const line = new Line(new CallLimiter('kraken', [starterMeter()]))
    line.limiter.pauseUntil(Date.now() + 5 * SECOND)
    line.ask('order', 'act', { cost: 0 })
    await pass(4.9 * SECOND)
    assert.deepEqual(line.started, [])
    await pass(0.2 * SECOND)
    assert.deepEqual(line.started, ['order'])
  })

  it('drops who waits too long, and whose caller has gone', async (context) => {
    const pass = stopTime(context)
    const line = new Line(new CallLimiter('kraken', [starterMeter()], 1))
    const caller = new AbortController()
    line.ask('slow', 'act')
    line.ask('abandoned', 'poll', { signal: caller.signal })
    line.ask('impatient', 'poll', { wait_ms: 2 * SECOND })
    line.ask('late', 'lookup', { signal: AbortSignal.abort() })
    caller.abort()
    await settle()
    assert.deepEqual(line.dropped, ['late', 'abandoned'])
    await pass(2 * SECOND)
    assert.deepEqual(line.dropped, ['late', 'abandoned', 'impatient'])
    await line.end('slow')
    assert.deepEqual(line.started, ['slow'])
  })

  it('lets a poll in among many orders', async () => {
    const line = new Line(new CallLimiter('kraken', [], 1))
    line.ask('poll', 'act')
    for (let index = 0; index < 20; index += 1) line.ask(`order ${index}`, 'act')
    line.ask('balances', 'poll')
    await settle()
    await line.end('poll')
    for (let index = 0; index < 10; index += 1) await line.end(`order ${index}`)
    assert.ok(line.started.includes('balances'))
    assert.ok(line.started.indexOf('balances') > 5)
  })

  it('keeps to a number of calls within any stretch of time', async (context) => {
    const pass = stopTime(context)
    const line = new Line(new CallLimiter('bitstamp', [windowMeter(4, SECOND)]))
    for (let index = 0; index < 10; index += 1) line.ask(`act ${index}`, 'act')
    await settle()
    assert.equal(line.started.length, 4)
    await pass(SECOND - 1)
    assert.equal(line.started.length, 4)
    await pass(1)
    assert.equal(line.started.length, 8)
    await pass(SECOND)
    assert.equal(line.started.length, 10)
  })

  it('has 400 calls a second at Bitstamp, and keeps some for what is urgent', async (context) => {
    const pass = stopTime(context)
    for (const [urgency, most] of [
      ['act', 400],
      ['lookup', 320],
      ['poll', 240],
    ] as const) {
      const line = new Line(new CallLimiter('bitstamp', bitstampMeters()))
      for (let index = 0; index <= most; index += 1) line.ask(`${urgency} ${index}`, urgency)
      await settle()
      assert.equal(line.started.length, most)
      await pass(SECOND)
      assert.equal(line.started.length, most + 1)
    }
  })
})

describe('reads of the same thing', () => {
  const reader = (freshFor: number) => {
    const reads = new SharedReads(freshFor)
    const answers: ((answer: string) => void)[] = []
    const gone: AbortSignal[] = []
    const read = (asking: { signal?: AbortSignal; since?: number } = {}) =>
      reads.read('balances', asking, (signal, begin) => {
        begin()
        gone.push(signal)
        const { promise, resolve } = Promise.withResolvers<string>()
        answers.push(resolve)
        return promise
      })
    return { reads, read, answers, gone }
  }

  it('are one while it is under way, and for a moment after it', async (context) => {
    const pass = stopTime(context)
    const { reads, read, answers } = reader(SECOND)
    const both = [read(), read()]
    answers[0]?.('5')
    assert.deepEqual(await Promise.all(both), ['5', '5'])
    assert.equal(await read(), '5')
    await pass(SECOND)
    void read()
    answers[1]?.('6')
    await settle()
    reads.forget()
    void read()
    assert.equal(answers.length, 3)
  })

  it('are two when the answer must not be older than the question', async (context) => {
    const pass = stopTime(context)
    const { read, answers } = reader(0)
    void read()
    await pass(1)
    void read({ since: Date.now() })
    assert.equal(answers.length, 2)
  })

  it('are given up when all have gone', () => {
    const { read, gone } = reader(0)
    const [one, other] = [new AbortController(), new AbortController()]
    void read({ signal: one.signal })
    void read({ signal: other.signal })
    one.abort()
    assert.equal(gone[0]?.aborted, false)
    other.abort()
    assert.equal(gone[0]?.aborted, true)
  })
})
