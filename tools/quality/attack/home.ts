/** What the attacked tenant owns: one of each thing that flows make, and the ids of all of it. */
import { mustExist } from '../../../server/src/core/assert.ts'
import { KnownRecords, resourceOf } from '../../../server/quality/fuzz/known-records.ts'
import type { Endpoint } from '../../../server/src/http/index.ts'
import { until } from '../faults/patience.ts'
import { envelopeOf } from './client.ts'
import type { Target } from './target.ts'

type Named = { id: string; label: string }
type Wallet = Named & { address: string; asset: string }
type Customer = { id: string; account_id: string }

export type Home = {
  customer: Customer
  second: Customer
  /** To somebody's account over SEPA. */
  bankRoute: string
  /** Of BTC/EUR at Kraken. */
  priceRoute: string
  kraken: string
  house: string
  /** What its lists show. */
  known: KnownRecords
}

const FUNDS: Readonly<Record<string, string>> = { EUR: '100000', BTC: '10' }
const EARLIEST = 1_000_000_000_000
const LATEST = 4_000_000_000_000
const REFERENCE = 'attack, nobody’s money'
/** Of a list so many records are asked for what is below them. */
const BELOW = 2
const homes = new WeakMap<Target, Promise<Home>>()

/** Made when it is first asked for. */
export function homeOf(target: Target): Promise<Home> {
  const known = homes.get(target) ?? furnish(target)
  homes.set(target, known)
  return known
}

async function furnish(target: Target): Promise<Home> {
  const { call } = target
  const venues = await until('the connection of every venue', async () => {
    const all = await call<(Named & { state: string })[]>('GET', '/venues')
    return all.every(({ state }) => state === 'CONNECTED') ? all : undefined
  })
  const accounts = await call<{ id: string; type: string }[]>('GET', '/accounts')
  const house = mustExist(
    accounts.find(({ type }) => type === 'HOUSE'),
    'an account of the house',
  ).id
  const customer = await newCustomer(target, 'Attacked', house)
  const second = await newCustomer(target, 'Attacked too', house)
  const bankRoute = await routeToSomebody(target, customer)
  const priceRoute = await until('prices at Kraken', async () =>
    (await call<(Named & { state: string })[]>('GET', '/price-stream/routes')).find(
      ({ label, state }) => label === 'BTC/EUR at Kraken' && state === 'UP',
    ),
  )
  const kraken = mustExist(
    venues.find(({ label }) => label === 'Kraken'),
    'Kraken',
  ).id
  const home = { customer, second, bankRoute, priceRoute: priceRoute.id, kraken, house }
  await makeOneOfEach(target, home)
  return { ...home, known: await readEverything(target) }
}

export async function newCustomer(
  { call }: Target,
  label: string,
  house: string,
): Promise<Customer> {
  const customer = await call<Customer>('POST', '/customers', {
    type: 'RETAIL',
    label,
    margin: 'DEFAULT',
    booking_schema: 'ADVANCED',
    ignore_balance_check: false,
    ignore_margin: false,
    first_name: 'A',
    last_name: 'T',
  })
  for (const [asset, quantity] of Object.entries(FUNDS))
    await call('POST', '/bookings', {
      asset,
      legs: [
        { account_id: house, type: 'DEBIT', quantity },
        { account_id: customer.account_id, type: 'CREDIT', quantity },
      ],
    })
  return customer
}

export async function walletOf({ call }: Target, label: string): Promise<Wallet> {
  const wallets = await call<Wallet[]>('GET', '/treasury/wallets')
  return mustExist(
    wallets.find((wallet) => wallet.label === label),
    `a wallet ${label}`,
  )
}

/** An account at the sandbox's bank that is not ours. */
async function routeToSomebody(target: Target, customer: Customer): Promise<string> {
  const { call, sandbox } = target
  const { accounts } = await sandbox.control<{ accounts: { name: string; iban: string }[] }>(
    'GET',
    'bank/accounts',
  )
  const bob = mustExist(
    accounts.find(({ name }) => name === 'Bob Example'),
    'Bob',
  )
  const to = await call<Wallet>('POST', '/treasury/wallets', {
    type: 'CUSTOMER',
    asset: 'EUR',
    address: bob.iban,
    label: 'Bob',
    account_id: customer.account_id,
    customer_id: customer.id,
    access_type: 'EXTERNAL',
  })
  const { id } = await call<Named>('POST', '/treasury/wallets/routes', {
    from_wallet_id: (await walletOf(target, 'Bank EUR')).id,
    to_wallet_id: to.id,
    protocol: 'SEPA',
    label: 'To Bob',
    transfer: { to: { name: bob.name, reference: 'thanks' } },
  })
  return id
}

