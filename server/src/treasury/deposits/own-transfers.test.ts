import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { balance, IBAN, movement } from '../testing/venue.fixture.ts'
import { PAYER } from './deposits.testing.ts'
import { openRelations, PAYOUT_IBAN } from './relations.testing.ts'

const DAY = 86_400_000
const fromVenue = {
  source_address: PAYOUT_IBAN,
  counterparty: { name: 'Payward Ltd', iban: PAYOUT_IBAN, bic: null },
  reference_text: 'Kraken Tx AAA-BBB',
}

describe('an own transfer that arrives', () => {
  let world: Awaited<ReturnType<typeof openRelations>>
  before(async () => {
    world = await openRelations()
    await world.payoutIbans([PAYOUT_IBAN])
  })
  after(async () => {
    assert.deepEqual(await world.place.verify(), [])
    await world.place.close()
  })

  it("is not a customer's wire of the same amount, and is still known when it comes", async () => {
    const { leaves, match, place, read, suggestions, wire } = world
    const sent = await leaves('700')
    const bob = await place.customer('Bob')
    await match(bob.account_id, 'SOURCE_WITH_REFERENCE', {
      source_address: PAYER,
      reference: 'SAVINGS',
    })
    const matched = await read(await wire('700', { reference_text: 'savings' }))
    assert.partialDeepStrictEqual(matched, {
      state: 'SUCCESSFUL',
      nature: 'CUSTOMER',
      customer_id: bob.id,
      related_withdrawal_id: null,
    })
    assert.equal(await place.total(bob.account_id), '700')
    const strangers = await read(await wire('700', { reference_text: 'invoice 7' }))
    assert.partialDeepStrictEqual(strangers, { state: 'UNASSIGNED', related_withdrawal_id: null })
    assert.deepEqual(await suggestions(strangers.id), [
      { of: sent.id, score: 30, reasons: ['SAME_AMOUNT'] },
    ])
    const arrived = await read(await wire('700', fromVenue))
    assert.partialDeepStrictEqual(arrived, {
      state: 'SUCCESSFUL',
      own_transfer: true,
      nature: 'OWN_TRANSFER',
      customer_id: null,
      related_withdrawal_id: sent.id,
    })
    assert.deepEqual(await place.bookings(arrived.id), ['TRANSFER EUR D bank 700, C transit 700'])
    assert.deepEqual(await suggestions(strangers.id), [])
  })

  it('waits for a person where the payer is not configured', async () => {
    const { hasArrived, leaves, payoutIbans, read, readById, suggestions, wire } = world
    await payoutIbans([])
    const sent = await leaves('701')
    const arrived = await read(await wire('701', fromVenue))
    assert.partialDeepStrictEqual(arrived, { state: 'UNASSIGNED', nature: 'UNASSIGNED' })
    await payoutIbans([PAYOUT_IBAN])
    assert.equal((await readById(arrived.id)).nature, 'VENUE', 'it is the IBAN of a venue now')
    assert.deepEqual(await suggestions(arrived.id), [
      { of: sent.id, score: 79, reasons: ['SAME_PAYER', 'SAME_AMOUNT'] },
    ])
    assert.equal(await hasArrived(sent.id), false)
  })

  it('is not decided when two of them fit', async () => {
    const { leaves, read, suggestions, wire } = world
    const [one, two] = [await leaves('702'), await leaves('702')]
    const arrived = await read(await wire('702', fromVenue))
    assert.partialDeepStrictEqual(arrived, {
      state: 'UNASSIGNED',
      reason_code: 'AMBIGUOUS_TRANSFER',
    })
    const both = (await suggestions(arrived.id)).map(({ of }) => of)
    assert.deepEqual(both.toSorted(), [one.id, two.id].toSorted())
  })

  it('is not decided when another deposit fits it as well', async () => {
    const { leaves, payoutIbans, read, wire } = world
    await payoutIbans([])
    await leaves('703')
    await wire('703', fromVenue)
    await payoutIbans([PAYOUT_IBAN])
    assert.partialDeepStrictEqual(await read(await wire('703', fromVenue)), {
      state: 'UNASSIGNED',
      reason_code: 'AMBIGUOUS_TRANSFER',
    })
  })

  it('is not decided when another deposit that fits is kept by the venue', async () => {
    const { leaves, read, wire } = world
    await leaves('703.5')
    await wire('703.5', { ...fromVenue, state: 'PENDING_REVIEW' })
    assert.partialDeepStrictEqual(await read(await wire('703.5', fromVenue)), {
      state: 'UNASSIGNED',
      reason_code: 'AMBIGUOUS_TRANSFER',
    })
  })

  it('is known by its payer for 14 days', async () => {
    const { leaves, place, read, wire } = world
    await leaves('704')
    const late = await read(
      await wire('704', { ...fromVenue, occurred_at: place.clock.now() + 14 * DAY }),
    )
    assert.equal(late.state, 'UNASSIGNED')
  })

  it('may have left before a set-back: nobody is credited before its venue was asked', async () => {
    const { match, place, read, routes } = world
    const { app, clock, models } = place
    const known = app.history
    const bob = await place.customer('Bob')
    await match(bob.account_id, 'SOURCE_WITH_REFERENCE', {
      source_address: PAYER,
      reference: 'RENT',
    })
    await place.call('POST', `/treasury/wallets/routes/${routes.exchangeToBank.id}/withdrawals`, {
      quantity: '719',
      speed_level: 'DEFAULT',
    })
    clock.advance(1)
    const started_at = clock.now()
    app.history = { ...known, lookUpBefore: async () => started_at }
    place.arrives(
      place.bank,
      movement('wire-of-rent', 'EUR', '719', {
        wallet: IBAN,
        destination_address: IBAN,
        source_address: PAYER,
        reference_text: 'rent',
      }),
    )
    // The venue cannot say, however long it takes.
    models.exchange.down = true
    for (const milliseconds of [5_000, 30_000, 600_000]) {
      await place.later(milliseconds)
      assert.equal(await place.total(bob.account_id), '0')
    }
    models.exchange.down = false
    for (const _time of [1, 2, 3]) await place.later(60_000)
    assert.equal((await read('wire-of-rent')).state, 'SUCCESSFUL')
    assert.equal(await place.total(bob.account_id), '719')
    app.history = known
  })

  it('is known by our reference, before a matching', async () => {
    const { leaves, match, place, read, wire } = world
    const [one, two] = [await leaves('705'), await leaves('705')]
    const bob = await place.customer('Bob')
    const source_address = 'AT611904300234573201'
    await match(bob.account_id, 'SOURCE_WITHOUT_REFERENCE', { source_address })
    const carried = await read(
      await wire('705', { source_address, carried_external_id: two.external_id }),
    )
    const quoted = await read(
      await wire('704.5', {
        source_address,
        reference_text: `your ref ${one.external_id.replaceAll('-', '').toUpperCase()}`,
      }),
    )
    assert.deepEqual(
      [carried.related_withdrawal_id, quoted.related_withdrawal_id],
      [two.id, one.id],
    )
    assert.deepEqual(await place.bookings(quoted.id), [
      'TRANSFER EUR D bank 704.5, C transit 704.5',
      'TRANSFER_FEE EUR D fee 0.5, C transit 0.5',
    ])
    assert.equal((await read(await wire('705', { source_address }))).related_withdrawal_id, null)
  })

  it('is known by its payer unless a matching names its reference or source', async () => {
    const { leaves, match, place, read, wire } = world
    const bob = await place.customer('Bob')
    await match(bob.account_id, 'DESTINATION_WITHOUT_REFERENCE', { destination_address: IBAN })
    const [first, second] = [await leaves('706'), await leaves('707')]
    assert.equal((await read(await wire('706', fromVenue))).related_withdrawal_id, first.id)
    await match(bob.account_id, 'DESTINATION_WITH_REFERENCE', {
      destination_address: IBAN,
      reference: 'BOB-1',
    })
    const claimed = await read(await wire('707', { ...fromVenue, reference_text: 'bob-1' }))
    assert.deepEqual([claimed.state, claimed.related_withdrawal_id], ['SUCCESSFUL', null])
    assert.equal(await world.hasArrived(second.id), false)
    await match(bob.account_id, 'SOURCE_WITHOUT_REFERENCE', { source_address: PAYOUT_IBAN })
    const bySource = await read(await wire('707', fromVenue))
    assert.deepEqual([bySource.state, bySource.related_withdrawal_id], ['SUCCESSFUL', null])
    assert.equal(await world.hasArrived(second.id), false)
    const matchings = await place.call<{ id: string; type: string }[]>(
      'GET',
      `/accounts/matchings?account_id=${bob.account_id}`,
    )
    for (const { id, type } of matchings.data)
      if (type.endsWith('WITHOUT_REFERENCE'))
        await place.call('DELETE', `/accounts/matchings/${id}`)
  })

  it('at an exchange that names no payer is from one of our banks, when one fits', async () => {
    const { place, read, routes } = world
    const send = async (quantity: string) => {
      const made = await place.call<{ id: string; external_id: string }>(
        'POST',
        `/treasury/wallets/routes/${routes.bankToExchange.id}/withdrawals`,
        { quantity, speed_level: 'DEFAULT' },
      )
      await place.work()
      place.models.bank.finish(made.data.external_id, {})
      await place.later(2_000)
      return made.data
    }
    const sent = await send('708')
    place.arrives(place.exchange, movement('at-exchange', 'EUR', '708'))
    await place.later(10_000)
    assert.equal((await read('at-exchange')).related_withdrawal_id, sent.id)
    await send('709')
    await send('709')
    place.arrives(place.exchange, movement('at-exchange-2', 'EUR', '709'))
    await place.later(10_000)
    assert.equal((await read('at-exchange-2')).reason_code, 'AMBIGUOUS_TRANSFER')
  })

  it('is never known by its quantity when it is a coin without a transaction', async () => {
    const { leaves, place, read, routes, suggestions } = world
    const sent = await leaves('0.321', routes.exchangeToVault)
    place.arrives(
      place.vault,
      movement('coin', 'BTC', '0.321', {
        wallet: '0',
        protocol: 'BTC',
        transaction_hash: 'unknown',
      }),
    )
    await place.later(10_000)
    assert.equal((await read('coin')).state, 'PENDING', 'its transaction may still be reported')
    await place.later(600_000)
    const coin = await read('coin')
    assert.equal(coin.state, 'UNASSIGNED')
    assert.deepEqual(await suggestions(coin.id), [
      { of: sent.id, score: 30, reasons: ['SAME_AMOUNT'] },
    ])
  })

  it("is not what a venue sends by itself: it is nobody's, whose wallet it reaches", async () => {
    const { place, read } = world
    const { alice, vault } = place
    const address = '1BoatSLRHtKNngkdXEeobR76b53LETtpyT'
    vault.balances.push(balance('BTC', '0', { wallet: '7', protocol: 'BTC' }))
    await place.wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address,
      venue_id: vault.id,
      service_id: vault.service_id,
      customer_id: alice.id,
      account_id: alice.account_id,
      configuration: { vault_id: '7' },
    })
    const fuel = { destination_address: address, wallet: '7', transaction_hash: '0xfuel' }
    place.arrives(
      vault,
      movement('fuel', 'BTC', '0.01', { ...fuel, by_venue: true }),
      movement('coins', 'BTC', '0.02', { ...fuel, transaction_hash: '0xcoins' }),
    )
    await place.later(10_000)
    assert.partialDeepStrictEqual(await read('coins'), { state: 'SUCCESSFUL' })
    const arrived = await read('fuel')
    assert.partialDeepStrictEqual(arrived, {
      state: 'UNASSIGNED',
      nature: 'VENUE',
      reason_code: 'SENT_BY_VENUE',
    })
    assert.deepEqual(await place.bookings(arrived.id), [
      'DEPOSIT BTC D vault 0.01, C suspense 0.01',
    ])
  })
})
