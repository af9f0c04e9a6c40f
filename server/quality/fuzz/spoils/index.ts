/** The ways of being wrong, each as often as its weight says. */
import type { Endpoint } from '../../../src/http/index.ts'
import type { Method } from '../../service-under-test.ts'
import type { Author } from '../author.ts'
import { sensible } from '../requests.ts'
import type { RequestPlan } from '../requests.ts'
import { spoilPath, spoilQuery, spoilUrl } from './address.ts'
import { spoilBody, spoilText } from './body.ts'
import { spoilHeaders, spoilToken } from './headers.ts'
import type { Spoil } from './spoil.ts'

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']

const SPOILS: Readonly<Record<string, { weight: number; spoil: Spoil }>> = {
  'another value in the body': { weight: 40, spoil: spoilBody },
  'another value in the path': { weight: 10, spoil: spoilPath },
  'another value in the query': { weight: 10, spoil: spoilQuery },
  'a body that is no JSON': { weight: 8, spoil: spoilText },
  'a token that opens nothing': { weight: 6, spoil: spoilToken },
  'odd headers': { weight: 6, spoil: spoilHeaders },
  'an odd address': { weight: 6, spoil: spoilUrl },
  'a method that is not there': {
    weight: 2,
    spoil: (plan, { draws }) => {
      plan.method = draws.pick(METHODS)
    },
  },
  'a role that may not': {
    weight: 4,
    spoil: (plan, { draws, side }) => {
      const role = draws.pick(['READER', 'TRADER', 'ADMIN'] as const)
      plan.headers['authorization'] = `Bearer ${side.tokens[role]}`
    },
  },
}

const WEIGHTED = Object.entries(SPOILS).flatMap(([how, { weight }]) =>
  Array.from({ length: weight }, () => how),
)

/** Turns a sensible request into one that is wrong in one way. */
export function spoiled(author: Author, endpoint: Endpoint): RequestPlan {
  const plan = sensible(author, endpoint)
  const how = author.draws.pick(WEIGHTED)
  plan.how = how
  SPOILS[how]?.spoil(plan, author)
  return plan
}
