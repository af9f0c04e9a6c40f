/** Batches of payments as flows. Two payments of a vault are one transaction. */
import { mustExist } from '../../../server/src/core/assert.ts'
import { around, unless } from './flow.ts'
import type { Expectation, Flow, Outcome } from './flow.ts'
import { holdOf, REFUSED, SEND, SENDING, transferOutcome, withheldWrong } from './transfers.ts'
import { routeOf, VAULT } from './ways.ts'
import type { World } from './world.ts'

const OTHER_ROUTE = 'batch: another destination'

type Prepared = { id: string; prepare_id: string; bundled: boolean }

/** What was prepared and submitted, and what was wrong with it already then. */
type Batch = { prepared: Prepared[]; ids: string[]; wrong: string[] }

/** `made`: how many withdrawals it comes to. */
const batch = (name: string, routes: (world: World) => Promise<string[]>, made: number): Flow => ({
  name,
  venue: 'fireblocks',
  send: SEND.fireblocks,
  points: SENDING,
  refused: REFUSED,
  api: around('batch', 'prepare', 'submit'),
  prepare: routes,
  async begin(world, expected, key) {
    const submitted = await submit(world, await routes(world), made, key)
    const { ids } = submitted
    return {
      subject: mustExist(ids[0], 'the batch makes a withdrawal'),
      marks: ids,
      outcome: () => batchOutcome(world, submitted, expected),
      waiting: async () => {
        const wrong = await Promise.all(ids.map((id) => withheldWrong(world, id, false)))
        return wrong.flat()
      },
    }
  },
})

async function submit(
  world: World,
  routes: readonly string[],
  made: number,
  key: string,
): Promise<Batch> {
  const withdrawals = routes.map((route_id) => ({
    route_id,
    quantity: world.quantity('BTC'),
    speed_level: 'DEFAULT',
    account_id: world.customer.account_id,
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
  expected: Expectation,
): Promise<Outcome | undefined> {
  const ends: Outcome[] = []
  for (const id of ids) {
    const end = await transferOutcome(world, id, expected, { venue: 'fireblocks' })
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

const vaultRoute = (world: World, name = 'withdrawal: vault') => routeOf(world, name, VAULT)

export const BATCHES: readonly Flow[] = [
  batch(
    'batch: vault, two payments in one',
    async (world) => [await vaultRoute(world), await vaultRoute(world)],
    1,
  ),
  {
    ...batch(
      'batch: vault, two destinations in one',
      async (world) => [await vaultRoute(world), await vaultRoute(world, OTHER_ROUTE)],
      2,
    ),
    api: [],
  },
]
