/** What arrives, as flows: taken in once, and booked to its owner. */
import { sql } from '../../../server/src/store/sql.ts'
import { around, unless } from './flow.ts'
import type { Expectation, Flow, Outcome } from './flow.ts'
import { arrivalsOf, bookingsOf, transferOutcome } from './transfers.ts'
import type { Deposit } from './transfers.ts'
import { routeOf, TO_NOBODY } from './ways.ts'
import { withdraw } from './withdrawals.ts'
import type { VenueKey, Wallet, World } from './world.ts'

const ARRIVING = around('deposit', 'read', 'store', 'settle')
const DONE = { state: 'SUCCESSFUL', booked: 'DEPOSIT,DEPOSIT_ASSIGNMENT' }
const RIGHT_ENDS: Partial<Record<Expectation, typeof DONE>> = {
  recalled: { state: 'REVERSED', booked: 'DEPOSIT,DEPOSIT_ASSIGNMENT,REVERSAL,REVERSAL' },
}

type Arriving = { venue: VenueKey; quantity: string; expected?: Expectation }

/** Undefined while it is under way; then it is looked for. */
async function depositOutcome(
  world: World,
  { venue, quantity, expected = 'done' }: Arriving,
  rows: readonly Deposit[],
): Promise<Outcome | undefined> {
  const [first] = rows
  const right = RIGHT_ENDS[expected] ?? DONE
  const isOpen = first === undefined || first.state.startsWith('PENDING')
  if (isOpen || (expected === 'recalled' && first.state === 'SUCCESSFUL')) {
    await world.poll(venue)
    return undefined
  }
  const bookings = await Promise.all(rows.map((row) => bookingsOf(world, row.id)))
  const booked = bookings.flat().toSorted().join()
  const wrong = [
    ...unless(rows.length === 1, `${rows.length} deposits`),
    ...unless(first.state === right.state, `state ${first.state} instead of ${right.state}`),
    ...unless(booked === right.booked, `booked ${booked}`),
    ...unless(first.quantity === quantity, `quantity ${first.quantity}`),
  ]
  return { state: first.state, asked: null, effects: rows.length, hold: 'none', wrong }
}

const depositsOf = ({ db, workspace, venues }: World, venue: VenueKey, quantity: string) =>
  db.query<Deposit>(sql`
    select id, state, own_transfer, quantity
    from deposits
    where workspace = ${workspace}
      and venue_id = ${venues[venue]}
      and quantity = ${quantity}
      and not own_transfer
      and related_withdrawal_id is null
    order by id`)

const depositFlow = (name: string, venue: VenueKey, label: string): Flow => ({
  name,
  venue,
  points: ARRIVING,
  async begin(world, expected) {
    const wallet = await world.wallet(label)
    const quantity = world.quantity(wallet.asset)
    await sendFromOutside(world, wallet, quantity)
    const deposits = () => depositsOf(world, venue, quantity)
    return {
      subject: world.venues[venue],
      marks: [quantity],
      outcome: async () => depositOutcome(world, { venue, quantity, expected }, await deposits()),
      waiting: async () =>
        unless((await deposits()).length === 0, 'seen while the venue is silent'),
    }
  },
})

const sendFromOutside = (
  { sandbox }: World,
  { address, asset }: Wallet,
  quantity: string,
): Promise<unknown> =>
  asset === 'EUR'
    ? sandbox.control('POST', 'bank/wire', {
        to_iban: address,
        quantity,
        currency: 'EUR',
        reference: 'thanks',
      })
    : sandbox.control('POST', 'chain/send', { asset, quantity, to_address: address })

const nobodysRoute = (world: World) => routeOf(world, 'bank return', TO_NOBODY)

/** A payment that succeeded comes back, because nobody is there. */
const BANK_RETURN: Flow = {
  name: 'bank return',
  venue: 'bank',
  points: ARRIVING,
  prepare: nobodysRoute,
  async begin(world, _expected, key) {
    const route = await nobodysRoute(world)
    const quantity = world.quantity('EUR')
    const { account_id } = world.customer
    const id = await withdraw(world, route, { account_id, quantity }, key)
    return {
      subject: world.venues.bank,
      marks: [id, quantity],
      outcome: () => returnOutcome(world, id, quantity),
      waiting: async () =>
        unless((await arrivalsOf(world, id)).length === 0, 'returned while the bank is silent'),
    }
  },
}

async function returnOutcome(
  world: World,
  id: string,
  quantity: string,
): Promise<Outcome | undefined> {
  const payment = await transferOutcome(world, id, 'done', { venue: 'bank' })
  if (payment === undefined) return undefined
  const back = await depositOutcome(world, { venue: 'bank', quantity }, await arrivalsOf(world, id))
  return (
    back && {
      ...back,
      asked: payment.asked,
      effects: payment.effects,
      hold: payment.hold,
      wrong: [...payment.wrong, ...back.wrong],
    }
  )
}

export const DEPOSITS: readonly Flow[] = [
  depositFlow('deposit: vault', 'fireblocks', 'Vault ETH'),
  depositFlow('deposit: exchange with keys', 'kraken', 'Kraken BTC'),
  depositFlow('deposit: exchange without keys', 'bitstamp', 'Bitstamp BTC'),
  depositFlow('deposit: exchange with two wallets', 'okx', 'OKX BTC'),
  depositFlow('deposit: managed wallet', 'managed', 'Managed BTC'),
  depositFlow('deposit: bank', 'bank', 'Bank EUR'),
  BANK_RETURN,
]
