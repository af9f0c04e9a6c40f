/** A custodian shows the sender of a transaction once a block has it. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { BTC_ADDRESS, movement } from '../testing/venue.fixture.ts'
import { openDeposits } from './deposits.testing.ts'

describe('a deposit whose sender is named late', () => {
  let deposits: Awaited<ReturnType<typeof openDeposits>>
  before(async () => {
    deposits = await openDeposits()
  })
  after(() => deposits.place.close())

  it('belongs to whom the venue names only once it is final', async () => {
    const { place, read } = deposits
    const bob = await place.customer('Bob')
    const source = { source_address: '1BoatSLRHtKNngkdXEeobR76b53LETtpyT' }
    const matched = await place.call('POST', '/accounts/matchings', {
      resource_id: bob.account_id,
      type: 'SOURCE_WITHOUT_REFERENCE',
      details: { asset: 'BTC', is_withdrawal_matching: false, ...source },
    })
    assert.equal(matched.status, 200, matched.text)
    const coin = { wallet: '0', protocol: 'BTC', destination_address: BTC_ADDRESS }
    place.arrives(place.vault, movement('late-1', 'BTC', '0.3', { ...coin, state: 'PENDING' }))
    await place.later(10_000)
    assert.partialDeepStrictEqual(await read('late-1'), { state: 'PENDING', source_address: null })
    place.arrives(place.vault, movement('late-1', 'BTC', '0.3', { ...coin, ...source }))
    await place.later(10_000)
    assert.partialDeepStrictEqual(await read('late-1'), { state: 'SUCCESSFUL', ...source })
    assert.equal(await place.total(bob.account_id, 'BTC'), '0.3')
  })
})
