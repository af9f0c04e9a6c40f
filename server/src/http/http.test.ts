import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { MAXIMUM_BODY_BYTES } from './body-limits.ts'
import { fixture } from './http.fixture.ts'
import { refused } from './refusal.testing.ts'

const { call, server, close } = await fixture()
after(close)
const token = 'all'
const good = { label: 'a', amount: '1.5' }
const UUID = '0190163d-8694-739b-aea5-966c26f8ad91'

test('an answer is enveloped; only on optional fields null and blank are absence', async () => {
  const answer = await call('POST', '/echo', {
    token,
    body: {
      ...good,
      note: null,
      fee: null,
      tags: null,
      inner: { limit: '0', count: 2, note: null },
      parent_id: '',
      nullable_note: null,
    },
  })
  assert.deepEqual(JSON.parse(answer.text), {
    success: true,
    data: { ...good, inner: { limit: '0', count: 2 }, nullable_note: null },
  })
  refused(
    await call('POST', '/echo', { token, body: { ...good, label: null } }),
    'BadRequest',
    'TYPE',
    'label',
  )
  refused(
    await call('POST', '/echo', { token, body: { ...good, label: '' } }),
    'BadRequest',
    'RANGE',
    'label',
  )
  refused(
    await call('POST', '/echo', { token, body: { ...good, label: '  ' } }),
    'BadRequest',
    'FORMAT',
    'label',
  )
  refused(
    await call('POST', '/echo', { token, body: { ...good, fee: '' } }),
    'BadRequest',
    'FORMAT',
    'fee',
  )
})

test('a PUT may carry the record as it was read; only its version counts', async () => {
  const body = {
    id: UUID,
    label: 'a',
    version: 3,
    workspace: 7,
    system_created_at: 'x',
    system_updated_by: null,
  }
  assert.deepEqual((await call('PUT', '/echo', { token, body })).data, {
    id: UUID,
    label: 'a',
    version: 3,
  })
})

const AMOUNTS = [
  1.5,
  1,
  '1e3',
  '1E3',
  'NaN',
  'Infinity',
  '-Infinity',
  '+1',
  '0x10',
  '01',
  '.5',
  '5.',
  '1,5',
  ' 1',
  '1 ',
  '1_000',
  '',
  '0',
  '0.0',
  '-1',
  '123456789012345678901',
  '0.1234567890123456789',
  '١',
  true,
  {},
  ['1'],
  null,
]
test('money is decimal text in plain notation and nothing else', async () => {
  for (const amount of AMOUNTS)
    refused(
      await call('POST', '/echo', { token, body: { ...good, amount } }),
      'BadRequest',
      typeof amount === 'string' ? 'FORMAT' : 'TYPE',
      'amount',
    )
  for (const amount of [
    '0.000000000000000001',
    '99999999999999999999.999999999999999999',
    '1.50',
  ]) {
    assert.deepEqual((await call('POST', '/echo', { token, body: { ...good, amount } })).data, {
      ...good,
      amount,
    })
  }
})

const bytes = (text: string) => Buffer.from(text, 'latin1')
const BODIES: [string | Buffer, string, string?][] = [
  ['{', 'MALFORMED_JSON'],
  ['', 'MALFORMED_JSON'],
  ['{"label":"a",}', 'MALFORMED_JSON'],
  ['{"label":NaN}', 'MALFORMED_JSON'],
  ["{'label':1}", 'MALFORMED_JSON'],
  ['{"label":"a\0","amount":"1"}', 'MALFORMED_JSON'],
  ['[]', 'TYPE'],
  ['null', 'TYPE'],
  ['7', 'TYPE'],
  ['"text"', 'TYPE'],
  ['{}', 'REQUIRED', 'label'],
  ['{}', 'REQUIRED', 'amount'],
  ['{"label":"a","amount":"1","more":1}', 'UNKNOWN_FIELD', 'more'],
  ['{"label":"a","amount":"1","__proto__":{"x":1}}', 'UNKNOWN_FIELD', '__proto__'],
  ['{"label":"a","amount":"1","constructor":1}', 'UNKNOWN_FIELD', 'constructor'],
  ['{"label":"a","amount":"1","inner":{"limit":"1","count":1,"x":1}}', 'UNKNOWN_FIELD', 'inner.x'],
  ['{"label":"a","amount":"1","inner":{"limit":"1","count":1.5}}', 'TYPE', 'inner.count'],
  ['{"label":"a","amount":"1","inner":{"limit":"1","count":6}}', 'RANGE', 'inner.count'],
  ['{"label":"a","amount":"1","tags":["a","a"]}', 'DUPLICATE', 'tags'],
  ['{"label":"a","amount":"1","tags":["1","2","3","4"]}', 'RANGE', 'tags'],
  ['{"label":"a","amount":"1","tags":["1",2]}', 'TYPE', 'tags[1]'],
  ['{"label":"a","amount":"1","parent_id":"7"}', 'MALFORMED_ID', 'parent_id'],
  ['{"label":"a\\u0000","amount":"1"}', 'ENCODING', 'label'],
  ['{"label":"\\ud800","amount":"1"}', 'ENCODING', 'label'],
  ['{"label":"\\uDFFF","amount":"1"}', 'ENCODING', 'label'],
  ['{"label":"a","amount":"1","tags":["\\u0000"]}', 'ENCODING', 'tags[0]'],
  ['{"a\\u0000":"a"}', 'ENCODING'],
  [bytes('{"label":"\xff","amount":"1"}'), 'ENCODING'],
  [bytes('{"label":"\xed\xa0\x80","amount":"1"}'), 'ENCODING'],
  [bytes('{"label":"\xc0\x80","amount":"1"}'), 'ENCODING'],
  [`{"label":"${'a'.repeat(MAXIMUM_BODY_BYTES)}","amount":"1"}`, 'TOO_LARGE'],
  [`${'['.repeat(30_000)}${']'.repeat(30_000)}`, 'ENCODING'],
  [`${'['.repeat(90)}${']'.repeat(90)}`, 'TYPE'],
  [`${'['.repeat(30_000)}"\\u0000"${']'.repeat(30_000)}`, 'ENCODING'],
]
test('a bad body is refused with the reason', async () => {
  for (const [body, code, path] of BODIES)
    refused(await call('POST', '/echo', { token, body }), 'BadRequest', code, path)
  refused(await call('POST', '/echo', { token }), 'BadRequest', 'TYPE')
  assert.deepEqual(
    (
      await call('POST', '/echo', {
        token,
        body: '{"label":"\\ud83d\\ude00 \\u00e9","amount":"1"}',
      })
    ).data,
    { label: '😀 é', amount: '1' },
  )
})

