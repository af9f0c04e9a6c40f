/** Withdrawals as flows: customers' own, and transfers between our wallets. */
import type { Flow } from './flow.ts'
import { around } from './flow.ts'
import { REFUSED, SEND, SENDING, transferOutcome, withheldWrong } from './transfers.ts'
import type { Sending } from './transfers.ts'
import { NUMBERED, NUMBERED_MEETS, routeOf, WAYS } from './ways.ts'
import type { Way } from './ways.ts'
import type { World } from './world.ts'

/** Asks for it over this route; answers its id. */
export async function withdraw(
  world: World,
  route: string,
  body: { quantity: string; account_id?: string },
  key: string,
): Promise<string> {
  const { id } = await world.call<{ id: string }>(
    'POST',
    `/treasury/wallets/routes/${route}/withdrawals`,
    { ...body, speed_level: 'DEFAULT' },
    key,
  )
  return id
}

const customersWithdrawal = (name: string, way: Way): Flow => ({
  name,
  venue: way.venue,
  send: SEND[way.venue],
  points: SENDING,
  refused: REFUSED,
  ...(way.venue === 'fireblocks' ? { api: around('withdrawal', 'create') } : {}),
  ...(NUMBERED.includes(name)
    ? { points: [], api: [], numbered: true, meets: NUMBERED_MEETS }
    : {}),
  prepare: (world) => routeOf(world, name, way),
  async begin(world, expected, key) {
    const route = await routeOf(world, name, way)
    const { account_id } = world.customer
    const quantity = world.quantity(way.asset)
    const id = await withdraw(world, route, { account_id, quantity }, key)
    return {
      subject: id,
      marks: [id],
      outcome: () => transferOutcome(world, id, expected, { venue: way.venue }),
      waiting: () => withheldWrong(world, id, false),
    }
  },
})

type OwnTransfer = Required<Omit<Sending, 'shared'>> & { route: string; asset: string }

const ownTransfer = (name: string, { venue, arrives, route: label, asset }: OwnTransfer): Flow => ({
  name,
  venue,
  send: SEND[venue],
  points: SENDING,
  refused: REFUSED,
  async begin(world, expected, key) {
    const route = await world.route(label)
    const id = await withdraw(world, route, { quantity: world.quantity(asset) }, key)
    return {
      subject: id,
      marks: [id],
      outcome: () => transferOutcome(world, id, expected, { venue, arrives }),
      waiting: () => withheldWrong(world, id, true),
    }
  },
})

export const WITHDRAWALS: readonly Flow[] = Object.entries(WAYS).map(([name, way]) =>
  customersWithdrawal(name, way),
)

export const OWN_TRANSFERS: readonly Flow[] = [
  ownTransfer('own transfer: vault to exchange', {
    venue: 'fireblocks',
    arrives: 'kraken',
    route: 'Vault to Kraken BTC',
    asset: 'BTC',
  }),
  {
    ...ownTransfer('own transfer: vault to exchange, numbered chain', {
      venue: 'fireblocks',
      arrives: 'kraken',
      route: 'Vault to Kraken ETH',
      asset: 'ETH',
    }),
    numbered: true,
    meets: NUMBERED_MEETS,
  },
  ownTransfer('own transfer: exchange to bank', {
    venue: 'kraken',
    arrives: 'bank',
    route: 'Kraken to bank EUR',
    asset: 'EUR',
  }),
  ownTransfer('own transfer: bank to exchange', {
    venue: 'bank',
    arrives: 'bitstamp',
    route: 'Bank to Bitstamp EUR',
    asset: 'EUR',
  }),
]
