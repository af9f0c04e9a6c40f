/** What is booked over HTTP, what is refused, and how bookings are listed. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import type { Answer, TestServer } from '../http/testing.ts'
import { bookingChange } from './lane/books.testing.ts'
import { OPENED_AT, openTestLedger } from './ledger.testing.ts'
import type { TestLedger } from './ledger.testing.ts'
import type { AccountHold, Booking } from './ledger.schema.ts'
import type { OpenPeriod } from './manual-bookings.ts'
import { verifyBooks } from './reports/verify.ts'

describe('bookings over HTTP', () => {
  let ledger: TestLedger
  let api: TestServer
  let house: string
  let alice: string
  let period: OpenPeriod = { from: null, to: null }

  before(async () => {
    ledger = await openTestLedger(async () => period)
    ;({ api, house, alice } = ledger)
  })
  after(() => ledger.close())

  const body = (quantity: unknown, more: Record<string, unknown> = {}) => ({
    asset: 'EUR',
    legs: [
      { account_id: house, type: 'DEBIT', quantity },
      { account_id: alice, account_label: 'whatever', type: 'CREDIT', quantity },
    ],
    ...more,
  })
  const book = (request: unknown, headers: Record<string, string> = {}) =>
    api.call<Booking>('POST', '/bookings', { body: request, headers })
  const codes = (answer: Answer<unknown>) =>
    answer.error_details?.map((detail) => `${detail.path} ${detail.code}`) ?? []

  it('books, answers the running balances, and reads the booking back', async () => {
    const made = await book(
      body('100.50', { description: 'opening gift', value_date: '2027-01-10' }),
    )
    assert.equal(made.status, 200, made.text)
    assert.deepEqual(
      made.data.legs.map((leg) => [leg.account_label, leg.type, leg.quantity, leg.balance_after]),
      [
        ['House', 'DEBIT', '100.5', '-100.5'],
        ['Alice', 'CREDIT', '100.5', '100.5'],
      ],
    )
    assert.equal(made.data.value_date, Date.parse('2027-01-10'))
    assert.deepEqual((await api.call<Booking>('GET', `/bookings/${made.data.id}`)).data, made.data)
    assert.deepEqual((await api.call('GET', `/bookings/accounts/${alice}/balance`)).data, {
      EUR: { withdrawing: '100.5', trading: '100.5', total: '100.5' },
    })
  })

  it('tells how many fraction digits amounts of each asset have', async () => {
    const { data } = await api.call<{ code: string; scale: number }[]>('GET', '/assets')
    const euro = data.find(({ code }) => code === 'EUR')
    assert.deepEqual(euro, { code: 'EUR', label: 'Euro', kind: 'FIAT', scale: 2 })
    const codes = data.map(({ code }) => code)
    assert.deepEqual(codes, codes.toSorted())
  })

  it('replays the same request under one key, and refuses another under it', async () => {
    const first = await book(body('1'), { 'idempotency-key': 'once' })
    const again = await book(body('1'), { 'idempotency-key': 'once' })
    assert.deepEqual(again.data, first.data)
    const other = await book(body('2'), { 'idempotency-key': 'once' })
    assert.deepEqual(
      { status: other.status, error_code: other.error_code },
      { status: 409, error_code: 4091 },
    )
    const refused = await book(body('1.001'), { 'idempotency-key': 'later' })
    assert.equal(refused.status, 400)
    assert.equal((await book(body('1'), { 'idempotency-key': 'later' })).status, 200)
  })

  it('tells what is held on an account, by what and until when', async () => {
    const { lane, workspace, clock } = ledger
    const holds = () => api.call<AccountHold[]>('GET', `/accounts/${alice}/holds`)
    assert.deepEqual((await holds()).data, [])
    const [hold_id, cause_id] = [newId(), newId()]
    const change = { workspace, class: 'command' as const, by: 'test' }
    const expires_at = clock.now() + 1000
    const hold = {
      id: hold_id,
      kind: 'WITHDRAWAL' as const,
      account_id: alice,
      asset: 'EUR',
      quantity: decimal('1.5'),
      cause_type: 'prepare',
      cause_id,
      expires_at,
    }
    await lane.commit({ ...change, ledger: [{ step: 'hold', hold }] })
    const held = { id: hold_id, kind: 'WITHDRAWAL', asset: 'EUR', quantity: '1.5' }
    const cause = { cause_type: 'prepare', cause_id, expires_at, created_at: clock.now() }
    assert.deepEqual((await holds()).data, [{ ...held, ...cause }])
    await lane.commit({ ...change, ledger: [{ step: 'release', hold_id }] })
    assert.deepEqual((await holds()).data, [])
    const unknown = await api.call('GET', `/accounts/${newId()}/holds`)
    assert.equal(unknown.error_code, 4004)
  })

  const refusals: [string, () => unknown, string][] = [
    [
      'an unbalanced booking',
      () => ({
        asset: 'EUR',
        legs: [
          { account_id: house, type: 'DEBIT', quantity: '1' },
          { account_id: alice, type: 'CREDIT', quantity: '2' },
        ],
      }),
      'legs UNBALANCED',
    ],
    [
      'one leg',
      () => ({ asset: 'EUR', legs: [{ account_id: house, type: 'DEBIT', quantity: '1' }] }),
      'legs RANGE',
    ],
    ['nothing moved', () => body('0'), 'legs[0].quantity FORMAT'],
    ['a negative quantity', () => body('-1'), 'legs[0].quantity FORMAT'],
    ['money as a number', () => body(1.5), 'legs[0].quantity TYPE'],
    ['an exponent', () => body('1e3'), 'legs[0].quantity FORMAT'],
    ['NaN', () => body('NaN'), 'legs[0].quantity FORMAT'],
    ['a plus sign', () => body('+1'), 'legs[0].quantity FORMAT'],
    ['a 19th fraction digit', () => body('0.0000000000000000001'), 'legs[0].quantity FORMAT'],
    ['a 21st integer digit', () => body('100000000000000000000'), 'legs[0].quantity FORMAT'],
    ['a third digit of cents', () => body('1.005'), 'legs[0].quantity SCALE'],
    ['an asset nobody configured', () => ({ ...body('1'), asset: 'DOGE' }), 'asset UNKNOWN_ASSET'],
    ['an unknown field', () => ({ ...body('1'), note: 'x' }), 'note UNKNOWN_FIELD'],
    [
      'an unknown leg type',
      () => ({
        asset: 'EUR',
        legs: [
          { account_id: house, type: 'debit', quantity: '1' },
          { account_id: alice, type: 'CREDIT', quantity: '1' },
        ],
      }),
      'legs[0].type ENUM',
    ],
    [
      'a malformed id',
      () => ({
        asset: 'EUR',
        legs: [
          { account_id: 'house', type: 'DEBIT', quantity: '1' },
          { account_id: alice, type: 'CREDIT', quantity: '1' },
        ],
      }),
      'legs[0].account_id MALFORMED_ID',
    ],
    [
      'a value date that is none',
      () => body('1', { value_date: 'yesterday' }),
      'value_date FORMAT',
    ],
    ['a NUL character', () => body('1', { description: 'a\0b' }), 'description ENCODING'],
  ]
  for (const [what, request, expected] of refusals) {
    it(`refuses ${what}`, async () => {
      const before = (await verifyBooks(ledger.db, ledger.workspace)).bookings
      const answer = await book(request())
      assert.deepEqual(
        { status: answer.status, error_code: answer.error_code },
        { status: 400, error_code: 3001 },
        answer.text,
      )
      assert.ok(codes(answer).includes(expected), `${codes(answer).join()} has ${expected}`)
      assert.equal((await verifyBooks(ledger.db, ledger.workspace)).bookings, before)
    })
  }

  it('refuses accounts that do not exist with 4004 naming the leg', async () => {
    const answer = await book({
      asset: 'EUR',
      legs: [
        { account_id: house, type: 'DEBIT', quantity: '1' },
        { account_id: newId(), type: 'CREDIT', quantity: '1' },
      ],
    })
    assert.deepEqual(
      { status: answer.status, error_code: answer.error_code, codes: codes(answer) },
      { status: 404, error_code: 4004, codes: ['legs[1].account_id NOT_FOUND'] },
    )
  })

  it('refuses what the account does not have, and names it', async () => {
    const answer = await book({
      asset: 'EUR',
      legs: [
        { account_id: alice, type: 'DEBIT', quantity: '1000000' },
        { account_id: house, type: 'CREDIT', quantity: '1000000' },
      ],
    })
    assert.deepEqual(codes(answer), [' INSUFFICIENT_BALANCE'])
    assert.match(answer.error_description ?? '', /Alice .* EUR available, 1000000 needed/)
  })

  it('books only into the open period', async () => {
    period = { from: Date.parse('2027-01-01'), to: null }
    assert.deepEqual(codes(await book(body('1', { value_date: '2026-12-31T23:59:59Z' }))), [
      'value_date PERIOD_CLOSED',
    ])
    assert.equal((await book(body('1', { value_date: '2027-01-01T00:00:00Z' }))).status, 200)
    period = { from: null, to: null }
  })

  it('replays what was booked also after its period was closed', async () => {
    const request = body('1', { value_date: '2026-06-01' })
    const first = await book(request, { 'idempotency-key': 'before-closing' })
    period = { from: Date.parse('2027-01-01'), to: null }
    const again = await book(request, { 'idempotency-key': 'before-closing' })
    assert.deepEqual({ status: again.status, data: again.data }, { status: 200, data: first.data })
    assert.equal(
      (await book(body('2', { value_date: '2026-06-01' }), { 'idempotency-key': 'before-closing' }))
        .error_code,
      4091,
    )
    assert.deepEqual(codes(await book(request, { 'idempotency-key': 'after-closing' })), [
      'value_date PERIOD_CLOSED',
    ])
    period = { from: null, to: null }
  })

  it('lists by account, type, sequence and time; in pages as in one stream', async () => {
    ledger.clock.advance(60_000)
    const later = await book(body('3'))
    const all = (await api.call<Booking[]>('GET', '/bookings')).data
    assert.deepEqual(
      all.map((booking) => booking.sequence),
      all.map((_booking, index) => all.length - index),
    )
    const walked: Booking[] = []
    let url: string | undefined = '/bookings?limit=2'
    while (url !== undefined) {
      const answer: Answer<Booking[]> = await api.call<Booking[]>('GET', url)
      walked.push(...answer.data)
      url = /<\/api([^>]+)>; rel="next"/.exec(String(answer.headers['link'] ?? ''))?.[1]
    }
    assert.deepEqual(walked, all)
    assert.deepEqual((await api.call<Booking[]>('GET', `/bookings?account_id=${alice}`)).data, all)
    assert.deepEqual(
      (await api.call<Booking[]>('GET', `/bookings?account_id=${alice}&limit=3`)).data,
      all.slice(0, 3),
    )
    assert.deepEqual(
      (
        await api.call<Booking[]>('GET', `/bookings?from=${OPENED_AT + 60_000}&type=manual`)
      ).data.map((booking) => booking.id),
      [later.data.id],
    )
    assert.deepEqual(
      (await api.call<Booking[]>('GET', `/bookings?to=${OPENED_AT + 60_000}`)).data,
      all.slice(1),
    )
    assert.deepEqual(
      (await api.call<Booking[]>('GET', '/bookings?sequence_from=2&sequence_to=4')).data.map(
        (booking) => booking.sequence,
      ),
      [3, 2],
    )
    assert.deepEqual(codes(await api.call('GET', '/bookings?type=GIFT')), ['type ENUM'])
    assert.deepEqual(codes(await api.call('GET', '/bookings?colour=red')), ['colour UNKNOWN_FIELD'])
  })

  it('merges the types of an account in the order of all', async () => {
    const types = ['DEPOSIT', 'TRANSFER', 'DEPOSIT', 'OPENING', 'TRANSFER'] as const
    for (const type of types) {
      const change = bookingChange(ledger.workspace, { from: house, to: alice, quantity: '1' })
      for (const step of change.ledger ?? []) if (step.step === 'book') step.booking.type = type
      await ledger.lane.commit(change)
    }
    const list = async (query: string) =>
      (await api.call<Booking[]>('GET', `/bookings?account_id=${alice}&${query}`)).data.map(
        ({ type }) => type,
      )
    assert.deepEqual(await list('type=transfer,deposit&limit=3'), [
      'TRANSFER',
      'DEPOSIT',
      'TRANSFER',
    ])
    assert.deepEqual(await list('type=transfer,deposit,rounding'), [
      'TRANSFER',
      'DEPOSIT',
      'TRANSFER',
      'DEPOSIT',
    ])
    assert.deepEqual(await list('type=rounding'), [])
  })

  it('leaves books that verify', async () => {
    assert.deepEqual((await verifyBooks(ledger.db, ledger.workspace)).faults, [])
  })
})
