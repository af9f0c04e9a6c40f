/** The OpenAPI document of the whole service, as generators, linters and testers read it. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { lintFromString, loadConfig } from '@redocly/openapi-core'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { declaredEndpoints } from '../../tools/check/generate.ts'
import { ERRORS } from '../src/core/errors.ts'
import { openApiDocument } from '../src/http/index.ts'

type Schema = Readonly<Record<string, unknown>>
type Media = { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }
type Answer = {
  $ref?: string
  description: string
  headers?: Record<string, unknown>
  content: Record<string, Media>
  links?: Record<string, { operationId: string; parameters: Record<string, string> }>
}
type Parameter = { name: string; in: string; schema: Schema; $ref?: string }
type Operation = {
  operationId: string
  tags: string[]
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, Answer>
}
type Document = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, Answer> }
}

const text = JSON.stringify(openApiDocument(declaredEndpoints()))
const document = JSON.parse(text) as Document
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
)
const named = new Map(operations.map(({ operation }) => [operation.operationId, operation]))

const ajv = new Ajv2020({ strict: false, validateFormats: false, inlineRefs: false })
ajv.addSchema({ $id: 'document', components: document.components })
const faultsOf = (schema: Schema, value: unknown): unknown => {
  const absolute = JSON.stringify(schema).replaceAll('"#/components', '"document#/components')
  const validate = ajv.compile(JSON.parse(absolute) as object)
  return validate(value) ? undefined : validate.errors
}

const RULES = fileURLToPath(new URL('../../redocly.yaml', import.meta.url))

test('a linter finds nothing', async () => {
  const config = await loadConfig({ configPath: RULES })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  assert.deepEqual(
    problems.map(({ ruleId, message, location: [at] }) => `${ruleId} ${message} ${at?.pointer}`),
    [],
  )
})

test('names of operations read well, each with a tag that says what it is about', () => {
  const tags = new Map(document.tags.map(({ name, description }) => [name, description]))
  for (const { operation } of operations) {
    assert.match(operation.operationId, /^[a-z]+([A-Z][a-z]+)*$/)
    assert.equal(operation.tags.length, 1, operation.operationId)
    assert.match(tags.get(operation.tags[0] ?? '') ?? '', /\w+ .*\.$/, operation.operationId)
  }
  assert.equal(named.size, operations.length)
})

/** The names of the shapes that may stand there. */
function shapesIn({ $ref, anyOf, items }: Schema): string[] {
  if (Array.isArray(anyOf)) return anyOf.flatMap((branch) => shapesIn(branch as Schema))
  if (items !== undefined) return shapesIn(items as Schema)
  return [typeof $ref === 'string' ? $ref.replace('#/components/schemas/', '') : '']
}

describe('every body and every answer has a name', () => {
  for (const { method, path, operation } of operations)
    test(`${method} ${path}`, () => {
      const body = operation.requestBody?.content['application/json']
      const isOfVenue = operation.operationId === 'announceDeposit'
      if (body !== undefined && !isOfVenue)
        for (const name of shapesIn(body.schema)) assert.notEqual(name, '', 'the body')
      const { content } = answered(operation, '200')
      const { schema } = content['application/json'] ?? content['text/event-stream'] ?? {}
      if (schema === undefined)
        return assert.ok(content['application/octet-stream'] ?? content['image/png'])
      const { data } = (schema['properties'] ?? { data: schema }) as { data: Schema }
      for (const name of shapesIn(data)) assert.ok(name in document.components.schemas, name)
    })
})

function answered(operation: Operation, status: string): Answer {
  const answer = operation.responses[status]
  assert.ok(answer, `${operation.operationId} says nothing of ${status}`)
  if (answer.$ref === undefined) return answer
  const shared = document.components.responses[answer.$ref.replace('#/components/responses/', '')]
  assert.ok(shared, answer.$ref)
  return shared
}

describe('every example is one that its schema takes', () => {
  for (const { operation } of operations)
    test(operation.operationId, () => {
      const answers = Object.keys(operation.responses).map((status) => answered(operation, status))
      const media = [...answers, operation.requestBody]
        .flatMap((part) => Object.values(part?.content ?? {}))
        .filter(({ example, examples }) => (example ?? examples) !== undefined)
      for (const { schema, example, examples = {} } of media)
        for (const value of [example, ...Object.values(examples).map((one) => one.value)])
          if (value !== undefined) assert.equal(faultsOf(schema, value), undefined)
    })
})

