/**
 * Two workspaces on one database cannot see each other: every endpoint is walked with the ids of
 * the other one.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../src/core/ids.ts'
import type { WorkspaceId } from '../src/core/ids.ts'
import type { Endpoint } from '../src/http/index.ts'
import type { Schema } from './fuzz/arbitraries.ts'
import type { Author } from './fuzz/author.ts'
import { bare, sensible } from './fuzz/requests.ts'
import type { RequestPlan } from './fuzz/requests.ts'
import { newsFilterLists } from './news.testing.ts'
import type { HttpAnswer, ServiceUnderTest } from './service-under-test.ts'
import { tagsFilterLists } from './tag-filter.testing.ts'
import { envelopeOf, NEEDED, openTwoWorkspaces } from './two-workspaces.testing.ts'
import type { TwoWorkspaces } from './two-workspaces.testing.ts'

let service: ServiceUnderTest
let ours: Author
let theirs: Author
let accepted: TwoWorkspaces['accepted']

before(async () => {
  ;({ service, ours, theirs, accepted } = await openTwoWorkspaces())
})
after(() => service.close())

const bearer = (plan: RequestPlan, token: string): RequestPlan => ({
  ...plan,
  headers: {
    ...plan.headers,
    authorization: `Bearer ${token}`,
    ...(plan.headers['idempotency-key'] === undefined ? {} : { 'idempotency-key': newId() }),
  },
})

function show({ method, url, payload }: RequestPlan, { status, text }: HttpAnswer): string {
  return `${method} ${url} ${String(payload ?? '')} → ${status} ${text.slice(0, 500)}`
}

/** Asks, and proves that not one row of the other workspace has changed. */
async function ask(plan: RequestPlan): Promise<HttpAnswer> {
  const untouched = await service.fingerprint(service.theirs.workspace)
  const answer = await service.send(plan)
  assert.deepEqual(
    await service.fingerprint(service.theirs.workspace),
    untouched,
    show(plan, answer),
  )
  assert.ok(!answer.text.includes(`"workspace":"${service.theirs.workspace}"`), show(plan, answer))
  return answer
}

test('both sides have something to hide', async () => {
  for (const { own } of [ours, theirs]) {
    for (const name of NEEDED) {
      assert.ok((own.ids.get(name)?.length ?? 0) > 0, `no ${name}`)
    }
  }
  const everything = new Set([...ours.own.ids.values()].flat())
  assert.deepEqual(
    [...theirs.own.ids.values()].flat().filter((id) => everything.has(id)),
    [],
  )
  const before = await service.fingerprint()
  const [booking] =
    accepted.get(
      service.endpoints.find(
        (endpoint) => endpoint.method === 'POST' && endpoint.path === '/bookings',
      ) as Endpoint,
    ) ?? []
  assert.ok(booking !== undefined)
  assert.equal((await service.send(bearer(booking, service.ours.tokens.all))).status, 200)
  assert.notDeepEqual(await service.fingerprint(), before, 'a fingerprint shows what was written')
})

test('an id of the other workspace in the path is unknown', async () => {
  let count = 0
  for (const endpoint of service.endpoints) {
    const names = Object.keys((endpoint.params as Schema | undefined)?.properties ?? {}).filter(
      (name) => (endpoint.params as Schema).properties?.[name]?.['x-kind'] === 'id',
    )
    for (const name of endpoint.permission === 'public' ? [] : names) {
      const first = accepted.get(endpoint)?.[0] ?? sensible(ours, endpoint)
      const foreign = ours.draws.draw(theirs.own.idFor(name))
      const at = endpoint.path.split('/').indexOf(`:${name}`) + 1
      const [path = '', query] = first.url.split('?')
      const url =
        path
          .split('/')
          .map((part, index) => (index === at ? foreign : part))
          .join('/') + (query === undefined ? '' : `?${query}`)
      const plan = { ...bearer(first, service.ours.tokens.all), url }
      const answer = await ask(plan)
      // A rule about the request itself may come first where chance found no request that was
      // accepted.
      const expected = accepted.has(endpoint) ? [4004] : [4004, 3001]
      assert.ok(expected.includes(envelopeOf(answer).error_code ?? 0), show(plan, answer))
      assert.equal(
        (await service.send(bearer(plan, service.theirs.tokens.READER))).text.includes(
          service.ours.workspace,
        ),
        false,
      )
      count += 1
    }
  }
  assert.ok(count > 20)
})

/** No rows, or sums of none. */
const isOfNothing = (data: unknown): boolean =>
  Array.isArray(data)
    ? data.length === 0
    : typeof data === 'object' && data !== null && 'rows' in data && data.rows === 0

test('an id of the other workspace in a filter finds nothing', async () => {
  let count = 0
  for (const endpoint of service.endpoints) {
    for (const [name, schema] of Object.entries(
      (endpoint.query as Schema | undefined)?.properties ?? {},
    )) {
      if (schema['x-decode'] !== 'id' && schema['x-kind'] !== 'id') continue
      const first = accepted.get(endpoint)?.[0] ?? sensible(ours, endpoint)
      const plan = {
        ...bearer(first, service.ours.tokens.all),
        url: `${first.url.split('?')[0]}?${name}=${ours.draws.draw(theirs.own.idFor(name))}`,
      }
      const answer = await ask(plan)
      const envelope = envelopeOf(answer)
      assert.ok(envelope.error_code === 4004 || isOfNothing(envelope.data), show(plan, answer))
      count += 1
    }
  }
  assert.ok(count > 5)
})

