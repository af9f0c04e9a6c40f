/**
 * Money that leaves at a venue's own desk, without us: it is taken in once, and its owner is found.
 */
import { sql } from '../../../server/src/store/sql.ts'
import { around, someone } from './flows.ts'
import type { Flow, Outcome } from './flows.ts'
import { present } from './world.ts'
import type { World } from './world.ts'

type Row = { id: string; state: string; origin: string }

const left = ({ db, workspace, venues }: World, quantity: string) =>
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
      const destination_address = await someone(world)
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
  meets: ['none', 'refuses to be read', 'tells twice', 'tells late', 'silent for an hour'],
  prepare: addressOf,
  async begin(world) {
    const address = await addressOf(world)
    const quantity = world.quantity('BTC')
    const { wallets } = await world.sandbox.control<{
      wallets: { wallet_id: string; customer_id: string; asset: string }[]
    }>('GET', 'managed')
    const { address: ours } = await world.wallet('Managed BTC')
    const wallet = present(
      world.outside<{ wallet_id: string }>(
        'select wallet_id from managed_wallets where address = ?',
        ours,
      )[0] ?? wallets[0],
      'a managed wallet',
    )
    await world.sandbox.control('POST', 'managed/withdrawals', {
      wallet_id: wallet.wallet_id,
      amount: quantity,
      address,
    })
    return {
      subject: world.venues.managed,
      marks: [quantity],
      async outcome(): Promise<Outcome | undefined> {
        const rows = await left(world, quantity)
        const [first] = rows
        if (first === undefined || first.state === 'PENDING') {
          await world.poll('managed')
          return undefined
        }
        const booked = (
          await world.db.query<{ type: string }>(
            sql`
              select type
              from bookings
              where workspace = ${world.workspace}
                and reference_id = any(${rows.map((row) => row.id)}::uuid[])
              order by type`,
          )
        )
          .map((row) => row.type)
          .filter((type) => !type.endsWith('_FEE'))
        const wrong = [
          ...(rows.length === 1 && first.origin === 'EXTERNAL'
            ? []
            : [`${rows.length} withdrawals of origin ${first.origin}`]),
          ...(first.state === 'SUCCESS' ? [] : [`state ${first.state} instead of SUCCESS`]),
          ...(booked.join() === 'WITHDRAWAL,WITHDRAWAL_ASSIGNMENT'
            ? []
            : [`booked ${booked.join()}`]),
        ]
        return { state: first.state, asked: null, effects: rows.length, hold: 'none', wrong }
      },
      waiting: async () =>
        (await left(world, quantity)).length === 0 ? [] : ['seen while the venue is silent'],
    }
  },
}

export const OUTSIDE_FLOWS: readonly Flow[] = [MADE_OUTSIDE]
