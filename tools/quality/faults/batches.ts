/** Batches of payments as flows. Two payments over one route are one withdrawal. */
import { mustExist } from '../../../server/src/core/assert.ts'
import { around, ODD_ENTRIES, SET_BACK, unless } from './flow.ts'
import type { Expectation, Flow, Outcome } from './flow.ts'
import { holdOf, REFUSED, SEND, SENDING, transferOutcome, withheldWrong } from './transfers.ts'
import type { Sending } from './transfers.ts'
import { NUMBERED_MEETS, NUMBERED_VAULT, routeOf, TO_BOB, VAULT } from './ways.ts'
import type { Way } from './ways.ts'
import type { World } from './world.ts'

const OTHER_ROUTE = 'batch: another destination'

type Prepared = { id: string; prepare_id: string; bundled: boolean }

/** What was prepared and submitted, and what was wrong with it already then. */
type Batch = { prepared: Prepared[]; ids: string[]; wrong: string[] }

/** A payment of a customer, unless it is the house's. */
type Payment = { route_id: string; asset: string; isHouse?: true }
type Payments = (world: World) => Promise<Payment[]>

/** `made`: how many withdrawals it comes to. */
const batch = (
  name: string,
  payments: Payments,
  made: number,
  sending: Sending = { venue: 'fireblocks' },
): Flow => ({
  name,
  venue: sending.venue,
  send: SEND[sending.venue],
  points: SENDING,
  refused: REFUSED,
  api: around('batch', 'prepare', 'submit'),
  prepare: payments,
  async begin(world, expected, key) {
    const submitted = await submit(world, await payments(world), made, key)
    const { ids } = submitted
    return {
      subject: mustExist(ids[0], 'the batch makes a withdrawal'),
      marks: ids,
      outcome: () => batchOutcome(world, submitted, { expected, sending }),
      waiting: async () => {
        const wrong = await Promise.all(ids.map((id) => withheldWrong(world, id, false)))
        return wrong.flat()
      },
    }
  },
})

async function submit(
  world: World,
  payments: readonly Payment[],
  made: number,
  key: string,
): Promise<Batch> {
  const withdrawals = payments.map(({ route_id, asset, isHouse = false }) => ({
    route_id,
    quantity: world.quantity(asset),
    speed_level: 'DEFAULT',
    ...(isHouse ? {} : { account_id: world.customer.account_id }),
  }))
  const path = '/treasury/withdrawals/batch'
  const prepared = await world.call<Prepared[]>('POST', `${path}/prepare`, { withdrawals }, key)
  const send = (again?: string) =>
    world.call<{ id: string }[]>('POST', `${path}/submit`, { withdrawals: prepared }, again)
  const rows = await send(`${key}-submit`)
  const repeated = await send()
  const ids = rows.map((row) => row.id)
  const wrong = [
    ...unless(
      rows.length === made && (made > 1 || prepared[0]?.bundled === true),
      `${rows.length} withdrawals of ${prepared.length} requests`,
    ),
    ...unless(
      repeated.map((row) => row.id).join() === ids.join(),
      'a repeated submit made other withdrawals',
    ),
  ]
  return { prepared, ids, wrong }
}

async function batchOutcome(
  world: World,
  { prepared, ids, wrong }: Batch,
  { expected, sending }: { expected: Expectation; sending: Sending },
): Promise<Outcome | undefined> {
  const ends: Outcome[] = []
  for (const id of ids) {
    const end = await transferOutcome(world, id, expected, sending)
    if (end === undefined) return undefined
    ends.push(end)
  }
  const [first] = ends
  if (first === undefined) return undefined
  const endsWrong = ends.flatMap((end) => [
    ...end.wrong,
    ...unless(end.state === first.state, `also ${end.state}`),
  ])
  const hold = await holdOf(
    world,
    prepared.map(({ id }) => id),
  )
  return {
    ...first,
    wrong: [
      ...new Set(endsWrong),
      ...wrong,
      ...unless(hold === 'released', 'what was prepared is still blocked'),
    ],
  }
}

const paymentOver = async (world: World, name: string, way: Way): Promise<Payment> => ({
  route_id: await routeOf(world, name, way),
  asset: way.asset,
})
const vaultPayment = (world: World, name = 'withdrawal: vault') => paymentOver(world, name, VAULT)
const numberedPayment = (world: World) =>
  paymentOver(world, 'withdrawal: vault, numbered chain', NUMBERED_VAULT)
const bankPayment = (world: World) => paymentOver(world, 'withdrawal: bank SEPA', TO_BOB)
const WITH_TRANSFER: Sending = { venue: 'fireblocks', arrives: 'kraken', shared: true }

export const BATCHES: readonly Flow[] = [
  batch(
    'batch: vault, two payments in one',
    async (world) => [await vaultPayment(world), await vaultPayment(world)],
    1,
  ),
  {
    ...batch(
      'batch: vault, two destinations in one',
      async (world) => [await vaultPayment(world), await vaultPayment(world, OTHER_ROUTE)],
      2,
    ),
    api: [],
  },
  {
    ...batch(
      'batch: vault to exchange, with and without an account',
      async (world) => {
        const route_id = await world.route('Vault to Kraken BTC')
        return [
          { route_id, asset: 'BTC' },
          { route_id, asset: 'BTC', isHouse: true },
        ]
      },
      1,
      WITH_TRANSFER,
    ),
    api: [],
  },
  {
    ...batch(
      'batch: vault, numbered chain, two payments in one',
      async (world) => [await numberedPayment(world), await numberedPayment(world)],
      1,
    ),
    numbered: true,
    meets: NUMBERED_MEETS,
  },
  {
    ...batch(
      'batch: bank, two payments in one',
      async (world) => [await bankPayment(world), await bankPayment(world)],
      1,
      { venue: 'bank' },
    ),
    meets: ['books another amount', ...ODD_ENTRIES, SET_BACK],
  },
]
