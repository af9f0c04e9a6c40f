/**
 * Drives every endpoint from its own schema, with sensible and broken requests, against the whole
 * app over a real database, and judges every answer. `npm run fuzz -- REQUESTS SEED`; each round of
 * 20,000 has a fresh database.
 */
import { randomInt } from 'node:crypto'
import { judgeAnswer } from './fuzz-judge.ts'
import { sensible, sensibleBody, spoiled } from './fuzz-requests.ts'
import type { Making, Planned } from './fuzz-requests.ts'
import { emptyPool, harvest, randomOf } from './fuzz-values.ts'
import type { Random } from './fuzz-values.ts'
import type { Endpoint } from '../src/http/index.ts'
import { verifyBooks } from '../src/ledger/index.ts'
import { openRange } from './service-under-test.ts'
import type { Got, Range } from './service-under-test.ts'

export const ROUND = 20_000
const AT_ONCE = 8
/** One request in so many is looked at alone: did a refusal or a read change anything? */
const LOOKED_AT = 40
/** Between so many requests time passes and due work is done. */
const WORK_AFTER = 100
const MAXIMUM_FAULTS = 10
/** What chance has left out is asked for so often at the most. */
const MAXIMUM_TRIES = 100
/** So much of a refusal. */
const MAXIMUM_TOLD = 300
/** Would end the session that all the rest needs: it only gets tokens that open nothing. */
export const NEVER_ACCEPTED: readonly string[] = ['POST /auth/logout']

export type Report = {
  requests: number
  endpoints: number
  missing: string[]
  accepted: Map<string, number>
  answers: Map<string, number>
  faults: string[]
  bookings: number
}

/** One round. Faults are told, not thrown; each names the request that showed it. */
export async function fuzz(requests: number, seed: number): Promise<Report> {
  const random = randomOf(seed)
  const range = await openRange()
  const report: Report = {
    requests: 0,
    endpoints: range.endpoints.length,
    missing: [],
    accepted: new Map(),
    answers: new Map(),
    faults: [],
    bookings: 0,
  }
  const fault = (what: string, planned?: Planned, got?: Got) => {
    if (report.faults.length < MAXIMUM_FAULTS)
      report.faults.push(
        planned === undefined
          ? what
          : `${what}\n    ${told(planned)}\n    → ${got?.status} ${got?.text.slice(0, 600)}`,
      )
  }
  const rejected = (error: unknown) => {
    fault(`unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`)
  }
  process.on('unhandledRejection', rejected)
  try {
    const run = openRun(range, random, report, fault)
    await run.everyList()
    let worked = 0
    while (report.requests < requests && report.faults.length < MAXIMUM_FAULTS) {
      if (report.requests - worked >= WORK_AFTER) {
        worked = report.requests
        await range.work(`REFERENCE ${random.below(100)}`)
      }
      if (random.once(LOOKED_AT)) await run.lookedAt()
      else if (random.once(25)) await run.repeated()
      else await run.several(Math.min(AT_ONCE, requests - report.requests))
    }
    for (
      let tries = 0;
      tries < MAXIMUM_TRIES && run.missing().length > 0 && report.faults.length < MAXIMUM_FAULTS;
      tries += 1
    ) {
      await run.theMissing()
      await range.work(`REFERENCE ${random.below(100)}`)
    }
    report.missing = run
      .missing()
      .map((endpoint) => `${nameOf(endpoint)}: ${run.refusals.get(nameOf(endpoint))}`)
    for (const side of [range.ours, range.theirs]) {
      const { faults, bookings } = await verifyBooks(range.app.db, side.workspace)
      report.bookings += bookings
      for (const each of faults) fault(`the books: ${each}`)
    }
  } finally {
    process.off('unhandledRejection', rejected)
    await range.close()
  }
  return report
}

