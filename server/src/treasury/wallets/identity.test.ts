import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { BTC_ADDRESS, OTHER_BTC_ADDRESS, XRP_ADDRESS } from '../testing/venue.fixture.ts'
import { openCreation } from './creation.testing.ts'
import type { Wallet } from './wallets.schema.ts'

describe('wallets that the venue has made', () => {
  let creation: Awaited<ReturnType<typeof openCreation>>
  before(async () => {
    creation = await openCreation()
  })
  beforeEach(() => creation.reset())
  after(() => creation.place.close())

  it('never share an address without a tag', async () => {
    const { createWallet, draft, place, read, vault, work } = creation
    vault.next = { address: 'bc1one', tag: null }
    const first = await createWallet(draft(place.vault, { vault_id: '0' }, { label: 'First' }))
    const second = await createWallet(draft(place.vault, { vault_id: '0' }))
    await work(first)
    await work(second)
    assert.deepEqual(
      { first: (await read(first)).state, second: (await read(second)).state },
      { first: 'ACTIVE', second: 'FAILED' },
    )
    assert.match((await read(second)).reason ?? '', /belongs to the wallet First/)
  })

  it('may share an address where a tag tells them apart', async () => {
    const { createWallet, draft, locate, place, read, vault, work } = creation
    const tagged: Wallet[] = []
    for (const tag of ['71', '72']) {
      vault.next = { address: XRP_ADDRESS, tag }
      const wallet = await createWallet(
        draft(
          place.vault,
          { vault_id: '0' },
          {
            asset: 'XRP',
            type: 'CUSTOMER',
            customer_id: place.customer_id,
            account_id: place.customer.id,
          },
        ),
      )
      await work(wallet)
      tagged.push(await read(wallet))
    }
    assert.deepEqual(
      tagged.map(({ state, address, reference_text }) => ({ state, address, reference_text })),
      [
        { state: 'ACTIVE', address: XRP_ADDRESS, reference_text: '71' },
        { state: 'ACTIVE', address: XRP_ADDRESS, reference_text: '72' },
      ],
    )
    for (const [tag, found] of [
      ['72', tagged[1]?.id],
      ['71', tagged[0]?.id],
      [null, undefined],
      ['73', undefined],
    ] as const) {
      const at = { wallet: '0', asset: 'XRP', protocol: 'XRP', address: XRP_ADDRESS, tag }
      assert.equal(await locate(place.vault, at), found, `tag ${tag}`)
    }
  })

  it('change only in label, type, customer and account; none is made twice', async () => {
    const { api, createWallet, draft, place, read, useNewAddress, vault, work } = creation
    useNewAddress(vault)
    const wallet = await createWallet(draft(place.vault, {}))
    await work(wallet)
    const made = await read(wallet)
    const change = {
      ...made,
      type: 'CUSTOMER',
      customer_id: place.customer_id,
      account_id: place.customer.id,
      label: 'Alice',
      asset: 'XRP',
      address: BTC_ADDRESS,
      venue_id: place.bank.id,
      access_type: 'EXTERNAL',
      configuration: { vault_id: '99' },
    }
    const answer = await api.call<Wallet>('PUT', `/treasury/wallets/${wallet.id}`, { body: change })
    assert.equal(answer.status, 200, answer.text)
    const { system_updated_at, system_updated_by, ...kept } = made
    assert.deepEqual(answer.data, {
      ...kept,
      type: 'CUSTOMER',
      customer_id: place.customer_id,
      account_id: place.customer.id,
      label: 'Alice',
      version: made.version + 1,
      system_updated_at: place.clock.now(),
      system_updated_by: place.user_id,
    })
    assert.ok(system_updated_at <= place.clock.now() && system_updated_by === 'treasury')
    assert.equal(
      refusalOf(
        await api.call('PUT', `/treasury/wallets/${wallet.id}`, {
          body: { ...answer.data, customer_id: newId() },
        }),
      ),
      '404 4004 NOT_FOUND customer_id',
    )
    const named = await createWallet({
      ...draft(place.vault, {}),
      address: OTHER_BTC_ADDRESS,
      configuration: { vault_id: '3', protocol: 'BTC' },
    })
    assert.equal(
      refusalOf(
        await api.call('PUT', `/treasury/wallets/${named.id}`, {
          body: { ...named, address: '', configuration: { create_external_wallet: true } },
        }),
      ),
      '400 3001 CONFLICT configuration.create_external_wallet',
    )
  })
})
