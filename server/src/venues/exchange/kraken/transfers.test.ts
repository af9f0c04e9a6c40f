/** Deposits and withdrawals at Kraken. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal } from '../../../core/decimal.ts'
import { ApiError } from '../../../core/errors.ts'
import { until } from '../../../core/testing.ts'
import type { TransferOrder, Venue } from '../../contract.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import {
  addressOf,
  lookup,
  OUTSIDE_XLM,
  OUTSIDE_XRP,
  assertTwinsAreUnknown,
} from '../exchange.fixture.ts'
import { ACTS, open, registerKeys, withdrawal } from './kraken.testing.ts'

describe('transfers at kraken', () => {
  const desk = new ExchangeDesk(open, registerKeys)

  test('withdrawals that look alike: claimed ones do not count, two open ones are unknown', () =>
    assertTwinsAreUnknown(desk.transfers, ACTS))

  test('the quantity arrives, the fee comes on top, as it is at that moment', async () => {
    const estimate = await desk.transfers.estimateFee(withdrawal())
    assert.deepEqual(estimate, {
      asset: 'BTC',
      custom: false,
      speed_levels: {
        DEFAULT: decimal('0.0001'),
        FAST: decimal('0.0001'),
        SLOW: decimal('0.0001'),
      },
    })
    await desk.sandbox.control('POST', 'kraken/fees', { asset: 'BTC', fee: '0.00015' })
    const before = await desk.balance('BTC')
    const one = withdrawal()
    const sent = await desk.transfers.send(one)
    assert.ok(sent.outcome === 'accepted')
    assert.equal(sent.report.fee, decimal('0.00015'))
    assert.equal(
      before.total - (await desk.balance('BTC')).total,
      one.quantity + decimal('0.00015'),
    )
    const report = await until('success', async () => {
      await desk.sandbox.control('POST', 'clock', { advance_ms: 5_000 })
      const found = await desk.transfers.find(lookup(one, { foreign_id: sent.report.foreign_id }))
      return found.lookup === 'found' && found.report.state === 'SUCCESS' ? found.report : undefined
    })
    assert.match(report.transaction_hash ?? '', /^[0-9a-f]{64}$/)
    await assert.rejects(
      desk.transfers.estimateFee(withdrawal({ transfer: { from: { key: 'nobody' }, to: {} } })),
      (error) => error instanceof ApiError && error.details[0]?.code === 'REFUSED_BY_VENUE',
    )
    await desk.sandbox.control('POST', 'kraken/fees', { asset: 'BTC', fee: '0.0001' })
  })

  test('refused: unknown key, other address, wrong tag, too fine, too much', async () => {
    const refused: [Partial<TransferOrder>, RegExp][] = [
      [{ transfer: { from: { key: 'nobody' }, to: {} } }, /Unknown withdraw key/],
      [{ transfer: { from: {}, to: {} } }, /key is missing/],
      [{ destination_address: '1CounterpartyXXXXXXXXXXXXXXXUWLpVr' }, /Invalid withdrawal address/],
      [{ quantity: decimal('0.012345678') }, /at most 8 decimals/],
      [{ quantity: decimal('1000') }, /Insufficient funds/],
      [{ speed_level: 'CUSTOM' }, /no custom fee/],
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
      const sent = await desk.transfers.send(withdrawal(more))
      assert.ok(sent.outcome === 'refused', String(reason))
      assert.match(sent.reason, reason)
    }
    const tagged = await desk.transfers.send(
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

  test('a memo is that of the registered key; with another, or none, nothing is sent', async () => {
    const toKey = (tag: string | null) =>
      withdrawal({
        asset: 'XLM',
        protocol: 'XLM',
        quantity: decimal('25.0000001'),
        tag,
        fee: decimal('0.00002'),
        destination_address: OUTSIDE_XLM,
        transfer: { from: { key: 'outside-xlm' }, to: {} },
      })
    const earlier = await desk.sandbox.received('kraken', 'Withdraw')
    for (const tag of [null, '89']) {
      const sent = await desk.transfers.send(toKey(tag))
      assert.ok(sent.outcome === 'refused', String(tag))
      assert.match(sent.reason, /does not carry the tag/)
    }
    assert.equal(await desk.sandbox.received('kraken', 'Withdraw'), earlier)
    const one = toKey('88')
    const sent = await desk.transfers.send(one)
    assert.ok(sent.outcome === 'accepted')
    await until('success', async () => {
      await desk.sandbox.control('POST', 'clock', { advance_ms: 5_000 })
      const found = await desk.transfers.find(lookup(one, { foreign_id: sent.report.foreign_id }))
      return found.lookup === 'found' && found.report.state === 'SUCCESS' ? true : undefined
    })
    const { received } = await desk.sandbox.control<{ received: { tag: string }[] }>(
      'GET',
      `chain/addresses/${OUTSIDE_XLM}`,
    )
    assert.deepEqual(
      received.map(({ tag }) => tag),
      ['88'],
    )
  })

  test('Kraken’s states of a withdrawal: on hold, canceled, failed', async () => {
    const states = async (action: 'hold' | 'fail') => {
      const one = withdrawal()
      const sent = await desk.transfers.send(one)
      assert.ok(sent.outcome === 'accepted')
      await desk.sandbox.control('POST', `kraken/withdrawals/${sent.report.foreign_id}`, { action })
      const found = await desk.transfers.find(lookup(one, { foreign_id: sent.report.foreign_id }))
      assert.ok(found.lookup === 'found')
      return found.report.state
    }
    assert.equal(await states('hold'), 'PENDING_REVIEW')
    assert.equal(await states('fail'), 'FAILED')
  })

  test('EUR: out to the bank with the registered key, in by wire with the reference', async () => {
    const before = await desk.balance('EUR')
    const out = withdrawal({
      asset: 'EUR',
      protocol: 'SEPA',
      quantity: decimal('1000.5'),
      fee: decimal('1'),
      destination_address: 'DE',
      transfer: { from: { key: 'bank-eur' }, to: {} },
    })
    const sent = await desk.transfers.send(out)
    assert.ok(sent.outcome === 'accepted')
    assert.equal(before.total - (await desk.balance('EUR')).total, decimal('1001.5'))
    const { address } = await addressOf(desk.sandbox, 'kraken', 'EUR')
    const { wire_reference } = await desk.sandbox.control<{ wire_reference: string }>(
      'GET',
      'kraken',
    )
    let { cursor } = await desk.transfers.incoming(null)
    await desk.sandbox.control('POST', 'bank/wire', {
      to_iban: address,
      quantity: '77.70',
      currency: 'EUR',
      reference: `to ${wire_reference}`,
    })
    await desk.sandbox.control('POST', 'clock', { advance_ms: 30_000 })
    const movement = await until('the wire', async () => {
      const page = await desk.transfers.incoming(cursor)
      cursor = page.cursor
      return page.movements.find((movement) => movement.asset === 'EUR')
    })
    assert.equal(movement.state, 'FINAL')
    assert.equal(movement.quantity, decimal('77.7'))
    assert.equal(movement.protocol, 'SEPA')
  })

  test('deposits: pending, then final, each once, also when rows repeat', async (context) => {
    await desk.stopClock(context)
    let { cursor } = await desk.transfers.incoming(null)
    const { address } = await addressOf(desk.sandbox, 'kraken', 'ETH')
    await desk.sandbox.control('POST', 'chain/send', {
      asset: 'ETH',
      quantity: '0.77',
      to_address: address,
    })
    const states: string[] = []
    await until('the deposit is final', async () => {
      await desk.sandbox.fault('kraken', 'DepositStatus', 'TWICE')
      const page = await desk.transfers.incoming(cursor)
      cursor = page.cursor
      states.push(
        ...page.movements
          .filter((movement) => movement.quantity === decimal('0.77'))
          .map((movement) => movement.state),
      )
      if (states.length === 1) await desk.sandbox.control('POST', 'clock', { advance_ms: 60_000 })
      return states.includes('FINAL') || undefined
    })
    assert.deepEqual(states, ['PENDING', 'FINAL'])
    assert.deepEqual((await desk.transfers.incoming(cursor)).movements, [])
  })

  test('a withdrawal that waited longer than the grace time is not sent any more', async () => {
    const impatient = await open(desk.sandbox, { listing_grace_ms: 200 })
    await impatient.balances()
    const earlier = await desk.sandbox.received('kraken', 'Withdraw')
    await desk.sandbox.fault('kraken', 'WithdrawInfo', 'LATE', { delay_ms: 500 })
    assert.equal(
      (await (impatient.transfers as NonNullable<Venue['transfers']>).send(withdrawal())).outcome,
      'unknown',
    )
    assert.equal(await desk.sandbox.received('kraken', 'Withdraw'), earlier)
    await impatient.close()
  })

  test('the time that its markets take counts too', async () => {
    const impatient = await open(desk.sandbox, { listing_grace_ms: 200 })
    const earlier = await desk.sandbox.received('kraken', 'Withdraw')
    await desk.sandbox.fault('kraken', 'Assets', 'LATE', { delay_ms: 500 })
    assert.ok(impatient.transfers)
    assert.equal((await impatient.transfers.send(withdrawal())).outcome, 'unknown')
    assert.equal(await desk.sandbox.received('kraken', 'Withdraw'), earlier)
    await impatient.close()
  })
})
