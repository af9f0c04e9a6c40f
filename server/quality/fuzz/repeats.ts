/**
 * Accepted requests, asked again: the same key answers the same, and another body under it is
 * refused.
 */
import type { HttpAnswer, ServiceUnderTest } from '../service-under-test.ts'
import type { Author } from './author.ts'
import type { Draws } from './draws.ts'
import type { Report } from './report.ts'
import { sensibleBody } from './requests.ts'
import type { RequestPlan } from './requests.ts'

const REMEMBERED = 100
const SHOWN = 300

type Accepted = { plan: RequestPlan; answer: HttpAnswer }

export class Repeats {
  readonly #accepted: Accepted[] = []
  readonly #service: ServiceUnderTest
  readonly #report: Report
  readonly #draws: Draws

  constructor(service: ServiceUnderTest, report: Report, draws: Draws) {
    this.#service = service
    this.#report = report
    this.#draws = draws
  }

  remember(plan: RequestPlan, answer: HttpAnswer): void {
    if (!isRepeatable(plan)) return
    if (this.#accepted.length >= REMEMBERED) this.#accepted.shift()
    this.#accepted.push({ plan, answer })
  }

  async repeat(ours: Author, theirs: Author): Promise<void> {
    if (this.#accepted.length === 0) return
    const accepted = this.#draws.pick(this.#accepted)
    await this.#repeatTheSame(accepted)
    const token = accepted.plan.headers['authorization']
    const isTheirs = token === `Bearer ${theirs.side.tokens.all}`
    await this.#repeatAnotherBody(accepted, isTheirs ? theirs : ours)
  }

  async #repeatTheSame({ plan, answer }: Accepted): Promise<void> {
    const again = await this.#service.send(plan)
    this.#report.requests += 1
    const isRight = again.status === 200 ? isSameAnswer(plan, again, answer) : again.status === 401
    if (!isRight)
      this.#report.fault(
        `the repeat of an accepted request differs from ${answer.text.slice(0, SHOWN)}`,
        { plan, answer: again },
      )
  }

  async #repeatAnotherBody({ plan, answer }: Accepted, author: Author): Promise<void> {
    if (plan.endpoint?.body === undefined) return
    const body = sensibleBody(author, plan.endpoint)
    const payload = JSON.stringify(body)
    const other = await this.#service.send({ ...plan, payload })
    this.#report.requests += 1
    // Fields that are ignored make no other request: that is a replay too.
    if (
      canonical(body) !== canonical(plan.body) &&
      other.status === 200 &&
      !isSameAnswer(plan, other, answer)
    )
      this.#report.fault('a used key did other work', {
        plan: { ...plan, payload },
        answer: other,
      })
  }
}

const isRepeatable = ({ endpoint, headers, url }: RequestPlan) =>
  endpoint !== undefined &&
  endpoint.effect !== 'read' &&
  endpoint.permission !== 'public' &&
  headers['idempotency-key'] !== undefined &&
  !url.includes('dry_run=true')

const isSameAnswer = (plan: RequestPlan, answer: HttpAnswer, first: HttpAnswer) =>
  wordsOf(plan, answer) === wordsOf(plan, first)

/**
 * A replay of a booking names its accounts as they are called now. A route, whose making goes on at
 * its venue, is shown as it stands. Secrets of API keys and factors are shown once. A setting and a
 * declaration hold JSON, whose fields have no order.
 */
function wordsOf(plan: RequestPlan, answer: HttpAnswer): string {
  if (plan.endpoint?.path === '/treasury/wallets/routes')
    return (JSON.parse(answer.text) as { data: { id: string } }).data.id
  if (['/settings/:key', '/declarations/:key'].includes(plan.endpoint?.path ?? ''))
    return canonical(JSON.parse(answer.text))
  return answer.text
    .replaceAll(/"account_label":(null|"(?:[^"\\]|\\.)*")/g, '')
    .replaceAll(/"secret":(null|"kontor_[0-9A-Za-z]+"|"[2-7A-Z]{32}")/g, '')
    .replaceAll(/"address":(null|"otpauth:[^"]*")/g, '')
}

const canonical = (value: unknown) =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