async function makeOneOfEach(target: Target, home: Omit<Home, 'known'>): Promise<void> {
  const { call } = target
  const { customer, second, bankRoute, priceRoute } = home
  await call('POST', '/accounts/matchings', {
    resource_id: customer.account_id,
    type: 'DESTINATION_WITH_REFERENCE',
    details: {
      asset: 'EUR',
      is_withdrawal_matching: false,
      destination_address: (await walletOf(target, 'Bank EUR')).address,
      reference: 'ATTACKED',
    },
  })
  await call('POST', `/treasury/wallets/routes/${bankRoute}/withdrawals`, {
    account_id: customer.account_id,
    quantity: '25',
    speed_level: 'DEFAULT',
  })
  await call('POST', '/book-transfers', {
    from_account_id: customer.account_id,
    to_account_id: second.account_id,
    asset: 'EUR',
    quantity: '3',
    reason: 'Gift',
  })
  await call('POST', '/treasury/jobs', {
    route: await ownRoute(target),
    active: false,
    interval: 15,
    speed_level: 'DEFAULT',
    condition_type: 'CONDITIONAL',
    quantity: '0.01',
    conditions: [{ balance_side: 'from', predicate: 'GT', quantity: '1000' }],
  })
  await call('POST', '/price-stream/quotes', quoteOf(home))
  await receiveDeposit(target, customer)
  await tradeAndSettle(target, priceRoute, customer)
}

async function ownRoute({ call }: Target): Promise<string> {
  const routes = await call<Named[]>('GET', '/treasury/wallets/routes')
  return mustExist(
    routes.find(({ label }) => label === 'Vault to Bitstamp BTC'),
    'a route',
  ).id
}

export const quoteOf = ({ priceRoute, customer }: Omit<Home, 'known'>): object => ({
  route_id: priceRoute,
  request_asset: 'BTC',
  request_quantity: '0.01',
  request_side: 'BUY',
  risk_duration_ms: 60_000,
  customer_id: customer.id,
})

/** One that nothing matches, assigned by hand. */
async function receiveDeposit(target: Target, { account_id }: Customer): Promise<void> {
  const { call, sandbox } = target
  const { address } = await walletOf(target, 'Bank EUR')
  await sandbox.control('POST', 'bank/wire', {
    from_name: 'Stranger',
    to_iban: address,
    quantity: '1250.5',
    currency: 'EUR',
    reference: REFERENCE,
  })
  const deposit = await until('the wire', async () =>
    (
      await call<{ id: string; quantity: string }[]>('GET', '/treasury/deposits?state=unassigned')
    ).find(({ quantity }) => quantity === '1250.5'),
  )
  await call('POST', `/treasury/deposits/${deposit.id}/assignments`, [
    { quantity: '1250.5', account_id },
  ])
}

async function tradeAndSettle({ call }: Target, kraken: string, customer: Customer): Promise<void> {
  const routes = await call<Named[]>('GET', '/price-stream/routes')
  const prime = mustExist(
    routes.find(({ label }) => label === 'BTC/EUR at Prime'),
    'a price route at Prime',
  ).id
  for (const route_id of [kraken, prime]) {
    const { id } = await call<{ id: string }>('POST', '/executions', {
      route_id,
      amount: '0.011',
      side: 'BUY',
      execution_type: 'MARKET',
      customers: [{ customer_id: customer.id }],
    })
    await until('the execution', async () => {
      const { state } = await call<{ state: string }>('GET', `/executions/${id}`)
      return state === 'DONE' ? true : undefined
    })
  }
  const { id } = await call<{ id: string }>('POST', '/settlements', {
    timerange_from: EARLIEST,
    timerange_to: LATEST,
  })
  await call('PUT', `/settlements/${id}/parts`, {})
}

/** Every list, and what is below the records of each. */
async function readEverything(target: Target): Promise<KnownRecords> {
  const known = new KnownRecords()
  const reads = target.endpoints.filter(
    ({ method, path, permission }) => method === 'GET' && permission !== 'public' && path !== '/',
  )
  const read = async (endpoint: Endpoint, path: string) => {
    const token = target.home.people.EVERY.access_token
    const answer = await target.client.ask({ method: 'GET', path: `/api${path}`, token })
    const envelope = envelopeOf(answer)
    if (envelope?.success === true) known.harvest(endpoint.path, envelope.data, new Set())
  }
  for (const endpoint of reads.filter(({ path }) => !path.includes(':')))
    await read(endpoint, `${endpoint.path}${endpoint.effect === 'list' ? '?limit=100' : ''}`)
  for (const endpoint of reads.filter(({ path }) => path.split(':').length === 2)) {
    const name = /:(\w+)/.exec(endpoint.path)?.[1] ?? ''
    for (const id of idsFor(known, endpoint.path, name).slice(0, BELOW))
      await read(endpoint, endpoint.path.replace(`:${name}`, id))
  }
  return known
}

/** What a parameter of this name may hold, by the resource that stands before it in the path. */
export function idsFor(known: KnownRecords, path: string, name: string): readonly string[] {
  const before = resourceOf(path.split(`/:${name}`)[0] ?? '')
  const names = [name, name.replace(/s_id$/, '_id'), name.replace(/^treasury_/, ''), before]
  return names.flatMap((word) => known.ids.get(word) ?? [])
}
