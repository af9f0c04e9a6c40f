import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { refusalOf } from '../../http/testing.ts'
import { nextPollAt } from '../../store/tasks.ts'
import { BTC_ADDRESS, IBAN, OTHER_BTC_ADDRESS, XRP_ADDRESS } from '../testing/venue.fixture.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { openWalletsApi } from '../wallets/wallets.testing.ts'
import { allowRouteTask } from './allowlist.ts'
import { collectionTask } from './collections.ts'
import { agreedFee } from './fees.ts'
import { routeById } from './routes.ts'
import type { RouteRecord } from './routes.schema.ts'

const COLLECTION = 'destination_external_account_id'
const PAYEE = 'FR1420041010050500013M02606'

describe('treasury routes', () => {
  let place: Awaited<ReturnType<typeof openWalletsApi>>
  let vault: Wallet
  let cold: Wallet
  let xrp: Wallet
  let coldXrp: Wallet
  let route: RouteRecord
  before(async () => {
    place = await openWalletsApi()
    const { atVenue, createWallet, external, vaultBtc } = place
    vault = await createWallet(vaultBtc())
    cold = await createWallet(external({ label: 'cold' }))
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

  const ROUTES = '/treasury/wallets/routes'
  const url = () => `${ROUTES}/${route.id}`
  const stored = () => routeById(place.db, place.workspace, route.id)
  const task = (kind: string) => ({
    workspace: place.workspace,
    kind,
    subject_id: route.id,
    attempts: 1,
  })
  const pollAllowlist = () => allowRouteTask(place.app)(task('allow_route'))

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
    const made = await place.api.call<RouteRecord>('POST', ROUTES, {
      body: {
        from_wallet_id: vault.id,
        to_wallet_id: cold.id,
        protocol: 'BTC',
        label: 'To Alice',
        transfer: { from: { destination_external_account_id: '' }, to: {} },
      },
    })
    assert.equal(made.status, 200, made.text)
    route = made.data
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
      external({ asset: 'EUR', address: PAYEE, label: 'Alice bank' }),
    )
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
      body: { ...wire, transfer: { to: { name: 'Alice', reference: 'R1' } } },
    })
    assert.equal(made.status, 200, made.text)
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

  let approved: RouteRecord | undefined

  it('are allow-listed at the vault', async () => {
    const { api } = place
    const requested = await api.call<RouteRecord>('PUT', `${url()}/allow`, {
      body: {
        from_wallet_id: route.from_wallet_id,
        to_wallet_id: route.to_wallet_id,
        label: 'Alice cold',
        transfer: route.transfer,
        settlement: {},
      },
    })
    assert.equal(requested.status, 200, requested.text)
    assert.deepEqual(requested.data.transfer, {
      from: { source_vault_account_id: '0', destination_external_account_id: 'collection-1' },
      to: { on_allowlist: false, allowlist_state: 'PENDING_APPROVAL' },
    })
    place.vault.allowlist = 'PENDING_APPROVAL'
    assert.deepEqual(await pollAllowlist(), {
      again_at: nextPollAt({ subject_id: route.id }, place.clock.now(), 2_000),
    })
    place.vault.allowlist = 'APPROVED'
    await pollAllowlist()
    ;[approved] = (await api.call<RouteRecord[]>('GET', `${ROUTES}?id=${route.id}`)).data
    assert.deepEqual(
      {
        on_allowlist: approved?.transfer.to.on_allowlist,
        allowlist_state: approved?.transfer.to.allowlist_state,
        label: approved?.label,
      },
      { on_allowlist: true, allowlist_state: 'APPROVED', label: 'Alice cold' },
    )
  })

  it('are reset by a new destination, not by a new label', async () => {
    const { api, createWallet, external } = place
    const same = await api.call<RouteRecord>('PUT', url(), {
      body: { ...approved, label: 'Alice' },
    })
    assert.equal(same.data.transfer.to.allowlist_state, 'APPROVED', same.text)
    place.vault.allowlist = null
    await pollAllowlist()
    assert.equal((await stored()).allowlist_state, 'REMOVED')
    const other = await createWallet(external({ label: 'other', address: BTC_ADDRESS }))
    const moved = await api.call<RouteRecord>('PUT', url(), {
      body: { ...same.data, version: null, to_wallet_id: other.id },
    })
    assert.deepEqual(moved.data.transfer, {
      from: { source_vault_account_id: '0', destination_external_account_id: 'collection-2' },
      to: { on_allowlist: false, allowlist_state: 'NOT_REQUESTED' },
    })
    assert.equal(await pollAllowlist(), 'done')
  })

  it('record a refusal, and repeat an unknown request under the same reference', async () => {
    const { api } = place
    place.vault.allow = () => ({ outcome: 'refused', reason: 'policy', native: '42' })
    assert.equal(
      refusalOf(await api.call('PUT', `${url()}/allow`, { body: {} })),
      '400 3001 REFUSED_BY_VENUE ',
    )
    assert.equal((await stored()).allowlist_state, 'FAILED')
    place.vault.allow = () => ({ outcome: 'unknown', reason: 'time-out' })
    place.vault.allowed = []
    const unseen = await api.call<RouteRecord>('PUT', `${url()}/allow`, { body: {} })
    assert.equal(unseen.data.transfer.to.allowlist_state, 'PENDING_APPROVAL')
    place.vault.allow = () => ({
      outcome: 'accepted',
      report: {
        state: 'APPROVED',
        transfer: {
          from: { destination_external_account_id: 'made-2' },
          to: { on_allowlist: 'true' },
        },
      },
    })
    await pollAllowlist()
    const { allowlist_state, transfer } = await stored()
    assert.deepEqual(
      { allowlist_state, collection: transfer.from[COLLECTION], to: transfer.to },
      { allowlist_state: 'APPROVED', collection: 'made-2', to: {} },
    )
    assert.equal(new Set(place.vault.allowed).size, 1)
    assert.equal(place.vault.allowed.length, 2)
  })

  it('lose their collection with the address, and get another', async () => {
    const { to_wallet } = await stored()
    const gone = await place.api.call<Wallet>('PUT', `/treasury/wallets/${to_wallet.id}`, {
      body: { ...to_wallet, service_id: '', venue_id: '', address: OTHER_BTC_ADDRESS },
    })
    assert.equal(gone.status, 200, gone.text)
    const reset = await stored()
    assert.deepEqual(
      { allowlist_state: reset.allowlist_state, from: reset.transfer.from },
      { allowlist_state: 'NOT_REQUESTED', from: { source_vault_account_id: '0' } },
    )
    assert.equal(await collectionTask(place.app)(task('collect_route')), 'done')
    const { allowlist_state, transfer } = await stored()
    assert.deepEqual(
      { allowlist_state, collection: transfer.from[COLLECTION] },
      { allowlist_state: 'NOT_REQUESTED', collection: 'collection-3' },
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
    const current = await stored()
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
