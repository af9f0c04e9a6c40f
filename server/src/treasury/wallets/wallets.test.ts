import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import type { FakeVenue } from '../testing/fake-venue.testing.ts'
import {
  balance,
  BTC_ADDRESS,
  IBAN,
  OTHER_BTC_ADDRESS,
  XRP_ADDRESS,
} from '../testing/venue.fixture.ts'
import { walletByVenueLocator } from './rows.ts'
import type { VenueLocator } from './rows.ts'
import type { Wallet } from './wallets.schema.ts'
import { openWalletsApi } from './wallets.testing.ts'

describe('wallets', () => {
  let place: Awaited<ReturnType<typeof openWalletsApi>>
  before(async () => {
    place = await openWalletsApi()
  })
  after(() => place.close())

  let wallet: Wallet

  it('are made as specified, and read as an array of one', async () => {
    const { api, createWallet, vaultBtc } = place
    wallet = await createWallet({
      ...vaultBtc(),
      customer_id: '',
      configuration: { vault_id: '0', protocol: 'BTC', create_external_wallet: false },
    })
    assert.partialDeepStrictEqual(wallet, {
      type: 'VENUE',
      access_type: 'INTERNAL',
      foreign_id: '0',
      customer_id: null,
      state: 'ACTIVE',
      version: 1,
    })
    const read = await api.call<Wallet[]>('GET', `/treasury/wallets/${wallet.id}`)
    assert.deepEqual(read.data, [wallet])
  })

  it('change by their version', async () => {
    const { api } = place
    const changed = await api.call<Wallet>('PUT', `/treasury/wallets/${wallet.id}`, {
      body: { ...wallet, label: 'Vault Bitcoin', customer_id: null },
    })
    assert.equal(changed.status, 200, changed.text)
    assert.partialDeepStrictEqual(changed.data, { label: 'Vault Bitcoin', version: 2 })
    assert.equal(
      refusalOf(
        await api.call('PUT', `/treasury/wallets/${wallet.id}`, {
          body: { ...wallet, label: 'again' },
        }),
      ),
      '400 3001 STALE_VERSION version',
    )
  })

  it('are listed by where they are, and not shown to a stranger', async () => {
    const { api } = place
    for (const query of [
      `id=${wallet.id}`,
      `address=${BTC_ADDRESS}`,
      'foreign_id=0',
      `venue_id=${place.vault.id}`,
      `service_id=${place.vault.service_id}`,
    ]) {
      assert.deepEqual(
        (await api.call<Wallet[]>('GET', `/treasury/wallets?${query}`)).data.map((row) => row.id),
        [wallet.id],
        query,
      )
    }
    assert.equal(
      (await api.call<Wallet[]>('GET', '/treasury/wallets?reference_text=x')).data.length,
      0,
    )
    assert.equal(
      (await api.call<Wallet[]>('GET', '/treasury/wallets', { token: 'stranger' })).data.length,
      0,
    )
    assert.equal(
      (await api.call('GET', `/treasury/wallets/${wallet.id}`, { token: 'stranger' })).status,
      404,
    )
  })

  it('are refused where venue, account and customer do not belong together', async () => {
    const { assertRefused, external, vaultBtc } = place
    await assertRefused('/treasury/wallets', [
      ['no venue', { ...vaultBtc(), venue_id: null }, '400 3001 REQUIRED venue_id'],
      ['no service', { ...vaultBtc(), service_id: '' }, '400 3001 REQUIRED service_id'],
      [
        'venue wallets are internal',
        { ...vaultBtc(), access_type: 'EXTERNAL' },
        '400 3001 CONFLICT access_type',
      ],
      [
        'customer wallet without venue is external',
        external({ access_type: 'INTERNAL' }),
        '400 3001 CONFLICT access_type',
      ],
      [
        'only a service',
        external({ service_id: place.vault.service_id }),
        '400 3001 REQUIRED venue_id',
      ],
      [
        "another venue's service",
        { ...vaultBtc(), service_id: place.bank.service_id },
        '400 3001 CONFLICT service_id',
      ],
      ['unknown venue', { ...vaultBtc(), venue_id: newId() }, '404 4004 NOT_FOUND venue_id'],
      ['unknown account', { ...vaultBtc(), account_id: newId() }, '404 4004 NOT_FOUND account_id'],
      [
        "another venue's account",
        { ...vaultBtc(), account_id: place.bank.accounts.VENUE },
        '400 3001 CONFLICT account_id',
      ],
      ['no customer', external({ customer_id: null }), '400 3001 REQUIRED customer_id'],
      ['unknown customer', external({ customer_id: newId() }), '404 4004 NOT_FOUND customer_id'],
      [
        "not the customer's account",
        external({ account_id: place.vault.accounts.VENUE }),
        '400 3001 CONFLICT account_id',
      ],
    ])
  })

  it('are refused without a known asset and a valid address', async () => {
    const { assertRefused, atVenue, external } = place
    await assertRefused('/treasury/wallets', [
      ['unknown asset', external({ asset: 'DOGE' }), '400 3001 UNKNOWN_ASSET asset'],
      ['no address', external({ address: '' }), '400 3001 REQUIRED address'],
      [
        'wrong checksum',
        external({ address: `${OTHER_BTC_ADDRESS.slice(0, -1)}3` }),
        '400 3001 INVALID_ADDRESS address',
      ],
      [
        'no iban',
        atVenue(place.bank, { asset: 'EUR', address: 'DE89370400440532013001', label: 'Bank' }),
        '400 3001 INVALID_ADDRESS address',
      ],
    ])
  })

  it('are refused with a configuration that their venue does not have', async () => {
    const { assertRefused, atVenue, external, vaultBtc } = place
    await assertRefused('/treasury/wallets', [
      [
        'an exchange makes no wallets',
        atVenue(place.exchange, {
          asset: 'BTC',
          address: '',
          label: 'New',
          configuration: { create_external_wallet: true },
        }),
        '400 3001 UNSUPPORTED_BY_VENUE configuration.create_external_wallet',
      ],
      [
        'nobody makes an external wallet',
        external({ address: '', configuration: { create_external_wallet: true } }),
        '400 3001 UNSUPPORTED_BY_VENUE configuration.create_external_wallet',
      ],
      [
        'the venue makes the address',
        { ...vaultBtc(), configuration: { create_external_wallet: true } },
        '400 3001 CONFLICT address',
      ],
      [
        'a known vault has its name',
        {
          ...vaultBtc(),
          address: '',
          configuration: { create_external_wallet: true, vault_id: '0', vault_name: 'x' },
        },
        '400 3001 CONFLICT configuration.vault_name',
      ],
      [
        'only a new vault is named',
        { ...vaultBtc(), configuration: { vault_id: '0', vault_name: 'x' } },
        '400 3001 UNKNOWN_FIELD configuration.vault_name',
      ],
      [
        'a vault is named',
        { ...vaultBtc(), configuration: {} },
        '400 3001 REQUIRED configuration.vault_id',
      ],
      [
        'configuration of another kind',
        atVenue(place.bank, {
          asset: 'EUR',
          address: IBAN,
          label: 'Bank',
          configuration: { vault_id: '0' },
        }),
        '400 3001 UNKNOWN_FIELD configuration.vault_id',
      ],
      [
        'matchings come with an edit',
        { ...vaultBtc(), matching_configurations: [] },
        '400 3001 UNKNOWN_FIELD matching_configurations',
      ],
    ])
  })

  it('show their balance at the venue, or 2003 or UNSUPPORTED where it is unknown', async () => {
    const { api, createWallet, external } = place
    place.vault.balances = [
      balance('BTC', '3.5', {
        wallet: '0',
        protocol: 'BTC',
        free: decimal('3'),
        used: decimal('0.5'),
      }),
      balance('BTC', '9', { wallet: '1', protocol: 'BTC' }),
      balance('XRP', '7', { wallet: '0' }),
    ]
    const url = `/treasury/wallets/${wallet.id}/balance`
    assert.deepEqual((await api.call('GET', url)).data, {
      free: '3',
      used: '0.5',
      total: '3.5',
      protocol: 'BTC',
    })
    const all = await api.call<{ stale: boolean; balances: Record<string, unknown> }>(
      'GET',
      `/venues/${place.vault.id}/balances`,
    )
    assert.deepEqual(
      { stale: all.data.stale, BTC: all.data.balances['BTC'] },
      { stale: false, BTC: { free: '12', used: '0.5', total: '12.5', protocol: 'BTC' } },
    )
    place.vault.down = true
    const down = await api.call('GET', url)
    assert.partialDeepStrictEqual(down, { status: 503, error_code: 2003 })
    place.vault.down = false
    const outside = await createWallet(external())
    assert.equal(
      refusalOf(await api.call('GET', `/treasury/wallets/${outside.id}/balance`)),
      '400 3001 UNSUPPORTED_BY_VENUE wallet_id',
    )
  })

  it('are found by where money arrived; in a pooled account only by the address', async () => {
    const { atVenue, createWallet, db, exchange, external, vault, workspace } = place
    const pot = await createWallet(
      atVenue(exchange, { asset: 'XRP', address: XRP_ADDRESS, label: 'Exchange XRP' }),
    )
    const hers = await createWallet(
      external({
        asset: 'BTC',
        address: BTC_ADDRESS,
        label: 'Alice at exchange',
        access_type: 'INTERNAL',
        venue_id: exchange.id,
        service_id: exchange.service_id,
      }),
    )
    const find = async (
      venue: FakeVenue,
      locator: Omit<VenueLocator, 'tag' | 'address'> & { address?: string },
    ) => {
      const { id } = venue
      const complete = { address: null, tag: null, ...locator }
      return (await walletByVenueLocator(db, { workspace, id }, complete))?.id
    }
    const btc = { asset: 'BTC', protocol: 'BTC' }
    const inPot = { ...btc, wallet: null }
    assert.equal(await find(exchange, { wallet: null, asset: 'XRP', protocol: 'XRP' }), pot.id)
    assert.equal(await find(exchange, inPot), undefined)
    assert.equal(await find(exchange, { ...inPot, address: BTC_ADDRESS }), hers.id)
    assert.notEqual(await find(vault, { ...btc, wallet: '0' }), undefined)
    assert.equal(await find(vault, { ...btc, wallet: '1' }), undefined)
  })
})