test('an id of the other workspace in a body is unknown, and nothing happens', async () => {
  let count = 0
  for (const [endpoint, requests] of accepted) {
    for (const first of requests) {
      for (const { place, foreign, body } of withForeignIds(
        first.body,
        endpoint.body as Schema | undefined,
      )) {
        const plan = { ...bearer(first, service.ours.tokens.all), payload: JSON.stringify(body) }
        const answer = await ask(plan)
        const envelope = envelopeOf(answer)
        // A rule about the request itself may come first; never is it accepted.
        assert.ok(
          envelope.error_code === 4004 || envelope.error_code === 3001,
          `${place}: ${show(plan, answer)}`,
        )
        assert.ok(
          !answer.text.replaceAll(foreign, '').includes(service.theirs.workspace),
          show(plan, answer),
        )
        count += 1
      }
    }
  }
  assert.ok(count > 30)
})

type Exchanged = { place: string; foreign: string; body: unknown }

/**
 * The body once for each id that the schema asks for, with one of the other workspace in its place.
 */
function withForeignIds(body: unknown, schema: Schema | undefined): Exchanged[] {
  const places: (string | number)[][] = []
  const walk = (value: unknown, at: Schema | undefined, path: (string | number)[]): void => {
    if (typeof value === 'string') {
      if (at?.['x-kind'] === 'id') places.push(path)
    } else if (Array.isArray(value))
      value.forEach((item, index) => {
        walk(item, at?.items, [...path, index])
      })
    else if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value))
        walk(inner, at?.properties?.[name], [...path, name])
  }
  walk(body, schema, [])
  return places.map((path) => {
    const copy: unknown = structuredClone(body)
    const holder = path
      .slice(0, -1)
      .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], copy) as Record<
      string,
      unknown
    >
    const field = String(path.at(-1))
    const foreign = ours.draws.draw(theirs.own.idFor(field === 'id' ? '' : field))
    const fitting = field === 'id' ? (sameKind(String(holder[field])) ?? foreign) : foreign
    holder[field] = fitting
    return { place: path.join('.'), foreign: fitting, body: copy }
  })
}

/** An id of theirs that stands for the same kind of thing as this one of ours. */
function sameKind(id: string): string | undefined {
  for (const [name, ids] of ours.own.ids) {
    const found = ids.includes(id) ? theirs.own.ids.get(name) : undefined
    if (found !== undefined && found.length > 0) return ours.draws.pick(found)
  }
  return undefined
}

test('lists never show rows of the other workspace, in any form', async () => {
  const secrets = [...theirs.own.ids.values()].flat()
  for (const endpoint of service.endpoints.filter((endpoint) => endpoint.effect === 'list')) {
    const first = accepted.get(endpoint)?.[0] ?? sensible(ours, endpoint)
    for (const accept of ['application/json', 'text/csv']) {
      const plan = bearer(
        { ...first, url: bare(endpoint, first.url), headers: { ...first.headers, accept } },
        service.ours.tokens.all,
      )
      const answer = await service.send(plan)
      // What hangs below a record that chance did not make is unknown.
      assert.ok(
        answer.status === 200 ||
          (endpoint.path.includes(':') &&
            !accepted.has(endpoint) &&
            envelopeOf(answer).error_code === 4004),
        show(plan, answer),
      )
      assert.ok(!answer.text.includes(service.theirs.workspace), show(plan, answer))
      assert.deepEqual(
        secrets.filter((id) => answer.text.includes(id)),
        [],
        show(plan, answer),
      )
    }
  }
})

test('a cursor of the other workspace shows ours', async () => {
  const link = (answer: HttpAnswer) => /<([^>]+)>/.exec(String(answer.headers['link'] ?? ''))?.[1]
  const headers = (token: string) => ({ authorization: `Bearer ${token}` })
  const next = link(
    await service.send({
      method: 'GET',
      url: '/api/bookings?limit=1',
      headers: headers(service.theirs.tokens.all),
    }),
  )
  assert.ok(next !== undefined)
  const answer = await service.send({
    method: 'GET',
    url: next,
    headers: headers(service.ours.tokens.all),
  })
  assert.ok(answer.status === 200 && !answer.text.includes(service.theirs.workspace))
})

test('the same idempotency key in both workspaces is two keys', async () => {
  const body = {
    type: 'RETAIL',
    label: 'Alice',
    margin: 'DEFAULT',
    booking_schema: 'SIMPLE',
    ignore_balance_check: false,
    ignore_margin: false,
    first_name: 'A',
    last_name: 'B',
  }
  const key = newId()
  const answers = await Promise.all(
    [service.ours, service.theirs].map((side) =>
      service.send({
        method: 'POST',
        url: '/api/customers',
        headers: {
          authorization: `Bearer ${side.tokens.all}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        payload: JSON.stringify(body),
      }),
    ),
  )
  const records = answers.map(
    (answer) => envelopeOf(answer).data as { id: string; workspace: WorkspaceId },
  )
  assert.deepEqual(
    records.map((record) => record.workspace),
    [service.ours.workspace, service.theirs.workspace],
  )
  assert.notEqual(records[0]?.id, records[1]?.id)
})

// Whatever else needs something of every kind: to make it is dear.
newsFilterLists(() => service)
tagsFilterLists(() => service)
