/** One round against one service: what it asks, and what every answer must hold to. */
import type { Endpoint } from '../../src/http/index.ts'
import { verifyBooks } from '../../src/ledger/index.ts'
import type { HttpAnswer, ServiceUnderTest } from '../service-under-test.ts'
import type { Author } from './author.ts'
import type { Draws } from './draws.ts'
import { Repeats } from './repeats.ts'
import type { Report } from './report.ts'
import { nameOf, sensible } from './requests.ts'
import type { RequestPlan } from './requests.ts'
import { Trail } from './trail.ts'
import { ENDS_SESSIONS } from './turns.ts'
import type { Turn, Turns } from './turns.ts'

const AT_ONCE = 8
/** One request in this many goes alone: did a refusal or a read change anything? */
const ALONE = 40
/** One in this many is a repeat of an accepted one. */
const REPEATED = 25
const SENSIBLE_PERCENT = 45
/** After this many requests time passes and due work is done. */
const WORK_AFTER = 100
/** Endpoints that chance has left out are asked at most this often. */
const MAXIMUM_TRIES = 20
const SHOWN_REFUSAL = 300
/** It takes a cookie, which no schema tells of. */
const TAKES_COOKIES: readonly string[] = ['POST /auth/console/refresh']
/**
 * What they accept, the simulated venues never bring about: a record that cannot be read, a deposit
 * that only a quantity explains, a payee that does not match, an order in doubt for minutes, a
 * trade that is busted late, five years after the last movement, a day of a venue that is over.
 * Their own tests accept something; here they are asked and judged like all others.
 */
const BEYOND_THE_SIMULATION: readonly string[] = [
  'GET /treasury/set-aside-items/:set_aside_item_id',
  'POST /treasury/set-aside-items/:set_aside_item_id/retry',
  'POST /treasury/set-aside-items/:set_aside_item_id/dismiss',
  'POST /treasury/deposits/:deposit_id/relate',
  'POST /treasury/deposits/:deposit_id/unrelate',
  'POST /treasury/deposits/:deposit_id/return',
  'POST /treasury/withdrawals/:withdrawal_id/review-decision',
  'POST /treasury/payments/:payment_id/retry',
  'POST /book-transfers/:book_transfer_id/cancel',
  'POST /customers/:customer_id/erase',
  'GET /desk/reconciliation/days/:day_id',
  'GET /desk/reconciliation/days/:day_id/lines',
  'POST /desk/reconciliation/days/:day_id/sign-off',
  'POST /desk/reconciliation/days/:day_id/reopen',
  'POST /executions/:execution_id/resolve',
  'POST /settlements/:settlement_id/net-again',
]
const NOT_EXPECTED: ReadonlySet<string> = new Set([
  ...ENDS_SESSIONS,
  // Codes and links that only a telephone or a mailbox shows; factors.test.ts has them.
  'POST /auth/factors/:factor_id/confirm',
  'POST /auth/factors/recovery-codes',
  'PUT /auth/factors/:factor_id',
  // Only an authenticator signs; passkeys.test.ts has one.
  'POST /auth/factors/passkeys',
  'POST /auth/factors/:factor_id/passkey',
  'DELETE /auth/factors/:factor_id',
  'POST /auth/confirm',
  'DELETE /users/:user_id/factors',
  'POST /users/:user_id/invitation',
  'POST /auth/invitation',
  // A provider has to be there; access/providers has one.
  'POST /auth/console/providers/:provider_id',
  'POST /auth/console/provider',
  'POST /auth/providers/:provider_id/logout',
  // A user has to be linked, and be the one that is named; access/providers has one.
  'DELETE /users/:user_id/identities/:identity_id',
  // A list has to name who is paid; compliance/cases.test.ts has them.
  'GET /screening/cases/:case_id',
  // Persons as the standard wants them; treasury/withdrawals/travel-rule.test.ts has them.
  'POST /treasury/withdrawals/:withdrawal_id/travel-rule',
  'POST /screening/cases/:case_id/decision',
  // Two people have to take part; approvals.test.ts has them.
  'GET /approvals/:approval_id',
  'POST /approvals/:approval_id/decision',
  'POST /approvals/:approval_id/withdraw',
  // Each account has to have a number first; general-ledger.test.ts has it.
  'GET /general-ledger/datev',
  ...TAKES_COOKIES,
  ...BEYOND_THE_SIMULATION,
])

export class Round {
  readonly #service: ServiceUnderTest
  readonly #report: Report
  readonly #draws: Draws
  readonly #ours: Author
  readonly #theirs: Author
  readonly #turns: Turns
  readonly #repeats: Repeats
  readonly #trail: Trail
  /** By endpoint, its last one. */
  readonly #refusals = new Map<string, string>()

  constructor(service: ServiceUnderTest, report: Report, turns: Turns, draws: Draws) {
    this.#service = service
    this.#report = report
    this.#draws = draws
    this.#turns = turns
    this.#ours = turns.ours
    this.#theirs = turns.theirs
    this.#repeats = new Repeats(service, report, this.#draws)
    this.#trail = new Trail(service)
  }

  async run(requests: number): Promise<void> {
    await this.#askEveryList()
    await this.#askByChance(requests)
    await this.#askTheMissing()
    await this.#verifyBooks()
  }

