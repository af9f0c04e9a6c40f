import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../core/decimal.ts'
import { balancesOf, venueAccounts, verifyBooks } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { agreedFee, currentEstimate, routeById } from '../treasury/index.ts'
import { openConfigurationWorld } from './configuration.testing.ts'
import type { ConfigurationWorld } from './configuration.testing.ts'
import { UNSERVED, withUnserved } from './unserved.testing.ts'

const EXCHANGE_SERVICES = ['PRICE_STREAM', 'TOMS', 'WOMS']

/** What the demo world keeps in managed wallets. */
const MANAGED = { BTC: '2', ETH: '15', LTC: '30', USDC: '10000' }

describe('the demo world, configured', () => {
  let world: ConfigurationWorld
  before(async () => {
    world = await openConfigurationWorld()
  })
  after(() => world?.close())

  it('is applied twice as once, also while the venues are down', async () => {
    await world.sandbox.kill()
    await world.apply(await world.config())
    const before = await world.ids()
    await world.apply(await world.config())
    assert.equal(await world.ids(), before)
    const sections = Object.keys(await world.config()).toSorted()
    assert.deepEqual(await world.logged(), [`configuration: ${sections.join(' ')}`])
    assert.deepEqual(
      (await world.venues()).map(({ label, kind, state, services }) => ({
        label,
        kind,
        state,
        services: services.map((service) => service.type),
      })),
      [
        { label: 'Kraken', kind: 'EXCHANGE', state: 'CONNECTING', services: EXCHANGE_SERVICES },
        { label: 'Bitstamp', kind: 'EXCHANGE', state: 'CONNECTING', services: EXCHANGE_SERVICES },
        { label: 'OKX', kind: 'EXCHANGE', state: 'CONNECTING', services: EXCHANGE_SERVICES },
        {
          label: 'Prime Brokerage',
          kind: 'EXCHANGE',
          state: 'CONNECTING',
          services: EXCHANGE_SERVICES,
        },
        { label: 'Fireblocks', kind: 'CUSTODY_VAULT', state: 'CONNECTING', services: ['WOMS'] },
        {
          label: 'Managed Custody',
          kind: 'MANAGED_WALLET',
          state: 'CONNECTING',
          services: ['WOMS'],
        },
        { label: 'Sandbox Bank', kind: 'BANK', state: 'CONNECTING', services: ['WOMS'] },
        { label: 'Swiss Bank', kind: 'BANK', state: 'CONNECTING', services: ['WOMS'] },
        { label: 'Dollar Bank', kind: 'BANK', state: 'CONNECTING', services: ['WOMS'] },
      ],
    )
    await world.sandbox.restart()
  })

  it('connects the venues and books what they hold as OPENING, once', async () => {
    world.startTasks()
    await world.until('connection', async () =>
      (await world.venues()).every(
        (venue) => venue.state === 'CONNECTED' && venue.capabilities.length > 0,
      ),
    )
    const held = async (label: string) => {
      const venue = await world.venue(label)
      const balances = await balancesOf(
        world.database.db,
        world.workspace,
        (await venueAccounts(world.database.db, world.workspace, venue.id)).VENUE,
      )
      return Object.fromEntries(balances.map((balance) => [balance.asset, format(balance.total)]))
    }
    assert.deepEqual(await held('Kraken'), {
      BTC: '5',
      ETH: '40',
      EUR: '250000',
      LTC: '100',
      USDC: '40000',
      XLM: '30000',
      XRP: '10000',
    })
    assert.deepEqual(await held('Bitstamp'), {
      BTC: '3',
      ETH: '25',
      EUR: '150000',
      LTC: '80',
      USDC: '30000',
      XLM: '20000',
      XRP: '5000',
    })
    assert.deepEqual(await held('OKX'), { BTC: '2', ETH: '20', EUR: '150000', XRP: '5000' })
    const vaulted = {
      BTC: '3',
      ETH: '20',
      LTC: '60',
      USDC: '20000',
      XLM: '15000',
      XRP: '5000',
    }
    assert.deepEqual(await held('Fireblocks'), vaulted)
    assert.deepEqual(await held('Managed Custody'), MANAGED)
    assert.deepEqual(await held('Sandbox Bank'), { EUR: '500000' })
    assert.deepEqual(await held('Swiss Bank'), { CHF: '250000' })
    assert.deepEqual(await held('Dollar Bank'), { USD: '250000' })
    await world.apply(await world.config())
    world.wakeTasks()
    await world.until(
      'tasks are worked off',
      async () =>
        (
          await world.database.db.query(sql`
          select 1
          from tasks
          where kind = 'connect_venue'`)
        ).length === 0,
    )
    assert.deepEqual(await held('Fireblocks'), vaulted)
    assert.deepEqual((await verifyBooks(world.database.db, world.workspace)).faults, [])
    assert.deepEqual((await world.venue('Fireblocks')).capabilities, [
      'balances',
      'protocols',
      'transfers',
      'allowlist',
      'wallets',
    ])
  })

  it("has the vault's routes allowed, and every route costs something known", async () => {
    await world.until(
      'approval',
      async () =>
        (
          await world.database.db.query(
            sql`
              select 1
              from treasury_routes
              where allowlist_state = 'APPROVED'`,
          )
        ).length === 18,
    )
    const routes = await world.database.db.query<{ id: string; key: string }>(
      sql`
        select id, key
        from treasury_routes
        order by key`,
    )
    assert.equal(routes.length, 51)
    for (const { id, key } of routes) {
      const route = await routeById(world.database.db, world.workspace, id)
      const estimate = await currentEstimate(world.app, route, decimal('1'))
      assert(estimate.speed_levels.SLOW <= estimate.speed_levels.FAST, key)
      assert.equal(
        (
          await agreedFee(world.app, route, decimal('1'), {
            speed_level: 'DEFAULT',
            fee: estimate.speed_levels.DEFAULT,
          })
        ).fee,
        estimate.speed_levels.DEFAULT,
        key,
      )
    }
  })

  it('has wallets made at their venues, once however often the file is applied', async () => {
    const full = await world.config()
    const made = [
      {
        key: 'made-vault',
        venue: 'fireblocks',
        asset: 'ETH',
        address: '',
        label: 'Made vault ETH',
        configuration: { create_external_wallet: true, protocol: 'ETH', vault_name: 'Made' },
      },
      {
        key: 'made-managed',
        venue: 'managed',
        asset: 'BTC',
        address: '',
        label: 'Made managed BTC',
        configuration: { create_external_wallet: true, customer_id: 'kontor' },
      },
    ]
    for (let times = 0; times < 2; times += 1)
      await world.apply({ ...full, wallets: [...(full.wallets ?? []), ...made] })
    world.wakeTasks()
    const rows = () =>
      world.database.db.query<{
        key: string
        state: string
        address: string
        foreign_id: string
        configuration: object
      }>(
        sql`
          select key, state, address, foreign_id, configuration
          from wallets
          where key like 'made-%'
          order by key`,
      )
    await world.until('the wallets are made', async () =>
      (await rows()).every((row) => row.state === 'ACTIVE'),
    )
    const [managed, vault] = await rows()
    assert.deepEqual(managed?.configuration, {
      create_external_wallet: true,
      customer_id: 'kontor',
      wallet_id: managed?.foreign_id,
    })
    assert.deepEqual(vault?.configuration, {
      create_external_wallet: true,
      protocol: 'ETH',
      vault_name: 'Made',
      vault_id: vault?.foreign_id,
    })
    assert.match(vault.address, /^0x[0-9a-fA-F]{40}$/)
    assert.equal(await world.sandbox.received('fireblocks', 'create_account'), 1)
    assert.equal(await world.sandbox.received('managed', 'create_wallet'), 1)
  })

  it('says what a venue cannot serve of it, and why, while all else works', async () => {
    const full = await world.config()
    await world.apply(withUnserved(full))
    world.wakeTasks()
    const unserved = async (label: string) =>
      (await world.venue(label)).unserved.map(({ asset, reason }) => `${asset}: ${reason}`)
    const lists = () => Promise.all(Object.keys(UNSERVED).map(unserved))
    await world.until('all of them are checked', async () =>
      (await lists()).every((list) => list.length > 0),
    )
    assert.deepEqual(await lists(), Object.values(UNSERVED))
    assert.deepEqual(
      [(await world.venue('Kraken')).state, await unserved('Managed Custody')],
      ['CONNECTED', []],
    )
    await world.apply(full)
    world.wakeTasks()
    await world.until('nothing is left', async () =>
      (await lists()).every((list) => list.length === 0),
    )
  })

  it('disables what the file no longer names, and finds it again', async () => {
    const full = await world.config()
    await world.apply({
      ...full,
      venues: (full.venues ?? []).filter((venue) => venue.key !== 'bank'),
      wallets: (full.wallets ?? []).filter((wallet) => wallet.venue !== 'bank'),
    })
    const bank = await world.venue('Sandbox Bank')
    assert.equal(bank.state, 'DISABLED')
    assert.deepEqual(
      bank.services.map((service) => service.state),
      ['STOPPED'],
    )
    await assert.rejects(world.app.venues.connect(world.workspace, bank.id), /no longer configured/)
    await world.apply(full)
    const { id, state } = await world.venue('Sandbox Bank')
    assert.deepEqual({ id, state }, { id: bank.id, state: 'CONNECTED' })
  })

  it('keeps no secret in the database', async () => {
    const { api_secret } = JSON.parse(await world.sandbox.credential('kraken.json')) as {
      api_secret: string
    }
    const { api_key } = JSON.parse(await world.sandbox.credential('coingecko.json')) as {
      api_key: string
    }
    const [row] = await world.database.db.query<{ all: string }>(
      sql`
        select string_agg(config::text, ' ') as all
        from (select config from venues union all select config from aggregators) as configs`,
    )
    assert(!row?.all.includes(api_secret) && row?.all.includes('credentials/kraken.json'))
    assert(
      !row?.all.includes(api_key) &&
        row?.all.includes(join(world.sandbox.dir, 'credentials/coingecko.json')),
    )
    assert(!JSON.stringify(await world.venues()).includes('credentials'))
  })
})
