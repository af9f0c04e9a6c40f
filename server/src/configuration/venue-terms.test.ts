import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { format } from '../core/decimal.ts'
import { ApiError } from '../core/errors.ts'
import type { TreasuryRouteId } from '../core/ids.ts'
import { workerCaller } from '../http/index.ts'
import { balancesOf, venueAccounts } from '../ledger/index.ts'
import { sql } from '../store/sql.ts'
import { createWithdrawal } from '../treasury/withdrawals/withdrawals.ts'
import { openConfigurationWorld } from './configuration.testing.ts'
import type { ConfigurationWorld } from './configuration.testing.ts'
import type { Config } from './configuration.schema.ts'

describe('an asset on a protocol that is not shipped for it', () => {
  let world: ConfigurationWorld
  before(async () => {
    world = await openConfigurationWorld()
  })
  after(() => world?.close())

  it('has wallets there, before a venue has said anything of it', async () => {
    const full = await world.config()
    const names = { kraken: { native: 'USDC', networks: ['USDC - Solana'] } }
    const protocols = [{ protocol: 'SOL', decimals: 6, ledger: 'GAS', fee_asset: 'SOL', names }]
    const coin = { label: 'Coin', kind: 'CRYPTO', scale: 9 } as const
    const apply = (address: string) =>
      world.apply({
        ...full,
        assets: [
          ...(full.assets ?? []).filter(({ code }) => code !== 'USDC'),
          { ...coin, code: 'SOL' },
          { ...coin, code: 'USDC', protocols } as never,
        ],
        wallets: [{ key: 'one', venue: 'kraken', asset: 'USDC', label: 'One', address }],
        routes: [],
      })
    await assert.rejects(apply('0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'), /USDC on SOL/)
    await apply('EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v')
  })
})

describe('the words of a venue that has funds', () => {
  let world: ConfigurationWorld
  before(async () => {
    world = await openConfigurationWorld()
    await world.apply(await world.config())
    world.startTasks()
    await world.until('connection', async () =>
      (await world.venues()).every((venue) => venue.state === 'CONNECTED'),
    )
  })
  after(() => world?.close())

  const faultsOf = async (config: Config): Promise<string[]> => {
    try {
      await world.apply(config)
    } catch (error) {
      assert(error instanceof ApiError)
      return error.details.map(({ code, path }) => `${code} ${path}`)
    }
    return []
  }
  const without = (config: Config, code: string): Config => ({
    ...config,
    assets: (config.assets ?? []).filter((asset) => asset.code !== code),
  })
  const coin = { label: 'Coin', kind: 'CRYPTO', scale: 18 } as const

  it('belong to one asset, also while the file does not name it', async () => {
    const full = without(await world.config(), 'ETH')
    const names = { kraken: { native: 'xeth', networks: ['PEPE - Ethereum'] } }
    const protocols = [{ protocol: 'ETH', decimals: 18, names }]
    const assets = [{ ...coin, code: 'PEPE', protocols }, ...(full.assets ?? [])]
    assert.deepEqual(await faultsOf({ ...full, assets }), [
      'DUPLICATE assets[0].protocols[0].names.kraken',
    ])
    const { id, workspace } = await world.venue('Kraken')
    const { VENUE } = await venueAccounts(world.database.db, workspace, id)
    const balances = await balancesOf(world.database.db, workspace, VENUE)
    assert.equal(format(balances.find(({ asset }) => asset === 'ETH')?.total ?? 0n), '40')
  })

  it('stay as long as a withdrawal by them is under way, and with the asset', async () => {
    const full = await world.config()
    await world.sandbox.control('POST', 'clock', { pace: 0 })
    const db = world.database.db
    const [route] = await db.query<{ id: TreasuryRouteId }>(sql`
      select id
      from treasury_routes
      where key = 'kraken-vault-btc'`)
    assert(route !== undefined)
    const caller = workerCaller(world.workspace, 'test')
    const body = { quantity: '0.5', speed_level: 'DEFAULT' } as const
    const { id } = await createWithdrawal(caller, world.app, route.id, body)
    const withdrawal = async () => {
      const [row] = await db.query<{ state: string; foreign_id: string | null }>(sql`
        select state, foreign_id
        from withdrawals
        where id = ${id}`)
      return row
    }
    world.wakeTasks()
    await world.until('it is sent', async () => (await withdrawal())?.foreign_id !== null)
    const assets = (full.assets ?? []).map((asset) =>
      asset.code === 'BTC' ? { ...asset, protocols: [] } : asset,
    )
    assert.deepEqual(await faultsOf({ ...full, assets }), ['IN_USE venues[0]'])
    const names = { kraken: { native: 'XXBT', networks: ['Bitcoin Core'] } }
    const renamed = (full.assets ?? []).map((asset) =>
      asset.code === 'BTC' ? { ...asset, protocols: [{ protocol: 'BTC', names }] } : asset,
    )
    assert.deepEqual(await faultsOf({ ...full, assets: renamed }), ['IN_USE venues[0]'])
    // An upgrade may ship another word for the network.
    await db.query(sql`
      update venues
      set config = replace(config::text, '"Bitcoin"', '"Bitcoin, formerly"')::jsonb
      where key = 'kraken'`)
    assert.deepEqual(await faultsOf(full), [])
    assert.deepEqual(await faultsOf(without(full, 'BTC')), [])
    await world.sandbox.control('POST', 'clock', { pace: 1 })
    await world.until('it arrives', async () => {
      world.wakeTasks()
      return (await withdrawal())?.state === 'SUCCESS'
    })
    await world.until('nothing is under way', async () => {
      world.wakeTasks()
      return (await faultsOf({ ...full, assets })).length === 0
    })
  })
})
