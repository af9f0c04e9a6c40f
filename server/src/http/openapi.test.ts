import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import openapiTS, { astToString } from 'openapi-typescript'
import { closed, endpoint, flag, text, Type } from './index.ts'
import { fixture } from './http.fixture.ts'
import { assertClosed } from './prepare.ts'

const { server, close } = await fixture()
after(close)

type Operation = {
  operationId: string
  description: string
  security: unknown[]
  parameters?: { name: string; in: string; required?: boolean }[]
  requestBody?: {
    content: Record<
      string,
      { schema: { required: string[]; additionalProperties: boolean }; example: unknown }
    >
  }
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

test('each operation tells its permission, parameters, body and errors', () => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  )
  assert.equal(
    new Set(operations.map(({ operation }) => operation.operationId)).size,
    operations.length,
  )
  for (const { path, method, operation } of operations) {
    assert.ok(!path.startsWith('/api/'), path)
    assert.match(operation.description, /Permission: `[a-z.]+`/, `${method} ${path}`)
    assert.deepEqual(Object.keys(operation.responses), ['200', 'default'])
    assert.deepEqual(
      operation.security,
      operation.description.includes('`public`') ? [] : [{ token: [] }],
    )
  }
  const list = document.paths['/things']?.['get']
  assert.deepEqual(
    list?.parameters?.map((parameter) => [
      parameter.name,
      parameter.in,
      parameter.required === true,
    ]),
    [
      ['label', 'query', false],
      ['limit', 'query', false],
      ['cursor', 'query', false],
    ],
  )
  const body = document.paths['/echo']?.['post']?.requestBody?.content['application/json']
  const echo = body?.schema
  assert.deepEqual([echo?.required, echo?.additionalProperties], [['label', 'amount'], false])
  assert.deepEqual(body?.example, { label: 'Rent', amount: '12.50' })
  assert.deepEqual(
    document.paths['/echo/{thing_id}']?.['get']?.parameters?.find(
      (parameter) => parameter.in === 'path',
    )?.required,
    true,
  )
})

test('an open object schema is refused when the endpoint is declared', () => {
  const open = endpoint({
    method: 'POST',
    path: '/x',
    origin: { ours: 'for this test' },
    tag: 'x',
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
