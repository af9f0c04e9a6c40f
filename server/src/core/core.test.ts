import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { allInOrder } from './all-in-order.ts'
import { manualClock } from './clock.ts'
import { ApiError, DETAIL_CODES, ERRORS, notFound, refuse } from './errors.ts'
import { firstIdAt, idAt, isId, newId } from './ids.ts'
import { canonicalJson } from './json.ts'
import type { Json } from './json.ts'
import { assertMove, canMove, isFinal, statesBefore, statesOf } from './moves.ts'
import type { Moves } from './moves.ts'
import { shortCache } from './short-cache.ts'

test('an id of a time carries it, and lies in the range of every range of times around it', () => {
  const times = [0, 1, 1_800_000_000_000, 1_700_000_000_000, 1_800_000_000_000, 1_800_000_000_000]
  for (const time of times) {
    const id = idAt(time)
    assert.ok(isId(id) && isId(firstIdAt(time)))
    assert.ok(id >= firstIdAt(time) && id < firstIdAt(time + 1), id)
  }
  const row = Array.from({ length: 2000 }, () => idAt(1_900_000_000_000))
  assert.deepEqual(row, row.toSorted())
  assert.equal(new Set(row).size, row.length)
})

test('ids are UUIDv7, unique and increasing, also when the clock steps back', () => {
  let last = ''
  const start = Date.now()
  for (let index = 0; index < 50_000; index += 1) {
    const id = newId(index % 3 === 0 ? start - 10_000 : start)
    assert.ok(id > last, `${last} then ${id}`)
    last = id
  }
  assert.match(last, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.equal(
    parseInt(
      newId(start + 60_000)
        .replaceAll('-', '')
        .slice(0, 12),
      16,
    ),
    start + 60_000,
  )
})

test('an id is a UUID in lower case and nothing else', () => {
  assert.ok(isId(newId()))
  for (const wrong of [
    '',
    '7',
    newId().toUpperCase(),
    ` ${newId()}`,
    `${newId()}\n`,
    newId().replaceAll('-', ''),
  ])
    assert.ok(!isId(wrong), wrong)
})

test('moves are read from the table, cell by cell', () => {
  const moves: Moves<'A' | 'B' | 'C'> = { A: ['B', 'C'], B: ['C'], C: [] }
  const allowed = statesOf(moves).flatMap((from) =>
    statesOf(moves)
      .filter((to) => canMove(moves, from, to))
      .map((to) => from + to),
  )
  assert.deepEqual(allowed, ['AB', 'AC', 'BC'])
  assert.deepEqual(
    statesOf(moves).map((state) => statesBefore(moves, state)),
    [[], ['A'], ['A', 'B']],
  )
  assert.deepEqual(
    statesOf(moves).filter((state) => isFinal(moves, state)),
    ['C'],
  )
  assert.throws(() => {
    assertMove(moves, 'B', 'A')
  }, /no move from B to A/)
})

test('canonical JSON is the same for equal values, whatever the order of fields', () => {
  const shuffled = (value: Json): Json => {
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(shuffled)
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, item]) => [key, shuffled(item ?? null)]),
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), (made) => {
      const value = JSON.parse(JSON.stringify(made)) as Json
      assert.equal(canonicalJson(shuffled(value)), canonicalJson(value))
      assert.deepEqual(JSON.parse(canonicalJson(value)), value)
    }),
  )
  assert.equal(canonicalJson({ b: undefined, a: 1 }), '{"a":1}')
})

test('the error table has one number per error and only known ones', () => {
  const codes = Object.values(ERRORS).map((error) => error.code)
  assert.equal(new Set(codes).size, codes.length)
  assert.equal(new Set(DETAIL_CODES).size, DETAIL_CODES.length)
  assert.deepEqual(refuse('SCALE', 'quantity', 'too fine').details, [
    { path: 'quantity', code: 'SCALE', message: 'too fine' },
  ])
  assert.equal(notFound('account', '7').kind, 'NewResourceNotFound')
  assert.equal(new ApiError('BadRequest').message, 'BadRequest')
})

test('of several that fail, the first in their order is told', async () => {
  const late = Promise.withResolvers<number>()
  const all = allInOrder([Promise.resolve(1), late.promise, Promise.reject(new Error('at once'))])
  late.reject(new Error('late'))
  await assert.rejects(all, /late/)
  assert.deepEqual(await allInOrder([Promise.resolve(1), 2].map(async (one) => one)), [1, 2])
})

test('the manual clock moves only when it is set', () => {
  const clock = manualClock(5)
  clock.advance(10)
  assert.equal(clock.now(), 15)
  clock.set(3)
  assert.equal(clock.now(), 3)
})

test('a value is kept for a while; a read that fails is repeated by the next', async () => {
  let read = 0
  const answers: (() => number)[] = [
    () => {
      throw new Error('away')
    },
    () => 1,
    () => 2,
  ]
  const known = shortCache(60_000, async () => answers[read++]?.() ?? 0)
  await assert.rejects(async () => known.get('a'), /away/)
  assert.deepEqual(await Promise.all([known.get('a'), known.get('a')]), [1, 1])
  assert.equal(known.get('a'), 1, 'at once')
  known.forget('a')
  assert.equal(await known.get('a'), 2)
  const never = shortCache(0, async (key) => `${key}${read++}`)
  assert.notEqual(await never.get('b'), await never.get('b'))
})
