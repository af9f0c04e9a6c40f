/** For tests: two workspaces on one service, each of which has something of every kind. */
import type { Endpoint } from '../src/http/index.ts'
import { authorsOf } from './fuzz/author.ts'
import type { Author } from './fuzz/author.ts'
import { drawsOf } from './fuzz/draws.ts'
import { sensible } from './fuzz/requests.ts'
import type { RequestPlan } from './fuzz/requests.ts'
import { openServiceUnderTest } from './service-under-test.ts'
import type { HttpAnswer, ServiceUnderTest } from './service-under-test.ts'

/** The session that all the rest needs would be among them. */
const ENDS_SESSIONS = /^\/auth\/(logout$|sessions\/)/
const SEED = 20_261_121
const TURNS = 15
const PER_TURN = 60
const MAXIMUM_TRIES = 30
const MAXIMUM_KEPT = 5
/** Each workspace has at least one of each. */
export const NEEDED = [
  'account_id',
  'booking_id',
  'customer_id',
  'matching_id',
  'wallet_id',
  'route_id',
  'venue_id',
  'deposit_id',
  'withdrawal_id',
  'quote_id',
  'execution_id',
  'user_id',
  'settlement_id',
  'fill_id',
  'assignment_id',
]

type Envelope = { success: boolean; error_code?: number; data?: unknown }
export const envelopeOf = (answer: HttpAnswer) => JSON.parse(answer.text) as Envelope

export type TwoWorkspaces = {
  service: ServiceUnderTest
  ours: Author
  theirs: Author
  /**
   * For each endpoint requests of ours that were accepted: with one id exchanged everything else
   * about them is right.
   */
  accepted: ReadonlyMap<Endpoint, readonly RequestPlan[]>
}

export async function openTwoWorkspaces(): Promise<TwoWorkspaces> {
  const service = await openServiceUnderTest()
  const { ours, theirs } = authorsOf(service, drawsOf(SEED))
  await fill(new Learner(service, theirs))
  const learner = new Learner(service, ours)
  await fill(learner)
  return { service, ours, theirs, accepted: learner.accepted }
}

/** Learns the ids of one workspace from what its requests are answered. */
class Learner {
  readonly service: ServiceUnderTest
  readonly author: Author
  readonly accepted = new Map<Endpoint, readonly RequestPlan[]>()

  constructor(service: ServiceUnderTest, author: Author) {
    this.service = service
    this.author = author
  }

  async learn(endpoint: Endpoint): Promise<void> {
    const { service, author, accepted } = this
    const plan = sensible(author, endpoint)
    const answer = await service.send(plan)
    if (answer.status !== 200) return
    const never = new Set([...service.ours.user_ids, ...service.theirs.user_ids])
    author.own.harvest(endpoint.path, envelopeOf(answer).data, never)
    const list = accepted.get(endpoint) ?? []
    if (list.length < MAXIMUM_KEPT) accepted.set(endpoint, [...list, plan])
  }
}

/** Asks as one workspace until it has something of every kind. */
async function fill(learner: Learner): Promise<void> {
  const { service, author } = learner
  const walked = service.endpoints.filter(
    (endpoint) => endpoint.permission !== 'public' && !ENDS_SESSIONS.test(endpoint.path),
  )
  // A halt or a frozen account would leave nothing to look at.
  const harmless = walked.filter(
    ({ method, path }) =>
      method === 'GET' || !(path.startsWith('/desk/halts') || path.endsWith('/freeze')),
  )
  for (const endpoint of walked.filter(
    ({ effect, path }) => effect === 'list' && !path.includes(':'),
  ))
    await learner.learn(endpoint)
  for (let turn = 0; turn < TURNS; turn += 1) {
    for (let left = PER_TURN; left > 0; left -= 1) await learner.learn(author.draws.pick(harmless))
    await service.work(`REFERENCE ${turn}`)
  }
  // What chance has left out is asked for until it is there.
  const lists = harmless.filter(({ effect }) => effect === 'list')
  const makes = harmless.filter(
    ({ method, path }) => method === 'POST' && !path.startsWith('/auth/'),
  )
  for (let tries = 0; tries < MAXIMUM_TRIES; tries += 1) {
    if (NEEDED.every((name) => author.own.ids.has(name))) break
    for (const endpoint of [...makes, ...lists]) await learner.learn(endpoint)
    await service.work(`REFERENCE ${tries}`)
  }
}
