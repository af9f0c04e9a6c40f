/**
 * Two workspaces on one database cannot see each other: every endpoint is walked with the ids of
 * the other one.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { newId } from '../src/core/ids.ts'
import type { WorkspaceId } from '../src/core/ids.ts'
import { bare, sensible } from './fuzz-requests.ts'
import type { Making, Planned } from './fuzz-requests.ts'
import { emptyPool, harvest, idFor, randomOf } from './fuzz-values.ts'
import type { Schema } from './fuzz-values.ts'
import type { Endpoint } from '../src/http/index.ts'
import { openRange } from './service-under-test.ts'
import type { Got, Range } from './service-under-test.ts'

const SEED = 20_261_121
const TURNS = 30
const PER_TURN = 60
const MAXIMUM_TRIES = 30
const NEEDED = [
  'account_id',
  'booking_id',
  'customer_id',
  'matching_id',
  'wallet_id',
  'route_id',
  'venue_id',
  'deposit_id',
  'withdrawal_id',
  'quote_id',
  'execution_id',
  'user_id',
  'settlement_id',
  'fill_id',
  'assignment_id',
]

let range: Range
let ours: Making
let theirs: Making
/**
 * For each endpoint requests of ours that were accepted: with one id exchanged everything else
 * about them is right.
 */
const accepted = new Map<Endpoint, Planned[]>()

type Answer = { success: boolean; error_code?: number; data?: unknown }
const answerOf = (got: Got) => JSON.parse(got.text) as Answer

before(async () => {
  range = await openRange()
  const random = randomOf(SEED)
  const making = (
    own: Making['own'],
    foreign: Making['own'],
    side: Making['side'],
    other: Making['side'],
  ): Making => ({ random, endpoints: range.endpoints, own, foreign, side, other })
  const pools = [emptyPool(), emptyPool()] as const
  ours = making(pools[0], pools[1], range.ours, range.theirs)
  theirs = making(pools[1], pools[0], range.theirs, range.ours)
  const never = new Set([...range.ours.user_ids, ...range.theirs.user_ids])
  const walked = range.endpoints.filter(
    (endpoint) => endpoint.permission !== 'public' && endpoint.path !== '/auth/logout',
  )
  // A halt or a frozen account would leave nothing to look at.
  const harmless = walked.filter(
    (endpoint) =>
      endpoint.method === 'GET' ||
      !(endpoint.path.startsWith('/desk/halts') || endpoint.path.endsWith('/freeze')),
  )
  for (const side of [theirs, ours]) {
    const ask = async (planned: Planned, endpoint: Endpoint) => {
      const got = await range.send(planned)
      if (got.status !== 200) return
      harvest(side.own, endpoint.path, answerOf(got).data, never)
      const list = accepted.get(endpoint) ?? []
      if (side === ours && list.length < 5) accepted.set(endpoint, [...list, planned])
    }
    for (const endpoint of walked.filter(
      (endpoint) => endpoint.effect === 'list' && !endpoint.path.includes(':'),
    ))
      await ask(sensible(side, endpoint), endpoint)
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (let left = PER_TURN; left > 0; left -= 1) {
        const endpoint = random.pick(harmless)
        await ask(sensible(side, endpoint), endpoint)
      }
      await range.work(`REFERENCE ${turn}`)
    }
    // What chance has left out is asked for until it is there.
    const lists = harmless.filter((endpoint) => endpoint.effect === 'list')
    const makes = harmless.filter(
      (endpoint) => endpoint.method === 'POST' && !endpoint.path.startsWith('/auth/'),
    )
    for (
      let tries = 0;
      tries < MAXIMUM_TRIES && NEEDED.some((name) => !side.own.ids.has(name));
      tries += 1
    ) {
      for (const endpoint of [...makes, ...lists]) await ask(sensible(side, endpoint), endpoint)
      await range.work(`REFERENCE ${tries}`)
    }
  }
})
after(() => range.close())

const bearer = (planned: Planned, token: string): Planned => ({
  ...planned,
  headers: {
    ...planned.headers,
    authorization: `Bearer ${token}`,
    ...(planned.headers['idempotency-key'] === undefined ? {} : { 'idempotency-key': newId() }),
  },
})
const show = (planned: Planned, got: Got) =>
  `${planned.method} ${planned.url} ${String(planned.payload ?? '')} → ${got.status} ${got.text.slice(0, 500)}`

/** Asks, and proves that not one row of the other workspace has changed. */
async function ask(planned: Planned): Promise<Got> {
  const untouched = await range.fingerprint(range.theirs.workspace)
  const got = await range.send(planned)
  assert.deepEqual(await range.fingerprint(range.theirs.workspace), untouched, show(planned, got))
  assert.ok(!got.text.includes(`"workspace":"${range.theirs.workspace}"`), show(planned, got))
  return got
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
  const before = await range.fingerprint()
  const [booking] =
    accepted.get(
      range.endpoints.find(
        (endpoint) => endpoint.method === 'POST' && endpoint.path === '/bookings',
      ) as Endpoint,
    ) ?? []
  assert.ok(booking !== undefined)
  assert.equal((await range.send(bearer(booking, range.ours.tokens.all))).status, 200)
  assert.notDeepEqual(await range.fingerprint(), before, 'a fingerprint shows what was written')
})