test('each refusal names its codes, and what to do next', () => {
  const codes = new Map(Object.values(ERRORS).map(({ code, status }) => [String(code), status]))
  for (const { operation } of operations)
    for (const status of Object.keys(operation.responses)) {
      if (status === '200' || status === 'default') continue
      const { description, headers = {} } = answered(operation, status)
      const shown = `${operation.operationId} ${status}`
      const own = [...description.matchAll(/\b(\d{4}): /g)].map(([, code = '']) => code)
      assert.ok(own.length > 0, shown)
      for (const code of own) assert.equal(codes.get(code), Number(status), shown)
      assert.ok('X-Request-Id' in headers, shown)
      assert.equal('WWW-Authenticate' in headers, status === '401', shown)
      assert.equal('Retry-After' in headers, ['429', '503'].includes(status), shown)
    }
})

test('links lead to operations, and fill in what these need', () => {
  for (const { operation } of operations)
    for (const [name, link] of Object.entries(operation.responses['200']?.links ?? {})) {
      const target = named.get(link.operationId)
      assert.ok(target, `${operation.operationId} leads to ${name}`)
      const needed = (target.parameters ?? []).filter((parameter) => parameter.in === 'path')
      assert.deepEqual(
        Object.keys(link.parameters),
        needed.map((parameter) => parameter.name),
      )
    }
})

/**
 * The name of a secret is that which the declaration of its venue has; proof and account are of two
 * lists.
 */
const FROM_TWO: ReadonlySet<string> = new Set(['putVenueSecret', 'getAccountProof'])

test('a tester finds its way from the lists to the records', () => {
  const links = operations.flatMap(({ operation }) =>
    Object.values(operation.responses['200']?.links ?? {}),
  )
  const reached = new Set(links.map((link) => link.operationId))
  const unreached = operations
    // Notes are of any kind of record, and so no single list leads to them.
    .filter(({ path }) => /\{\w*_id\}/.test(path) && !path.startsWith('/notes/'))
    .map(({ operation }) => operation.operationId)
    .filter((operationId) => !reached.has(operationId) && !FROM_TWO.has(operationId))
  assert.deepEqual(unreached, [])
})

test('a request that excludes itself is none by its schema either', () => {
  const { schema, example } = named.get('createExecution')?.requestBody?.content[
    'application/json'
  ] ?? { schema: {}, example: {} }
  const asked = example as Record<string, unknown>
  assert.equal(faultsOf(schema, asked), undefined)
  const { route_id: _, ...nowhere } = asked
  for (const refused of [
    nowhere,
    { ...asked, symbol: 'BTC/EUR' },
    { ...asked, mode: 'VOLUME' },
    { ...asked, execution_type: 'LIMIT' },
    { ...asked, price: '60000' },
  ])
    assert.notEqual(faultsOf(schema, refused), undefined, JSON.stringify(refused))
  const limit = { ...asked, execution_type: 'LIMIT', price: '60000', tif_mode: 'IOC' }
  assert.equal(faultsOf(schema, limit), undefined)
})

const asked = (operationId: string): { schema: Schema; example: Record<string, unknown> } => {
  const media = named.get(operationId)?.requestBody?.content['application/json']
  return { schema: media?.schema ?? {}, example: (media?.example ?? {}) as Record<string, unknown> }
}

test('what a field needs beside it is in the schema', () => {
  const venue_id = '01a1fc75-ea2a-7589-aa8f-000000000003'
  const toCustomer = { asset: 'EUR', is_withdrawal_matching: false, destination_address: 'DE1' }
  for (const [operationId, refused] of [
    ['createCustomer', { type: 'JOINT', joint_name: undefined }],
    ['changeCustomer', { type: 'INSTITUTION', company_name: undefined }],
    ['createMatching', { type: 'SOURCE_WITHOUT_REFERENCE', details: toCustomer }],
    ['rectifyDeposit', { reason: 'OTHER', note: undefined }],
    ['createWallet', { type: 'CUSTOMER', customer_id: undefined }],
    ['createWallet', { type: 'VENUE', service_id: undefined, venue_id: undefined }],
    ['createWallet', { access_type: 'EXTERNAL', service_id: venue_id, venue_id }],
    ['createUser', { password: 'too short' }],
    ['createApiKey', { networks: ['10.0.0.0/33'] }],
    ['createWebhook', { url: 'https://~/' }],
    ['createWebhook', { url: 'https://somebody@example.com/' }],
  ] as const) {
    const { schema, example } = asked(operationId)
    assert.equal(faultsOf(schema, example), undefined, operationId)
    const body: unknown = JSON.parse(JSON.stringify({ ...example, ...refused }))
    assert.notEqual(faultsOf(schema, body), undefined, `${operationId} ${JSON.stringify(refused)}`)
  }
})
