/** Who asks next, and for what; and what is learned from the answers. */
import type { Endpoint } from '../../src/http/index.ts'
import type { HttpAnswer, ServiceUnderTest, Side } from '../service-under-test.ts'
import { authorsOf } from './author.ts'
import type { Author } from './author.ts'
import type { Draws } from './draws.ts'
import { isDocument, judgeAnswer } from './judge.ts'
import type { Report } from './report.ts'
import { nameOf, sensible } from './requests.ts'
import type { RequestPlan } from './requests.ts'
import { spoiled } from './spoils/index.ts'

/** A request and who wrote it. */
export type Turn = { plan: RequestPlan; author: Author }

/** Would end the session that all the rest needs: it only gets tokens that open nothing. */
export const ENDS_SESSIONS: readonly string[] = [
  'POST /auth/logout',
  'DELETE /auth/sessions/:session_id',
]

export class Turns {
  readonly ours: Author
  readonly theirs: Author
  readonly #draws: Draws
  readonly #report: Report
  readonly #protectedIds: ReadonlySet<string>
  /** Each endpoint as often as it shall be asked. */
  readonly #weighted: readonly Endpoint[]

  constructor(service: ServiceUnderTest, report: Report, draws: Draws) {
    const { ours, theirs } = authorsOf(service, draws)
    this.ours = ours
    this.theirs = theirs
    this.#draws = draws
    this.#report = report
    this.#protectedIds = new Set([...service.ours.user_ids, ...service.theirs.user_ids])
    this.#weighted = service.endpoints.flatMap((endpoint) =>
      Array.from({ length: isCostly(endpoint) ? 1 : 6 }, () => endpoint),
    )
  }

  next(sensiblePercent: number): Turn {
    const author = this.#draws.once(8) ? this.theirs : this.ours
    const endpoint = this.#draws.pick(this.#weighted)
    const plan =
      this.#draws.below(100) < sensiblePercent
        ? sensible(author, endpoint)
        : spoiled(author, endpoint)
    return { plan: withoutEnding(plan, author.side), author }
  }

  /** Answers whether it is as it must be. */
  judge({ plan, author }: Turn, answer: HttpAnswer): boolean {
    this.#report.requests += 1
    if (!isOfTheApi(plan)) {
      if (answer.status < 500) return true
      this.#report.fault('answers 5xx', { plan, answer })
      return false
    }
    const { kind, wrong } = judgeAnswer(plan, answer, author.other.workspace)
    this.#report.count('answers', kind)
    if (wrong !== undefined) this.#report.fault(wrong, { plan, answer })
    return wrong === undefined
  }

  /** From what was accepted; answers whether it was what the endpoint offers. */
  learn({ plan, author }: Turn, answer: HttpAnswer): boolean {
    if (answer.status !== 200 || isDocument(answer) || !isOfTheApi(plan)) return false
    if (plan.endpoint === undefined) return false
    const { data } = JSON.parse(answer.text) as { data: unknown }
    if (plan.how !== 'sensible' && plan.how !== 'another value in the body') return false
    this.#report.count('accepted', nameOf(plan.endpoint))
    author.own.harvest(plan.endpoint.path, data, this.#protectedIds)
    return true
  }
}

function withoutEnding(plan: RequestPlan, side: Side): RequestPlan {
  const isLive = Object.values(side.tokens).some((token) =>
    plan.headers['authorization']?.includes(token),
  )
  if (isLive && plan.endpoint !== undefined && ENDS_SESSIONS.includes(nameOf(plan.endpoint)))
    plan.headers['authorization'] = `Bearer ${side.dead.ended}`
  return plan
}

/** Passwords cost what they are meant to cost. */
const isCostly = ({ method, path }: Endpoint) =>
  path.startsWith('/auth/') || (method === 'POST' && path === '/users')

function isOfTheApi({ method, url }: RequestPlan): boolean {
  if (method === 'HEAD' || method === 'OPTIONS') return false
  const path = url.replaceAll('\\', '/')
  return path.startsWith('/api/') && !/^\/api\/(docs|openapi\.json)/.test(path)
}
