import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { venuesEndpoints } from '../../venues/index.ts'
import { nextPollAt } from '../../store/tasks.ts'
import { testServer } from '../../http/testing.ts'
import type { Answer, TestServer } from '../../http/testing.ts'
import { decimal, format } from '../../core/decimal.ts'
import { agreedFee } from './fees.ts'
import { allowRouteTask } from './allowlist.ts'
import { collectionTask } from './collections.ts'
import { routesEndpoints } from './routes.http.ts'
import { routeById } from './routes.ts'
import type { RouteRecord } from './routes.schema.ts'
import { walletsEndpoints } from '../wallets/wallets.http.ts'
import { walletByVenueLocator } from '../wallets/rows.ts'
import type { VenueLocator } from '../wallets/rows.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import {
  balance,
  BTC_ADDRESS,
  IBAN,
  openWorkplace,
  OTHER_BTC_ADDRESS,
  XRP_ADDRESS,
} from '../testing/venue.fixture.ts'
import type { Workplace } from '../testing/venue.fixture.ts'
import type { FakeVenue } from '../testing/fake-venue.testing.ts'

const PERMISSIONS = new Set([
  'treasury.wallets.read',
  'treasury.wallets.write',
  'treasury.routes.read',
  'treasury.routes.write',
  'treasury.routes.allow',
  'venues.read',
])

