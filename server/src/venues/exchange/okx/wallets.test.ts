/** The funding and the trading wallet: orders and withdrawals find what they need, once. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal } from '../../../core/decimal.ts'
import { until } from '../../../core/testing.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { HASTY, lookup, order } from '../exchange.fixture.ts'
import { ABSENT_MILLISECONDS, open, verify, walletsOf, withdrawal } from './okx.testing.ts'

describe('the wallets of okx', () => {
  const desk = new ExchangeDesk(open, verify)
  const moves = () => desk.sandbox.received('okx', 'transfer')
  const wallets = (asset: string) => walletsOf(desk.sandbox, asset)

  test('a withdrawal takes what the funding wallet lacks from the trading wallet', async () => {
    assert.deepEqual(await wallets('BTC'), { funding: '1', trading: '1' })
    const [before, total] = [await moves(), (await desk.balance('BTC')).total]
    const sent = await desk.transfers.send(withdrawal({ quantity: decimal('1.2') }))
    assert.equal(sent.outcome, 'accepted')
    assert.equal((await moves()) - before, 1)
    assert.deepEqual(await wallets('BTC'), { funding: '0', trading: '0.79995' })
    assert.equal(total - (await desk.balance('BTC')).total, decimal('1.20005'))
  })

  test('killed after the transfer, the withdrawal goes on without a second one', async () => {
    await desk.sandbox.fault('okx', 'withdrawal', 'DOWN')
    const one = withdrawal({ quantity: decimal('0.3') })
    const [before, total] = [await moves(), (await desk.balance('BTC')).total]
    assert.equal((await desk.transfers.send(one)).outcome, 'unknown')
    assert.equal((await moves()) - before, 1)
    // Nothing has left.
    assert.equal((await desk.balance('BTC')).total, total)
    const another = await open(desk.sandbox)
    const submitted_at = Date.now() - ABSENT_MILLISECONDS
    assert.equal((await another.transfers?.find(lookup(one, { submitted_at })))?.lookup, 'absent')
    assert.equal((await another.transfers?.send(one))?.outcome, 'accepted')
    assert.equal((await moves()) - before, 1)
    assert.equal(total - (await desk.balance('BTC')).total, decimal('0.30005'))
    await another.close()
  })

  test('a transfer whose answer is lost is not made again', async () => {
    const hasty = await open(desk.sandbox, HASTY)
    await desk.sandbox.fault('okx', 'transfer', 'TIMEOUT_AFTER_ACCEPT')
    const one = withdrawal({ quantity: decimal('0.1') })
    const before = await moves()
    const sent = await hasty.transfers?.send(one)
    assert.ok(sent?.outcome === 'unknown' && sent.reason.startsWith('not sent: '))
    assert.equal((await desk.transfers.send(one)).outcome, 'accepted')
    assert.equal((await moves()) - before, 1)
    await hasty.close()
  })

  test('withdrawals at the same time do not take each other’s money', async () => {
    const { total } = await desk.balance('ETH')
    const to = await desk.sandbox.control<{ funding: { asset: string; address: string }[] }>(
      'GET',
      'bitstamp',
    )
    const { address } = to.funding.find(({ asset }) => asset === 'ETH') ?? { address: '' }
    await desk.sandbox.control('POST', 'okx/destinations', { asset: 'ETH', address })
    const one = () =>
      withdrawal({
        asset: 'ETH',
        protocol: 'ETH',
        quantity: decimal('9'),
        destination_address: address,
      })
    const outcomes = await Promise.all([desk.transfers.send(one()), desk.transfers.send(one())])
    assert.deepEqual(
      outcomes.map(({ outcome }) => outcome),
      ['accepted', 'accepted'],
    )
    assert.equal(total - (await desk.balance('ETH')).total, decimal('18.0008'))
  })

  test('an order finds what has arrived in the funding wallet', async () => {
    await desk.sandbox.control('POST', 'okx/market', {
      pair: 'BTC/EUR',
      price: '60000',
      frozen: true,
    })
    assert.deepEqual(await wallets('EUR'), { funding: '50000', trading: '100000' })
    const before = await moves()
    const one = order({ quantity: decimal('2') })
    const sent = await desk.trading.send(one)
    assert.ok(sent.outcome === 'accepted' && sent.report.state === 'FILLED')
    assert.equal((await moves()) - before, 1)
    assert.equal((await wallets('EUR')).funding, '0')
    // What is nowhere is refused, and moved nothing.
    const refused = await desk.trading.send(order({ quantity: decimal('5') }))
    assert.ok(refused.outcome === 'refused' && refused.native?.startsWith('51008: '))
    assert.equal((await moves()) - before, 1)
  })

  test('what arrives comes to the funding wallet and is final once it may leave', async () => {
    const { funding } = await desk.sandbox.control<{
      funding: { asset: string; address: string; tag: string | null }[]
    }>('GET', 'okx')
    const to = funding.find(({ asset }) => asset === 'BTC')
    const before = decimal((await wallets('BTC')).funding)
    await desk.sandbox.control('POST', 'chain/send', {
      asset: 'BTC',
      quantity: '0.25',
      to_address: to?.address,
    })
    await desk.sandbox.control('POST', 'clock', { pace: 10 })
    await until('it is final', async () =>
      (await desk.transfers.incoming(null)).movements.some(
        ({ state, quantity, destination_address }) =>
          state === 'FINAL' && quantity === decimal('0.25') && destination_address === to?.address,
      ),
    )
    await desk.sandbox.control('POST', 'clock', { pace: 1 })
    assert.equal(decimal((await wallets('BTC')).funding) - before, decimal('0.25'))
  })
})
