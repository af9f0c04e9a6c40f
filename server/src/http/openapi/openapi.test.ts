import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import openapiTS, { astToString } from 'openapi-typescript'
import { mustExist } from '../../core/assert.ts'
import { newId } from '../../core/ids.ts'
import { closed, endpoint, flag, text, Type } from '../index.ts'
import { fixture } from '../http.fixture.ts'
import { assertClosed } from '../prepare.ts'
import { Schemas } from './schemas.ts'

const { server, close } = await fixture()
after(close)

type Parameter = {
  name: string
  in: string
  required?: boolean
  style?: string
  explode?: boolean
  schema: Record<string, unknown>
  $ref?: string
}
type Answer = {
  headers: object
  content: Record<string, { schema: { properties: Record<string, unknown> }; example?: unknown }>
}
type Operation = {
  operationId: string
  description: string
  security: unknown[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: object; example: unknown }> }
  responses: Record<string, unknown>
}
type Document = {
  openapi: string
  servers: unknown
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, unknown> }
}

const reply = await server.inject({ url: '/api/openapi.json' })
const document = JSON.parse(reply.body) as Document

test('the document is valid OpenAPI 3.1 that other tools read', async () => {
  assert.match(document.openapi, /^3\.1/)
  assert.deepEqual(document.servers, [{ url: '/api' }])
  // Checks the document against the standard and resolves every reference; throws otherwise.
  const types = astToString(await openapiTS(reply.body))
  assert.ok(types.includes('"/things"'))
})

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
)
const operation = (method: string, path: string) =>
  mustExist(document.paths[path]?.[method], `${method} ${path}`)

test('each operation tells its permission, and who is refused how', () => {
  assert.equal(
    new Set(operations.map(({ operation }) => operation.operationId)).size,
    operations.length,
  )
  for (const { path, method, operation } of operations) {
    assert.ok(!path.startsWith('/api/'), path)
    assert.match(operation.description, /Permission: `[a-z.]+`/, `${method} ${path}`)
    const isPublic = operation.description.includes('`public`')
    assert.deepEqual(operation.security, isPublic ? [] : [{ token: [] }])
    const statuses = Object.keys(operation.responses)
    for (const status of ['200', '400', '429', '503', 'default'])
      assert.ok(statuses.includes(status), `${method} ${path} ${status}`)
    assert.equal(statuses.includes('401'), !isPublic, `${method} ${path}`)
  }
  assert.deepEqual(operation('get', '/guarded').responses['403'], {
    $ref: '#/components/responses/PermissionDenied',
  })
  assert.ok('404' in operation('get', '/echo/{thing_id}').responses)
  assert.ok(!('404' in operation('get', '/guarded').responses))
})

test('a list tells its filters, its pages and its rows as CSV', () => {
  const list = operation('get', '/things')
  assert.deepEqual(
    list.parameters?.map(({ name, in: place, required }) => [name, place, required]),
    [
      ['label', 'query', false],
      ['limit', 'query', false],
      ['cursor', 'query', false],
    ],
  )
  const [, limit, cursor] = list.parameters ?? []
  assert.deepEqual(limit?.schema, { type: 'integer', minimum: 1, maximum: 10_000 })
  assert.ok(new RegExp(String(cursor?.schema['pattern'])).test(newId()))
  const { content, headers } = list.responses['200'] as Answer
  assert.ok('Link' in headers)
  assert.deepEqual(content['application/json']?.schema.properties['data'], {
    type: 'array',
    items: { $ref: '#/components/schemas/Thing' },
  })
  const [head, row] = String(content['text/csv']?.example).split('\r\n')
  assert.equal(head, 'id,label,amount,note,details')
  assert.match(row ?? '', /^[0-9a-f-]{36},label,12.5,/)
})

test('a parameter tells what it means, and a list is written with commas', () => {
  const byName = new Map(
    operation('get', '/echo/{thing_id}').parameters?.map((parameter) => [
      parameter.name,
      parameter,
    ]),
  )
  assert.equal(byName.get('thing_id')?.schema['format'], 'uuid')
  assert.deepEqual(byName.get('flag')?.schema, { type: 'boolean' })
  const { style, explode, schema } = mustExist(byName.get('state'), 'state')
  assert.deepEqual([style, explode, schema['minItems']], ['form', false, 1])
  assert.deepEqual(schema['items'], { type: 'string', enum: ['OPEN', 'DONE'] })
})

test('a body tells its shape and shows one', () => {
  const { schema, example } = mustExist(
    operation('post', '/echo').requestBody?.content['application/json'],
    'a body',
  )
  assert.deepEqual(schema, { $ref: '#/components/schemas/Echo' })
  const echo = document.components.schemas['Echo'] as { required: string[] }
  assert.deepEqual(echo.required, ['label', 'amount'])
  assert.deepEqual(example, { label: 'Rent', amount: '12.50' })
})

test('what is done once takes an Idempotency-Key, and what only reads does not', () => {
  const takesKey = (method: string, path: string) =>
    (operation(method, path).parameters ?? []).some(({ $ref }) => $ref?.endsWith('IdempotencyKey'))
  assert.deepEqual(
    [takesKey('post', '/runs/transaction'), takesKey('post', '/runs/steps')],
    [true, true],
  )
  assert.deepEqual([takesKey('post', '/echo'), takesKey('get', '/things')], [false, false])
  assert.ok('409' in operation('post', '/runs/steps').responses)
  assert.ok(!('409' in operation('get', '/things').responses))
})

test('two shapes with one name are refused', () => {
  const schemas = new Schemas()
  schemas.shown(closed({ a: text() }, { title: 'Shape' }))
  schemas.shown(closed({ a: text() }, { title: 'Shape' }))
  assert.throws(() => schemas.shown(closed({ b: text() }, { title: 'Shape' })), /called Shape/)
})

test('an open object schema is refused when the endpoint is declared', () => {
  const open = endpoint({
    method: 'POST',
    operation_id: 'doX',
    path: '/x',
    origin: { ours: 'for this test' },
    tag: 'Overview',
    summary: 'x',
    permission: 'public',
    body: closed({ inner: Type.Object({ a: text() }) }),
    example: { inner: { a: 'open' } },
    data: flag(),
    effect: 'read',
    handle: async () => true,
  })
  assert.throws(() => {
    assertClosed(open.body, 'POST /x')
  }, /POST \/x: an object schema is open/)
  assert.throws(() => {
    assertClosed(Type.Intersect([closed({ a: text() }), closed({ b: text() })]), 'x')
  }, /allOf/)
})

test('the reference page and what it loads come from here, and nothing else may', async () => {
  const address = await server.listen({ port: 0, host: '127.0.0.1' })
  const page = await fetch(`${address}/api/docs/`)
  assert.equal(page.status, 200)
  const html = await page.text()
  assert.doesNotMatch(html, /<script(?![^>]*\bsrc=)|\son\w+=/, 'no script stands in the page')
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => url ?? '')
  assert.ok(loaded.length > 0)
  for (const url of loaded) {
    assert.doesNotMatch(url, /^(https?:)?\/\//)
    if (!url.startsWith('data:'))
      assert.equal((await fetch(new URL(url, `${address}/api/docs/`))).status, 200, url)
  }
  const policy = String(page.headers.get('content-security-policy'))
  assert.match(policy, /default-src 'self'/)
  assert.match(policy, /script-src 'self';/)
  assert.match(policy, /script-src-attr 'none'/)
  assert.doesNotMatch(policy, /https:|http:|\*/)
})
