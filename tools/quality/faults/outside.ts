/**
 * Money that leaves at a venue's own desk, without us: it is taken in once, and its owner is found.
 */
import { mustExist } from '../../../server/src/core/assert.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { around, SET_BACK, unless } from './flow.ts'
import type { Flow, Outcome } from './flow.ts'
import { strangersAddress } from './ways.ts'
import type { World } from './world.ts'

type Row = { id: string; state: string; origin: string }

const withdrawalsOf = ({ db, workspace, venues }: World, quantity: string) =>
  db.query<Row>(sql`
    select id, state, origin
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venues.managed}
      and quantity = ${quantity}`)

const addresses = new WeakMap<World, Promise<string>>()

/** Whatever goes there is the customer's. */
function addressOf(world: World): Promise<string> {
  const known =
    addresses.get(world) ??
    (async () => {
      const destination_address = await strangersAddress(world)
      await world.call('POST', '/accounts/matchings', {
        resource_id: world.customer.account_id,
        type: 'DESTINATION_WITHOUT_REFERENCE',
        details: { asset: 'BTC', is_withdrawal_matching: true, destination_address },
      })
      return destination_address
    })()
  addresses.set(world, known)
  return known
}

const MADE_OUTSIDE: Flow = {
  name: 'made outside: managed wallet',
  venue: 'managed',
  points: around('outgoing', 'read', 'store'),
  meets: [
    'none',
    'refuses to be read',
    'reports twice',
    'reports late',
    SET_BACK,
    'silent for an hour',
  ],
  prepare: addressOf,
  async begin(world) {
    const quantity = world.quantity('BTC')
    await sendAtVenue(world, quantity)
    return {
      subject: world.venues.managed,
      marks: [quantity],
      outcome: async () => outsideOutcome(world, await withdrawalsOf(world, quantity)),
      waiting: async () =>
        unless(
          (await withdrawalsOf(world, quantity)).length === 0,
          'seen while the venue is silent',
        ),
    }
  },
}

/** By its own desk, without us. */
async function sendAtVenue(world: World, quantity: string): Promise<void> {
  const address = await addressOf(world)
  const { wallets } = await world.sandbox.control<{
    wallets: { wallet_id: string; customer_id: string; asset: string }[]
  }>('GET', 'managed')
  const { address: ours } = await world.wallet('Managed BTC')
  const [known] = world.outside<{ wallet_id: string }>(
    'select wallet_id from managed_wallets where address = ?',
    ours,
  )
  const wallet = mustExist(known ?? wallets[0], 'a managed wallet')
  await world.sandbox.control('POST', 'managed/withdrawals', {
    wallet_id: wallet.wallet_id,
    amount: quantity,
    address,
  })
}

async function outsideOutcome(world: World, rows: readonly Row[]): Promise<Outcome | undefined> {
  const [first] = rows
  if (first === undefined || first.state === 'PENDING') {
    await world.poll('managed')
    return undefined
  }
  const bookings = await world.db.query<{ type: string }>(
    sql`
      select type
      from bookings
      where workspace = ${world.workspace}
        and reference_id = any(${rows.map((row) => row.id)}::uuid[])
      order by type`,
  )
  const booked = bookings
    .map((row) => row.type)
    .filter((type) => !type.endsWith('_FEE'))
    .join()
  const wrong = [
    ...unless(
      rows.length === 1 && first.origin === 'EXTERNAL',
      `${rows.length} withdrawals of origin ${first.origin}`,
    ),
    ...unless(first.state === 'SUCCESS', `state ${first.state} instead of SUCCESS`),
    ...unless(booked === 'WITHDRAWAL,WITHDRAWAL_ASSIGNMENT', `booked ${booked}`),
  ]
  return { state: first.state, asked: null, effects: rows.length, hold: 'none', wrong }
}

export const OUTSIDE_FLOWS: readonly Flow[] = [MADE_OUTSIDE]
