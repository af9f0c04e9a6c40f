/** Reads that any login may make, and that cost much. */
import { setTimeout as pause } from 'node:timers/promises'
import { unless } from '../../faults/flow.ts'
import { until } from '../../faults/patience.ts'
import { beside, littleOf } from '../beside.ts'
import type { Answer, Ask } from '../client.ts'
import { homeOf } from '../home.ts'
import type { Attack } from '../table.ts'
import type { Target } from '../target.ts'

const ROWS = 10_000
const PAGES = 48
const RESIDENT_MEGABYTES = 800
const LOOK_MILLISECONDS = 100
const BOOKING_CALLERS = 24
const READER_ADDRESS = '127.0.0.40'
const LOOPS = 16
const LOOP_SECONDS = 10
const VENUE_CALLS = 30
const ORDER_SECONDS = 20
/** In rows: what a session may read at once, with its burst, is 500,000. */
const LISTS = 80

const filled = new WeakMap<Target, Promise<void>>()

/** Enough bookings for a whole page. */
export function fill(target: Target): Promise<void> {
  const known = filled.get(target) ?? book(target)
  filled.set(target, known)
  return known
}

async function book(target: Target): Promise<void> {
  const { house, customer } = await homeOf(target)
  const body = {
    asset: 'EUR',
    description: 'one of very many, with some words so that a page is not small',
    legs: [
      { account_id: house, type: 'DEBIT', quantity: '0.01' },
      { account_id: customer.account_id, type: 'CREDIT', quantity: '0.01' },
    ],
  }
  let left = ROWS + 1
  const caller = async () => {
    while (left > 0) {
      left -= 1
      await target.call('POST', '/bookings', body)
    }
  }
  await Promise.all(Array.from({ length: BOOKING_CALLERS }, caller))
}

/** The most that the service has in memory meanwhile. */
async function peakOf<Result>(
  target: Target,
  work: () => Promise<Result>,
): Promise<{ result: Result; peak: number }> {
  let peak = target.resident()
  const looking = setInterval(() => {
    peak = Math.max(peak, target.resident())
  }, LOOK_MILLISECONDS)
  try {
    return { result: await work(), peak }
  } finally {
    clearInterval(looking)
  }
}

const countsOf = (answers: readonly Answer[]): string =>
  [...Map.groupBy(answers, ({ status }) => status)]
    .map(([status, alike]) => `${alike.length} × ${status}`)
    .join(', ')

const isLimited = ({ status, headers }: Answer): boolean =>
  (status === 429 || status === 503) && headers['retry-after'] !== undefined

const page = (token: string): Ask => ({
  method: 'GET',
  path: `/api/bookings?limit=${ROWS}`,
  token,
  from: READER_ADDRESS,
})

const manyPages: Attack = {
  of: 'READS',
  name: `${PAGES} pages of ${ROWS} rows at once`,
  does: `reads ${PAGES} pages of ${ROWS} bookings at once with one login`,
  wanted:
    `resident ≤ ${RESIDENT_MEGABYTES} MB; others fail 0 times; ` +
    'each 200, or 429/503 with Retry-After',
  async run(target) {
    await fill(target)
    const before = target.resident()
    const { access_token } = await target.newPerson('pages', ['READER'])
    const { result, asked, failed, longest_ms } = await beside(target, littleOf(target), () =>
      peakOf(target, () =>
        Promise.all(Array.from({ length: PAGES }, () => target.client.ask(page(access_token)))),
      ),
    )
    const { result: answers, peak } = result
    const odd = answers.filter((answer) => answer.status !== 200 && !isLimited(answer))
    return {
      seen:
        `${countsOf(answers)}; resident ${before} → ${peak} MB; ` +
        `others: ${failed.length} of ${asked} failed, longest wait ${longest_ms} ms`,
      wrong: [
        ...failed,
        ...unless(peak <= RESIDENT_MEGABYTES, `${peak} MB resident`),
        ...odd.map(({ status, text }) => `a page: ${status} ${text.slice(0, 100)}`),
      ],
    }
  },
}

