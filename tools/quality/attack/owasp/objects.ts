/** Objects of another tenant: by their real ids, wherever an id can stand. */
import { isId } from '../../../../server/src/core/ids.ts'
import type { Endpoint } from '../../../../server/src/http/index.ts'
import { unless } from '../../faults/flow.ts'
import { codeOf, envelopeOf, shown } from '../client.ts'
import type { Answer, Ask } from '../client.ts'
import { homeOf, idsFor } from '../home.ts'
import type { Attack, Seen } from '../table.ts'
import type { Target } from '../target.ts'
import { askOf, hasRealIds, parametersOf, withOther } from './shape.ts'
import type { Shape } from './shape.ts'

/** Unknown, or a rule about the request itself came first. */
const REFUSED: readonly (number | undefined)[] = [4004, 3001]

const shows = ({ text }: Answer, { home }: Target): boolean => text.includes(home.workspace)

function verdict(target: Target, request: Ask, answer: Answer): string[] {
  const isRefused = REFUSED.includes(codeOf(answer)) && !shows(answer, target)
  return unless(isRefused, shown(request, answer))
}

const withParameters = ({ endpoints }: Target): Endpoint[] =>
  endpoints.filter(
    (endpoint) => endpoint.permission !== 'public' && parametersOf(endpoint).length > 0,
  )

async function inPaths(target: Target): Promise<Seen> {
  const home = await homeOf(target)
  const token = target.other.people.EVERY.access_token
  const wrong: string[] = []
  const endpoints = withParameters(target).filter(({ path }) => !path.includes('/:asset'))
  let own = 0
  for (const endpoint of endpoints) {
    const request = askOf(endpoint, home, token)
    wrong.push(...verdict(target, request, await target.client.ask(request)))
    if (endpoint.method !== 'GET' || !hasRealIds(endpoint, home)) continue
    const control = { ...request, token: target.home.people.EVERY.access_token }
    if ((await target.client.ask(control)).status === 200) own += 1
  }
  const real = endpoints.filter((endpoint) => hasRealIds(endpoint, home)).length
  return {
    seen:
      `${endpoints.length} endpoints, ${real} with real ids (${own} reads answer the owner); ` +
      `${wrong.length} answered`,
    wrong: [...wrong, ...unless(own > 15, `only ${own} reads answer the owner`)],
  }
}

async function inFilters(target: Target): Promise<Seen> {
  const { known } = await homeOf(target)
  const token = target.other.people.EVERY.access_token
  const wrong: string[] = []
  let count = 0
  for (const { path, effect, query } of target.endpoints) {
    if (effect !== 'list' || path.includes(':')) continue
    for (const [name, shape] of Object.entries((query as Shape | undefined)?.properties ?? {})) {
      const [id] = shape['x-decode'] === 'id' ? idsFor(known, path, name) : []
      if (id === undefined) continue
      count += 1
      const request = { method: 'GET', path: `/api${path}?${name}=${id}`, token }
      const answer = await target.client.ask(request)
      const data = envelopeOf<unknown[]>(answer)?.data
      const isEmpty = Array.isArray(data) && data.length === 0
      wrong.push(...unless(isEmpty || codeOf(answer) === 4004, shown(request, answer)))
    }
  }
  return { seen: `${count} filters, ${wrong.length} found something`, wrong }
}

async function inBodies(target: Target): Promise<Seen> {
  const { known } = await homeOf(target)
  const token = target.other.people.EVERY.access_token
  const everything = [...known.ids.values()].flat()
  const wrong: string[] = []
  let count = 0
  for (const endpoint of target.endpoints) {
    const bodies = withOther(
      endpoint,
      (shape) => shape['x-kind'] === 'id',
      (name) => idsFor(known, endpoint.path, name)[0] ?? everything[0],
    )
    for (const { body } of bodies) {
      count += 1
      const request = { ...askOf(endpoint, undefined, token), body }
      wrong.push(...verdict(target, request, await target.client.ask(request)))
    }
  }
  return { seen: `${count} places, ${wrong.length} accepted`, wrong }
}

