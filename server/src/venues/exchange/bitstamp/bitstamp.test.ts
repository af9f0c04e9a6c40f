import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { decimal, format } from '../../../core/decimal.ts'
import { ApiError } from '../../../core/errors.ts'
import { until } from '../../../core/testing.ts'
import type { OrderBook, Ticker, TransferOrder, Venue, VenueOrder } from '../../contract.ts'
import { startSandbox } from '../../sandbox-process.ts'
import type { SandboxProcess } from '../../sandbox-process.ts'
import {
  HASTY,
  OUTSIDE_XRP,
  WATCHFUL,
  addressOf,
  exchangeContract,
  faultTests,
  lookup,
  openAt,
  order,
  orderLookup,
  twins,
  withdrawalOf,
} from '../exchange.fixture.ts'
import type { Acts } from '../exchange.fixture.ts'
import type { ExchangeConfig } from '../exchange.ts'
import { FAILURES } from './vocabulary.ts'

/**
 * So long that no machine is too slow to be in time; where they have gone by, the sending is told
 * as that long ago.
 */
const GRACE_MILLISECONDS = 20_000
const WINDOW_MILLISECONDS = 10_000
const ABSENT_MILLISECONDS = 2 * GRACE_MILLISECONDS + WINDOW_MILLISECONDS
const IBAN = 'DE89370400440532013000'
const HOLDER = {
  name: 'Kontor',
  bic: 'SANDDEFFXXX',
  address: 'Main Street 1',
  postal_code: '10115',
  city: 'Berlin',
  country: 'DE',
  reference: 'Kontor 17',
}

const open = (sandbox: SandboxProcess, more: Partial<ExchangeConfig> = {}): Promise<Venue> =>
  openAt(sandbox, {
    exchange: 'bitstamp',
    base_url: `${sandbox.url}/bitstamp/api`,
    websocket_url: `${sandbox.url.replace('http', 'ws')}/bitstamp/ws`,
    listing_grace_ms: GRACE_MILLISECONDS,
    request_window_ms: WINDOW_MILLISECONDS,
    ...more,
  })
const withdrawal = (more: Partial<TransferOrder> = {}) => withdrawalOf(more)
const toBank = (quantity: string) =>
  withdrawal({
    asset: 'EUR',
    protocol: 'SEPA',
    quantity: decimal(quantity),
    fee: decimal('3'),
    destination_address: IBAN,
    transfer: { from: {}, to: HOLDER },
  })

const ACTS: Acts = {
  name: 'bitstamp',
  orderOperation: 'order',
  withdrawOperation: 'withdrawal',
  absentAfter: ABSENT_MILLISECONDS,
  withdrawal: () => withdrawal(),
}

exchangeContract(open, ACTS, 'ETH')

