/** Prices of days, and what positions come to at them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { refusalOf, testServer } from '../../http/testing.ts'
import type { TestServer } from '../../http/testing.ts'
import { dailyPrices, dailyPricesEndpoints, dailyPricesTask } from '../../market-data/index.ts'
import { sql } from '../../store/sql.ts'
import { openMovements } from '../../treasury/testing/movements.testing.ts'
import { valuationEndpoints } from './valuation.http.ts'
import type { ValuedPosition, ValuedTotals } from './valuation.schema.ts'

const DAY = 86_400_000
const MINUTE = 60_000
const PRICES = '/market-data/daily-prices'

type Place = Awaited<ReturnType<typeof openMovements>>
type Row = { day: string; base_asset: string; price: string; timing: string; priced_at: number }

describe('positions at the prices of a day', () => {
  let place: Place
  let api: TestServer
  /** The midnight that ends the first day. */
  let midnight: number
  before(async () => {
    place = await openMovements()
    const { db, clock, principal } = place
    midnight = clock.now() - (clock.now() % DAY) + DAY
    const permissions = new Set([
      'bookings.read',
      'market-data.read',
      'market-data.daily-prices.enter',
    ])
    const stranger = { ...principal, permissions, workspace: newId<WorkspaceId>() }
    await db.query(sql`
      insert into lanes (
        workspace, booking_sequence, event_sequence, batch_no, last_hash, committed_at
      )
      values (${stranger.workspace}, 0, 0, 0, '', 0)`)
    api = await testServer({
      db,
      clock,
      endpoints: [...dailyPricesEndpoints({ db, clock }), ...valuationEndpoints({ db, clock })],
      authenticate: async (header) =>
        header === 'Bearer stranger' ? stranger : { ...principal, permissions },
    })
  })
  after(async () => {
    await api.close()
    await place.close()
  })

  const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10)
  const firstDay = () => dayOf(midnight - 1)
  const get = async <T>(path: string): Promise<T> => {
    const answer = await api.call<T>('GET', path)
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const mid = (pair: string, at: number, price: string, venue_id = place.exchange.id) =>
    place.db.query(sql`
      insert into price_mids (venue_id, base_asset, quote_asset, bucket, mid)
      values (
        ${venue_id}, ${pair.split('/')[0] ?? ''}, ${pair.split('/')[1] ?? ''},
        ${Math.floor((midnight + at) / 10_000)}, ${price}
      )
      on conflict (venue_id, base_asset, quote_asset, bucket)
        do update
        set mid = excluded.mid`)
  const take = async (at: number) => {
    place.clock.advance(midnight + at - place.clock.now())
    await dailyPricesTask(place)({} as never)
  }
  /** `pair price timing seconds from midnight` */
  const taken = async (day = firstDay()) =>
    (await get<Row[]>(`${PRICES}?day=${day}`))
      .map(
        ({ base_asset, price, timing, priced_at }) =>
          `${base_asset} ${price} ${timing} ${(priced_at - midnight) / 1_000}`,
      )
      .toSorted()
  const enter = (body: object) => api.call<Row>('POST', PRICES, { body })
  const btc = (day: string, price = '1') => ({
    day,
    base_asset: 'BTC',
    quote_asset: 'EUR',
    price,
    source: 'From the archive of the venue',
  })
  const priceOf = async (asset: string, currency: string) => {
    const found = (await dailyPrices(place.db, place.workspace, firstDay())).of(asset, currency)
    return found === undefined ? undefined : format(found.price)
  }

  it('are the last mids before midnight, each taken once; a quiet book is waited for', async () => {
    await mid('BTC/EUR', -30_000, '59000')
    await mid('BTC/EUR', -5_000, '60000.5')
    await mid('BTC/EUR', 5_000, '1')
    await mid('XRP/BTC', -30 * MINUTE, '0.00001')
    // Its last mid of the day is told when it next moves.
    await mid('ETH/EUR', -40_000, '2000')
    await take(30_000)
    assert.deepEqual(await taken(), ['BTC 60000.5 CLOSE 0'])
    await mid('ETH/EUR', -20_000, '2001')
    await mid('ETH/EUR', MINUTE, '3000')
    // Told when the book moves again.
    await mid('XRP/BTC', -20 * MINUTE, '0.00002')
    await mid('XRP/BTC', 5 * MINUTE, '7')
    await Promise.all([take(11 * MINUTE), take(11 * MINUTE)])
    await mid('BTC/EUR', -9_000, '9')
    await take(21 * MINUTE)
    assert.deepEqual(await taken(), [
      'BTC 60000.5 CLOSE 0',
      'ETH 2001 CLOSE -10',
      'XRP 0.00002 EARLIER -1190',
    ])
  })

  it('are none of those that were seen after it', async () => {
    await mid('USDT/EUR', MINUTE, '0.95')
    await take(31 * MINUTE)
    assert.equal((await taken()).length, 3)
  })

  it('are missing where there were none, and a day that goes on is open', async () => {
    await take(DAY + DAY / 2)
    const days = await get<object[]>(`${PRICES}/days?days=3`)
    const none = { taken_count: 0, untimely_count: 0, entered_count: 0 }
    assert.deepEqual(days, [
      { day: dayOf(midnight + DAY), state: 'OPEN', ...none },
      { day: dayOf(midnight), state: 'MISSING', ...none },
      { day: firstDay(), state: 'TAKEN', taken_count: 3, untimely_count: 1, entered_count: 0 },
    ])
    const future = await api.call('GET', `${PRICES}/days?day=2999-01-01`)
    assert.equal(refusalOf(future), '400 3001 RANGE day')
  })

  it('lead over the pair, its inverse, or the fewest pairs', async () => {
    assert.equal(await priceOf('BTC', 'EUR'), '60000.5')
    assert.equal(await priceOf('EUR', 'BTC'), '0.000016666527778935')
    assert.equal(await priceOf('XRP', 'EUR'), '1.20001')
    assert.equal(await priceOf('EUR', 'EUR'), '1')
    assert.equal(await priceOf('SOL', 'EUR'), undefined)
    const stranger = await dailyPrices(place.db, newId<WorkspaceId>(), firstDay())
    assert.equal(stranger.of('BTC', 'EUR'), undefined)
    const inverse = { ...btc(firstDay(), '0.000016'), base_asset: 'EUR', quote_asset: 'BTC' }
    assert.equal((await enter(inverse)).status, 200)
    assert.equal(await priceOf('BTC', 'EUR'), '62500')
  })

  it('are those that were entered last, whichever way round', async () => {
    assert.equal((await enter(btc(firstDay(), '50000'))).status, 200)
    assert.equal(await priceOf('BTC', 'EUR'), '50000')
    assert.equal(await priceOf('EUR', 'BTC'), '0.00002')
    const inverse = { ...btc(firstDay(), '0.000025'), base_asset: 'EUR', quote_asset: 'BTC' }
    assert.equal((await enter(inverse)).status, 200)
    assert.equal(await priceOf('BTC', 'EUR'), '40000')
    assert.equal(await priceOf('EUR', 'BTC'), '0.000025')
  })

  it('value what was booked before the midnight, and say what has no price', async () => {
    await place.fund(place.alice.account_id, 'BTC', '1.23456789')
    const day = dayOf(place.clock.now())
    place.clock.advance(DAY)
    await place.fund(place.alice.account_id, 'BTC', '5')
    const query = `day=${day}&value_in=EUR`
    const positions = (more = '') =>
      get<ValuedPosition[]>(
        `/valued-positions?${query}&account_id=${place.alice.account_id}${more}`,
      )
    const [unpriced, ...others] = await positions()
    assert.deepEqual(others, [])
    assert.partialDeepStrictEqual(unpriced, { asset: 'BTC', quantity: '1.23456789', value: null })
    const totals = () => get<ValuedTotals>(`/valued-positions/totals?${query}`)
    assert.partialDeepStrictEqual(await totals(), { complete: false, without_price: ['BTC'] })
    assert.deepEqual(
      (await totals()).totals.find(({ account_type }) => account_type === 'CUSTOMER'),
      { account_type: 'CUSTOMER', value: null, complete: false },
    )
    const inNothing = await get<ValuedTotals>(`/valued-positions/totals?day=${day}`)
    assert.partialDeepStrictEqual(inNothing, { value_in: null, without_price: [] })

    for (const price of ['99', '60000.005'])
      assert.equal((await enter(btc(day, price))).status, 200)
    const [valued] = await positions('&assets=BTC')
    assert.partialDeepStrictEqual(valued, {
      price: '60000.005',
      timing: 'ENTERED',
      priced_at: null,
      // 74074.0795728…
      value: '74074.08',
      parts: [{ base_asset: 'BTC', venue_id: null, source: 'From the archive of the venue' }],
    })
    assert.deepEqual(await positions('&assets=EUR'), [])
    assert.partialDeepStrictEqual(
      (await totals()).totals.find(({ account_type }) => account_type === 'CUSTOMER'),
      { value: '74074.08', complete: true },
    )
    const csv = await api.call('GET', `/valued-positions?${query}`, {
      headers: { accept: 'text/csv' },
    })
    assert.match(csv.text, /,BTC,1\.23456789,EUR,60000\.005,ENTERED,,74074\.08,/)
  })

  it('are refused for a day that goes on, and what is no price or asset', async () => {
    const today = dayOf(place.clock.now())
    const going = await api.call('GET', `/valued-positions?day=${today}`)
    assert.equal(refusalOf(going), '400 3001 RANGE day')
    assert.match(going.text, /\(UTC\) is not over yet/)
    const unknown = await api.call('GET', '/valued-positions?value_in=NONE')
    assert.equal(refusalOf(unknown), '400 3001 UNKNOWN_ASSET value_in')
    for (const [body, refusal] of [
      [btc(today), 'RANGE day'],
      [btc('2026-02-30'), 'FORMAT day'],
      [{ ...btc(firstDay()), quote_asset: 'BTC' }, 'CONFLICT quote_asset'],
      [{ ...btc(firstDay()), base_asset: 'NONE' }, 'UNKNOWN_ASSET base_asset'],
    ] as const)
      assert.equal(refusalOf(await enter(body)), `400 3001 ${refusal}`)
  })

  it('of another workspace are not seen, and none can be changed', async () => {
    const headers = { authorization: 'Bearer stranger' }
    for (const path of [PRICES, '/valued-positions'])
      assert.deepEqual((await api.call('GET', path, { headers })).data, [], path)
    await assert.rejects(place.db.query(sql`delete from daily_prices`), /daily_prices/)
  })
})