test('only JSON is taken, and a body only where one belongs', async () => {
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'nonsense',
    '',
  ]) {
    refused(
      await call('POST', '/echo', {
        token,
        body: JSON.stringify(good),
        headers: { 'content-type': type },
      }),
      'BadRequest',
      'FORMAT',
    )
  }
  assert.equal(
    (
      await call('POST', '/echo', {
        token,
        body: good,
        headers: { 'content-type': 'application/json; charset=utf-8' },
      })
    ).status,
    200,
  )
  refused(await call('POST', '/echo/bodyless', { token, body: {} }), 'BadRequest', 'UNKNOWN_FIELD')
  assert.equal((await call('POST', '/echo/bodyless', { token })).status, 200)
  assert.equal(
    (
      await call('POST', '/echo/bodyless', {
        token,
        headers: { 'content-type': 'application/json' },
      })
    ).status,
    200,
  )
  refused(
    await call('POST', '/echo', { token, headers: { 'content-type': 'application/json' } }),
    'BadRequest',
    'MALFORMED_JSON',
  )
})

test('without a token 1001, without the permission 1003, which names it', async () => {
  for (const path of ['/guarded', `/echo/${UUID}`, '/things'])
    refused(await call('GET', path), 'MissingToken')
  const denied = await call('GET', '/guarded', { token: 'none' })
  refused(denied, 'PermissionDenied')
  assert.match(denied.error_description ?? '', /things\.write/)
  refused(await call('POST', '/echo', { body: '{' }), 'MissingToken')
})

test('what breaks inside stays inside; what is refused tells why', async () => {
  for (const path of ['/broken', '/misshapen']) {
    const answer = await call('GET', path, { token })
    refused(answer, 'InternalServerError')
    assert.deepEqual(Object.keys(JSON.parse(answer.text) as object), [
      'success',
      'error_code',
      'error_message',
      'request_id',
    ])
  }
  refused(
    await call('GET', '/refused', { token }),
    'BadRequest',
    'INSUFFICIENT_BALANCE',
    'legs[0].quantity',
  )
  const down = await call('GET', '/venue', { token })
  refused(down, 'VenueUnreachable')
  assert.equal(down.error_description, 'the bank does not answer')
})

test('the limit per address answers 4291 with the time to wait', async () => {
  for (const _ of [1, 2, 3]) assert.equal((await call('GET', '/public')).status, 200)
  const answer = await call('GET', '/public')
  refused(answer, 'RateLimited')
  assert.ok(
    Number(answer.headers['retry-after']) > 0 && Number(answer.headers['retry-after']) <= 60,
  )
  assert.equal((await call('GET', '/public', { address: '10.0.0.9' })).status, 200)
})

test('health, readiness and metrics', async () => {
  for (const [url, text] of [
    ['/healthz', 'alive'],
    ['/livez', 'alive'],
    ['/readyz', 'ready'],
    ['/metrics', 'kontor_http_request_seconds'],
  ] as const) {
    const reply = await server.inject({ url })
    assert.equal(reply.statusCode, 200)
    assert.ok(reply.body.includes(text))
  }
})
