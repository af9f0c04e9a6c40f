/** What a round of the fuzzer has found, and how it is shown. */
import type { HttpAnswer } from '../service-under-test.ts'
import type { RequestPlan } from './requests.ts'

const MAXIMUM_FAULTS = 10
const SHOWN = { url: 600, header: 60, body: 1500, bytes: 400, answer: 600 }

export class Report {
  requests = 0
  bookings = 0
  /** Refused requests, sent in batches, that changed nothing. */
  harmless = 0
  readonly endpoints: number
  /** Endpoints that accepted nothing, with their last refusal. */
  missing: string[] = []
  /** By endpoint. */
  readonly accepted = new Map<string, number>()
  /** By kind: `accepted` or the error code. */
  readonly answers = new Map<string, number>()
  readonly faults: string[] = []

  constructor(endpoints: number) {
    this.endpoints = endpoints
  }

  get isFull(): boolean {
    return this.faults.length >= MAXIMUM_FAULTS
  }

  /** With the request that showed it, and its answer. */
  fault(what: string, shown?: { plan: RequestPlan; answer: HttpAnswer }): void {
    if (this.isFull) return
    if (shown === undefined) {
      this.faults.push(what)
      return
    }
    const { status, text } = shown.answer
    const answer = `${status} ${text.slice(0, SHOWN.answer)}`
    this.faults.push(`${what}\n    ${describe(shown.plan)}\n    → ${answer}`)
  }

  count(of: 'accepted' | 'answers', name: string): void {
    this[of].set(name, (this[of].get(name) ?? 0) + 1)
  }

  summary(): string {
    const answers = [...this.answers]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, number]) => `${name} × ${number}`)
      .join(', ')
    return (
      `${this.requests} requests, ${this.accepted.size} of ${this.endpoints} endpoints accepted ` +
      `some, ${this.bookings} bookings, ${this.harmless} refused in batches changed nothing; ` +
      answers
    )
  }
}

function describe({ how, method, url, headers, payload }: RequestPlan): string {
  const shown = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value.slice(0, SHOWN.header)}`)
    .join(' · ')
  return `[${how}] ${method} ${url.slice(0, SHOWN.url)} (${shown})${describeBody(payload)}`
}

function describeBody(payload: RequestPlan['payload']): string {
  if (payload === undefined) return ''
  if (typeof payload === 'string') return ` ${payload.slice(0, SHOWN.body)}`
  return ` hex ${payload.toString('hex').slice(0, SHOWN.bytes)}`
}
