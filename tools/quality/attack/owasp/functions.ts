/** Every endpoint as every role, against the table of permissions. */
import { PERMISSIONS_OF, ROLES } from '../../../../server/src/access/index.ts'
import type { Endpoint } from '../../../../server/src/http/index.ts'
import { unless } from '../../faults/flow.ts'
import { codeOf, shown } from '../client.ts'
import type { Ask } from '../client.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target, Who } from '../target.ts'
import { filledPath } from './shape.ts'

const CALLERS: readonly (Who | undefined)[] = [...ROLES, 'EVERY', undefined]
const [MISSING_TOKEN, DENIED, BAD_REQUEST] = [1001, 1003, 3001]
/** No endpoint knows it, so whoever is let in is told so, and nothing is done. */
const UNKNOWN = 'attack=1'

export function isPermitted(permission: string, who: Who): boolean {
  if (permission === 'authenticated') return true
  const roles = who === 'EVERY' ? ROLES : [who]
  return roles.some((role) => (PERMISSIONS_OF[role] as readonly string[]).includes(permission))
}

function expectedOf({ permission }: Endpoint, who: Who | undefined): number {
  if (permission === 'public') return BAD_REQUEST
  if (who === undefined) return MISSING_TOKEN
  return isPermitted(permission, who) ? BAD_REQUEST : DENIED
}

async function everyRole(
  target: Target,
  requestOf: (endpoint: Endpoint) => Omit<Ask, 'token'>,
  endpoints = target.endpoints,
): Promise<Seen> {
  const wrong: string[] = []
  const counts = new Map<number, number>()
  for (const endpoint of endpoints)
    for (const who of CALLERS) {
      const token = who === undefined ? undefined : target.other.people[who].access_token
      const request: Ask = { ...requestOf(endpoint), token }
      const answer = await target.client.ask(request)
      const code = codeOf(answer) ?? 0
      counts.set(code, (counts.get(code) ?? 0) + 1)
      const isRight = code === expectedOf(endpoint, who)
      wrong.push(...unless(isRight, `${who ?? 'nobody'}: ${shown(request, answer)}`))
    }
  const figures = [...counts].toSorted().map(([code, count]) => `${count} × ${code}`)
  return {
    seen: `${endpoints.length * CALLERS.length} pairs: ${figures.join()}; ${wrong.length} differ`,
    wrong,
  }
}

/** HEAD has no body to tell a code by. */
async function headOfReads(target: Target): Promise<Seen> {
  const reads = target.endpoints.filter(
    ({ method, permission }) => method === 'GET' && permission !== 'public',
  )
  const wrong: string[] = []
  for (const endpoint of reads)
    for (const who of ROLES) {
      const { access_token: token } = target.other.people[who]
      const path = `${filledPath(endpoint, undefined)}?${UNKNOWN}`
      const { status } = await target.client.ask({ method: 'HEAD', path, token })
      const wanted = isPermitted(endpoint.permission, who) ? 400 : 403
      wrong.push(...unless(status === wanted, `${who}: HEAD ${endpoint.path} → ${status}`))
    }
  return { seen: `${reads.length * ROLES.length} pairs; ${wrong.length} differ`, wrong }
}

const OVERRIDES = ['x-http-method-override', 'x-method-override', 'x-original-method']

/** A reader who names another method, path or user in a header. */
async function overrides({ client, other }: Target): Promise<Seen> {
  const { access_token: token } = other.people.READER
  const headers = Object.fromEntries(OVERRIDES.map((name) => [name, 'POST']))
  const requests: Ask[] = [
    { method: 'GET', path: '/api/customers?limit=1', token, headers },
    {
      method: 'GET',
      path: '/api/customers?limit=1',
      token,
      headers: { 'x-original-url': '/api/users', 'x-rewrite-url': '/api/users' },
    },
    { method: 'GET', path: '/api/customers?limit=1&_method=POST', token },
    {
      method: 'GET',
      path: '/api/users',
      token,
      headers: { 'x-user-id': other.people.ADMIN.user_id, 'x-roles': 'ADMIN' },
    },
  ]
  const statuses: number[] = []
  for (const request of requests) statuses.push((await client.ask(request)).status)
  return {
    seen: statuses.join(),
    wrong: unless(statuses.join() === '200,200,400,403', `answers ${statuses.join()}`),
  }
}

/** Streams have no second request to be refused in. */
async function streams({ client, app, other }: Target): Promise<Seen> {
  const { endpointsOf } = await import('../../../../server/src/server.ts')
  const all = endpointsOf(app).filter(({ effect }) => effect === 'stream')
  const wrong: string[] = []
  for (const endpoint of all)
    for (const who of CALLERS) {
      const token = who === undefined ? undefined : other.people[who].access_token
      const request = { method: 'GET', path: `/api${endpoint.path}?${UNKNOWN}`, token }
      const answer = await client.ask(request)
      const isRight = codeOf(answer) === expectedOf(endpoint, who)
      wrong.push(...unless(isRight, `${who ?? 'nobody'}: ${shown(request, answer)}`))
    }
  return { seen: `${all.length * CALLERS.length} pairs; ${wrong.length} differ`, wrong }
}

const DIFFER = '0 differ from the permission table'

export const FUNCTIONS: readonly Attack[] = [
  {
    of: 'API5',
    name: 'every endpoint × every role, with a filter that nobody knows',
    does: 'asks every endpoint as each role, as somebody with all roles, and without a token',
    wanted: DIFFER,
    run: (target) =>
      everyRole(target, (endpoint) => ({
        method: endpoint.method,
        path: `${filledPath(endpoint, undefined)}?${UNKNOWN}`,
        ...(endpoint.example === undefined ? {} : { body: endpoint.example }),
      })),
  },
  {
    of: 'API5',
    name: 'every endpoint that takes a body × every role, with half a body',
    does: 'the same with a body that is no JSON',
    wanted: DIFFER,
    run: (target) =>
      everyRole(
        target,
        (endpoint) => ({
          method: endpoint.method,
          path: filledPath(endpoint, undefined),
          payload: '{"half":',
        }),
        target.endpoints.filter(({ body }) => body !== undefined),
      ),
  },
  {
    of: 'API5',
    name: 'HEAD of every read × every role',
    does: 'asks for the head of every read as each role',
    wanted: DIFFER,
    run: headOfReads,
  },
  {
    of: 'API5',
    name: 'every stream × every role',
    does: 'opens every stream as each role',
    wanted: DIFFER,
    run: streams,
  },
  {
    of: 'API5',
    name: 'another method, path or user in a header',
    does: 'names others in headers that some servers obey',
    wanted: '200,200,400,403: they are ignored',
    run: overrides,
  },
]