test('an id of the other workspace in the path is unknown', async () => {
  let asked = 0
  for (const endpoint of range.endpoints) {
    const names = Object.keys((endpoint.params as Schema | undefined)?.properties ?? {}).filter(
      (name) => (endpoint.params as Schema).properties?.[name]?.['x-kind'] === 'id',
    )
    for (const name of endpoint.permission === 'public' ? [] : names) {
      const given = accepted.get(endpoint)?.[0] ?? sensible(ours, endpoint)
      const foreign = idFor(ours.random, theirs.own, name) ?? newId()
      const at = endpoint.path.split('/').indexOf(`:${name}`) + 1
      const [path = '', query] = given.url.split('?')
      const url =
        path
          .split('/')
          .map((part, index) => (index === at ? foreign : part))
          .join('/') + (query === undefined ? '' : `?${query}`)
      const planned = { ...bearer(given, range.ours.tokens.all), url }
      const got = await ask(planned)
      // A rule about the request itself may come first where chance found no request that was
      // accepted.
      const expected = accepted.has(endpoint) ? [4004] : [4004, 3001]
      assert.ok(expected.includes(answerOf(got).error_code ?? 0), show(planned, got))
      assert.equal(
        (await range.send(bearer(planned, range.theirs.tokens.READER))).text.includes(
          range.ours.workspace,
        ),
        false,
      )
      asked += 1
    }
  }
  assert.ok(asked > 20)
})

test('an id of the other workspace in a filter finds nothing', async () => {
  let asked = 0
  for (const endpoint of range.endpoints) {
    for (const [name, schema] of Object.entries(
      (endpoint.query as Schema | undefined)?.properties ?? {},
    )) {
      if (schema['x-decode'] !== 'id' && schema['x-kind'] !== 'id') continue
      const given = accepted.get(endpoint)?.[0] ?? sensible(ours, endpoint)
      const planned = {
        ...bearer(given, range.ours.tokens.all),
        url: `${given.url.split('?')[0]}?${name}=${idFor(ours.random, theirs.own, name) ?? newId()}`,
      }
      const got = await ask(planned)
      const answer = answerOf(got)
      assert.ok(
        answer.error_code === 4004 || (Array.isArray(answer.data) && answer.data.length === 0),
        show(planned, got),
      )
      asked += 1
    }
  }
  assert.ok(asked > 5)
})

test('an id of the other workspace in a body is unknown, and all else being right nothing happens', async () => {
  let asked = 0
  for (const [endpoint, requests] of accepted) {
    for (const given of requests) {
      for (const { place, foreign, body } of withForeignIds(
        given.body,
        endpoint.body as Schema | undefined,
      )) {
        const planned = { ...bearer(given, range.ours.tokens.all), payload: JSON.stringify(body) }
        const got = await ask(planned)
        const answer = answerOf(got)
        // A rule about the request itself may come first; never is it accepted.
        assert.ok(
          answer.error_code === 4004 || answer.error_code === 3001,
          `${place}: ${show(planned, got)}`,
        )
        assert.ok(
          !got.text.replaceAll(foreign, '').includes(range.theirs.workspace),
          show(planned, got),
        )
        asked += 1
      }
    }
  }
  assert.ok(asked > 30)
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
      value.forEach((each, index) => {
        walk(each, at?.items, [...path, index])
      })
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value))
        walk(each, at?.properties?.[name], [...path, name])
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
    const foreign = idFor(ours.random, theirs.own, field === 'id' ? '' : field) ?? newId()
    const fitting = field === 'id' ? (sameKind(String(holder[field])) ?? foreign) : foreign
    holder[field] = fitting
    return { place: path.join('.'), foreign: fitting, body: copy }
  })
}

/** An id of theirs that stands for the same kind of thing as this one of ours. */
function sameKind(id: string): string | undefined {
  for (const [name, ids] of ours.own.ids) {
    const found = ids.includes(id) ? theirs.own.ids.get(name) : undefined
    if (found !== undefined && found.length > 0) return ours.random.pick(found)
  }
  return undefined
}

test('lists never show rows of the other workspace, in any form', async () => {
  const secrets = [...theirs.own.ids.values()].flat()
  for (const endpoint of range.endpoints.filter((endpoint) => endpoint.effect === 'list')) {
    const given = accepted.get(endpoint)?.[0] ?? sensible(ours, endpoint)
    for (const accept of ['application/json', 'text/csv']) {
      const planned = bearer(
        { ...given, url: bare(endpoint, given.url), headers: { ...given.headers, accept } },
        range.ours.tokens.all,
      )
      const got = await range.send(planned)
      // What hangs below a record that chance did not make is unknown.
      assert.ok(
        got.status === 200 ||
          (endpoint.path.includes(':') &&
            !accepted.has(endpoint) &&
            answerOf(got).error_code === 4004),
        show(planned, got),
      )
      assert.ok(!got.text.includes(range.theirs.workspace), show(planned, got))
      assert.deepEqual(
        secrets.filter((id) => got.text.includes(id)),
        [],
        show(planned, got),
      )
    }
  }
})

test('a cursor of the other workspace shows ours', async () => {
  const link = (got: Got) => /<([^>]+)>/.exec(String(got.headers['link'] ?? ''))?.[1]
  const headers = (token: string) => ({ authorization: `Bearer ${token}` })
  const next = link(
    await range.send({
      method: 'GET',
      url: '/api/bookings?limit=1',
      headers: headers(range.theirs.tokens.all),
    }),
  )
  assert.ok(next !== undefined)
  const got = await range.send({
    method: 'GET',
    url: next,
    headers: headers(range.ours.tokens.all),
  })
  assert.ok(got.status === 200 && !got.text.includes(range.theirs.workspace))
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
  const made = await Promise.all(
    [range.ours, range.theirs].map((side) =>
      range.send({
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
  const records = made.map((got) => answerOf(got).data as { id: string; workspace: WorkspaceId })
  assert.deepEqual(
    records.map((record) => record.workspace),
    [range.ours.workspace, range.theirs.workspace],
  )
  assert.notEqual(records[0]?.id, records[1]?.id)
})
