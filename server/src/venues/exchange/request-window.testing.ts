/** For tests of exchanges that refuse a signed request once it is too old. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ExchangeDesk, OpenExchange } from './desk.testing.ts'
import { lookup, order, orderLookup } from './exchange.fixture.ts'
import type { Acts } from './exchange.fixture.ts'

/** What was never sent is absent only once a request for it would be too old. */
export function requestWindowTest(
  desk: ExchangeDesk,
  open: OpenExchange,
  { absentAfter, withdrawal }: Acts,
): void {
  test('absent is not said while a signed request may still be accepted', async () => {
    const patient = await open(desk.sandbox, { request_window_ms: 10 * absentAfter })
    const [one, another] = [order(), withdrawal()]
    const sent_at = Date.now() - absentAfter
    assert.equal((await desk.trading.find(orderLookup(one, { sent_at }))).lookup, 'absent')
    assert.equal((await patient.trading?.find(orderLookup(one, { sent_at })))?.lookup, 'unknown')
    assert.equal(
      (await desk.transfers.find(lookup(another, { submitted_at: sent_at }))).lookup,
      'absent',
    )
    assert.equal(
      (await patient.transfers?.find(lookup(another, { submitted_at: sent_at })))?.lookup,
      'unknown',
    )
    await patient.close()
  })
}