function openRun(
  range: Range,
  random: Random,
  report: Report,
  fault: (what: string, planned?: Planned, got?: Got) => void,
) {
  const protectedIds = new Set([...range.ours.user_ids, ...range.theirs.user_ids])
  const pools = { ours: emptyPool(), theirs: emptyPool() }
  const ours: Making = {
    random,
    endpoints: range.endpoints,
    own: pools.ours,
    foreign: pools.theirs,
    side: range.ours,
    other: range.theirs,
  }
  const theirs: Making = {
    random,
    endpoints: range.endpoints,
    own: pools.theirs,
    foreign: pools.ours,
    side: range.theirs,
    other: range.ours,
  }
  // Passwords cost what they are meant to cost, and a logout ends the session that the rest needs.
  const chosen = range.endpoints.flatMap((endpoint) =>
    Array.from(
      {
        length:
          endpoint.path.startsWith('/auth/') ||
          (endpoint.method === 'POST' && endpoint.path === '/users')
            ? 1
            : 6,
      },
      () => endpoint,
    ),
  )
  const done: { planned: Planned; got: Got }[] = []

  function plan(): { planned: Planned; making: Making } {
    const making = random.once(8) ? theirs : ours
    const endpoint = random.pick(chosen)
    const planned = random.below(100) < 45 ? sensible(making, endpoint) : spoiled(making, endpoint)
    const live = Object.values(making.side.tokens).some((token) =>
      planned.headers['authorization']?.includes(token),
    )
    if (live && planned.endpoint?.path === '/auth/logout')
      planned.headers['authorization'] = `Bearer ${making.side.dead.ended}`
    return { planned, making }
  }

  function judge({ planned, making }: { planned: Planned; making: Making }, got: Got): void {
    report.requests += 1
    if (planned.method === 'HEAD' || planned.method === 'OPTIONS') {
      if (got.status >= 500) fault('answers 5xx', planned, got)
      return
    }
    const path = planned.url.replaceAll('\\', '/')
    if (!path.startsWith('/api/') || /^\/api\/(docs|openapi\.json)/.test(path)) {
      if (got.status >= 500) fault('answers 5xx', planned, got)
      return
    }
    const { kind, wrong } = judgeAnswer(planned, got, making.other.workspace)
    report.answers.set(kind, (report.answers.get(kind) ?? 0) + 1)
    if (wrong !== undefined) fault(wrong, planned, got)
    if (got.status !== 200 || planned.endpoint === undefined || got.type.startsWith('text/csv'))
      return
    const { data } = JSON.parse(got.text) as { data: unknown }
    if (planned.how === 'sensible' || planned.how === 'another value in the body') {
      const name = nameOf(planned.endpoint)
      report.accepted.set(name, (report.accepted.get(name) ?? 0) + 1)
      harvest(making.own, planned.endpoint.path, data, protectedIds)
      if (
        planned.endpoint.effect !== 'read' &&
        planned.endpoint.permission !== 'public' &&
        planned.headers['idempotency-key'] !== undefined &&
        !planned.url.includes('dry_run=true')
      ) {
        if (done.length >= 100) done.shift()
        done.push({ planned, got })
      }
    }
  }

  /** Every halt that is set on our side. */
  async function release(): Promise<void> {
    const headers = {
      authorization: `Bearer ${range.ours.tokens.all}`,
      'content-type': 'application/json',
    }
    const { data } = JSON.parse(
      (await range.send({ method: 'GET', url: '/api/desk/halts?state=set', headers })).text,
    ) as { data: { action: string; venue_id: string | null; asset: string | null }[] }
    for (const { action, venue_id, asset } of data) {
      const payload = JSON.stringify({
        action,
        halted: false,
        reason: 'all is well',
        ...(venue_id === null ? {} : { venue_id }),
        ...(asset === null ? {} : { asset }),
      })
      await range.send({ method: 'PUT', url: '/api/desk/halts', headers, payload })
    }
  }

  const refusals = new Map<string, string>()
  const missing = () =>
    range.endpoints.filter(
      (endpoint) =>
        !report.accepted.has(nameOf(endpoint)) && !NEVER_ACCEPTED.includes(nameOf(endpoint)),
    )

  return {
    /** Who has accepted nothing yet, and what it answered last. */
    missing,
    refusals,
    /** They are asked once more, after all that makes and tells what they may need. */
    async theMissing(): Promise<void> {
      const helpful = range.endpoints.filter(
        (endpoint) =>
          (endpoint.method === 'POST' || endpoint.method === 'PUT' || endpoint.effect === 'list') &&
          !/^\/(auth|desk)\/|\/(cancel|freeze)$/.test(endpoint.path),
      )
      await release()
      const ask = async (endpoint: Endpoint) => {
        const planned = sensible(ours, endpoint)
        const got = await range.send(planned)
        judge({ planned, making: ours }, got)
        return got
      }
      for (const endpoint of helpful) {
        await ask(endpoint)
        // At once: what one of them makes may be used up by the next.
        for (const endpoint of missing())
          refusals.set(nameOf(endpoint), (await ask(endpoint)).text.slice(0, MAXIMUM_TOLD))
      }
    },
    /** What is there from the beginning. */
    async everyList(): Promise<void> {
      for (const making of [ours, theirs]) {
        for (const endpoint of range.endpoints.filter(
          (endpoint) => endpoint.effect === 'list' && !endpoint.path.includes(':'),
        )) {
          const planned: Planned = {
            how: 'sensible',
            endpoint,
            method: 'GET',
            url: `/api${endpoint.path}`,
            headers: { authorization: `Bearer ${making.side.tokens.all}` },
          }
          judge({ planned, making }, await range.send(planned))
        }
      }
    },
    /** Some at the same time. */
    async several(number: number): Promise<void> {
      const plans = Array.from({ length: number }, plan)
      const answers = await Promise.all(plans.map(({ planned }) => range.send(planned)))
      plans.forEach((plan, index) => {
        judge(plan, answers[index] as Got)
      })
    },
    /** One alone: what is refused, and what only reads, changes no row of any table. */
    async lookedAt(): Promise<void> {
      const each = plan()
      const before = await range.fingerprint()
      const got = await range.send(each.planned)
      judge(each, got)
      if (got.status === 200 && each.planned.method !== 'GET') return
      const after = await range.fingerprint()
      const changed = [...after]
        .filter(
          ([name, value]) =>
            before.get(name) !== value &&
            !(name === 'login_failures' && each.planned.url.startsWith('/api/auth/')),
        )
        .map(([name]) => name)
      if (changed.length > 0)
        fault(
          `was ${got.status === 200 ? 'a read' : 'refused'} and changed ${changed.join()}`,
          each.planned,
          got,
        )
    },
    /**
     * An accepted request again: the same key answers the same, and another body under it is
     * refused.
     */
    async repeated(): Promise<void> {
      const one = done.length === 0 ? undefined : random.pick(done)
      if (one === undefined) return
      const again = await range.send(one.planned)
      report.requests += 1
      if (
        again.status === 200
          ? words(one.planned, again) !== words(one.planned, one.got)
          : again.status !== 401
      )
        fault(
          `the repeat of an accepted request differs from ${one.got.text.slice(0, 300)}`,
          one.planned,
          again,
        )
      if (one.planned.endpoint?.body === undefined) return
      const making =
        one.planned.headers['authorization'] === `Bearer ${range.theirs.tokens.all}` ? theirs : ours
      const body = sensibleBody(making, one.planned.endpoint)
      const payload = JSON.stringify(body)
      const other = await range.send({ ...one.planned, payload })
      report.requests += 1
      const same = canonical(body) === canonical(one.planned.body)
      // Fields that are ignored make no other request: that is a replay too.
      if (
        !same &&
        other.status === 200 &&
        words(one.planned, other) !== words(one.planned, one.got)
      )
        fault('a used key did other work', { ...one.planned, payload }, other)
    },
  }
}

