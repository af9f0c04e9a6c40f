import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { endpointsOf } from '../src/server.ts'
import type { App } from '../src/app.ts'
import { closed, positiveText } from '../src/http/index.ts'
import type { Endpoint } from '../src/http/index.ts'
import { disagreements, OPERATIONS } from './specification.ts'

/** Endpoints are declared here, never called. */
const parts = (): unknown =>
  new Proxy(() => undefined, { get: (_, key) => (key === 'then' ? undefined : parts()) })
const endpoints = endpointsOf(parts() as App)

test('every operation of the specification is served', () => {
  assert.equal(OPERATIONS.length, 71)
  assert.deepEqual(disagreements(endpoints).notServed, [])
})

test('every endpoint says rightly whether it is specified or ours', () => {
  const { wronglySpecified, wronglyOurs } = disagreements(endpoints)
  assert.deepEqual({ wronglySpecified, wronglyOurs }, { wronglySpecified: [], wronglyOurs: [] })
})

test('every endpoint of our own says why we have it', () => {
  const silent = endpoints.filter(
    ({ origin }) => origin !== 'SPECIFIED' && !/\w+ \w+/.test(origin.ours),
  )
  assert.deepEqual(silent, [])
})

test('the three ways to disagree are found', () => {
  const [first = '', ...others] = OPERATIONS
  const served = others.map((operation) => {
    const [method = '', path = ''] = operation.split(' ')
    return { method: method as Endpoint['method'], path, origin: 'SPECIFIED' as const }
  })
  const [specified] = served
  assert.ok(specified)
  const found = disagreements([
    ...served.slice(1),
    { ...specified, origin: { ours: 'nobody knows' } },
    { method: 'GET', path: '/invented', origin: 'SPECIFIED' },
  ])
  assert.deepEqual(found, {
    notServed: [first],
    wronglySpecified: ['GET /invented'],
    wronglyOurs: [`${specified.method} ${specified.path}`],
  })
})

describe('the example of a request is one that its schema takes', () => {
  for (const { method, path, body, example } of endpoints) {
    if (body === undefined) continue
    test(`${method} ${path}`, () => {
      assert.deepEqual(Compile(body).Errors(example), [])
    })
  }
  test('a wrong example would be found', () => {
    assert.notDeepEqual(Compile(closed({ amount: positiveText() })).Errors({ amount: '-1' }), [])
  })
})

test('no endpoint is declared twice', () => {
  const all = endpoints.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`)
  assert.deepEqual(
    all.filter((operation, index) => all.indexOf(operation) !== index),
    [],
  )
})

const ORIGINAL = new URL('../../../shared/spec/endpoints.json', import.meta.url)
test(
  'the operations are those of the specification itself',
  { skip: !existsSync(ORIGINAL) && 'the specification is not beside this repository' },
  () => {
    const original = JSON.parse(readFileSync(ORIGINAL, 'utf8')) as {
      method: string
      path: string
    }[]
    assert.deepEqual(
      [...OPERATIONS].toSorted(),
      original.map(({ method, path }) => `${method} ${path}`).toSorted(),
    )
  },
)