describe('bitstamp by ccxt', () => {
  let sandbox: SandboxProcess
  let venue: Venue
  let hasty: Venue
  const acting = (by: Venue) => by as Required<Pick<Venue, 'trading' | 'transfers'>>
  const trading = () => venue.trading as NonNullable<Venue['trading']>
  const transfers = () => venue.transfers as NonNullable<Venue['transfers']>
  const prices = () => venue.prices as NonNullable<Venue['prices']>
  const total = async (asset: string) =>
    (await venue.balances()).find((balance) => balance.asset === asset)?.total as bigint
  const used = async (asset: string) =>
    (await venue.balances()).find((balance) => balance.asset === asset)?.used as bigint
  const stands = (pair: string, price: string) =>
    sandbox.control('POST', 'bitstamp/market', { pair, price, frozen: true })

  /** Time goes on only when the test says so: no state is missed, however slow the machine. */
  const stopped = async (context: TestContext) => {
    context.after(() => sandbox.control('POST', 'clock', { pace: 1 }))
    await sandbox.control('POST', 'clock', { pace: 0 })
  }

  before(async () => {
    sandbox = await startSandbox()
    venue = await open(sandbox)
    hasty = await open(sandbox, HASTY)
  })
  after(async () => {
    await venue.close()
    await hasty.close()
    await sandbox.stop()
  })

  test('assets, protocols, fields and pairs: our words, Bitstamp’s steps, the fee of this account', async () => {
    const owned = (await venue.balances()).map(
      (balance) =>
        `${balance.asset} ${balance.protocol} ${balance.total === null ? '' : format(balance.total)}`,
    )
    assert.deepEqual(owned, ['BTC BTC 3', 'ETH ETH 25', 'XRP XRP 5000', 'EUR SEPA 150000'])
    assert.deepEqual(
      (await venue.protocols()).map((protocol) => protocol.asset),
      ['BTC', 'ETH', 'XRP', 'EUR'],
    )
    assert.deepEqual(transfers().fields('BTC', 'BTC'), { from: [], to: [] })
    assert.deepEqual(
      transfers()
        .fields('XRP', 'XRP')
        .to.map((transferField) => transferField.name),
      ['tag'],
    )
    assert.ok(
      transfers()
        .fields('EUR', 'SEPA')
        .to.some((transferField) => transferField.name === 'bic' && transferField.required),
    )
    assert.deepEqual(
      (await prices().pairs()).find((pair) => pair.base_asset === 'BTC'),
      {
        base_asset: 'BTC',
        quote_asset: 'EUR',
        price_step: decimal('1'),
        amount_step: decimal('0.00000001'),
        min_amount: decimal('0.00000001'),
        taker_fee: decimal('0.004'),
      },
    )
  })

  test('MARKET: fills with volume and fee exactly as the balances moved', async () => {
    await stands('BTC/EUR', '60000')
    for (const [side, tif_mode] of [
      ['BUY', 'IOC'],
      ['SELL', 'GTC'],
    ] as const) {
      const [euros, coins] = [await total('EUR'), await total('BTC')]
      const sent = await trading().send(order({ side, tif_mode, quantity: decimal('0.98765432') }))
      assert.ok(
        sent.outcome === 'accepted' &&
          sent.report.state === 'FILLED' &&
          sent.report.fills.length > 1,
      )
      const sign = side === 'BUY' ? 1n : -1n
      assert.equal((await total('BTC')) - coins, sign * decimal('0.98765432'))
      assert.equal(
        euros - (await total('EUR')),
        sent.report.fills.reduce((sum, fill) => sum + sign * fill.volume + fill.fee, 0n),
      )
      assert.ok(
        sent.report.fills.every(
          (fill) => fill.fee_asset === 'EUR' && Math.abs(fill.executed_at - Date.now()) < 60_000,
        ),
      )
    }
  })

  test('LIMIT GTC rests, is found by our id, fills as maker; it is canceled with or without its number', async () => {
    await stands('ETH/EUR', '2400')
    const resting = (price: string) =>
      order({
        base_asset: 'ETH',
        type: 'LIMIT',
        tif_mode: 'GTC',
        price: decimal(price),
        quantity: decimal('1'),
      })
    const maker = resting('2350.5')
    const sent = await trading().send(maker)
    assert.ok(sent.outcome === 'accepted' && sent.report.state === 'NEW')
    assert.equal(await used('EUR'), decimal('2359.902'))
    await stands('ETH/EUR', '2300')
    const filled = await trading().find(orderLookup(maker))
    assert.ok(
      filled.lookup === 'found' &&
        filled.report.state === 'FILLED' &&
        filled.report.foreign_id === sent.report.foreign_id,
    )
    assert.deepEqual(
      filled.report.fills.map(({ price, fee }) => [format(price), format(fee)]),
      [['2350.5', '7.0515']],
    )

    for (const known of [true, false]) {
      const given = resting('1000')
      const placed = await trading().send(given)
      assert.ok(placed.outcome === 'accepted')
      const canceled = await trading().cancel(
        orderLookup(given, { foreign_id: known ? placed.report.foreign_id : null }),
      )
      assert.ok(canceled.outcome === 'accepted' && canceled.report.state === 'CANCELED')
      assert.equal(
        (await trading().cancel(orderLookup(given, { foreign_id: placed.report.foreign_id })))
          .outcome,
        'refused',
      )
    }
    assert.equal(await used('EUR'), 0n)
    assert.equal((await trading().cancel(orderLookup(order()))).outcome, 'unknown')
  })

  test('LIMIT IOC fills or ends at once; a market too thin fills in part and cancels the rest', async () => {
    await stands('BTC/EUR', '60000')
    const ioc = (price: string) =>
      trading().send(order({ type: 'LIMIT', price: decimal(price), quantity: decimal('0.1') }))
    const [missed, hit] = [await ioc('50000'), await ioc('61000')]
    assert.ok(
      missed.outcome === 'accepted' &&
        missed.report.state === 'CANCELED' &&
        missed.report.filled_quantity === 0n,
    )
    assert.ok(hit.outcome === 'accepted' && hit.report.state === 'FILLED')
    await sandbox.control('POST', 'bitstamp/market', {
      pair: 'XRP/EUR',
      price: '0.00900',
      frozen: true,
      depth: 2,
    })
    const thin = await trading().send(order({ base_asset: 'XRP', quantity: decimal('1000000') }))
    assert.ok(thin.outcome === 'accepted' && thin.report.state === 'CANCELED')
    assert.ok(thin.report.filled_quantity > 0n && thin.report.filled_quantity < decimal('1000000'))
    await sandbox.control('POST', 'bitstamp/market', { pair: 'XRP/EUR', price: '1.9', depth: 30 })
  })

  test('what ccxt would round or Bitstamp does not have is refused before it is sent; its own refusals are certain', async () => {
    const earlier = await sandbox.received('bitstamp', 'order')
    const refused: [Partial<VenueOrder>, RegExp][] = [
      [{ quantity: decimal('0.123456789') }, /quantity is not a multiple/],
      [{ quote_asset: 'USD' }, /does not trade BTC\/USD/],
      [{ type: 'STOP' as 'LIMIT' }, /has no STOP order/],
      [{ type: 'LIMIT', price: decimal('60000.5') }, /price is not a multiple/],
      [{ type: 'LIMIT', price: decimal('60000'), quantity: decimal('0.0001') }, /below 10/],
    ]
    for (const [more, reason] of refused) {
      const sent = await trading().send(order(more))
      assert.ok(sent.outcome === 'refused')
      assert.match(sent.reason, reason)
    }
    assert.equal(await sandbox.received('bitstamp', 'order'), earlier)
    for (const [quantity, reason] of [
      ['50', /You have only .* EUR available/],
      ['0.0001', /Minimum order size is 10 EUR/],
    ] as const) {
      const sent = await trading().send(order({ quantity: decimal(quantity) }))
      assert.ok(sent.outcome === 'refused' && sent.native !== null)
      assert.match(sent.native, reason)
    }
  })

  faultTests({
    ...ACTS,
    sandbox: () => sandbox,
    venue: () => acting(venue),
    hasty: () => acting(hasty),
  })

  test('absent is not said while a signed request may still be accepted', async () => {
    const patient = await open(sandbox, { request_window_ms: 10 * ABSENT_MILLISECONDS })
    const [one, another] = [order(), withdrawal()]
    const sent_at = Date.now() - ABSENT_MILLISECONDS
    assert.equal((await trading().find(orderLookup(one, { sent_at }))).lookup, 'absent')
    assert.equal((await patient.trading?.find(orderLookup(one, { sent_at })))?.lookup, 'unknown')
    assert.equal(
      (await transfers().find(lookup(another, { submitted_at: sent_at }))).lookup,
      'absent',
    )
    assert.equal(
      (await patient.transfers?.find(lookup(another, { submitted_at: sent_at })))?.lookup,
      'unknown',
    )
    await patient.close()
  })

  test('withdrawals that look alike are told apart or unknown', () => twins(transfers(), ACTS))

  test('the fee comes on top, and is read from the account when it is done; a hash is there when the coins are sent', async (context) => {
    await stopped(context)
    await sandbox.control('POST', 'bitstamp/fees', { asset: 'BTC', fee: '0.0001' })
    const estimate = await transfers().estimateFee(withdrawal())
    assert.deepEqual([estimate.asset, estimate.speed_levels.DEFAULT], ['BTC', decimal('0.0001')])
    const before = await total('BTC')
    const one = withdrawal()
    const sent = await transfers().send(one)
    assert.ok(
      sent.outcome === 'accepted' &&
        sent.report.sub_state === 'Open' &&
        sent.report.fee === decimal('0.0001'),
    )
    assert.equal(before - (await total('BTC')), one.quantity + decimal('0.0001'))
    const seen = new Set<string>()
    const done = await until('the withdrawal is finished', async () => {
      const found = await transfers().find(lookup(one, { foreign_id: sent.report.foreign_id }))
      assert.ok(found.lookup === 'found')
      seen.add(found.report.sub_state)
      await sandbox.control('POST', 'clock', { advance_ms: 1_000 })
      return found.report.state === 'SUCCESS' ? found.report : undefined
    })
    assert.deepEqual([...seen], ['Open', 'In process', 'Finished'])
    assert.equal(done.fee, decimal('0.0001'))
    assert.ok(done.transaction_hash !== null)
  })

  test('Bitstamp’s states of a withdrawal: waiting, canceled by hand, failed; a tag goes with it', async () => {
    const state = async (action: string) => {
      const one = withdrawal({
        asset: 'XRP',
        protocol: 'XRP',
        quantity: decimal('20'),
        tag: '77',
        destination_address: OUTSIDE_XRP,
      })
      const earlier = await total('XRP')
      const sent = await transfers().send(one)
      assert.ok(sent.outcome === 'accepted')
      await sandbox.control('POST', `bitstamp/withdrawals/${sent.report.foreign_id}`, { action })
      const found = await transfers().find(lookup(one, { foreign_id: sent.report.foreign_id }))
      assert.ok(found.lookup === 'found')
      if (action === 'fail') assert.equal(await total('XRP'), earlier)
      return [found.report.state, found.report.sub_state]
    }
    assert.deepEqual(await state('hold'), ['PENDING', 'Open'])
    assert.deepEqual(await state('fail'), ['FAILED', 'Failed'])
    const [held] = await sandbox.control<{ refid: string; tag: string }[]>(
      'GET',
      'bitstamp/withdrawals',
    )
    assert.equal(held?.tag, '77')
  })

  test('transfers that Bitstamp does not know or allow are refused', async () => {
    const refused: [Partial<TransferOrder>, RegExp][] = [
      [{ asset: 'ADA', protocol: 'ADA' }, /does not move ADA/],
      [{ quantity: decimal('0.123456789') }, /at most 8 decimals/],
      [{ speed_level: 'CUSTOM' }, /no fee of the caller/],
      [{ tag: '7' }, /no tags/],
      [{ destination_address: 'nowhere' }, /address: Invalid address/],
      [{ quantity: decimal('0.0001') }, /greater than or equal/],
      [
        { asset: 'EUR', protocol: 'SEPA', quantity: decimal('50'), destination_address: IBAN },
        /bic is missing/,
      ],
    ]
    for (const [more, reason] of refused) {
      const sent = await transfers().send(withdrawal(more))
      assert.ok(sent.outcome === 'refused', String(reason))
      assert.match(sent.reason, reason)
    }
  })

  test('EUR: out by SEPA with the holder’s data, in by wire with the reference', async () => {
    const before = await total('EUR')
    const one = toBank('1000.5')
    const submitted_at = Date.now()
    const sent = await transfers().send(one)
    assert.ok(sent.outcome === 'accepted')
    assert.equal(before - (await total('EUR')), decimal('1003.5'))
    const found = await transfers().find(lookup(one, { submitted_at }))
    assert.ok(
      found.lookup === 'found' &&
        found.report.foreign_id === sent.report.foreign_id &&
        found.report.fee === decimal('3'),
    )
    const { address } = await addressOf(sandbox, 'bitstamp', 'EUR')
    const { wire_reference } = await sandbox.control<{ wire_reference: string }>('GET', 'bitstamp')
    let { cursor } = await transfers().incoming(null)
    await sandbox.control('POST', 'bank/wire', {
      to_iban: address,
      quantity: '77.70',
      currency: 'EUR',
      reference: `to ${wire_reference}`,
    })
    await sandbox.control('POST', 'clock', { advance_ms: 30_000 })
    const movement = await until('the wire', async () => {
      const page = await transfers().incoming(cursor)
      cursor = page.cursor
      return page.movements.find((movement) => movement.asset === 'EUR')
    })
    assert.deepEqual(
      [movement.state, movement.protocol, movement.quantity],
      ['FINAL', 'SEPA', decimal('77.7')],
    )
  })

  test('deposits: each change is told once, and a repeated row is one movement', async (context) => {
    await stopped(context)
    let { cursor } = await transfers().incoming(null)
    const { address, tag } = await addressOf(sandbox, 'bitstamp', 'XRP')
    await sandbox.control('POST', 'chain/send', {
      asset: 'XRP',
      quantity: '7.5',
      to_address: address,
      tag,
    })
    const states: string[] = []
    await until('the deposit is final', async () => {
      await sandbox.fault('bitstamp', 'crypto-transactions', 'TWICE')
      const page = await transfers().incoming(cursor)
      cursor = page.cursor
      states.push(
        ...page.movements
          .filter((movement) => movement.quantity === decimal('7.5'))
          .map((movement) => movement.state),
      )
      if (states.length === 1) await sandbox.control('POST', 'clock', { advance_ms: 60_000 })
      return states.includes('FINAL') || undefined
    })
    assert.deepEqual(states, ['PENDING', 'FINAL'])
    assert.deepEqual((await transfers().incoming(cursor)).movements, [])
  })

  test('many calls at once; a halted exchange: a closed market is refused, maintenance is unknown, reads say unreachable', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => trading().send(order({ quantity: decimal('0.001') }))),
    )
    assert.ok(answers.every((answer) => answer.outcome === 'accepted'))
    await sandbox.control('POST', 'bitstamp/halt', { status: 'cancel_only' })
    assert.equal((await trading().send(order())).outcome, 'refused')
    await sandbox.control('POST', 'bitstamp/halt', { status: 'maintenance' })
    assert.equal((await trading().send(order())).outcome, 'unknown')
    await assert.rejects(
      venue.balances(),
      (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
    )
    await sandbox.control('POST', 'bitstamp/halt', { status: 'online' })
  })

  test('a wrong secret is refused and never shown', async () => {
    const stranger = await open(sandbox, { api_secret: 'secret-of-a-stranger' })
    const sent = await stranger.trading?.send(order())
    assert.deepEqual(sent, {
      outcome: 'refused',
      reason: 'Invalid signature',
      native: 'Invalid signature',
    })
    await assert.rejects(
      stranger.balances(),
      (error) =>
        error instanceof ApiError &&
        error.kind === 'VenueUnreachable' &&
        !`${error.message} ${error.stack}`.includes('stranger'),
    )
    await stranger.close()
  })

  test('which texts are certain: the form and the key are, the engine is not', () => {
    const certain = (body: object) =>
      FAILURES.failureOf(new Error(`bitstamp ${JSON.stringify(body)}`)).certain
    assert.ok(
      certain({ status: 'error', reason: { __all__: ['Minimum order size is 10.0 EUR.'] } }),
    )
    assert.ok(certain({ status: 'error', reason: 'Invalid signature', code: 'API0005' }))
    assert.ok(!certain({ status: 'error', reason: { __all__: ['Order could not be placed.'] } }))
    assert.ok(!certain({ status: 'error', reason: 'Invalid nonce', code: 'API0004' }))
    assert.ok(
      !certain({ error: "Bitstamp.net is under scheduled maintenance. We'll be back soon." }),
    )
    assert.ok(
      !FAILURES.failureOf(new Error('bitstamp POST https://… 502 Bad Gateway <html>{}')).certain,
    )
  })

  test('prices: whole books, tickers, a lost message heals, a cut and a silent connection are noticed, a quiet book stays current', async () => {
    await sandbox.control('POST', 'bitstamp/market', {
      pair: 'BTC/EUR',
      frozen: false,
      volatility_ppm: 300,
    })
    const books: OrderBook[] = []
    const tickers: Ticker[] = []
    const lost: string[] = []
    const pair = (base_asset: string) => ({ base_asset, quote_asset: 'EUR' })
    const watch = (by: Venue) =>
      (by.prices as NonNullable<Venue['prices']>).watch([pair('BTC'), pair('XRP'), pair('DOGE')], {
        book: (book) => {
          books.push(book)
        },
        ticker: (ticker) => {
          tickers.push(ticker)
        },
        lost: (base) => {
          lost.push(base)
        },
      })
    const calm = watch(venue)
    const bitcoin = () => books.filter((book) => book.base_asset === 'BTC')
    await until('books and tickers', () => bitcoin().length > 4 && tickers.length > 1)
    assert.ok(lost.includes('DOGE') && !lost.includes('BTC'))
    assert.deepEqual([bitcoin().at(-1)?.bids.length, bitcoin().at(-1)?.asks.length], [25, 25])
    assert.ok(tickers.every((ticker) => ticker.bid < ticker.ask))
    await calm()
    const watchful = await open(sandbox, WATCHFUL)
    const stop = watch(watchful)
    const known = bitcoin().length
    await until('books again', () => bitcoin().length > known + 2)

    await sandbox.fault('bitstamp', 'book', 'REFUSE')
    await until(
      'a message is lost',
      async () => (await sandbox.control<unknown[]>('GET', 'faults')).length === 0,
    )
    const heals = bitcoin().length
    await until('the next ones come', () => bitcoin().length > heals + 2)
    for (const kind of ['DOWN', 'TIMEOUT_AFTER_ACCEPT'] as const) {
      const lostBefore = lost.length
      await sandbox.fault('bitstamp', 'websocket', kind)
      await until(`${kind} is noticed`, () => lost.slice(lostBefore).includes('BTC'))
      const count = bitcoin().length
      await until(`${kind} is healed`, () => bitcoin().length > count + 2)
    }
    await sandbox.control('POST', 'bitstamp/market', { frozen: true })
    await pause(700)
    const quiet = books.length
    const frozenAt = Date.now()
    await until('a quiet book is reported as current', () =>
      books.slice(quiet).some((book) => book.received_at > frozenAt),
    )
    await stop()
    const ended = books.length
    await pause(200)
    assert.equal(books.length, ended)
    await watchful.close()
  })
})
