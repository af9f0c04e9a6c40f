import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { format } from '../../core/decimal.ts'
import { balancesOf, putAsset, verifyBooks } from '../../ledger/index.ts'
import { NotAsked, venueById } from '../../venues/index.ts'
import { earlierIncomingChange, openingStatusOf } from './movements.ts'
import { connectVenueTask } from './opening.ts'
import { createWallet } from '../wallets/wallets.ts'
import { balance, BTC_ADDRESS, movement, openWorkplace } from '../testing/venue.fixture.ts'
import type { Workplace } from '../testing/venue.fixture.ts'
import type { FakeVenue } from '../testing/fake-venue.testing.ts'

describe('the first connection of a venue', () => {
  let place: Workplace
  before(async () => {
    place = await openWorkplace()
  })
  after(() => place.close())

  const connect = (venue: FakeVenue) =>
    connectVenueTask(place.app)({
      workspace: place.workspace,
      kind: 'connect_venue',
      subject_id: venue.id,
      attempts: 1,
    })
  const booked = async (venue: FakeVenue, asset: string) =>
    format(
      (await balancesOf(place.db, place.workspace, venue.accounts.VENUE)).find(
        (balance) => balance.asset === asset,
      )?.total ?? 0n,
    )
  const integration = (venue: FakeVenue, id: string, asset = 'BTC') =>
    openingStatusOf(
      place.db,
      { workspace: place.workspace, id: venue.id },
      undefined,
      movement(id, asset, '1'),
    )

  describe('of an exchange', () => {
    beforeEach(() => {
      place.exchange.onBalances = () => undefined
    })

    it('waits while the venue is down', async () => {
      place.exchange.down = true
      assert.deepEqual(await connect(place.exchange), { again_at: place.clock.now() + 2_000 })
      const { state, fault } = await venueById(place.db, place.workspace, place.exchange.id)
      assert.equal(state, 'CONNECTING')
      assert.ok(fault !== null && fault !== '', 'it says why')
      place.exchange.down = false
      assert.equal(await integration(place.exchange, 'none'), 'NOT_OPEN')
    })

    it('blames nobody for a reading that was not its turn', async () => {
      const { fault: before } = await venueById(place.db, place.workspace, place.exchange.id)
      place.exchange.onBalances = () => {
        throw new NotAsked('it was not its turn')
      }
      assert.deepEqual(await connect(place.exchange), { again_at: place.clock.now() + 2_000 })
      const { fault } = await venueById(place.db, place.workspace, place.exchange.id)
      assert.equal(fault, before)
    })

    it('books what it holds once, and counts money that arrives meanwhile once', async () => {
      place.exchange.balances = [
        balance('EUR', '250000.12'),
        balance('BTC', '5'),
        balance('DUST', '7'),
      ]
      place.exchange.incoming = [
        movement('old', 'BTC', '5'),
        movement('coming', 'BTC', '0.5', { state: 'PENDING' }),
      ]
      let arrived = false
      place.exchange.onBalances = () => {
        if (arrived) return
        arrived = true
        place.exchange.incoming.push(movement('between', 'BTC', '1'))
        place.exchange.balances[1] = balance('BTC', '6')
      }
      assert.equal(await connect(place.exchange), 'done')
      assert.equal(await booked(place.exchange, 'BTC'), '6')
      assert.equal(await booked(place.exchange, 'EUR'), '250000.12')
      assert.equal(await booked(place.exchange, 'DUST'), '0')
      assert.equal(await integration(place.exchange, 'old'), 'COUNTED')
      assert.equal(await integration(place.exchange, 'between'), 'COUNTED')
      assert.equal(await integration(place.exchange, 'coming'), 'DEPOSIT')
      assert.equal(
        (await venueById(place.db, place.workspace, place.exchange.id)).state,
        'CONNECTED',
      )
      assert.equal(await connect(place.exchange), 'done')
      assert.equal(await booked(place.exchange, 'BTC'), '6')
    })

    it('opens an asset that is configured later, and only that', async () => {
      place.clock.advance(10_000)
      await putAsset(place.db, place.workspace, {
        code: 'DUST',
        label: 'Dust',
        kind: 'CRYPTO',
        scale: 8,
        circulating_supply: null,
      })
      place.exchange.balances.push(balance('BTC', '100'))
      assert.equal(await connect(place.exchange), 'done')
      assert.equal(await booked(place.exchange, 'DUST'), '7')
      assert.equal(await booked(place.exchange, 'BTC'), '6')
    })
  })

  it('leaves out what arrived since integrate_from, and includes what was before', async () => {
    const { vault, workspace, clock, db } = place
    const since = clock.now() - 1_000
    const wallet = await db.tx((tx) =>
      createWallet(
        place.caller,
        { tx, clock },
        {
          type: 'VENUE',
          asset: 'BTC',
          address: BTC_ADDRESS,
          label: 'Vault BTC',
          service_id: vault.service_id,
          venue_id: vault.id,
          account_id: vault.accounts.VENUE,
          access_type: 'INTERNAL',
          configuration: { vault_id: '0', protocol: 'BTC' },
        },
        { key: 'vault-btc', declared_hash: 'x', reference_text: null, integrate_from: since },
      ),
    )
    const at = { wallet: '0', protocol: 'BTC' }
    vault.balances = [balance('BTC', '3', at)]
    vault.incoming = [
      movement('before', 'BTC', '1', { ...at, occurred_at: since - 1 }),
      movement('since', 'BTC', '2', { ...at, occurred_at: since }),
    ]
    assert.equal(await connect(vault), 'done')
    assert.equal(await booked(vault, 'BTC'), '1')
    const what = (id: string, occurred_at: number) =>
      openingStatusOf(
        db,
        { workspace, id: vault.id },
        wallet,
        movement(id, 'BTC', '2', { ...at, occurred_at }),
      )
    assert.equal(await what('before', since - 1), 'COUNTED')
    assert.equal(await what('since', since), 'DEPOSIT')
    assert.equal(await what('late', since - 5), 'OPENING')
    const change = () =>
      venueById(db, workspace, vault.id).then((venue) =>
        earlierIncomingChange(db, venue, movement('late', 'BTC', '0.25', at)),
      )
    await place.app.lane.commit(await change())
    await assert.rejects(change().then((change) => place.app.lane.commit(change)))
    assert.equal(await booked(vault, 'BTC'), '1.25')
    assert.equal(await what('late', since - 5), 'COUNTED')
    assert.deepEqual((await verifyBooks(db, workspace)).faults, [])
  })

  it('asks again when a figure is not known or the money does not stand still', async () => {
    const { bank } = place
    bank.balances = [balance('EUR', '10', { total: null })]
    assert.notEqual(await connect(bank), 'done')
    bank.balances = [balance('EUR', '10')]
    bank.onBalances = () => {
      bank.incoming.push(movement(`m${bank.incoming.length}`, 'EUR', '1'))
    }
    assert.notEqual(await connect(bank), 'done')
    bank.onBalances = () => undefined
    assert.equal(await connect(bank), 'done')
    assert.equal(await booked(bank, 'EUR'), '10')
  })
})
