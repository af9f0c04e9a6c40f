import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { readDescription } from './description.ts'
import type { Description, Exchange } from './description.ts'

const DESCRIPTION = `
openapi: 3.0.0
paths:
  /coins/{coin}:
    get:
      parameters:
        - {in: query, name: limit, schema: {type: integer, minimum: 1}}
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Coin'}}}}
    delete:
      responses:
        '201': {description: done}
  /coins/new:
    post:
      requestBody:
        required: true
        content: {application/json: {schema: {$ref: '#/components/schemas/Coin'}}}
      responses:
        '200': {content: {application/json: {schema: {$ref: '#/components/schemas/Coin'}}}}
        default: {$ref: '#/components/responses/Error'}
components:
  responses:
    Error:
      content: {application/json: {schema: {type: object, properties: {code: {type: number}}}}}
  schemas:
    WebhookEvent: {type: string, enum: [coin.made]}
    TransactionResponse: {$ref: '#/components/schemas/Coin'}
    Coin:
      type: object
      required: [id]
      properties:
        id: {type: string}
        owner: {type: string, nullable: true}
        parts:
          type: array
          items: {allOf: [{type: object, properties: {kind: {enum: [A, B]}}}]}
        extra: {type: object}
`
let dir = ''
let description: Description
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'description-'))
  const path = join(dir, 'description.yaml')
  writeFileSync(path, DESCRIPTION)
  description = readDescription(path)
})
after(() => {
  rmSync(dir, { recursive: true })
})

const exchange = (change: Partial<Exchange>): Exchange => ({
  method: 'GET',
  url: '/coins/1',
  body: undefined,
  status: 200,
  answer: { id: '1' },
  ...change,
})

test('what conforms has no deviation', () => {
  const coin = { id: '1', owner: null, parts: [{ kind: 'A' }], extra: { any: { thing: 1 } } }
  for (const fine of [
    exchange({ url: '/coins/1?limit=5', answer: coin }),
    exchange({ url: '/coins/1?next=x' }),
    exchange({ method: 'DELETE', status: 201, answer: undefined }),
    exchange({ method: 'POST', url: '/coins/new', body: coin, answer: coin }),
    exchange({ method: 'POST', url: '/coins/new', body: coin, status: 400, answer: { code: 1 } }),
    exchange({ status: 404, answer: { code: 1 } }),
  ])
    assert.deepEqual([...description.request(fine), ...description.answer(fine)], [])
  assert.deepEqual(description.webhook('coin.made', coin), [])
})

test('a request deviates by its operation, parameters or body', () => {
  for (const [wrong, deviations] of [
    [exchange({ url: '/none' }), ['GET /none: there is no such operation']],
    [exchange({ method: 'PUT' }), ['PUT /coins/1: there is no such operation']],
    [exchange({ url: '/coins/1?limit=0' }), ['GET /coins/{coin}: the parameter limit is 0']],
    [exchange({ url: '/coins/1?x=1' }), ['GET /coins/{coin}: the parameter x is not described']],
    [exchange({ body: {} }), ['GET /coins/{coin}: no body is described']],
    [exchange({ method: 'POST', url: '/coins/new' }), ['POST /coins/new: the body is missing']],
    [
      exchange({ method: 'POST', url: '/coins/new', body: { id: '1', colour: 'red' } }),
      ['POST /coins/new: body/colour is not described'],
    ],
  ] as const)
    assert.deepEqual(description.request(wrong), deviations)
})

test('an answer deviates by its status or content', () => {
  for (const [wrong, deviations] of [
    [exchange({ status: 201 }), ['GET /coins/{coin} 201: the status is not described']],
    [
      exchange({ method: 'DELETE', status: 201, answer: {} }),
      ['DELETE /coins/{coin} 201: an answer without a body is described'],
    ],
    [exchange({ answer: {} }), ["GET /coins/{coin} 200: answer must have required property 'id'"]],
    [
      exchange({ answer: { id: '1', parts: [{ kind: 'A' }, { kind: 'C' }, { kind: 'D', x: 1 }] } }),
      [
        'GET /coins/{coin} 200: answer/parts/*/kind must be equal to one of the allowed values',
        'GET /coins/{coin} 200: answer/parts/*/x is not described',
      ],
    ],
    [
      exchange({ status: 400, answer: { code: 'one' } }),
      ['GET /coins/{coin} 400: answer/code must be number'],
    ],
  ] as const)
    assert.deepEqual(description.answer(wrong), deviations)
  assert.deepEqual(description.webhook('coin.lost', { id: 1 }), [
    'eventType must be equal to one of the allowed values',
    'data/id must be string',
  ])
})
