/** Where a return goes: to the payer that the bank names, or over a route that somebody chooses. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { IBAN } from '../testing/venue.fixture.ts'
import { PAYER } from './deposits.testing.ts'
import { openReturns, refusedWith } from './returns.testing.ts'

const NEW_IBAN = 'NL91ABNA0417164300'

describe('the way of a return', () => {
  let returns: Awaited<ReturnType<typeof openReturns>>
  before(async () => {
    returns = await openReturns()
  })
  after(() => returns.close())

  /** To an account of Alice at another bank. */
  async function routeTo(address: string) {
    const { alice, route, wallet, wallets } = returns.place
    const { id: customer_id, account_id } = alice
    const owner = { type: 'CUSTOMER', customer_id, account_id } as const
    const to = await wallet({ asset: 'EUR', address, ...owner })
    return route(wallets.bank, to, 'SEPA', { to: { name: 'New', reference: 'x' } })
  }

  it('is chosen by somebody for what the bank sent back', async () => {
    const { arrives, askReturn, ends, place, sends } = returns
    const elsewhere = await routeTo(NEW_IBAN)
    // Banks name the account that was closed, or keep the roles of the payment.
    for (const source_address of [PAYER, IBAN]) {
      const deposit = await arrives('100')
      const made = await sends(deposit.id)
      await ends(made)
      const bounced = await arrives('100', {
        related_external_id: made.external_id,
        source_address,
      })
      assert.equal(bounced.related_withdrawal_id, made.id)
      assert.equal(refusedWith(await askReturn(bounced.id, {})), 'REQUIRED route_id')
      const ours = await askReturn(bounced.id, { route_id: place.routes.bankToExchange.id })
      assert.equal(refusedWith(ours), 'CONFLICT route_id')
      const again = await askReturn(bounced.id, { route_id: elsewhere.id })
      assert.equal(again.status, 200, again.text)
      assert.partialDeepStrictEqual(again.data, {
        returns_deposit_id: bounced.id,
        destination_address: NEW_IBAN,
      })
    }
  })
})
