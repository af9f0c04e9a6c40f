/**
 * Very many requests that are wrong in some way, in batches. What is refused must change nothing:
 * the rows of every table are compared before and after a batch. Where something in a batch was
 * accepted, the refused ones of it are sent once more alone.
 */
import type { HttpAnswer, ServiceUnderTest } from '../service-under-test.ts'
import type { Draws } from './draws.ts'
import type { Report } from './report.ts'
import type { RequestPlan } from './requests.ts'
import type { Turn, Turns } from './turns.ts'

const BATCH = 500
const AT_ONCE = 16
/** After so many batches there is something new to ask about. */
const GROWTH_AFTER = 10
const GROWTH = 100
const SENSIBLE_PERCENT = 2
const MAXIMUM_AGAIN = 4

type Sent = { turn: Turn; answer: HttpAnswer }

export type Send = (plan: RequestPlan) => Promise<HttpAnswer>
type Service = Pick<ServiceUnderTest, 'send' | 'work' | 'fingerprint'>
type Asking = Pick<Turns, 'next' | 'judge' | 'learn'>

export class Storm {
  readonly #service: Service
  readonly #report: Report
  readonly #turns: Asking
  readonly #draws: Pick<Draws, 'below'>
  /** Refused requests of which it is shown that they changed nothing. */
  harmless = 0

  constructor(service: Service, report: Report, turns: Asking, draws: Pick<Draws, 'below'>) {
    this.#service = service
    this.#report = report
    this.#turns = turns
    this.#draws = draws
  }

  /** `sends`: the ways to the service, taken in turn. */
  async run(requests: number, sends: readonly Send[] = [this.#service.send]): Promise<void> {
    for (let [left, count] = [requests, 0]; left > 0 && !this.#report.isFull; left -= BATCH) {
      if (count % GROWTH_AFTER === 0) await this.#grow()
      const send = sends[count % sends.length] ?? this.#service.send
      await this.#batch(Math.min(left, BATCH), send)
      count += 1
    }
  }

  async #grow(): Promise<void> {
    const turns = Array.from({ length: GROWTH }, () => this.#turns.next(100))
    await this.#sendAndLearn(turns, this.#service.send)
    await this.#service.work(`REFERENCE ${this.#draws.below(100)}`)
  }

  async #batch(size: number, send: Send): Promise<void> {
    const turns = Array.from({ length: size }, () => this.#turns.next(SENSIBLE_PERCENT))
    const before = await this.#service.fingerprint()
    const sent = await this.#sendAndLearn(turns, send)
    const refused = sent.filter(isRefused).map(({ turn }) => turn)
    if (sent.every((one) => isRefused(one) || isRead(one))) await this.#compare(before, sent)
    else await this.#again(refused, send, MAXIMUM_AGAIN)
  }

  /** What is accepted now, as something else has changed, is left out the next time. */
  async #again(turns: readonly Turn[], send: Send, tries: number): Promise<void> {
    const before = await this.#service.fingerprint()
    const sent = await this.#sendAll(turns, send)
    const refused = sent.filter(isRefused)
    if (sent.every((one) => isRefused(one) || isRead(one))) await this.#compare(before, sent)
    else if (tries > 0)
      await this.#again(
        refused.map(({ turn }) => turn),
        send,
        tries - 1,
      )
  }

  async #compare(before: Map<string, string>, sent: readonly Sent[]): Promise<void> {
    const after = await this.#service.fingerprint()
    const changed = [...after]
      .filter(([name, state]) => before.get(name) !== state)
      .map(([name]) => name)
      // Failed logins are counted.
      .filter((name) => !name.startsWith('login_'))
    if (changed.length === 0) this.harmless += sent.filter(isRefused).length
    else if (sent.length === 1)
      this.#report.fault(`was refused and changed ${changed.join()}`, shownOf(sent[0]))
    else await this.#find(sent.filter(isRefused), changed)
  }

  /** Halves what was refused until it is known who changed something. */
  async #find(sent: readonly Sent[], changed: readonly string[]): Promise<void> {
    const known = this.#report.faults.length
    const half = Math.ceil(sent.length / 2)
    for (const part of [sent.slice(0, half), sent.slice(half)]) {
      if (part.length === 0 || this.#report.isFull) continue
      const before = await this.#service.fingerprint()
      const turns = part.map(({ turn }) => turn)
      await this.#compare(before, await this.#sendAll(turns, this.#service.send))
    }
    if (this.#report.faults.length === known)
      this.#report.fault(
        `${sent.length} refused requests changed ${changed.join()}, and none does so again`,
      )
  }

  async #sendAndLearn(turns: readonly Turn[], send: Send): Promise<Sent[]> {
    const sent = await this.#sendAll(turns, send)
    for (const { turn, answer } of sent) this.#turns.learn(turn, answer)
    return sent
  }

  /** Every answer is judged, also that to what was sent before. */
  async #sendAll(turns: readonly Turn[], send: Send): Promise<Sent[]> {
    const sent: Sent[] = []
    for (let next = 0; next < turns.length; next += AT_ONCE) {
      const some = turns.slice(next, next + AT_ONCE)
      const answers = await Promise.all(some.map(({ plan }) => send(plan)))
      some.forEach((turn, index) => {
        const answer = answers[index] as HttpAnswer
        this.#turns.judge(turn, answer)
        sent.push({ turn, answer })
      })
    }
    return sent
  }
}

const shownOf = (sent: Sent | undefined) =>
  sent === undefined ? undefined : { plan: sent.turn.plan, answer: sent.answer }

const isRefused = ({ answer }: Sent): boolean => answer.status >= 400

const isRead = ({ turn }: Sent): boolean => ['GET', 'HEAD', 'OPTIONS'].includes(turn.plan.method)
