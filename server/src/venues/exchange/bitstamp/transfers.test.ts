/** Deposits and withdrawals at Bitstamp. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mustExist } from '../../../core/assert.ts'
import { decimal, format } from '../../../core/decimal.ts'
import { until } from '../../../core/testing.ts'
import type { TransferOrder } from '../../contract.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import {
  addressOf,
  lookup,
  OUTSIDE_XLM,
  OUTSIDE_XRP,
  assertTwinsAreUnknown,
} from '../exchange.fixture.ts'
import { ABSENT_MILLISECONDS, ACTS, IBAN, open, toBank, withdrawal } from './bitstamp.testing.ts'

describe('transfers at bitstamp', () => {
  const desk = new ExchangeDesk(open)

  test('withdrawals that look alike are told apart or unknown', () =>
    assertTwinsAreUnknown(desk.transfers, ACTS))

  test('the fee comes on top and is read from the account when it is done', async (context) => {
    await desk.stopClock(context)
    await desk.sandbox.control('POST', 'bitstamp/fees', { asset: 'BTC', fee: '0.0001' })
    const estimate = await desk.transfers.estimateFee(withdrawal())
    assert.deepEqual(
      { asset: estimate.asset, DEFAULT: estimate.speed_levels.DEFAULT },
      { asset: 'BTC', DEFAULT: decimal('0.0001') },
    )
    const before = (await desk.balance('BTC')).total
    const one = withdrawal()
    const sent = await desk.transfers.send(one)
    assert.ok(
      sent.outcome === 'accepted' &&
        sent.report.sub_state === 'Open' &&
        sent.report.fee === decimal('0.0001'),
    )
    assert.equal(before - (await desk.balance('BTC')).total, one.quantity + decimal('0.0001'))
    const seen = new Set<string>()
    const done = await until('the withdrawal is finished', async () => {
      const found = await desk.transfers.find(lookup(one, { foreign_id: sent.report.foreign_id }))
      assert.ok(found.lookup === 'found')
      seen.add(found.report.sub_state)
      await desk.sandbox.control('POST', 'clock', { advance_ms: 1_000 })
      return found.report.state === 'SUCCESS' ? found.report : undefined
    })
    assert.deepEqual([...seen], ['Open', 'In process', 'Finished'])
    assert.equal(done.fee, decimal('0.0001'))
    assert.ok(done.transaction_hash !== null)
  })

  test('the time that its currencies take counts too', async () => {
    const impatient = await open(desk.sandbox, { listing_grace_ms: 200 })
    const earlier = await desk.sandbox.received('bitstamp', 'withdrawal')
    await desk.sandbox.fault('bitstamp', 'currencies', 'LATE', { delay_ms: 500 })
    assert.ok(impatient.transfers)
    assert.equal((await impatient.transfers.send(withdrawal())).outcome, 'unknown')
    assert.equal(await desk.sandbox.received('bitstamp', 'withdrawal'), earlier)
    await impatient.close()
  })

  test('states of a withdrawal: waiting, canceled by hand, failed; with a tag', async () => {
    const state = async (action: string) => {
      const one = withdrawal({
        asset: 'XRP',
        protocol: 'XRP',
        quantity: decimal('20'),
        tag: '77',
        destination_address: OUTSIDE_XRP,
      })
      const earlier = (await desk.balance('XRP')).total
      const sent = await desk.transfers.send(one)
      assert.ok(sent.outcome === 'accepted')
      await desk.sandbox.control('POST', `bitstamp/withdrawals/${sent.report.foreign_id}`, {
        action,
      })
      const found = await desk.transfers.find(lookup(one, { foreign_id: sent.report.foreign_id }))
      assert.ok(found.lookup === 'found')
      if (action === 'fail') assert.equal((await desk.balance('XRP')).total, earlier)
      return [found.report.state, found.report.sub_state]
    }
    assert.deepEqual(await state('hold'), ['PENDING', 'Open'])
    assert.deepEqual(await state('fail'), ['FAILED', 'Failed'])
    const [held] = await desk.sandbox.control<{ refid: string; tag: string }[]>(
      'GET',
      'bitstamp/withdrawals',
    )
    assert.equal(held?.tag, '77')
  })

  test('a memo goes with the coins, and a lost answer about one waits for a person', async () => {
    const one = withdrawal({
      asset: 'XLM',
      protocol: 'XLM',
      quantity: decimal('25.0000001'),
      tag: '88',
      destination_address: OUTSIDE_XLM,
    })
    const submitted_at = Date.now() - ABSENT_MILLISECONDS
    const sent = await desk.transfers.send(one)
    assert.ok(sent.outcome === 'accepted')
    // How Bitstamp lists a memo is not known: it may be this one, and is not sent again.
    assert.equal((await desk.transfers.find(lookup(one, { submitted_at }))).lookup, 'unknown')
    const { foreign_id } = sent.report
    await until('success', async () => {
      await desk.sandbox.control('POST', 'clock', { advance_ms: 5_000 })
      const found = await desk.transfers.find(lookup(one, { submitted_at, foreign_id }))
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

  test('a deposit with our memo is credited, one without waits', async () => {
    const { address, tag } = await addressOf(desk.sandbox, 'bitstamp', 'XLM')
    const earlier = (await desk.balance('XLM')).total
    for (const [quantity, memo] of [
      ['7.0000001', tag],
      ['3', null],
    ])
      await desk.sandbox.control('POST', 'chain/send', {
        asset: 'XLM',
        quantity,
        to_address: address,
        tag: memo,
      })
    await desk.sandbox.control('POST', 'clock', { advance_ms: 60_000 })
    const { movements } = await desk.transfers.incoming(null)
    assert.deepEqual(
      movements
        .filter(({ asset }) => asset === 'XLM')
        .map(({ quantity, state }) => `${format(quantity)} ${state}`)
        .toSorted(),
      ['3 PENDING', '7.0000001 FINAL'],
    )
    assert.equal((await desk.balance('XLM')).total - earlier, decimal('7.0000001'))
  })

  test('transfers that Bitstamp does not know or allow are refused', async () => {
    const refused: [Partial<TransferOrder>, RegExp][] = [
      [{ asset: 'ADA', protocol: 'ADA' }, /does not move ADA/],
      [{ quantity: decimal('0.123456789') }, /at most 8 decimals/],
      [{ speed_level: 'CUSTOM' }, /no custom fee/],
      [{ tag: '7' }, /no tags/],
      [{ destination_address: 'nowhere' }, /address: Invalid address/],
      [{ quantity: decimal('0.0001') }, /greater than or equal/],
      [
        { asset: 'EUR', protocol: 'SEPA', quantity: decimal('50'), destination_address: IBAN },
        /bic is missing/,
      ],
    ]
    for (const [more, reason] of refused) {
      const sent = await desk.transfers.send(withdrawal(more))
      assert.ok(sent.outcome === 'refused', String(reason))
      assert.match(sent.reason, reason)
    }
  })

  test('EUR: out by SEPA with the holder’s data, in by wire with the reference', async () => {
    const before = (await desk.balance('EUR')).total
    const one = toBank('1000.5')
    const submitted_at = Date.now()
    const sent = await desk.transfers.send(one)
    assert.ok(sent.outcome === 'accepted')
    assert.equal(before - (await desk.balance('EUR')).total, decimal('1003.5'))
    const { foreign_id } = sent.report
    const found = await desk.transfers.find(lookup(one, { submitted_at, foreign_id }))
    assert.ok(
      found.lookup === 'found' &&
        found.report.foreign_id === foreign_id &&
        found.report.fee === decimal('3'),
    )
    const { movements } = mustExist(await desk.transfers.outgoing?.(null), 'its list')
    const listed = movements.find(({ foreign_id }) => foreign_id === sent.report.foreign_id)
    assert.deepEqual(
      { quantity: listed?.quantity, destination_address: listed?.destination_address },
      { quantity: one.quantity, destination_address: null },
    )
    const { address } = await addressOf(desk.sandbox, 'bitstamp', 'EUR')
    const { wire_reference } = await desk.sandbox.control<{ wire_reference: string }>(
      'GET',
      'bitstamp',
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
    assert.deepEqual(
      { state: movement.state, protocol: movement.protocol, quantity: movement.quantity },
      { state: 'FINAL', protocol: 'SEPA', quantity: decimal('77.7') },
    )
  })

  test('a bank withdrawal is not taken for another of its quantity', async () => {
    const [one, other] = [toBank('777'), toBank('777')]
    const submitted_at = Date.now() - ABSENT_MILLISECONDS
    const lookupOf = async (more: object) =>
      (await desk.transfers.find(lookup(other, { submitted_at, ...more }))).lookup
    const sent = await desk.transfers.send(one)
    assert.ok(sent.outcome === 'accepted')
    const { foreign_id } = sent.report
    assert.equal(await lookupOf({}), 'unknown')
    assert.equal(await lookupOf({ claimed: [foreign_id] }), 'absent')
    assert.equal(await lookupOf({ foreign_id }), 'found')
  })

  test('deposits: each change comes once, and a repeated row is one movement', async (context) => {
    await desk.stopClock(context)
    let { cursor } = await desk.transfers.incoming(null)
    const { address, tag } = await addressOf(desk.sandbox, 'bitstamp', 'XRP')
    await desk.sandbox.control('POST', 'chain/send', {
      asset: 'XRP',
      quantity: '7.5',
      to_address: address,
      tag,
    })
    const states: string[] = []
    await until('the deposit is final', async () => {
      await desk.sandbox.fault('bitstamp', 'crypto-transactions', 'TWICE')
      const page = await desk.transfers.incoming(cursor)
      cursor = page.cursor
      states.push(
        ...page.movements
          .filter((movement) => movement.quantity === decimal('7.5'))
          .map((movement) => movement.state),
      )
      if (states.length === 1) await desk.sandbox.control('POST', 'clock', { advance_ms: 60_000 })
      return states.includes('FINAL') || undefined
    })
    assert.deepEqual(states, ['PENDING', 'FINAL'])
    assert.deepEqual((await desk.transfers.incoming(cursor)).movements, [])
  })
})
