import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { DETAIL_CODES, ERRORS } from '../../server/src/core/errors.ts'
import { statesOf } from '../../server/src/core/moves.ts'
import { declaredEndpoints, generated, stateMachines } from './generate.ts'
import { ROOT } from '../setup/setup.mjs'

type Answer = { success: boolean }

const files = await generated()

for (const [path, text] of files) {
  test(`${path} is what the code says (else run npm run generate)`, async () => {
    assert.ok(
      (await readFile(join(ROOT, path), 'utf8')) === text,
      `${path} is out of date: run npm run generate`,
    )
  })
}

test('the document has every endpoint, and no two share an operation id', () => {
  const document = JSON.parse(files.get('docs/generated/openapi.json') ?? '') as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  const operations = Object.values(document.paths).flatMap((item) =>
    Object.values(item).map((operation) => operation.operationId),
  )
  assert.equal(operations.length, declaredEndpoints().length)
  assert.equal(new Set(operations).size, operations.length)
})

test('the Postman collection has every endpoint, with its variables and examples', () => {
  type Item = {
    request: {
      method: string
      auth?: { type: string }
      url: { raw: string; path: string[]; variable: { key: string }[] }
      body?: { raw?: string; urlencoded?: { key: string; value: string }[] }
    }
    response: { body: string }[]
  }
  const { item, variable } = JSON.parse(files.get('docs/generated/postman.json') ?? '') as {
    item: { item: Item[] }[]
    variable: { key: string }[]
  }
  assert.deepEqual(
    variable.map(({ key }) => key),
    ['base_url', 'token'],
  )
  const requests = new Map(
    item
      .flatMap((folder) => folder.item)
      .map((one) => [`${one.request.method} ${one.request.url.raw}`, one]),
  )
  assert.equal(requests.size, declaredEndpoints().length)
  for (const { method, path, params, example, permission } of declaredEndpoints()) {
    const known = requests.get(`${method} {{base_url}}${path}`)
    assert.ok(known, `${method} ${path}`)
    const { request, response } = known
    const { properties = {} } = (params ?? {}) as { properties?: object }
    assert.deepEqual(
      request.url.variable.map(({ key }) => key),
      Object.keys(properties),
    )
    const { raw, urlencoded = [] } = request.body ?? {}
    const form = Object.fromEntries(urlencoded.map(({ key, value }) => [key, value]))
    if (example !== undefined)
      assert.deepEqual(raw === undefined ? form : JSON.parse(raw), example, `${method} ${path}`)
    assert.equal(request.auth?.type, permission === 'public' ? 'noauth' : undefined)
    for (const { body } of response) assert.equal((JSON.parse(body) as Answer).success, true)
  }
})

test('the error page has every error and every detail code', () => {
  const page = files.get('docs/generated/errors.md') ?? ''
  for (const { code, status, message } of Object.values(ERRORS))
    assert.ok(page.includes(`| ${code} | ${status} | ${message} |`), message)
  for (const code of DETAIL_CODES) assert.ok(page.includes(`\`${code}\``), code)
})

test('state tables are closed: every target is a state, and every state can end', async () => {
  const machines = await stateMachines()
  for (const { name, moves } of machines) {
    const states = statesOf(moves)
    for (const from of states)
      for (const to of moves[from] ?? [])
        assert.ok(states.includes(to), `${name}: ${from} moves to ${to}, which is no state`)
  }
  assert.equal(new Set(machines.map((machine) => machine.name)).size, machines.length)
})