const listLoop: Attack = {
  of: 'READS',
  name: 'long lists in a loop',
  does: `one session reads ${LISTS} pages of ${ROWS} rows; another one reads beside it`,
  wanted: 'the session is slowed down with 429 and Retry-After; another user 0 times',
  async run(target) {
    await fill(target)
    const [busy, calm] = [
      await target.newPerson('busy', ['READER']),
      await target.newPerson('calm', ['READER']),
    ]
    const answers: Answer[] = []
    for (let left = LISTS; left > 0; left -= 8)
      answers.push(
        ...(await Promise.all(
          Array.from({ length: 8 }, () => target.client.ask(page(busy.access_token))),
        )),
      )
    const other = await target.client.ask(page(calm.access_token))
    return {
      seen: `${countsOf(answers)}; another user ${other.status}`,
      wrong: [
        ...unless(answers.some(isLimited), 'the session was never slowed down'),
        ...unless(other.status === 200, `another user got ${other.text.slice(0, 200)}`),
        ...answers
          .filter((answer) => answer.status !== 200 && !isLimited(answer))
          .map(({ status, text }) => `a page: ${status} ${text.slice(0, 100)}`),
      ],
    }
  },
}

async function callsAt({ sandbox }: Target): Promise<number> {
  const { points } = await sandbox.control<{ points: number }>('GET', 'kraken/limits')
  return points
}

async function orderDone(target: Target): Promise<number> {
  const { priceRoute, customer } = await homeOf(target)
  const start = performance.now()
  const { id } = await target.call<{ id: string }>('POST', '/executions', {
    route_id: priceRoute,
    amount: '0.011',
    side: 'BUY',
    execution_type: 'MARKET',
    customers: [{ customer_id: customer.id }],
  })
  await until('the execution', async () => {
    const { state } = await target.call<{ state: string }>('GET', `/executions/${id}`)
    return state === 'DONE' ? true : undefined
  })
  return (performance.now() - start) / 1000
}

const balancesLoop: Attack = {
  of: 'READS',
  name: 'a loop on balances while an order is placed',
  does: `${LOOPS} loops of one login read the balances at Kraken; an order is placed beside them`,
  wanted:
    `≤ ${VENUE_CALLS} more calls reach Kraken in ${LOOP_SECONDS} s; ` +
    `an order done in ${ORDER_SECONDS} s`,
  async run(target) {
    const { kraken } = await homeOf(target)
    const { access_token: token } = await target.newPerson('loop', ['READER'])
    const path = `/api/venues/${kraken}/balances`
    const own = await callsWhile(target)
    const ending = new AbortController()
    const answers: Answer[] = []
    const loops = Array.from({ length: LOOPS }, async () => {
      while (!ending.signal.aborted)
        answers.push(await target.client.ask({ method: 'GET', path, token, from: READER_ADDRESS }))
    })
    const all = await callsWhile(target)
    const seconds = await orderDone(target).finally(() => {
      ending.abort()
    })
    await Promise.all(loops)
    const odd = answers.filter((answer) => answer.status !== 200 && !isLimited(answer))
    return {
      seen:
        `${answers.length} reads (${countsOf(answers)}); calls at Kraken in ${LOOP_SECONDS} s: ` +
        `${own} without them, ${all} with them; the order done in ${seconds.toFixed(1)} s`,
      wrong: [
        ...unless(all - own <= VENUE_CALLS, `${all - own} more calls reached Kraken`),
        ...unless(seconds <= ORDER_SECONDS, `the order took ${seconds.toFixed(1)} s`),
        ...odd.map(({ status, text }) => `${status} ${text.slice(0, 100)}`),
      ],
    }
  },
}

async function callsWhile(target: Target): Promise<number> {
  const before = await callsAt(target)
  await pause(LOOP_SECONDS * 1000)
  return (await callsAt(target)) - before
}

export const READS: readonly Attack[] = [manyPages, listLoop, balancesLoop]