describe('wallets and treasury routes', () => {
  let place: Workplace
  let api: TestServer
  const user_id = newId()
  const elsewhere = newId<WorkspaceId>()
  before(async () => {
    place = await openWorkplace()
    const { db, clock, workspace } = place
    api = await testServer({
      db,
      clock,
      endpoints: [
        ...walletsEndpoints(place.app),
        ...routesEndpoints(place.app),
        ...venuesEndpoints(place.app),
      ],
      authenticate: (authorization) => ({
        workspace: authorization === 'Bearer stranger' ? elsewhere : workspace,
        user_id,
        session_id: user_id,
        permissions: PERMISSIONS,
      }),
    })
  })
  after(async () => {
    await api.close()
    await place.close()
  })

  const at = (venue: FakeVenue, more: object = {}) => ({
    type: 'VENUE',
    venue_id: venue.id,
    service_id: venue.service_id,
    account_id: venue.accounts.VENUE,
    access_type: 'INTERNAL',
    ...more,
  })
  const vaultBtc = () =>
    at(place.vault, {
      asset: 'BTC',
      address: BTC_ADDRESS,
      label: 'Vault BTC',
      configuration: { vault_id: '0', protocol: 'BTC' },
    })
  const external = (more: object = {}) => ({
    type: 'CUSTOMER',
    asset: 'BTC',
    address: OTHER_BTC_ADDRESS,
    label: 'Alice cold',
    account_id: place.customer.id,
    customer_id: place.customer_id,
    access_type: 'EXTERNAL',
    ...more,
  })
  const make = async (body: object) => {
    const answer = await api.call<Wallet>('POST', '/treasury/wallets', { body })
    assert.equal(answer.status, 200, answer.text)
    return answer.data
  }
  const refusal = (answer: Answer<unknown>) => [
    answer.status,
    answer.error_details?.[0]?.code,
    answer.error_details?.[0]?.path,
  ]

  describe('wallets', () => {
    it('are made as specified, listed, read as an array of one and changed', async () => {
      const wallet = await make({
        ...vaultBtc(),
        customer_id: '',
        configuration: { vault_id: '0', protocol: 'BTC', create_external_wallet: false },
      })
      assert.deepEqual(
        [
          wallet.type,
          wallet.access_type,
          wallet.foreign_id,
          wallet.customer_id,
          wallet.state,
          wallet.version,
        ],
        ['VENUE', 'INTERNAL', '0', null, 'ACTIVE', 1],
      )
      const read = await api.call<Wallet[]>('GET', `/treasury/wallets/${wallet.id}`)
      assert.deepEqual(read.data, [wallet])
      const changed = await api.call<Wallet>('PUT', `/treasury/wallets/${wallet.id}`, {
        body: { ...wallet, label: 'Vault Bitcoin', customer_id: null },
      })
      assert.equal(changed.status, 200, changed.text)
      assert.deepEqual([changed.data.label, changed.data.version], ['Vault Bitcoin', 2])
      assert.deepEqual(
        refusal(
          await api.call('PUT', `/treasury/wallets/${wallet.id}`, {
            body: { ...wallet, label: 'again' },
          }),
        ),
        [400, 'STALE_VERSION', 'version'],
      )
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

    it('keep every rule', async () => {
      const cases: [string, object, unknown[]][] = [
        ['no venue', { ...vaultBtc(), venue_id: null }, [400, 'REQUIRED', 'venue_id']],
        ['no service', { ...vaultBtc(), service_id: '' }, [400, 'REQUIRED', 'service_id']],
        [
          'venue wallets are internal',
          { ...vaultBtc(), access_type: 'EXTERNAL' },
          [400, 'CONFLICT', 'access_type'],
        ],
        [
          'customer wallet without venue is external',
          external({ access_type: 'INTERNAL' }),
          [400, 'CONFLICT', 'access_type'],
        ],
        [
          'only a service',
          external({ service_id: place.vault.service_id }),
          [400, 'REQUIRED', 'venue_id'],
        ],
        [
          "another venue's service",
          { ...vaultBtc(), service_id: place.bank.service_id },
          [400, 'CONFLICT', 'service_id'],
        ],
        ['unknown venue', { ...vaultBtc(), venue_id: newId() }, [404, 'NOT_FOUND', 'venue_id']],
        [
          'unknown account',
          { ...vaultBtc(), account_id: newId() },
          [404, 'NOT_FOUND', 'account_id'],
        ],
        [
          "another venue's account",
          { ...vaultBtc(), account_id: place.bank.accounts.VENUE },
          [400, 'CONFLICT', 'account_id'],
        ],
        ['no customer', external({ customer_id: null }), [400, 'REQUIRED', 'customer_id']],
        ['unknown customer', external({ customer_id: newId() }), [404, 'NOT_FOUND', 'customer_id']],
        [
          "not the customer's account",
          external({ account_id: place.vault.accounts.VENUE }),
          [400, 'CONFLICT', 'account_id'],
        ],
        ['unknown asset', external({ asset: 'DOGE' }), [400, 'UNKNOWN_ASSET', 'asset']],
        ['no address', external({ address: '' }), [400, 'REQUIRED', 'address']],
        [
          'wrong checksum',
          external({ address: `${OTHER_BTC_ADDRESS.slice(0, -1)}3` }),
          [400, 'INVALID_ADDRESS', 'address'],
        ],
        [
          'no iban',
          at(place.bank, { asset: 'EUR', address: 'DE89370400440532013001', label: 'Bank' }),
          [400, 'INVALID_ADDRESS', 'address'],
        ],
        [
          'an exchange makes no wallets',
          at(place.exchange, {
            asset: 'BTC',
            address: '',
            label: 'New',
            configuration: { create_external_wallet: true },
          }),
          [400, 'UNSUPPORTED_BY_VENUE', 'configuration.create_external_wallet'],
        ],
        [
          'nobody makes an external wallet',
          external({ address: '', configuration: { create_external_wallet: true } }),
          [400, 'UNSUPPORTED_BY_VENUE', 'configuration.create_external_wallet'],
        ],
        [
          'the venue makes the address',
          { ...vaultBtc(), configuration: { create_external_wallet: true } },
          [400, 'CONFLICT', 'address'],
        ],
        [
          'a known vault has its name',
          {
            ...vaultBtc(),
            address: '',
            configuration: { create_external_wallet: true, vault_id: '0', vault_name: 'x' },
          },
          [400, 'CONFLICT', 'configuration.vault_name'],
        ],
        [
          'only a new vault is named',
          { ...vaultBtc(), configuration: { vault_id: '0', vault_name: 'x' } },
          [400, 'UNKNOWN_FIELD', 'configuration.vault_name'],
        ],
        [
          'a vault is named',
          { ...vaultBtc(), configuration: {} },
          [400, 'REQUIRED', 'configuration.vault_id'],
        ],
        [
          'configuration of another kind',
          at(place.bank, {
            asset: 'EUR',
            address: IBAN,
            label: 'Bank',
            configuration: { vault_id: '0' },
          }),
          [400, 'UNKNOWN_FIELD', 'configuration.vault_id'],
        ],
        [
          'matchings come with an edit',
          { ...vaultBtc(), matching_configurations: [] },
          [400, 'UNKNOWN_FIELD', 'matching_configurations'],
        ],
      ]
      for (const [name, body, expected] of cases)
        assert.deepEqual(
          refusal(await api.call('POST', '/treasury/wallets', { body })),
          expected,
          name,
        )
    })

    it('show their balance at the venue, or 2003 or UNSUPPORTED where it is unknown', async () => {
      const [wallet] = (
        await api.call<Wallet[]>('GET', `/treasury/wallets?venue_id=${place.vault.id}`)
      ).data
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
      const url = `/treasury/wallets/${wallet?.id}/balance`
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
        [all.data.stale, all.data.balances['BTC']],
        [false, { free: '12', used: '0.5', total: '12.5', protocol: 'BTC' }],
      )
      place.vault.down = true
      const down = await api.call('GET', url)
      assert.deepEqual([down.status, down.error_code], [503, 2003])
      place.vault.down = false
      const outside = await make(external())
      assert.deepEqual(refusal(await api.call('GET', `/treasury/wallets/${outside.id}/balance`)), [
        400,
        'UNSUPPORTED_BY_VENUE',
        'wallet_id',
      ])
    })

    it('are found by where money arrived; in a pooled account only by the address', async () => {
      const { db, workspace, exchange, vault } = place
      const pot = await make(
        at(exchange, { asset: 'XRP', address: XRP_ADDRESS, label: 'Exchange XRP' }),
      )
      const hers = await make(
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

  describe('routes', () => {
    let vault: Wallet
    let cold: Wallet
    let xrp: Wallet
    let coldXrp: Wallet
    let route: RouteRecord
    const url = () => `/treasury/wallets/routes/${route.id}`
    before(async () => {
      const found = (
        await api.call<Wallet[]>('GET', `/treasury/wallets?venue_id=${place.vault.id}`)
      ).data
      vault = found[0] as Wallet
      cold = await make(external({ label: 'cold' }))
      xrp = await make(
        at(place.vault, {
          asset: 'XRP',
          address: XRP_ADDRESS,
          label: 'Vault XRP',
          configuration: { vault_id: '0' },
        }),
      )
      coldXrp = await make(external({ asset: 'XRP', address: XRP_ADDRESS, label: 'cold XRP' }))
    })

    it('tell their fields, and are made by them', async () => {
      const fields = await api.call<{ from: { name: string }[]; to: { name: string }[] }>(
        'GET',
        `/treasury/wallets/routes/fields/${vault.id}/BTC`,
      )
      assert.deepEqual(
        [fields.data.from.map((row) => row.name), fields.data.to.map((row) => row.name)],
        [['source_vault_account_id', 'destination_external_account_id'], ['tag']],
      )
      assert.deepEqual(
        refusal(await api.call('GET', `/treasury/wallets/routes/fields/${vault.id}/ETH`)),
        [400, 'UNSUPPORTED_BY_VENUE', 'protocol'],
      )
      assert.deepEqual(
        refusal(await api.call('GET', `/treasury/wallets/routes/fields/${cold.id}/BTC`)),
        [400, 'UNSUPPORTED_BY_VENUE', 'from_wallet_id'],
      )
      const made = await api.call<RouteRecord>('POST', '/treasury/wallets/routes', {
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
        [route.from_wallet.id, route.to_wallet.id, route.settlement],
        [vault.id, cold.id, {}],
      )
      for (const query of [
        '',
        `?id=${route.id}`,
        `?workspace=${place.workspace}`,
        `?from_wallet_id=${vault.id}`,
        `?to_wallet_id=${cold.id}`,
        '?protocol=BTC',
      ]) {
        assert.deepEqual(
          (await api.call<RouteRecord[]>('GET', `/treasury/wallets/routes${query}`)).data,
          [route],
          query,
        )
      }
      assert.deepEqual(
        (await api.call('GET', `/treasury/wallets/routes?workspace=${newId()}`)).data,
        [],
      )
    })

    it('keep every rule', async () => {
      const base = { from_wallet_id: vault.id, to_wallet_id: cold.id, protocol: 'BTC', label: 'x' }
      const tagged = {
        from_wallet_id: xrp.id,
        to_wallet_id: coldXrp.id,
        protocol: 'XRP',
        label: 'x',
      }
      const cases: [string, object, unknown[]][] = [
        ['same wallet', { ...base, to_wallet_id: vault.id }, [400, 'CONFLICT', 'to_wallet_id']],
        [
          'other asset',
          { ...base, to_wallet_id: coldXrp.id },
          [400, 'ASSET_MISMATCH', 'to_wallet_id'],
        ],
        ['unknown wallet', { ...base, to_wallet_id: newId() }, [404, 'NOT_FOUND', 'to_wallet_id']],
        [
          'from outside',
          { ...base, from_wallet_id: cold.id, to_wallet_id: vault.id },
          [400, 'UNSUPPORTED_BY_VENUE', 'from_wallet_id'],
        ],
        [
          'protocol of the wallet',
          { ...base, protocol: 'ETH' },
          [400, 'UNSUPPORTED_BY_VENUE', 'protocol'],
        ],
        [
          'unknown field',
          { ...base, transfer: { from: { key: 'a' } } },
          [400, 'UNKNOWN_FIELD', 'transfer.from.key'],
        ],
        [
          'wrong type',
          { ...base, transfer: { from: { destination_external_account_id: true } } },
          [400, 'TYPE', 'transfer.from.destination_external_account_id'],
        ],
        [
          'another vault',
          { ...base, transfer: { from: { source_vault_account_id: '7' } } },
          [400, 'CONFLICT', 'transfer.from.source_vault_account_id'],
        ],
        ['tag missing', tagged, [400, 'TAG_REQUIRED', 'transfer.to.tag']],
        [
          'tag no number',
          { ...tagged, transfer: { to: { tag: 'Alice' } } },
          [400, 'INVALID_ADDRESS', 'transfer.to.tag'],
        ],
        ['no label', { ...base, label: ' ' }, [400, 'FORMAT', 'label']],
        [
          'settlement has no fields',
          { ...base, settlement: {} },
          [400, 'UNKNOWN_FIELD', 'settlement'],
        ],
      ]
      for (const [name, body, expected] of cases)
        assert.deepEqual(
          refusal(await api.call('POST', '/treasury/wallets/routes', { body })),
          expected,
          name,
        )
      const bank = await make(at(place.bank, { asset: 'EUR', address: IBAN, label: 'Bank' }))
      const payee = await make(
        external({ asset: 'EUR', address: 'FR1420041010050500013M02606', label: 'Alice bank' }),
      )
      const wire = {
        from_wallet_id: bank.id,
        to_wallet_id: payee.id,
        protocol: 'SEPA',
        label: 'wire',
      }
      assert.deepEqual(
        refusal(
          await api.call('POST', '/treasury/wallets/routes', {
            body: { ...wire, transfer: { to: { name: 'Alice' } } },
          }),
        ),
        [400, 'REQUIRED', 'transfer.to.reference'],
      )
      const made = await api.call<RouteRecord>('POST', '/treasury/wallets/routes', {
        body: { ...wire, transfer: { to: { name: 'Alice', reference: 'R1' } } },
      })
      assert.equal(made.status, 200, made.text)
      assert.deepEqual(
        refusal(
          await api.call('PUT', `/treasury/wallets/routes/${made.data.id}/allow`, { body: {} }),
        ),
        [400, 'UNSUPPORTED_BY_VENUE', ''],
      )
      assert.deepEqual(
        refusal(
          await api.call('PUT', `/treasury/wallets/${bank.id}`, {
            body: { ...bank, customer_id: null, configuration: { customer_account_number: '9' } },
          }),
        ),
        [400, 'IN_USE', 'configuration'],
      )
    })

    it('are allow-listed at the vault, and reset by a new destination', async () => {
      const asked = await api.call<RouteRecord>('PUT', `${url()}/allow`, {
        body: {
          from_wallet_id: route.from_wallet_id,
          to_wallet_id: route.to_wallet_id,
          label: 'Alice cold',
          transfer: route.transfer,
          settlement: {},
        },
      })
      assert.equal(asked.status, 200, asked.text)
      assert.deepEqual(asked.data.transfer, {
        from: { source_vault_account_id: '0', destination_external_account_id: 'collection-1' },
        to: { on_allowlist: false, allowlist_state: 'PENDING_APPROVAL' },
      })
      const look = () =>
        allowRouteTask(place.app)({
          workspace: place.workspace,
          kind: 'allow_route',
          subject_id: route.id,
          attempts: 1,
        })
      place.vault.allowlist = 'PENDING_APPROVAL'
      assert.deepEqual(await look(), {
        again_at: nextPollAt({ subject_id: route.id }, place.clock.now(), 2_000),
      })
      place.vault.allowlist = 'APPROVED'
      await look()
      const [approved] = (
        await api.call<RouteRecord[]>('GET', `/treasury/wallets/routes?id=${route.id}`)
      ).data
      assert.deepEqual(
        [
          approved?.transfer.to.on_allowlist,
          approved?.transfer.to.allowlist_state,
          approved?.label,
        ],
        [true, 'APPROVED', 'Alice cold'],
      )
      const same = await api.call<RouteRecord>('PUT', url(), {
        body: { ...approved, label: 'Alice' },
      })
      assert.equal(same.data.transfer.to.allowlist_state, 'APPROVED', same.text)
      place.vault.allowlist = null
      await look()
      assert.equal(
        (await routeById(place.db, place.workspace, route.id)).allowlist_state,
        'REMOVED',
      )
      const other = await make(external({ label: 'other', address: BTC_ADDRESS }))
      const moved = await api.call<RouteRecord>('PUT', url(), {
        body: { ...same.data, version: null, to_wallet_id: other.id },
      })
      assert.deepEqual(moved.data.transfer, {
        from: { source_vault_account_id: '0', destination_external_account_id: 'collection-2' },
        to: { on_allowlist: false, allowlist_state: 'NOT_REQUESTED' },
      })
      assert.equal(await look(), 'done')
    })

    it('record a refusal, and repeat an unknown request under the same reference', async () => {
      place.vault.allow = () => ({ outcome: 'refused', reason: 'policy', native: '42' })
      assert.deepEqual(refusal(await api.call('PUT', `${url()}/allow`, { body: {} })), [
        400,
        'REFUSED_BY_VENUE',
        '',
      ])
      assert.equal((await routeById(place.db, place.workspace, route.id)).allowlist_state, 'FAILED')
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
      await allowRouteTask(place.app)({
        workspace: place.workspace,
        kind: 'allow_route',
        subject_id: route.id,
        attempts: 1,
      })
      const stored = await routeById(place.db, place.workspace, route.id)
      assert.deepEqual(
        [
          stored.allowlist_state,
          stored.transfer.from['destination_external_account_id'],
          stored.transfer.to,
        ],
        ['APPROVED', 'made-2', {}],
      )
      assert.equal(new Set(place.vault.allowed).size, 1)
      assert.equal(place.vault.allowed.length, 2)
      const gone = await api.call<Wallet>('PUT', `/treasury/wallets/${stored.to_wallet_id}`, {
        body: { ...stored.to_wallet, service_id: '', venue_id: '', address: OTHER_BTC_ADDRESS },
      })
      assert.equal(gone.status, 200, gone.text)
      const reset = await routeById(place.db, place.workspace, route.id)
      assert.deepEqual(
        [reset.allowlist_state, reset.transfer.from],
        ['NOT_REQUESTED', { source_vault_account_id: '0' }],
      )
      assert.equal(
        await collectionTask(place.app)({
          workspace: place.workspace,
          kind: 'collect_route',
          subject_id: route.id,
          attempts: 1,
        }),
        'done',
      )
      const collected = await routeById(place.db, place.workspace, route.id)
      assert.deepEqual(
        [collected.allowlist_state, collected.transfer.from['destination_external_account_id']],
        ['NOT_REQUESTED', 'collection-3'],
      )
    })

    it('estimate the fee, and take a named one that was told or lies within 10 %', async () => {
      const told = await api.call<Record<string, unknown>>('POST', `${url()}/estimate-fee`, {
        body: { quantity: '0.5' },
      })
      assert.deepEqual(told.data, {
        asset: 'BTC',
        custom: true,
        speed_levels: {
          DEFAULT: { fee: '0.0002' },
          FAST: { fee: '0.0004' },
          SLOW: { fee: '0.0001' },
        },
      })
      assert.deepEqual(
        refusal(
          await api.call('POST', `${url()}/estimate-fee`, { body: { quantity: '0.123456789' } }),
        ),
        [400, 'SCALE', 'quantity'],
      )
      place.vault.fee = decimal('0.001')
      const stored = await routeById(place.db, place.workspace, route.id)
      const fee = async (level: 'DEFAULT' | 'FAST' | 'CUSTOM', named?: string) =>
        format(
          (
            await agreedFee(place.app, stored, decimal('0.5'), {
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
      const down = await api.call('POST', `${url()}/estimate-fee`, { body: { quantity: '0.5' } })
      assert.deepEqual([down.status, down.error_code], [503, 2003])
      place.vault.down = false
    })
  })
})
