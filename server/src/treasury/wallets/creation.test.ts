import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { refusalOf } from '../../http/testing.ts'
import { sql } from '../../store/sql.ts'
import { BTC_ADDRESS, OTHER_BTC_ADDRESS } from '../testing/venue.fixture.ts'
import { openCreation } from './creation.testing.ts'
import type { Wallet } from './wallets.schema.ts'

describe('wallets that the venue makes', () => {
  let creation: Awaited<ReturnType<typeof openCreation>>
  before(async () => {
    creation = await openCreation()
  })
  beforeEach(() => creation.reset())
  after(() => creation.place.close())

  it('are CREATING until the venue answers, then ACTIVE with address and vault', async () => {
    const { createWallet, draft, events, place, read, requests, vault, work } = creation
    const wallet = await createWallet(
      draft(place.vault, { protocol: 'BTC', vault_id: '', vault_name: '' }),
    )
    assert.partialDeepStrictEqual(wallet, {
      state: 'CREATING',
      address: '',
      foreign_id: null,
      protocol: 'BTC',
      reason: null,
    })
    assert.match(wallet.configuration.vault_name ?? '', /^Kontor BTC [0-9a-f]{12}$/)
    assert.equal(
      (
        await place.db.query(
          sql`
            select 1
            from tasks
            where kind = 'create_wallet'
              and subject_id = ${wallet.id}`,
        )
      ).length,
      1,
    )
    assert.equal(await work(wallet), 'done')
    const made = await read(wallet)
    assert.deepEqual(
      {
        state: made.state,
        address: made.address,
        foreign_id: made.foreign_id,
        configuration: made.configuration,
      },
      {
        state: 'ACTIVE',
        address: BTC_ADDRESS,
        foreign_id: 'w1',
        configuration: { ...wallet.configuration, vault_id: 'w1' },
      },
    )
    assert.deepEqual(requests(vault, wallet), [
      {
        external_id: wallet.id,
        asset: 'BTC',
        protocol: 'BTC',
        label: 'New',
        vault_id: null,
        vault_name: wallet.configuration.vault_name,
        customer_id: null,
      },
    ])
    assert.deepEqual(await events(wallet), ['wallet.created', 'wallet.activated'])
    assert.equal(await work(wallet), 'done')
    assert.equal(requests(vault, wallet).length, 1)
  })

  it('made before this start are looked for before they are asked for', async () => {
    const { createWallet, draft, place, read, requests, vault, work } = creation
    const wallet = await createWallet(
      draft(place.vault, { protocol: 'BTC', vault_id: '', vault_name: '' }),
    )
    vault.made.set(wallet.id, { state: 'ACTIVE', wallet: 'w-lost', address: 'bc1lost', tag: null })
    const { app, clock } = place
    const known = app.history
    clock.advance(1)
    const started_at = clock.now()
    app.history = { ...known, lookUpBefore: async () => started_at }
    await work(wallet)
    app.history = known
    assert.partialDeepStrictEqual(await read(wallet), { state: 'ACTIVE', foreign_id: 'w-lost' })
    assert.deepEqual(requests(vault, wallet), [])
  })

  it('may have been asked for again in the lost time: absent is believed later', async () => {
    const { createWallet, draft, place, requests, vault, work } = creation
    const wallet = await createWallet(
      draft(place.vault, { protocol: 'BTC', vault_id: '', vault_name: '' }),
    )
    vault.mode = 'lost'
    await work(wallet)
    const { app, clock } = place
    const known = app.history
    clock.advance(60_000)
    const set_back_at = clock.now()
    app.history = { ...known, setBackAt: async () => set_back_at }
    vault.mode = 'accept'
    await work(wallet)
    assert.equal(requests(vault, wallet).length, 1)
    clock.advance(10_000)
    await work(wallet)
    assert.equal(requests(vault, wallet).length, 2)
    app.history = known
  })

  it('take part in no route and tell no balance while CREATING or FAILED', async () => {
    const { api, createWallet, custodian, draft, events, locate, managed, place, read, work } =
      creation
    custodian.mode = 'working'
    const wallet = await createWallet(draft(managed, { customer_id: 'c1' }))
    await work(wallet)
    const known = await createWallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address: OTHER_BTC_ADDRESS,
      label: 'cold',
      account_id: place.customer.id,
      customer_id: place.customer_id,
      access_type: 'EXTERNAL',
    })
    const route = (from: Wallet, to: Wallet) =>
      api.call('POST', '/treasury/wallets/routes', {
        body: { from_wallet_id: from.id, to_wallet_id: to.id, protocol: 'BTC', label: 'r' },
      })
    assert.equal(refusalOf(await route(wallet, known)), '400 3001 STATE_NOT_ALLOWED from_wallet_id')
    assert.equal(refusalOf(await route(known, wallet)), '400 3001 STATE_NOT_ALLOWED to_wallet_id')
    assert.equal(
      refusalOf(await api.call('GET', `/treasury/wallets/routes/fields/${wallet.id}/BTC`)),
      '400 3001 STATE_NOT_ALLOWED from_wallet_id',
    )
    assert.equal(
      refusalOf(await api.call('GET', `/treasury/wallets/${wallet.id}/balance`)),
      '400 3001 STATE_NOT_ALLOWED wallet_id',
    )
    assert.equal(await locate(managed, { wallet: null, asset: 'BTC', protocol: 'BTC' }), undefined)
    custodian.made.set(wallet.id, {
      state: 'FAILED',
      reason: 'CUSTOMER_NOT_FOUND: there is no customer c1',
    })
    assert.equal(await work(wallet), 'done')
    assert.partialDeepStrictEqual(await read(wallet), {
      state: 'FAILED',
      reason: 'CUSTOMER_NOT_FOUND: there is no customer c1',
      address: '',
    })
    assert.equal(refusalOf(await route(known, wallet)), '400 3001 STATE_NOT_ALLOWED to_wallet_id')
    assert.deepEqual(await events(wallet), ['wallet.created', 'wallet.failed'])
  })

  it('are polled while the venue makes them, and made for a customer of the venue', async () => {
    const { api, createWallet, custodian, draft, locate, managed, place, read, requests, work } =
      creation
    assert.equal(
      refusalOf(await api.call('POST', '/treasury/wallets', { body: draft(managed, {}) })),
      '400 3001 REQUIRED configuration.customer_id',
    )
    assert.equal(
      refusalOf(
        await api.call('POST', '/treasury/wallets', {
          body: draft(managed, { customer_id: 'c1', vault_id: '0' }),
        }),
      ),
      '400 3001 UNKNOWN_FIELD configuration.vault_id',
    )
    assert.equal(
      refusalOf(
        await api.call('POST', '/treasury/wallets', {
          body: draft(managed, { create_external_wallet: false }, { address: BTC_ADDRESS }),
        }),
      ),
      '400 3001 REQUIRED configuration.wallet_id',
    )
    custodian.mode = 'working'
    const wallet = await createWallet(
      draft(
        managed,
        { customer_id: 'c1' },
        { type: 'CUSTOMER', customer_id: place.customer_id, account_id: place.customer.id },
      ),
    )
    const again = await work(wallet)
    assert.ok(again !== 'done' && again.again_at > place.clock.now())
    assert.equal((await read(wallet)).state, 'CREATING')
    custodian.made.set(wallet.id, {
      state: 'ACTIVE',
      wallet: 'mw_7',
      address: 'bc1managed',
      tag: null,
    })
    assert.equal(await work(wallet), 'done')
    assert.deepEqual(
      await read(wallet).then((row) => ({
        state: row.state,
        address: row.address,
        foreign_id: row.foreign_id,
        configuration: row.configuration,
      })),
      {
        state: 'ACTIVE',
        address: 'bc1managed',
        foreign_id: 'mw_7',
        configuration: { create_external_wallet: true, customer_id: 'c1', wallet_id: 'mw_7' },
      },
    )
    assert.equal(requests(custodian, wallet).length, 1)
    assert.equal(
      await locate(managed, {
        wallet: 'mw_7',
        asset: 'BTC',
        protocol: 'BTC',
        address: 'bc1managed',
      }),
      wallet.id,
    )
  })

  it("are refused with the venue's reason", async () => {
    const { api, createWallet, draft, place, read, vault, work } = creation
    vault.mode = 'refuse'
    const wallet = await createWallet(draft(place.vault, { vault_id: '9' }))
    assert.equal(await work(wallet), 'done')
    assert.partialDeepStrictEqual(await read(wallet), { state: 'FAILED', reason: 'not for you' })
    assert.equal(
      refusalOf(
        await api.call('POST', '/treasury/wallets', {
          body: draft(place.vault, { protocol: 'LIGHTNING' }),
        }),
      ),
      '400 3001 UNSUPPORTED_BY_VENUE configuration.protocol',
    )
  })

  it('are requested once: an unknown outcome is looked up before another request', async () => {
    const { createWallet, draft, place, read, requests, useNewAddress, vault, work } = creation
    vault.mode = 'late'
    useNewAddress(vault)
    const late = await createWallet(draft(place.vault, {}))
    await work(late)
    assert.equal((await read(late)).state, 'CREATING')
    vault.down = true
    await work(late)
    assert.equal((await read(late)).state, 'CREATING')
    vault.down = false
    assert.equal(await work(late), 'done')
    assert.deepEqual(
      { state: (await read(late)).state, requests: requests(vault, late).length },
      { state: 'ACTIVE', requests: 1 },
    )
  })

  it('are requested again when the venue does not know them for a while', async () => {
    const { createWallet, draft, place, read, requests, useNewAddress, vault, work } = creation
    vault.mode = 'lost'
    const lost = await createWallet(draft(place.vault, {}))
    await work(lost)
    vault.mode = 'accept'
    useNewAddress(vault)
    await work(lost)
    assert.deepEqual(
      { state: (await read(lost)).state, requests: requests(vault, lost).length },
      { state: 'CREATING', requests: 1 },
    )
    place.clock.advance(10_000)
    assert.equal(await work(lost), 'done')
    assert.deepEqual(
      { state: (await read(lost)).state, requests: requests(vault, lost).length },
      { state: 'ACTIVE', requests: 2 },
    )
  })
})
