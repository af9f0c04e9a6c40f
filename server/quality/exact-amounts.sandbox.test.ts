/** The finest amount of a coin, and a token whose fee is paid in another asset, from end to end. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../src/core/decimal.ts'
import type { TreasuryRouteId } from '../src/core/ids.ts'
import { workerCaller } from '../src/http/index.ts'
import { balancesOf, venueAccounts, verifyBooks } from '../src/ledger/index.ts'
import { sql } from '../src/store/sql.ts'
import { createWithdrawal } from '../src/treasury/withdrawals/withdrawals.ts'
import { openConfigurationWorld } from '../src/configuration/configuration.testing.ts'
import type { ConfigurationWorld } from '../src/configuration/configuration.testing.ts'

const WEI = '0.000000000000000001'
const PACE = 20

describe('amounts are exact', () => {
  let world: ConfigurationWorld

  before(async () => {
    world = await openConfigurationWorld()
    await world.sandbox.control('POST', 'clock', { pace: PACE })
    const full = await world.config()
    const isHere = (venue: string) => ['fireblocks', 'bitstamp'].includes(venue)
    const wallets = (full.wallets ?? []).filter(({ venue }) => isHere(venue))
    const routes = (full.routes ?? []).filter(({ key }) => key === 'vault-bitstamp-usdc')
    const other = {
      key: 'other-eth',
      venue: 'fireblocks',
      asset: 'ETH',
      address: '',
      label: 'Other vault ETH',
      configuration: { create_external_wallet: true, protocol: 'ETH', vault_name: 'Other' },
    }
    const here = {
      ...full,
      venues: (full.venues ?? []).filter(({ key }) => isHere(key)),
      wallets: [...wallets, other],
      routes,
      price_routes: [],
    }
    await world.apply(here)
    world.startTasks()
    await world.until('the other wallet is made', async () => (await addressOf('other-eth')) !== '')
    const toOther = {
      key: 'vault-other-eth',
      label: 'Vault to other vault ETH',
      from: 'vault-eth',
      to: 'other-eth',
      protocol: 'ETH',
      allow: true,
    }
    await world.apply({ ...here, routes: [...routes, toOther] })
    world.wakeTasks()
    for (const key of ['vault-other-eth', 'vault-bitstamp-usdc'])
      await world.until(`${key} is allowed`, async () => (await routeRow(key)).state === 'APPROVED')
    await world.until('both venues are connected', async () =>
      (await world.venues()).every(({ state }) => state !== 'CONNECTING'),
    )
  })
  after(() => world?.close())

  async function addressOf(key: string): Promise<string> {
    const [row] = await world.database.db.query<{ address: string }>(sql`
      select address
      from wallets
      where key = ${key}
        and state = 'ACTIVE'`)
    return row?.address ?? ''
  }
  async function routeRow(key: string): Promise<{ id: TreasuryRouteId; state: string }> {
    const [row] = await world.database.db.query<{ id: TreasuryRouteId; state: string }>(sql`
      select id, allowlist_state as state
      from treasury_routes
      where key = ${key}`)
    assert.ok(row !== undefined)
    return row
  }
  async function deposits(asset: string): Promise<string[]> {
    const rows = await world.database.db.query<{ quantity: string; state: string }>(sql`
      select trim_scale(quantity)::text as quantity, state
      from deposits
      where asset = ${asset}
      order by id`)
    return rows.map(({ quantity, state }) => `${quantity} ${state}`)
  }
  /** What the books say that a venue holds. */
  async function booked(label: string, asset: string): Promise<bigint> {
    const venue = await world.venue(label)
    const { VENUE } = await venueAccounts(world.database.db, world.workspace, venue.id)
    const balances = await balancesOf(world.database.db, world.workspace, VENUE)
    return balances.find((balance) => balance.asset === asset)?.total ?? 0n
  }
  /** And what the venue says. */
  async function held(label: string, asset: string): Promise<bigint> {
    const venue = await world.venue(label)
    const { adapter } = await world.app.venues.connect(world.workspace, venue.id)
    const balances = (await adapter.balances()).filter((balance) => balance.asset === asset)
    return balances.reduce((sum, { total }) => sum + (total ?? 0n), 0n)
  }
  /** Sends over a route; answers the fee when it is through. */
  async function pay(key: string, quantity: string) {
    const { id } = await routeRow(key)
    const caller = workerCaller(world.workspace, 'test')
    const body = { quantity, speed_level: 'DEFAULT' as const }
    const asked = await createWithdrawal(caller, world.app, id, body)
    world.wakeTasks()
    let paid = { state: '', fee: '', fee_asset: '' }
    await world.until(`${quantity} has left`, async () => {
      const [row] = await world.database.db.query<typeof paid>(sql`
        select state, trim_scale(fee)::text as fee, fee_asset
        from withdrawals
        where id = ${asked.id}`)
      paid = row ?? paid
      return paid.state === 'SUCCESS'
    })
    return paid
  }

  it('one wei arrives, is booked, and leaves', async () => {
    const to_address = await addressOf('vault-eth')
    const before = await booked('Fireblocks', 'ETH')
    await world.sandbox.control('POST', 'chain/send', { asset: 'ETH', quantity: WEI, to_address })
    await world.until('one wei is booked', async () =>
      (await deposits('ETH')).includes(`${WEI} UNASSIGNED`),
    )
    assert.equal(format((await booked('Fireblocks', 'ETH')) - before), WEI)

    const { fee, fee_asset } = await pay('vault-other-eth', WEI)
    assert.equal(fee_asset, 'ETH')
    await world.until('it has arrived in the other vault', async () =>
      (await deposits('ETH')).some((deposit) => deposit !== `${WEI} UNASSIGNED`),
    )
    await world.until('books and vault agree to the wei', async () => {
      const left = before + decimal(WEI) - decimal(fee)
      return (
        (await booked('Fireblocks', 'ETH')) === left && (await held('Fireblocks', 'ETH')) === left
      )
    })
    assert.deepEqual((await verifyBooks(world.database.db, world.workspace)).faults, [])
  })

  it('a token leaves whole, and its fee is paid in the coin of its chain', async () => {
    const [tokens, ether] = [await booked('Fireblocks', 'USDC'), await booked('Fireblocks', 'ETH')]
    const { fee, fee_asset } = await pay('vault-bitstamp-usdc', '25.5')
    assert.equal(fee_asset, 'ETH')
    assert.ok(decimal(fee) > 0n)
    await world.until('books and venues agree', async () => {
      const arrived = (await booked('Bitstamp', 'USDC')) === decimal('30025.5')
      return (
        arrived &&
        (await booked('Fireblocks', 'USDC')) === tokens - decimal('25.5') &&
        (await booked('Fireblocks', 'ETH')) === ether - decimal(fee) &&
        (await held('Fireblocks', 'USDC')) === (await booked('Fireblocks', 'USDC')) &&
        (await held('Fireblocks', 'ETH')) === (await booked('Fireblocks', 'ETH')) &&
        (await held('Bitstamp', 'USDC')) === (await booked('Bitstamp', 'USDC'))
      )
    })
    assert.deepEqual((await verifyBooks(world.database.db, world.workspace)).faults, [])
  })

  it('an amount that is finer than a venue moves is refused by its decimals', async () => {
    const venue = await world.venue('Bitstamp')
    const { adapter } = await world.app.venues.connect(world.workspace, venue.id)
    const order = {
      external_id: 'w',
      asset: 'ETH',
      protocol: 'ETH',
      quantity: decimal(WEI),
      destination_address: await addressOf('vault-eth'),
      tag: null,
      transfer: { from: {}, to: {} },
      recipient_name: null,
      speed_level: 'DEFAULT' as const,
      fee: 0n,
      source_wallet: null,
    }
    assert.deepEqual(await adapter.transfers?.send(order), {
      outcome: 'refused',
      reason: 'bitstamp moves ETH with at most 8 decimals',
      native: null,
    })
  })
})
