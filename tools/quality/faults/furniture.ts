/** What stands in a world before anything happens: markets, venues, two customers with money. */
import { mustExist } from '../../../server/src/core/assert.ts'
import type { WorkspaceId } from '../../../server/src/core/ids.ts'
import type { SandboxProcess } from '../../../server/src/venues/sandbox-process.testing.ts'
import type { Call } from './client.ts'
import { until } from './patience.ts'
import { TRADING_VENUES, VENUES } from './world-configuration.ts'
import type { VenueKey } from './world-configuration.ts'

/** World seconds per second. */
export const PACE = 20
/** The markets stand: nothing may end otherwise because a price went somewhere. */
const PRICES = { 'BTC/EUR': '60000', 'ETH/EUR': '2400', 'ETH/BTC': '0.04' }
export const FUNDS: Readonly<Record<string, string>> = {
  EUR: '100000',
  BTC: '10',
  ETH: '100',
  USDC: '10000',
}
/** Nobody's: a matching would give a customer what the broker pays here for a settlement. */
const UNMATCHED = 'Vault BTC'
/** Of less a job finds the fee too high. */
const ENOUGH_FOR_GAS = '0.0'
/** Two decimals are enough for these, as banks have no more. */
const IN_CENTS = ['EUR', 'USDC']

type Customer = { id: string; account_id: string }
export type Wallet = {
  id: string
  label: string
  address: string
  asset: string
  venue_id: string | null
  service_id: string | null
  type: string
  foreign_id: string | null
  state: string
}

type Furniture = {
  workspace: WorkspaceId
  customer: Customer
  /** Has the same money. */
  other: Customer
  venues: Readonly<Record<VenueKey, string>>
}

/** What flows stand on. */
export type Ground = Furniture & {
  sandbox: Pick<SandboxProcess, 'control'>
  call: Call
  wallet(label: string): Promise<Wallet>
  route(label: string): Promise<string>
  /** A quantity that nothing else has: by it a movement is known in every book. */
  quantity(asset: string): string
}

/** World time runs, and prices stand. */
export async function setMarkets({ control }: Pick<SandboxProcess, 'control'>): Promise<void> {
  await control('POST', 'clock', { pace: PACE })
  for (const exchange of TRADING_VENUES)
    for (const [pair, price] of Object.entries(PRICES))
      await control('POST', `${exchange}/market`, { pair, price, frozen: true })
}

/** Connected venues, two customers with money, and matchings that give what arrives to one. */
export async function furnish(
  sandbox: Pick<SandboxProcess, 'control'>,
  call: Call,
): Promise<Ground> {
  const wallets = await call<(Wallet & { workspace: WorkspaceId })[]>('GET', '/treasury/wallets')
  const { workspace } = mustExist(wallets[0], 'a wallet')
  const venues = await connectedVenues(call)
  const customer = await createCustomer(call, 'Faults', 'ADVANCED')
  const other = await createCustomer(call, 'More faults', 'SIMPLE')
  for (const { address: destination_address, asset, label } of wallets) {
    if (label === UNMATCHED) continue
    await call('POST', '/accounts/matchings', {
      resource_id: customer.account_id,
      type: 'DESTINATION_WITHOUT_REFERENCE',
      details: { asset, is_withdrawal_matching: false, destination_address },
    })
  }
  const quantities = new Quantities()
  return {
    sandbox,
    call,
    workspace,
    venues,
    customer,
    other,
    wallet: (label) => named<Wallet>(call, '/treasury/wallets', label),
    route: async (label) => (await named(call, '/treasury/wallets/routes', label)).id,
    quantity: (asset) => quantities.next(asset),
  }
}

async function named<Row extends { id: string; label: string }>(
  call: Call,
  path: string,
  label: string,
): Promise<Row> {
  const rows = await call<Row[]>('GET', path)
  return mustExist(
    rows.find((row) => row.label === label),
    `${label} in ${path}`,
  )
}

async function connectedVenues(call: Call): Promise<Furniture['venues']> {
  const connected = await until('the connection of every venue', async () => {
    const all = await call<{ id: string; label: string; state: string }[]>('GET', '/venues')
    const isDone = all.length === VENUES.length && all.every((venue) => venue.state === 'CONNECTED')
    return isDone ? all : undefined
  })
  const idOf = (word: string) =>
    connected.find((venue) => venue.label.toLowerCase().includes(word))?.id ?? ''
  return Object.fromEntries(VENUES.map((key) => [key, idOf(key)])) as Record<VenueKey, string>
}

async function createCustomer(
  call: Call,
  label: string,
  booking_schema: string,
): Promise<Customer> {
  const customer = await call<Customer>('POST', '/customers', {
    type: 'RETAIL',
    label,
    margin: 'DEFAULT',
    booking_schema,
    ignore_balance_check: false,
    ignore_margin: false,
    first_name: 'F',
    last_name: 'T',
  })
  const accounts = await call<{ id: string; type: string }[]>('GET', '/accounts')
  const house = accounts.find((account) => account.type === 'HOUSE')
  for (const [asset, quantity] of Object.entries(FUNDS)) {
    await call('POST', '/bookings', {
      asset,
      legs: [
        { account_id: house?.id, type: 'DEBIT', quantity },
        { account_id: customer.account_id, type: 'CREDIT', quantity },
      ],
    })
  }
  return customer
}

class Quantities {
  #drawn = 0

  /** Two apart: one and an exchange's fee of 1 is no other's. */
  next(asset: string): string {
    this.#drawn += this.#drawn % 10 === 9 ? 2 : 1
    if (!IN_CENTS.includes(asset)) {
      const figures = String(200_000 + this.#drawn * 7).replace(/0+$/, '')
      return `${asset === 'ETH' ? ENOUGH_FOR_GAS : '0.00'}${figures}`
    }
    const whole = 20 + 2 * Math.floor(this.#drawn / 100)
    const cents = String(this.#drawn % 100).padStart(2, '0')
    return `${whole}.${cents.replace(/0$/, '')}`
  }
}