const nameOf = (endpoint: Endpoint) => `${endpoint.method} ${endpoint.path}`

/**
 * A replay of a booking names its accounts as they are called now; a route, whose making goes on at
 * its venue, is told as it stands.
 */
function words(planned: Planned, got: Got): string {
  if (planned.endpoint?.path === '/treasury/wallets/routes')
    return (JSON.parse(got.text) as { data: { id: string } }).data.id
  return got.text.replaceAll(/"account_label":(null|"(?:[^"\\]|\\.)*")/g, '')
}

const canonical = (value: unknown) =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )

function told({ how, method, url, headers, payload }: Planned): string {
  const shown = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value.slice(0, 60)}`)
    .join(' · ')
  const body =
    payload === undefined
      ? ''
      : ` ${typeof payload === 'string' ? payload.slice(0, 1500) : `hex ${payload.toString('hex').slice(0, 400)}`}`
  return `[${how}] ${method} ${url.slice(0, 600)} (${shown})${body}`
}

export function summary(report: Report): string {
  const answers = [...report.answers]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, number]) => `${name} × ${number}`)
    .join(', ')
  return `${report.requests} requests, ${report.accepted.size} of ${report.endpoints} endpoints accepted some, ${report.bookings} bookings; ${answers}`
}

export const freshSeed = (): string => String(randomInt(2 ** 31))

if (import.meta.main) {
  const [requests = String(ROUND), seed = freshSeed()] = process.argv.slice(2)
  if (!/^[1-9]\d*$/.test(requests) || !/^\d+$/.test(seed)) {
    process.stderr.write('usage: npm run fuzz -- [REQUESTS] [SEED]\n')
    process.exit(1)
  }
  for (let [left, round] = [Number(requests), Number(seed)]; left > 0; left -= ROUND, round += 1) {
    const report = await fuzz(Math.min(left, ROUND), round)
    process.stdout.write(`seed ${round}: ${summary(report)}\n`)
    if (report.faults.length === 0) continue
    for (const fault of report.faults) process.stdout.write(`  ${fault}\n`)
    process.exitCode = 1
    break
  }
}
