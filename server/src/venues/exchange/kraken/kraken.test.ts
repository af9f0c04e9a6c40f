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
import type { ExchangeConfig } from '../exchange.ts'
import {
  HASTY,
  OUTSIDE_BTC,
  OUTSIDE_XRP,
  WATCHFUL,
  addressOf,
  exchangeContract,
  faultTests,
  lookup,
  openAt as openExchangeAt,
  order,
  orderLookup,
  twins,
  withdrawalOf,
} from '../exchange.fixture.ts'
import type { Acts } from '../exchange.fixture.ts'

/**
 * So long that no machine is too slow to be in time; where it has gone by, the sending is told as
 * that long ago.
 */
const GRACE_MILLISECONDS = 30_000

const openAt = (sandbox: SandboxProcess, more: Partial<ExchangeConfig> = {}): Promise<Venue> =>
  openExchangeAt(sandbox, {
    exchange: 'kraken',
    base_url: `${sandbox.url}/kraken`,
    websocket_url: `${sandbox.url.replace('http', 'ws')}/kraken/ws/v2`,
    listing_grace_ms: GRACE_MILLISECONDS,
    ...more,
  })
const withdrawal = (more: Partial<TransferOrder> = {}) =>
  withdrawalOf({ transfer: { from: { key: 'outside-btc' }, to: {} }, ...more })

async function registerKeys(sandbox: SandboxProcess): Promise<void> {
  await sandbox.control('POST', 'kraken/withdrawal-keys', {
    key: 'outside-btc',
    asset: 'BTC',
    address: OUTSIDE_BTC,
  })
  await sandbox.control('POST', 'kraken/withdrawal-keys', {
    key: 'outside-xrp',
    asset: 'XRP',
    address: OUTSIDE_XRP,
    tag: '77',
  })
}

const ACTS: Acts = {
  name: 'kraken',
  orderOperation: 'AddOrder',
  withdrawOperation: 'Withdraw',
  absentAfter: GRACE_MILLISECONDS,
  withdrawal: () => withdrawal(),
}

exchangeContract(openAt, ACTS, 'BTC', registerKeys)

