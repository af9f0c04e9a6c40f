/** The ways out of each venue: routes to addresses of somebody else. */
import { mustExist } from '../../../server/src/core/assert.ts'
import { SET_BACK } from './flow.ts'
import type { Ground, Wallet } from './furniture.ts'
import { until } from './patience.ts'
import type { VenueKey } from './world-configuration.ts'

const NOBODYS_IBAN = 'NL91ABNA0417164300'

export type Way = {
  venue: VenueKey
  from: string
  asset: string
  protocol: string
  address(world: Ground): Promise<string>
  transfer?: object
  prepare?(world: Ground, address: string): Promise<unknown>
  allow?: boolean
}

const routes = new WeakMap<Ground, Map<string, Promise<string>>>()

/** The route of this name. It is made once for each world. */
export function routeOf(world: Ground, name: string, way: Way): Promise<string> {
  const known = routes.get(world) ?? new Map<string, Promise<string>>()
  routes.set(world, known)
  const route = known.get(name) ?? makeRoute(world, name, way)
  known.set(name, route)
  return route
}

async function makeRoute(world: Ground, name: string, way: Way): Promise<string> {
  const { call, customer } = world
  const address = await way.address(world)
  await way.prepare?.(world, address)
  const from = await world.wallet(way.from)
  const to = await call<Wallet>('POST', '/treasury/wallets', {
    type: 'CUSTOMER',
    asset: way.asset,
    address,
    label: name,
    account_id: customer.account_id,
    customer_id: customer.id,
    access_type: 'EXTERNAL',
  })
  const { id } = await call<{ id: string }>('POST', '/treasury/wallets/routes', {
    from_wallet_id: from.id,
    to_wallet_id: to.id,
    protocol: way.protocol,
    label: name,
    transfer: way.transfer ?? { to: {} },
  })
  if (way.allow === true) await allow(world, id)
  return id
}

type AllowedRoute = { id: string; transfer: { to: { on_allowlist?: boolean } } }

async function allow({ call }: Ground, id: string): Promise<void> {
  await call('PUT', `/treasury/wallets/routes/${id}/allow`, {})
  await until('the allow-list', async () => {
    const all = await call<AllowedRoute[]>('GET', '/treasury/wallets/routes')
    return all.find((route) => route.id === id && route.transfer.to.on_allowlist)
  })
}

/** A new address of nobody we know. */
export async function strangersAddress({ sandbox }: Ground, protocol = 'BTC'): Promise<string> {
  const answer = await sandbox.control<{ address: string }>('POST', 'chain/addresses', {
    protocol,
  })
  return answer.address
}

async function bobsIban({ sandbox }: Ground): Promise<string> {
  const { accounts } = await sandbox.control<{ accounts: { name: string; iban: string }[] }>(
    'GET',
    'bank/accounts',
  )
  const account = accounts.find(({ name }) => name === 'Bob Example')
  return mustExist(account, 'Bob').iban
}

const BOB = { name: 'Bob Example', reference: 'thanks' }

export const VAULT: Way = {
  venue: 'fireblocks',
  from: 'Vault BTC',
  asset: 'BTC',
  protocol: 'BTC',
  address: (world) => strangersAddress(world),
  transfer: { from: {}, to: {} },
  allow: true,
}

/** Over a chain that numbers the transactions of each sender. */
export const NUMBERED_VAULT: Way = {
  ...VAULT,
  from: 'Vault ETH',
  asset: 'ETH',
  protocol: 'ETH',
  address: (world) => strangersAddress(world, 'ETH'),
}

const NUMBERED_COIN = 'withdrawal: vault, numbered chain'
const NUMBERED_TOKEN = 'withdrawal: vault, token'
/** A token's fee is in the coin. */
export const NUMBERED: readonly string[] = [NUMBERED_COIN, NUMBERED_TOKEN]
/** All else is the same over every chain. */
export const NUMBERED_MEETS = ['boosts the transaction', 'drops the transaction', SET_BACK]

/** The payment comes back: nobody is there. */
export const TO_NOBODY: Way = {
  venue: 'bank',
  from: 'Bank EUR',
  asset: 'EUR',
  protocol: 'SEPA',
  address: async () => NOBODYS_IBAN,
  transfer: { to: BOB },
}

export const TO_BOB: Way = { ...TO_NOBODY, address: bobsIban }

/** By the name of their flow. */
export const WAYS: Readonly<Record<string, Way>> = {
  'withdrawal: vault': VAULT,
  [NUMBERED_COIN]: NUMBERED_VAULT,
  [NUMBERED_TOKEN]: { ...NUMBERED_VAULT, from: 'Vault USDC', asset: 'USDC' },
  'withdrawal: exchange with keys': {
    venue: 'kraken',
    from: 'Kraken BTC',
    asset: 'BTC',
    protocol: 'BTC',
    address: (world) => strangersAddress(world),
    transfer: { from: { key: 'faults' }, to: {} },
    prepare: (world, address) =>
      world.sandbox.control('POST', 'kraken/withdrawal-keys', {
        key: 'faults',
        asset: 'BTC',
        address,
      }),
  },
  'withdrawal: exchange without keys': {
    venue: 'bitstamp',
    from: 'Bitstamp BTC',
    asset: 'BTC',
    protocol: 'BTC',
    address: (world) => strangersAddress(world),
  },
  'withdrawal: exchange with two wallets': {
    venue: 'okx',
    from: 'OKX BTC',
    asset: 'BTC',
    protocol: 'BTC',
    address: strangersAddress,
    prepare: (world, address) =>
      world.sandbox.control('POST', 'okx/destinations', { asset: 'BTC', address }),
  },
  'withdrawal: managed wallet': {
    venue: 'managed',
    from: 'Managed BTC',
    asset: 'BTC',
    protocol: 'BTC',
    address: (world) => strangersAddress(world),
  },
  'withdrawal: bank SEPA': TO_BOB,
  'withdrawal: bank FOREIGN': {
    venue: 'bank',
    from: 'Bank EUR',
    asset: 'EUR',
    protocol: 'FOREIGN',
    address: bobsIban,
    transfer: { to: { ...BOB, bic: 'OTHRATWWXXX' } },
  },
}
