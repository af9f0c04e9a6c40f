import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { endpointsOf } from '../src/app.ts'
import type { App } from '../src/app.ts'
import { coverage, OPERATIONS } from './specification.ts'

/** Endpoints are declared here, never called. */
const parts = (): unknown =>
  new Proxy(() => undefined, { get: (_, key) => (key === 'then' ? undefined : parts()) })
const endpoints = endpointsOf(parts() as App)
const { missing, forgotten, unexplained, stale } = coverage(endpoints)

test('every operation of the specification is served or listed as missing', () => {
  assert.equal(OPERATIONS.length, 71)
  assert.deepEqual(forgotten, [])
})

test('no operation is served and listed as missing at once (npm run generate takes it from the list)', () => {
  assert.deepEqual(
    missing.filter((each) => each.served),
    [],
  )
})

test('every endpoint is specified, or named with its reason as ours', () => {
  assert.deepEqual(unexplained, [])
  assert.deepEqual(stale, [])
})

test('no endpoint is declared twice', () => {
  const all = endpoints.map(({ method, path }) => `${method} ${path.replaceAll(/:\w+/g, ':')}`)
  assert.deepEqual(
    all.filter((each, index) => all.indexOf(each) !== index),
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