describe('kraken by ccxt', () => {
  let sandbox: SandboxProcess
  let venue: Venue
  let hasty: Venue
  const acting = (by: Venue) => by as Required<Pick<Venue, 'trading' | 'transfers'>>
  const trading = () => venue.trading as NonNullable<Venue['trading']>
  const transfers = () => venue.transfers as NonNullable<Venue['transfers']>
  const prices = () => venue.prices as NonNullable<Venue['prices']>
  const balance = async (asset: string) =>
    (await venue.balances()).find((balance) => balance.asset === asset) as {
      free: bigint
      used: bigint
      total: bigint
    }

  /** Time goes on only when the test says so: no state is missed, however slow the machine. */
  const stopped = async (context: TestContext) => {
    context.after(() => sandbox.control('POST', 'clock', { pace: 1 }))
    await sandbox.control('POST', 'clock', { pace: 0 })
  }

  before(async () => {
    sandbox = await startSandbox()
    await registerKeys(sandbox)
    venue = await openAt(sandbox)
    hasty = await openAt(sandbox, HASTY)
  })
  after(async () => {
    await venue.close()
    await hasty.close()
    await sandbox.stop()
  })

  test('assets, protocols and pairs have our words and Kraken’s precision', async () => {
    const balances = await venue.balances()
    assert.deepEqual(
      balances.map(({ asset, protocol, total }) => [
        asset,
        protocol,
        total === null ? null : format(total),
      ]),
      [
        ['BTC', 'BTC', '5'],
        ['ETH', 'ETH', '40'],
        ['XRP', 'XRP', '10000'],
        ['EUR', 'SEPA', '250000'],
      ],
    )
    const protocols = (await venue.protocols()).flatMap((protocol) =>
      protocol.protocols.map((one) => [protocol.asset, one.protocol, one.native, one.tag_required]),
    )
    assert.deepEqual(protocols, [
      ['BTC', 'BTC', 'XXBT', false],
      ['ETH', 'ETH', 'XETH', false],
      ['XRP', 'XRP', 'XXRP', true],
      ['EUR', 'SEPA', 'ZEUR', false],
    ])
    const pairs = await prices().pairs()
    const bitcoin = pairs.find((pair) => pair.base_asset === 'BTC')
    assert.deepEqual(bitcoin, {
      base_asset: 'BTC',
      quote_asset: 'EUR',
      price_step: decimal('0.1'),
      amount_step: decimal('0.00000001'),
      min_amount: decimal('0.00005'),
      taker_fee: decimal('0.0026'),
    })
    assert.equal(pairs.length, 4)
  })

  test('MARKET IOC: fills with volume and fee exactly as the balances moved', async () => {
    await sandbox.control('POST', 'kraken/market', {
      pair: 'BTC/EUR',
      price: '60000',
      frozen: true,
    })
    const before = { eur: await balance('EUR'), btc: await balance('BTC') }
    const bought = await trading().send(order({ quantity: decimal('1.23456789') }))
    assert.ok(bought.outcome === 'accepted')
    const { report } = bought
    assert.equal(report.state, 'FILLED')
    assert.ok(report.fills.length > 1)
    assert.ok(report.fills.every((fill) => fill.liquidity === 'TAKER' && fill.fee_asset === 'EUR'))
    const after = { eur: await balance('EUR'), btc: await balance('BTC') }
    const paid = report.fills.reduce((sum, fill) => sum + fill.volume + fill.fee, 0n)
    assert.equal(before.eur.total - after.eur.total, paid)
    assert.equal(after.btc.total - before.btc.total, decimal('1.23456789'))

    const sold = await trading().send(
      order({ side: 'SELL', quantity: decimal('0.5'), tif_mode: 'GTC' }),
    )
    assert.ok(sold.outcome === 'accepted' && sold.report.state === 'FILLED')
    const earned = sold.report.fills.reduce((sum, fill) => sum + fill.volume - fill.fee, 0n)
    assert.equal((await balance('EUR')).total - after.eur.total, earned)
  })

  test('LIMIT GTC rests, is found by our id, holds funds and is canceled; LIMIT IOC never rests', async () => {
    const resting = order({
      type: 'LIMIT',
      price: decimal('50000'),
      quantity: decimal('0.1'),
      tif_mode: 'GTC',
    })
    const sent = await trading().send(resting)
    assert.ok(sent.outcome === 'accepted')
    assert.equal(sent.report.state, 'NEW')
    assert.equal((await balance('EUR')).used, decimal('5013'))
    const found = await trading().find(orderLookup(resting))
    assert.ok(found.lookup === 'found' && found.report.foreign_id === sent.report.foreign_id)
    const canceled = await trading().cancel(orderLookup(resting))
    assert.ok(canceled.outcome === 'accepted' && canceled.report.state === 'CANCELED')
    assert.equal((await balance('EUR')).used, 0n)
    const again = await trading().cancel(
      orderLookup(resting, { foreign_id: sent.report.foreign_id }),
    )
    assert.ok(again.outcome === 'refused')

    const ioc = order({
      type: 'LIMIT',
      price: decimal('50000'),
      quantity: decimal('0.1'),
      tif_mode: 'IOC',
    })
    const missed = await trading().send(ioc)
    assert.ok(
      missed.outcome === 'accepted' &&
        missed.report.state === 'CANCELED' &&
        missed.report.filled_quantity === 0n,
    )
    const filled = await trading().send(
      order({ type: 'LIMIT', price: decimal('61000'), quantity: decimal('0.1'), tif_mode: 'IOC' }),
    )
    assert.ok(filled.outcome === 'accepted' && filled.report.state === 'FILLED')

    const maker = order({
      type: 'LIMIT',
      price: decimal('59000'),
      quantity: decimal('0.1'),
      tif_mode: 'GTC',
    })
    await trading().send(maker)
    await sandbox.control('POST', 'kraken/market', {
      pair: 'BTC/EUR',
      price: '58000',
      frozen: true,
    })
    const done = await trading().find(orderLookup(maker))
    assert.ok(done.lookup === 'found' && done.report.state === 'FILLED')
    assert.deepEqual(
      done.report.fills.map(({ price, volume, fee, liquidity }) => [
        format(price),
        format(volume),
        format(fee),
        liquidity,
      ]),
      [['59000', '5900', '9.44', 'MAKER']],
    )
    await sandbox.control('POST', 'kraken/market', {
      pair: 'BTC/EUR',
      price: '60000',
      frozen: true,
    })
  })

  test('what ccxt would round or Kraken does not have is refused before it is sent', async () => {
    const earlier = await sandbox.received('kraken', 'AddOrder')
    const refused: [Partial<VenueOrder>, RegExp][] = [
      [{ quantity: decimal('0.123456789') }, /quantity is not a multiple/],
      [{ quantity: decimal('0.00001') }, /below 0.00005/],
      [{ quote_asset: 'USD' }, /does not trade BTC\/USD/],
      [{ type: 'LIMIT', price: decimal('60000.05') }, /price is not a multiple/],
      [{ type: 'LIMIT', price: null }, /price is not a multiple/],
      [{ type: 'STOP' as 'LIMIT' }, /has no STOP order/],
    ]
    for (const [more, reason] of refused) {
      const sent = await trading().send(order(more))
      assert.ok(sent.outcome === 'refused')
      assert.match(sent.reason, reason)
    }
    assert.equal(await sandbox.received('kraken', 'AddOrder'), earlier)
    assert.equal(trading().supports({ type: 'LIMIT', tif_mode: 'GTC' }), true)
    const poor = await trading().send(order({ quantity: decimal('50') }))
    assert.deepEqual(poor, {
      outcome: 'refused',
      reason: 'EOrder:Insufficient funds',
      native: 'EOrder:Insufficient funds',
    })
  })

  test('a market too thin fills in part and cancels the rest', async () => {
    await sandbox.control('POST', 'kraken/market', {
      pair: 'XRP/EUR',
      price: '0.00900',
      frozen: true,
      depth: 2,
    })
    const sent = await trading().send(order({ base_asset: 'XRP', quantity: decimal('1000000') }))
    assert.ok(sent.outcome === 'accepted')
    assert.equal(sent.report.state, 'CANCELED')
    assert.ok(sent.report.filled_quantity > 0n && sent.report.filled_quantity < decimal('1000000'))
    assert.equal(
      sent.report.fills.reduce((sum, fill) => sum + fill.quantity, 0n),
      sent.report.filled_quantity,
    )
    await sandbox.control('POST', 'kraken/market', { pair: 'XRP/EUR', price: '1.9', depth: 30 })
  })

  faultTests({
    ...ACTS,
    sandbox: () => sandbox,
    venue: () => acting(venue),
    hasty: () => acting(hasty),
  })

  test('absent is not said before Kraken must have listed it', async () => {
    assert.equal((await trading().find(orderLookup(order()))).lookup, 'unknown')
    assert.equal(
      (await trading().find(orderLookup(order(), { sent_at: Date.now() - GRACE_MILLISECONDS })))
        .lookup,
      'absent',
    )
    assert.equal((await transfers().find(lookup(withdrawal()))).lookup, 'unknown')
    assert.equal(
      (
        await transfers().find(
          lookup(withdrawal(), { submitted_at: Date.now() - GRACE_MILLISECONDS }),
        )
      ).lookup,
      'absent',
    )
  })

  test('withdrawals that look alike: claimed ones do not count, two open ones are unknown', () =>
    twins(transfers(), ACTS))

  test('the quantity is what arrives, the fee comes on top, and a fee that has changed is used as it is now', async () => {
    const estimate = await transfers().estimateFee(withdrawal())
    assert.deepEqual(estimate, {
      asset: 'BTC',
      custom: false,
      speed_levels: {
        DEFAULT: decimal('0.0001'),
        FAST: decimal('0.0001'),
        SLOW: decimal('0.0001'),
      },
    })
    await sandbox.control('POST', 'kraken/fees', { asset: 'BTC', fee: '0.00015' })
    const before = await balance('BTC')
    const one = withdrawal()
    const sent = await transfers().send(one)
    assert.ok(sent.outcome === 'accepted')
    assert.equal(sent.report.fee, decimal('0.00015'))
    assert.equal(before.total - (await balance('BTC')).total, one.quantity + decimal('0.00015'))
    const report = await until('success', async () => {
      await sandbox.control('POST', 'clock', { advance_ms: 5_000 })
      const found = await transfers().find(lookup(one, { foreign_id: sent.report.foreign_id }))
      return found.lookup === 'found' && found.report.state === 'SUCCESS' ? found.report : undefined
    })
    assert.match(report.transaction_hash ?? '', /^[0-9a-f]{64}$/)
    await assert.rejects(
      transfers().estimateFee(withdrawal({ transfer: { from: { key: 'nobody' }, to: {} } })),
      (error) => error instanceof ApiError && error.details[0]?.code === 'REFUSED_BY_VENUE',
    )
    await sandbox.control('POST', 'kraken/fees', { asset: 'BTC', fee: '0.0001' })
  })

  test('refused withdrawals: unknown key, other address, wrong tag, too fine, too much', async () => {
    const refused: [Partial<TransferOrder>, RegExp][] = [
      [{ transfer: { from: { key: 'nobody' }, to: {} } }, /Unknown withdraw key/],
      [{ transfer: { from: {}, to: {} } }, /key is missing/],
      [{ destination_address: '1CounterpartyXXXXXXXXXXXXXXXUWLpVr' }, /Invalid withdrawal address/],
      [{ quantity: decimal('0.012345678') }, /at most 8 decimals/],
      [{ quantity: decimal('1000') }, /Insufficient funds/],
      [{ speed_level: 'CUSTOM' }, /no fee of the caller/],
      [
        {
          asset: 'XRP',
          protocol: 'XRP',
          quantity: decimal('10'),
          tag: '78',
          destination_address: OUTSIDE_XRP,
          transfer: { from: { key: 'outside-xrp' }, to: {} },
        },
        /does not carry the tag/,
      ],
    ]
    for (const [more, reason] of refused) {
      const sent = await transfers().send(withdrawal(more))
      assert.ok(sent.outcome === 'refused', String(reason))
      assert.match(sent.reason, reason)
    }
    const tagged = await transfers().send(
      withdrawal({
        asset: 'XRP',
        protocol: 'XRP',
        quantity: decimal('10'),
        tag: '77',
        fee: decimal('0.2'),
        destination_address: OUTSIDE_XRP,
        transfer: { from: { key: 'outside-xrp' }, to: {} },
      }),
    )
    assert.equal(tagged.outcome, 'accepted')
  })

  test('Kraken’s states of a withdrawal: on hold, canceled, failed', async () => {
    const states = async (action: 'hold' | 'fail') => {
      const one = withdrawal()
      const sent = await transfers().send(one)
      assert.ok(sent.outcome === 'accepted')
      await sandbox.control('POST', `kraken/withdrawals/${sent.report.foreign_id}`, { action })
      const found = await transfers().find(lookup(one, { foreign_id: sent.report.foreign_id }))
      assert.ok(found.lookup === 'found')
      return found.report.state
    }
    assert.equal(await states('hold'), 'PENDING_REVIEW')
    assert.equal(await states('fail'), 'FAILED')
  })

  test('EUR: out to the bank with the registered key, in by wire with the reference', async () => {
    const before = await balance('EUR')
    const out = withdrawal({
      asset: 'EUR',
      protocol: 'SEPA',
      quantity: decimal('1000.5'),
      fee: decimal('1'),
      destination_address: 'DE',
      transfer: { from: { key: 'bank-eur' }, to: {} },
    })
    const sent = await transfers().send(out)
    assert.ok(sent.outcome === 'accepted')
    assert.equal(before.total - (await balance('EUR')).total, decimal('1001.5'))
    const { address } = await addressOf(sandbox, 'kraken', 'EUR')
    const { wire_reference } = await sandbox.control<{ wire_reference: string }>('GET', 'kraken')
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
    assert.equal(movement.state, 'FINAL')
    assert.equal(movement.quantity, decimal('77.7'))
    assert.equal(movement.protocol, 'SEPA')
  })

  test('deposits: pending, then final, each change told once; a repeated row is one movement', async (context) => {
    await stopped(context)
    let { cursor } = await transfers().incoming(null)
    const { address } = await addressOf(sandbox, 'kraken', 'ETH')
    await sandbox.control('POST', 'chain/send', {
      asset: 'ETH',
      quantity: '0.77',
      to_address: address,
    })
    const states: string[] = []
    await until('the deposit is final', async () => {
      await sandbox.fault('kraken', 'DepositStatus', 'TWICE')
      const page = await transfers().incoming(cursor)
      cursor = page.cursor
      states.push(
        ...page.movements
          .filter((movement) => movement.quantity === decimal('0.77'))
          .map((movement) => movement.state),
      )
      if (states.length === 1) await sandbox.control('POST', 'clock', { advance_ms: 60_000 })
      return states.includes('FINAL') || undefined
    })
    assert.deepEqual(states, ['PENDING', 'FINAL'])
    assert.deepEqual((await transfers().incoming(cursor)).movements, [])
  })

  test('a withdrawal that had to wait longer than the grace time is not sent any more', async () => {
    const impatient = await openAt(sandbox, { listing_grace_ms: 200 })
    await impatient.balances()
    const earlier = await sandbox.received('kraken', 'Withdraw')
    await sandbox.fault('kraken', 'WithdrawInfo', 'LATE', { delay_ms: 500 })
    assert.equal(
      (await (impatient.transfers as NonNullable<Venue['transfers']>).send(withdrawal())).outcome,
      'unknown',
    )
    assert.equal(await sandbox.received('kraken', 'Withdraw'), earlier)
    await impatient.close()
  })

  test('many calls at once never use a nonce out of order', async () => {
    const answers = await Promise.all([
      ...Array.from({ length: 15 }, () => venue.balances()),
      ...Array.from({ length: 10 }, () => trading().send(order({ quantity: decimal('0.001') }))),
      ...Array.from({ length: 5 }, () => transfers().incoming(null)),
    ])
    assert.ok(answers.every((answer) => !('outcome' in answer) || answer.outcome === 'accepted'))
  })

  test('a halted exchange: a closed market is refused, an unavailable engine is unknown, reads say unreachable', async () => {
    await sandbox.control('POST', 'kraken/halt', { status: 'cancel_only' })
    assert.equal((await trading().send(order())).outcome, 'refused')
    await sandbox.control('POST', 'kraken/halt', { status: 'maintenance' })
    assert.equal((await trading().send(order())).outcome, 'unknown')
    assert.equal((await transfers().send(withdrawal())).outcome, 'unknown')
    await assert.rejects(
      venue.balances(),
      (error) => error instanceof ApiError && error.kind === 'VenueUnreachable',
    )
    await sandbox.control('POST', 'kraken/halt', { status: 'online' })
  })

  test('a wrong key or secret is refused and never shown', async () => {
    const stranger = await openAt(sandbox, {
      api_secret: Buffer.from('secret-of-a-stranger').toString('base64'),
    })
    const sent = await (stranger.trading as NonNullable<Venue['trading']>).send(order())
    assert.deepEqual(sent, {
      outcome: 'refused',
      reason: 'EAPI:Invalid signature',
      native: 'EAPI:Invalid signature',
    })
    await assert.rejects(stranger.balances(), (error) => {
      assert.ok(error instanceof ApiError && error.kind === 'VenueUnreachable')
      assert.doesNotMatch(`${error.message} ${error.stack ?? ''}`, /c2VjcmV0/)
      return true
    })
    await stranger.close()
  })

  test('prices: the book follows the market, survives a lost update, a cut and a silent connection, and stays current when quiet', async () => {
    await sandbox.control('POST', 'kraken/market', {
      pair: 'BTC/EUR',
      frozen: false,
      volatility_ppm: 300,
    })
    const books: OrderBook[] = []
    const tickers: Ticker[] = []
    const lost: string[] = []
    const watchful = await openAt(sandbox, WATCHFUL)
    assert.ok(watchful.prices)
    const stop = watchful.prices.watch(
      [
        { base_asset: 'BTC', quote_asset: 'EUR' },
        { base_asset: 'ETH', quote_asset: 'EUR' },
        { base_asset: 'DOGE', quote_asset: 'EUR' },
      ],
      {
        book: (book) => {
          books.push(book)
        },
        ticker: (ticker) => {
          tickers.push(ticker)
        },
        lost: (base, _quote, reason) => {
          lost.push(`${base} ${reason}`)
        },
      },
    )
    const bitcoin = () => books.filter((book) => book.base_asset === 'BTC')
    await until('books', () => bitcoin().length > 5 && tickers.length > 2)
    assert.ok(lost.some((each) => each.startsWith('DOGE')))
    const last = bitcoin().at(-1) as OrderBook
    assert.equal(last.bids.length, 25)
    assert.equal(last.asks.length, 25)
    assert.ok(
      last.bids.every(
        (bid) => bid.price % decimal('0.1') === 0n && bid.quantity % decimal('0.00000001') === 0n,
      ),
    )
    assert.ok(tickers.every((ticker) => ticker.bid < ticker.ask))

    const recovers = async (
      what: string,
      operation: string,
      kind: 'REFUSE' | 'DOWN' | 'TIMEOUT_AFTER_ACCEPT',
    ) => {
      const known = lost.length
      await sandbox.fault('kraken', operation, kind)
      let updates = bitcoin().length
      await until(`${what} is noticed`, async () => {
        if (lost.slice(known).some((each) => each.startsWith('BTC'))) return true
        // A lost update may have changed only what the next ones bring anyway, or what lies below
        // the checksum: then another is lost.
        if (operation === 'book' && bitcoin().length > updates + 3) {
          updates = bitcoin().length
          await sandbox.fault('kraken', operation, kind)
        }
        return undefined
      })
      await sandbox.control('DELETE', 'faults')
      const count = bitcoin().length
      await until(`${what} is healed`, () => bitcoin().length > count + 2)
    }
    await recovers('a lost update', 'book', 'REFUSE')
    await recovers('a cut', 'websocket', 'DOWN')
    await recovers('silence', 'websocket', 'TIMEOUT_AFTER_ACCEPT')

    await sandbox.control('POST', 'kraken/market', { frozen: true })
    await pause(700)
    const quiet = books.length
    const frozenAt = Date.now()
    await until('a quiet book is reported as current', () =>
      books.slice(quiet).some((book) => book.received_at > frozenAt),
    )
    await sandbox.kill()
    const known = lost.length
    await until('the end is noticed', () => lost.length > known)
    await sandbox.restart()
    const count = bitcoin().length
    await until('the books are back', () => bitcoin().length > count)
    await stop()
    const ended = books.length
    await pause(200)
    assert.equal(books.length, ended)
    await watchful.close()
  })
})
