/** The headers that the document promises are sent, have the form it gives them, and are all. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../../core/ids.ts'
import { sql } from '../../store/sql.ts'
import { fixture, USERS } from '../http.fixture.ts'
import { HEADERS_SENT } from './answers.ts'

type Reference = { $ref: string }
type Answer = { headers: Record<string, Reference> }
type Document = {
  paths: Record<string, Record<string, { responses: Record<string, Answer | Reference> }>>
  components: { responses: Record<string, Answer> }
}

const place = await fixture()
const { server } = place
after(() => place.close())
const address = await server.listen({ port: 0, host: '127.0.0.1' })

const document = JSON.parse(
  (await server.inject({ url: '/api/openapi.json' })).body,
) as unknown as Document
const nameOf = ({ $ref }: Reference): string => $ref.split('/').at(-1) ?? ''

/** Of an operation's answer with this status: the names of components of headers. */
function promised(method: string, path: string, status: number): string[] {
  const { responses = {} } = document.paths[path]?.[method.toLowerCase()] ?? {}
  const answer = responses[status] ?? responses['default']
  assert.ok(answer, `${method} ${path} ${status}`)
  const { headers } =
    '$ref' in answer ? (document.components.responses[nameOf(answer)] as Answer) : answer
  return Object.values(headers).map(nameOf)
}

before(async () => {
  for (const label of ['one', 'two'])
    await place.db.query(sql`
      insert into things (workspace, id, label, amount)
      values (${USERS['all']?.workspace ?? ''}, ${newId()}, ${label}, 1)`)
})

type Request = {
  method?: 'GET' | 'POST'
  path: string
  token?: string
  body?: object
  key?: string
}

/** Over a socket: some headers are set below what answers. */
async function answerTo({ method = 'GET', path, token, body, key }: Request) {
  return fetch(`${address}/api${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(key === undefined ? {} : { 'idempotency-key': key }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
}

const FORMS: Readonly<Record<string, RegExp>> = {
  integer: /^\d+$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  Link: /^<\/api\/things\?limit=1&cursor=[0-9a-f-]{36}>; rel="next"$/,
  'WWW-Authenticate': /^Bearer realm="kontor"/,
}

/** Without `Link` where no page follows. */
async function assertAsPromised(request: Request, status: number, without: string[] = []) {
  const { method = 'GET', path } = request
  const answer = await answerTo(request)
  const shown = `${method} ${path} ${status}`
  assert.equal(answer.status, status, `${shown}: ${await answer.text()}`)
  const sent = Object.entries(HEADERS_SENT).filter(([, { name }]) => answer.headers.has(name))
  assert.deepEqual(
    sent.map(([component]) => component).toSorted(),
    promised(method, path.split('?')[0] ?? '', status)
      .filter((component) => !without.includes(component))
      .toSorted(),
    shown,
  )
  for (const [, { name, schema }] of sent) {
    const form = FORMS[name] ?? FORMS[String(schema['format'] ?? schema['type'])]
    assert.ok(form, name)
    const value = answer.headers.get(name) ?? ''
    assert.match(value, form, `${shown} ${name}`)
    if (schema['minimum'] !== undefined) assert.ok(Number(value) >= Number(schema['minimum']), name)
  }
}

test('of lists', async () => {
  await assertAsPromised({ path: '/things?limit=1', token: 'all' }, 200)
  await assertAsPromised({ path: '/things', token: 'all' }, 200, ['Link'])
})

test('of refusals', async () => {
  await assertAsPromised({ path: '/things?limit=0', token: 'all' }, 400)
  await assertAsPromised({ path: '/things' }, 401)
  await assertAsPromised({ path: '/guarded', token: 'none' }, 403)
  const run = { method: 'POST', path: '/runs/transaction', token: 'all', key: 'k' } as const
  await assertAsPromised({ ...run, body: { label: 'a' } }, 200)
  await assertAsPromised({ ...run, body: { label: 'b' } }, 409)
})

test('of limits: what is left, and when to come back', async () => {
  for (const _ of [1, 2, 3]) await assertAsPromised({ path: '/public' }, 200)
  await assertAsPromised({ path: '/public' }, 429)
})

test('of what fails', async () => {
  await assertAsPromised({ path: '/broken', token: 'all' }, 500)
  await assertAsPromised({ path: '/venue', token: 'all' }, 503)
})
