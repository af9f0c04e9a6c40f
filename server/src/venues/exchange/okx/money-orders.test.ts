/** Money at OKX: by SEPA, to accounts that OKX knows, and never twice. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decimal } from '../../../core/decimal.ts'
import { until } from '../../../core/testing.ts'
import { ExchangeDesk } from '../desk.testing.ts'
import { addressOf, lookup } from '../exchange.fixture.ts'
import { ABSENT_MILLISECONDS, open, toBank, verify } from './okx.testing.ts'

const STRANGE_IBAN = 'NL91ABNA0417164300'

describe('money at okx', () => {
  const desk = new ExchangeDesk(open, verify)
  const received = (reference?: string) =>
    desk.sandbox.received('okx', 'create-withdrawal', reference?.replaceAll('-', ''))

  test('a wire with the reference is a deposit by SEPA that names no payer', async () => {
    const { cursor } = await desk.transfers.incoming(null)
    const { address } = await addressOf(desk.sandbox, 'okx', 'EUR')
    const { wire_reference } = await desk.sandbox.control<{ wire_reference: string }>('GET', 'okx')
    await desk.sandbox.control('POST', 'bank/wire', {
      to_iban: address,
      quantity: '77.55',
      currency: 'EUR',
      reference: `to ${wire_reference}`,
    })
    await desk.sandbox.control('POST', 'clock', { advance_ms: 30_000 })
    const arrived = await until('it is listed', async () => {
      const { movements } = await desk.transfers.incoming(cursor)
      return movements.find(({ asset }) => asset === 'EUR')
    })
    assert.partialDeepStrictEqual(arrived, {
      state: 'FINAL',
      protocol: 'SEPA',
      quantity: decimal('77.55'),
      counterparty: null,
    })
    assert.match(arrived.foreign_id, /^order /)
  })

  test('a withdrawal goes to the account that OKX knows, costs nothing, and is found', async () => {
    const one = toBank('250.25')
    const sent = await desk.transfers.send(one)
    assert.ok(sent.outcome === 'accepted')
    assert.partialDeepStrictEqual(sent.report, { state: 'PENDING', fee: 0n, fee_asset: 'EUR' })
    const found = await until('it is done', async () => {
      const answer = await desk.transfers.find(lookup(one))
      return answer.lookup === 'found' && answer.report.state === 'SUCCESS' && answer
    })
    assert.equal(found.report.foreign_id, sent.report.foreign_id)
    const left = await desk.transfers.outgoing?.(null)
    const listed = left?.movements.filter(({ external_id }) => external_id === one.external_id)
    assert.deepEqual(
      listed?.map(({ foreign_id, quantity, left: isGone }) => [foreign_id, quantity, isGone]),
      [[sent.report.foreign_id, one.quantity, true]],
    )
  })

  test('an account that OKX does not know, and a fee, are refused: nothing is sent', async () => {
    const earlier = await received()
    const stranger = await desk.transfers.send(toBank('20', STRANGE_IBAN))
    assert.ok(stranger.outcome === 'refused' && stranger.reason.includes('a person has to add it'))
    await desk.sandbox.control('POST', 'okx/fees', { asset: 'EUR', fee: '1' })
    const costly = await desk.transfers.send(toBank('20'))
    assert.ok(costly.outcome === 'refused' && costly.reason.includes('by hand'))
    await desk.sandbox.control('POST', 'okx/fees', { asset: 'EUR', fee: '0' })
    assert.equal(await received(), earlier)
  })

  test('a lost answer is unknown, then found; one that never came is absent in time', async () => {
    const lost = toBank('31')
    await desk.sandbox.fault('okx', 'create-withdrawal', 'TIMEOUT_AFTER_ACCEPT')
    assert.equal((await desk.hasty.transfers?.send(lost))?.outcome, 'unknown')
    const found = await desk.transfers.find(lookup(lost))
    assert.ok(found.lookup === 'found')
    assert.equal(await received(lost.external_id), 1)
    // The same reference is taken once.
    assert.equal((await desk.transfers.send(lost)).outcome, 'unknown')

    const never = toBank('32')
    await desk.sandbox.fault('okx', 'create-withdrawal', 'DOWN')
    assert.equal((await desk.transfers.send(never)).outcome, 'unknown')
    assert.deepEqual(await desk.transfers.find(lookup(never)), {
      lookup: 'unknown',
      reason: 'too early to say',
    })
    const submitted_at = Date.now() - ABSENT_MILLISECONDS
    assert.equal((await desk.transfers.find(lookup(never, { submitted_at }))).lookup, 'absent')
    assert.equal(await received(never.external_id), 0)
  })
})
