import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { IBAN, XRP_ADDRESS } from '../testing/venue.fixture.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { agreedFee } from './fees.ts'
import { routeById } from './routes.ts'
import type { RouteRecord } from './routes.schema.ts'
import { openRoutesApi, ROUTES } from './routes.testing.ts'

const PAYEE = 'FR1420041010050500013M02606'

describe('treasury routes', () => {
  let place: Awaited<ReturnType<typeof openRoutesApi>>
  let vault: Wallet
  let cold: Wallet
  let xrp: Wallet
  let coldXrp: Wallet
  let route: RouteRecord
  before(async () => {
    place = await openRoutesApi()
    const { atVenue, createWallet, external } = place
    ;({ vault, cold } = place.wallets)
    xrp = await createWallet(
      atVenue(place.vault, {
        asset: 'XRP',
        address: XRP_ADDRESS,
        label: 'Vault XRP',
        configuration: { vault_id: '0' },
      }),
    )
    coldXrp = await createWallet(
      external({ asset: 'XRP', address: XRP_ADDRESS, label: 'cold XRP' }),
    )
  })
  after(() => place.close())

  const url = () => `${ROUTES}/${route.id}`

  it('name the fields that they need', async () => {
    const { api } = place
    const fields = await api.call<{ from: { name: string }[]; to: { name: string }[] }>(
      'GET',
      `${ROUTES}/fields/${vault.id}/BTC`,
    )
    assert.deepEqual(
      {
        from: fields.data.from.map((row) => row.name),
        to: fields.data.to.map((row) => row.name),
      },
      { from: ['source_vault_account_id', 'destination_external_account_id'], to: ['tag'] },
    )
    assert.equal(
      refusalOf(await api.call('GET', `${ROUTES}/fields/${vault.id}/ETH`)),
      '400 3001 UNSUPPORTED_BY_VENUE protocol',
    )
    assert.equal(
      refusalOf(await api.call('GET', `${ROUTES}/fields/${cold.id}/BTC`)),
      '400 3001 UNSUPPORTED_BY_VENUE from_wallet_id',
    )
  })

  it('are made with a collection at the vault', async () => {
    route = await place.createRoute()
    assert.deepEqual(route.transfer, {
      from: { source_vault_account_id: '0', destination_external_account_id: 'collection-1' },
      to: { on_allowlist: false, allowlist_state: 'NOT_REQUESTED' },
    })
    assert.deepEqual(
      { from: route.from_wallet.id, to: route.to_wallet.id, settlement: route.settlement },
      { from: vault.id, to: cold.id, settlement: {} },
    )
  })

  it('are listed by what they connect', async () => {
    const { api } = place
    for (const query of [
      '',
      `?id=${route.id}`,
      `?workspace=${place.workspace}`,
      `?from_wallet_id=${vault.id}`,
      `?to_wallet_id=${cold.id}`,
      '?protocol=BTC',
    ]) {
      assert.deepEqual(
        (await api.call<RouteRecord[]>('GET', `${ROUTES}${query}`)).data,
        [route],
        query,
      )
    }
    assert.deepEqual((await api.call('GET', `${ROUTES}?workspace=${newId()}`)).data, [])
  })

  it('are refused where they contradict their wallets or fields', async () => {
    const base = { from_wallet_id: vault.id, to_wallet_id: cold.id, protocol: 'BTC', label: 'x' }
    const tagged = {
      from_wallet_id: xrp.id,
      to_wallet_id: coldXrp.id,
      protocol: 'XRP',
      label: 'x',
    }
    await place.assertRefused(ROUTES, [
      ['same wallet', { ...base, to_wallet_id: vault.id }, '400 3001 CONFLICT to_wallet_id'],
      [
        'other asset',
        { ...base, to_wallet_id: coldXrp.id },
        '400 3001 ASSET_MISMATCH to_wallet_id',
      ],
      ['unknown wallet', { ...base, to_wallet_id: newId() }, '404 4004 NOT_FOUND to_wallet_id'],
      [
        'from outside',
        { ...base, from_wallet_id: cold.id, to_wallet_id: vault.id },
        '400 3001 UNSUPPORTED_BY_VENUE from_wallet_id',
      ],
      [
        'protocol of the wallet',
        { ...base, protocol: 'ETH' },
        '400 3001 UNSUPPORTED_BY_VENUE protocol',
      ],
      [
        'unknown field',
        { ...base, transfer: { from: { key: 'a' } } },
        '400 3001 UNKNOWN_FIELD transfer.from.key',
      ],
      [
        'wrong type',
        { ...base, transfer: { from: { destination_external_account_id: true } } },
        '400 3001 TYPE transfer.from.destination_external_account_id',
      ],
      [
        'another vault',
        { ...base, transfer: { from: { source_vault_account_id: '7' } } },
        '400 3001 CONFLICT transfer.from.source_vault_account_id',
      ],
      ['tag missing', tagged, '400 3001 TAG_REQUIRED transfer.to.tag'],
      [
        'tag no number',
        { ...tagged, transfer: { to: { tag: 'Alice' } } },
        '400 3001 INVALID_ADDRESS transfer.to.tag',
      ],
      ['no label', { ...base, label: ' ' }, '400 3001 FORMAT label'],
      [
        'settlement has no fields',
        { ...base, settlement: {} },
        '400 3001 UNKNOWN_FIELD settlement',
      ],
    ])
  })

  it('of a bank need a reference and no allow-list, and keep their wallet as it is', async () => {
    const { api, atVenue, createWallet, external } = place
    const bank = await createWallet(
      atVenue(place.bank, { asset: 'EUR', address: IBAN, label: 'Bank' }),
    )
    const payee = await createWallet(
      external({ asset: 'EUR', address: 'fr14 2004 1010 0505 0001 3M02 606', label: 'Alice bank' }),
    )
    assert.equal(payee.address, PAYEE)
    const wire = {
      from_wallet_id: bank.id,
      to_wallet_id: payee.id,
      protocol: 'SEPA',
      label: 'wire',
    }
    assert.equal(
      refusalOf(
        await api.call('POST', ROUTES, {
          body: { ...wire, transfer: { to: { name: 'Alice' } } },
        }),
      ),
      '400 3001 REQUIRED transfer.to.reference',
    )
    const made = await api.call<RouteRecord>('POST', ROUTES, {
      body: { ...wire, transfer: { to: { name: 'Zoë Weiß', reference: 'R1' } } },
    })
    assert.equal(made.status, 200, made.text)
    const estimate = await api.call<{ sent_as: object }>(
      'POST',
      `${ROUTES}/${made.data.id}/estimate-fee`,
      { body: { quantity: '5' } },
    )
    assert.deepEqual(estimate.data.sent_as, { name: 'Zoe Weiss' })
    assert.equal(
      refusalOf(await api.call('PUT', `${ROUTES}/${made.data.id}/allow`, { body: {} })),
      '400 3001 UNSUPPORTED_BY_VENUE ',
    )
    assert.equal(
      refusalOf(
        await api.call('PUT', `/treasury/wallets/${bank.id}`, {
          body: { ...bank, customer_id: null, configuration: { customer_account_number: '9' } },
        }),
      ),
      '400 3001 IN_USE configuration',
    )
  })

  it('estimate the fee of each speed', async () => {
    const { api } = place
    const estimate = await api.call<Record<string, unknown>>('POST', `${url()}/estimate-fee`, {
      body: { quantity: '0.5' },
    })
    assert.deepEqual(estimate.data, {
      asset: 'BTC',
      custom: true,
      speed_levels: {
        DEFAULT: { fee: '0.0002' },
        FAST: { fee: '0.0004' },
        SLOW: { fee: '0.0001' },
      },
      execution_date: null,
      sent_as: {},
    })
    assert.equal(
      refusalOf(
        await api.call('POST', `${url()}/estimate-fee`, { body: { quantity: '0.123456789' } }),
      ),
      '400 3001 SCALE quantity',
    )
  })

  it('take a named fee that was estimated or lies within 10 %', async () => {
    place.vault.fee = decimal('0.001')
    const current = await routeById(place.db, place.workspace, route.id)
    const fee = async (level: 'DEFAULT' | 'FAST' | 'CUSTOM', named?: string) =>
      format(
        (
          await agreedFee(place.app, current, decimal('0.5'), {
            speed_level: level,
            fee: named === undefined ? undefined : decimal(named),
          })
        ).fee,
      )
    assert.equal(await fee('DEFAULT', '0.0002'), '0.0002')
    assert.equal(await fee('DEFAULT'), '0.001')
    assert.equal(await fee('DEFAULT', '0.0011'), '0.0011')
    await assert.rejects(fee('DEFAULT', '0.00110001'), /0\.001 BTC/)
    assert.equal(await fee('CUSTOM', '0.7'), '0.7')
    await assert.rejects(fee('CUSTOM'), /fee is required/)
    place.clock.advance(600_001)
    await assert.rejects(fee('DEFAULT', '0.0002'), /not the current one/)
    place.vault.down = true
    const down = await place.api.call('POST', `${url()}/estimate-fee`, {
      body: { quantity: '0.5' },
    })
    assert.partialDeepStrictEqual(down, { status: 503, error_code: 2003 })
    place.vault.down = false
  })
})
