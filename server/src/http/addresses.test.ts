/** What an address takes: its path, its query and its methods. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ErrorName } from '../core/errors.ts'
import { fixture } from './http.fixture.ts'
import { refused } from './refusal.testing.ts'

const { call, server, close } = await fixture()
after(close)
const token = 'all'
const UUID = '0190163d-8694-739b-aea5-966c26f8ad91'

const PATHS: [string, ErrorName, string?, string?][] = [
  ['/nowhere', 'NewResourceNotFound'],
  ['/guarded/more', 'NewResourceNotFound'],
  ['/echo/7', 'BadRequest', 'MALFORMED_ID', 'thing_id'],
  [`/echo/${UUID}x`, 'BadRequest', 'MALFORMED_ID'],
  ['/echo/%00', 'BadRequest', 'MALFORMED_ID'],
  [`/echo/${'7'.repeat(1000)}`, 'BadRequest'],
  [`/echo/${UUID}?more=1`, 'BadRequest', 'UNKNOWN_FIELD', 'more'],
  [`/echo/${UUID}?flag=true&flag=true`, 'BadRequest', 'TYPE', 'flag'],
  [`/echo/${UUID}?flag=yes`, 'BadRequest', 'ENUM', 'flag'],
  [`/echo/${UUID}?state=open,lost`, 'BadRequest', 'ENUM', 'state'],
  [`/echo/${UUID}?state=`, 'BadRequest', 'ENUM', 'state'],
  [`/echo/${UUID}?state=%00`, 'BadRequest', 'ENCODING', 'state'],
  [`/echo/${UUID}?from=yesterday`, 'BadRequest', 'FORMAT', 'from'],
  [`/echo/${UUID}?from=12345`, 'BadRequest', 'FORMAT', 'from'],
  [`/echo/${UUID}?other_id=x`, 'BadRequest', 'MALFORMED_ID', 'other_id'],
  [`/echo/${UUID}?flag=%ff`, 'BadRequest', 'ENUM', 'flag'],
  [`/echo/${UUID}?__proto__=1`, 'BadRequest'],
  ['/things?limit=0', 'BadRequest', 'RANGE', 'limit'],
  ['/things?limit=10001', 'BadRequest', 'RANGE', 'limit'],
  ['/things?limit=1.5', 'BadRequest', 'FORMAT', 'limit'],
  ['/things?limit=', 'BadRequest', 'FORMAT', 'limit'],
  ['/things?limit=1&cursor=nonsense', 'BadRequest', 'FORMAT', 'cursor'],
  ['/things?cursor=', 'BadRequest', 'RANGE', 'cursor'],
  ['/things?limit=1&limit=2', 'BadRequest', 'TYPE', 'limit'],
  ['/things?label=%00', 'BadRequest', 'ENCODING', 'label'],
]
test('a bad path or query is refused with the reason', async () => {
  for (const [path, name, code, where] of PATHS)
    refused(await call('GET', path, { token }), name, code, where)
  const understood = await call(
    'GET',
    `/echo/${UUID}?from=1800000000&flag=false&state=done,Open&other_id=${UUID}`,
    { token },
  )
  assert.deepEqual(understood.data, {
    thing_id: UUID,
    from: 1_800_000_000_000,
    flag: false,
    state: ['DONE', 'OPEN'],
    other_id: UUID,
  })
})

test('a known path answers another method with 405 and names its own', async () => {
  const tries = [
    { method: 'DELETE', path: '/echo', allow: 'POST, PUT' },
    { method: 'HEAD', path: '/echo', allow: 'POST, PUT' },
    { method: 'OPTIONS', path: '/echo', allow: 'POST, PUT' },
    { method: 'QUERY', path: '/things', allow: 'GET, HEAD' },
    { method: 'PROPFIND', path: `/echo/${UUID}`, allow: 'GET, HEAD' },
    { method: 'POST', path: `/echo/${UUID}`, allow: 'GET, HEAD' },
  ]
  for (const { method, path, allow } of tries) {
    const { statusCode, headers, body } = await server.inject({
      method: method as 'GET',
      url: `/api${path}`,
    })
    assert.deepEqual({ statusCode, allow: headers.allow }, { statusCode: 405, allow }, method)
    if (method === 'HEAD') continue
    const { error_code, error_details } = JSON.parse(body)
    assert.equal(error_code, 4051)
    assert.deepEqual(error_details, [
      {
        path: '',
        code: 'METHOD_NOT_ALLOWED',
        message: `${method} is not possible here, only ${allow}`,
      },
    ])
  }
  refused(await call('DELETE', '/nothing', { token }), 'NewResourceNotFound')
})

test('an empty id in a query means that it is absent', async () => {
  const understood = await call('GET', `/echo/${UUID}?other_id=`, { token })
  assert.deepEqual(understood.data, { thing_id: UUID })
})