  /** What is there from the beginning. */
  async #askEveryList(): Promise<void> {
    const lists = this.#service.endpoints.filter(
      ({ effect, path }) => effect === 'list' && !path.includes(':'),
    )
    for (const author of [this.#ours, this.#theirs]) {
      for (const endpoint of lists) {
        const plan: RequestPlan = {
          how: 'sensible',
          endpoint,
          method: 'GET',
          url: `/api${endpoint.path}`,
          headers: { authorization: `Bearer ${author.side.tokens.all}` },
        }
        await this.#ask({ plan, author })
      }
    }
  }

  async #askByChance(requests: number): Promise<void> {
    let worked = 0
    while (this.#report.requests < requests && !this.#report.isFull) {
      if (this.#report.requests - worked >= WORK_AFTER) {
        worked = this.#report.requests
        await this.#work()
      }
      if (this.#draws.once(ALONE)) await this.#askAlone()
      else if (this.#draws.once(REPEATED)) await this.#repeats.repeat(this.#ours, this.#theirs)
      else await this.#askSeveral(Math.min(AT_ONCE, requests - this.#report.requests))
    }
  }

  /** At the same time. */
  async #askSeveral(number: number): Promise<void> {
    const turns = Array.from({ length: number }, () => this.#nextTurn())
    const answers = await Promise.all(turns.map(({ plan }) => this.#service.send(plan)))
    turns.forEach((turn, index) => {
      this.#judge(turn, answers[index] as HttpAnswer)
    })
  }

  /** What is refused, and what only reads, changes no row of any table. */
  async #askAlone(): Promise<void> {
    const turn = this.#nextTurn()
    const before = await this.#service.fingerprint()
    const answer = await this.#ask(turn)
    if (answer.status === 200 && turn.plan.method !== 'GET') return
    const after = await this.#service.fingerprint()
    const changed = [...after]
      .filter(([name, value]) => before.get(name) !== value)
      .map(([name]) => name)
      .filter((name) => !name.startsWith('login_') || !turn.plan.url.startsWith('/api/auth/'))
    if (changed.length > 0)
      this.#report.fault(
        `was ${answer.status === 200 ? 'a read' : 'refused'} and changed ${changed.join()}`,
        { plan: turn.plan, answer },
      )
  }

  /** Every endpoint shall accept something: those left out are asked once more. */
  async #askTheMissing(): Promise<void> {
    for (let tries = 0; tries < MAXIMUM_TRIES; tries += 1) {
      if (this.#missing().length === 0 || this.#report.isFull) break
      await this.#releaseHalts()
      await this.#askHelpful()
      await this.#work()
    }
    this.#report.missing = this.#missing().map(
      (endpoint) => `${nameOf(endpoint)}: ${this.#refusals.get(nameOf(endpoint))}`,
    )
  }

  /** Asks all that makes or shows what the missing ones may need, and them after each. */
  async #askHelpful(): Promise<void> {
    const helpful = this.#service.endpoints.filter(
      ({ method, effect, path }) =>
        (effect === 'list' || (method !== 'GET' && method !== 'DELETE')) &&
        !/^\/(auth\/(?!api-keys)|desk\/(?!breaks$|reconciliation\/run))|\/(cancel|freeze)$/.test(
          path,
        ),
    )
    const ask = (endpoint: Endpoint) =>
      this.#ask({ plan: sensible(this.#ours, endpoint), author: this.#ours })
    for (const endpoint of helpful) {
      await ask(endpoint)
      // At once: what one of them makes may be used up by the next.
      for (const missing of this.#missing()) {
        const { text } = await ask(missing)
        this.#refusals.set(nameOf(missing), text.slice(0, SHOWN_REFUSAL))
      }
    }
  }

  #missing(): Endpoint[] {
    return this.#service.endpoints.filter((endpoint) => {
      const name = nameOf(endpoint)
      return !this.#report.accepted.has(name) && !NOT_EXPECTED.has(name)
    })
  }

  /** Every halt that is set on our side. */
  async #releaseHalts(): Promise<void> {
    const headers = {
      authorization: `Bearer ${this.#service.ours.tokens.all}`,
      'content-type': 'application/json',
    }
    const { text } = await this.#service.send({
      method: 'GET',
      url: '/api/desk/halts?state=set',
      headers,
    })
    const { data } = JSON.parse(text) as {
      data: { action: string; venue_id: string | null; asset: string | null }[]
    }
    for (const { action, venue_id, asset } of data) {
      const payload = JSON.stringify({
        action,
        halted: false,
        reason: 'all is well',
        ...(venue_id === null ? {} : { venue_id }),
        ...(asset === null ? {} : { asset }),
      })
      await this.#service.send({ method: 'PUT', url: '/api/desk/halts', headers, payload })
    }
  }

  async #verifyBooks(): Promise<void> {
    for (const { workspace } of [this.#service.ours, this.#service.theirs]) {
      const { faults, bookings } = await verifyBooks(this.#service.app.db, workspace)
      this.#report.bookings += bookings
      for (const fault of faults) this.#report.fault(`the books: ${fault}`)
    }
  }

  #work(): Promise<void> {
    return this.#service.work(`REFERENCE ${this.#draws.below(100)}`)
  }

  #nextTurn(): Turn {
    return this.#turns.next(SENSIBLE_PERCENT)
  }

  /** Alone. */
  async #ask(turn: Turn): Promise<HttpAnswer> {
    const before = await this.#trail.before(turn.plan)
    const answer = await this.#service.send(turn.plan)
    this.#judge(turn, answer)
    const fault = before && (await this.#trail.fault(turn.plan, answer, before))
    if (fault !== undefined) this.#report.fault(fault, { plan: turn.plan, answer })
    return answer
  }

  #judge(turn: Turn, answer: HttpAnswer): void {
    this.#turns.judge(turn, answer)
    if (this.#turns.learn(turn, answer)) this.#repeats.remember(turn.plan, answer)
  }
}