async function inLists(target: Target): Promise<Seen> {
  const { known } = await homeOf(target)
  const token = target.other.people.EVERY.access_token
  const secrets = [...known.ids.values()].flat().filter((id) => isId(id))
  const reads = target.endpoints.filter(
    ({ method, path, permission }) =>
      method === 'GET' && permission !== 'public' && !path.includes(':'),
  )
  const wrong: string[] = []
  let count = 0
  for (const { path } of reads)
    for (const accept of ['application/json', 'text/csv']) {
      const request = { method: 'GET', path: `/api${path}`, token, headers: { accept } }
      const answer = await target.client.ask(request)
      const seen = secrets.filter((id) => answer.text.includes(id))
      count += 1
      wrong.push(
        ...unless(!shows(answer, target) && seen.length === 0, `${path} shows ${seen.join()}`),
      )
    }
  return { seen: `${count} reads searched for ${secrets.length} ids: ${wrong.length} shown`, wrong }
}

async function foreignSessions(target: Target): Promise<Seen> {
  const { home, client } = target
  const victim = await target.newPerson('session', ['READER'])
  const { sid } = JSON.parse(
    Buffer.from(victim.access_token.split('.')[1] ?? '', 'base64url').toString(),
  ) as { sid: string }
  const path = `/api/auth/sessions/${sid}`
  const answers: Answer[] = []
  for (const person of [home.people.EVERY, home.people.ADMIN, target.other.people.EVERY])
    answers.push(await client.ask({ method: 'DELETE', path, token: person.access_token }))
  const { status } = await client.ask({
    method: 'GET',
    path: '/api/auth/me',
    token: victim.access_token,
  })
  return {
    seen: `${answers.map((answer) => answer.status).join()}; the session answers ${status}`,
    wrong: [
      ...answers.flatMap((answer) => unless(codeOf(answer) === 4004, answer.text.slice(0, 200))),
      ...unless(status === 200, 'somebody else’s session was ended'),
    ],
  }
}

async function foreignCursors(target: Target): Promise<Seen> {
  const { home, other, client } = target
  const lists = target.endpoints.filter(
    ({ effect, path }) => effect === 'list' && !path.includes(':'),
  )
  const wrong: string[] = []
  let count = 0
  for (const { path } of lists) {
    const first = `/api${path}?limit=1`
    const [theirs] = [
      await client.ask({ method: 'GET', path: first, token: home.people.EVERY.access_token }),
    ]
    const next = /<([^>]+)>/.exec(String(theirs.headers['link'] ?? ''))?.[1]
    if (next === undefined) continue
    count += 1
    const request = { method: 'GET', path: next, token: other.people.EVERY.access_token }
    const answer = await client.ask(request)
    wrong.push(...unless(!shows(answer, target), shown(request, answer)))
  }
  return { seen: `${count} cursors, ${wrong.length} showed something`, wrong }
}

const row = (name: string, does: string, run: Attack['run'], wanted = '0'): Attack => ({
  of: 'API1',
  name,
  does,
  wanted,
  run,
})

export const OBJECTS: readonly Attack[] = [
  row(
    'an id of another tenant in the path',
    'asks every endpoint with an id in its path for real objects of another tenant',
    inPaths,
    '0 answered, each 4004 or 3001',
  ),
  row(
    'an id of another tenant in a filter',
    'filters every list by real ids of another tenant',
    inFilters,
    '0 found something',
  ),
  row(
    'an id of another tenant in a body',
    'puts real ids of another tenant into every place of every body that takes an id',
    inBodies,
    '0 accepted',
  ),
  row(
    'reads without an id',
    'searches every list and report, as JSON and CSV, for ids of another tenant',
    inLists,
    '0 shown',
  ),
  row(
    'cursors of another tenant',
    'goes on with the cursor of another tenant’s list',
    foreignCursors,
    '0 showed something',
  ),
  row(
    'somebody else’s session',
    'ends the session of somebody else, as a colleague, an administrator and a stranger',
    foreignSessions,
    '404 three times, and the session goes on',
  ),
]
