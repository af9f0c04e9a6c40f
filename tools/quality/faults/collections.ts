/** A route whose venue makes a collection for it: one, however often it was asked for. */
import { newId } from '../../../server/src/core/ids.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { around, SET_BACK, unless } from './flow.ts'
import type { Expectation, Flow, Outcome } from './flow.ts'
import { strangersAddress } from './ways.ts'
import type { Wallet, World } from './world.ts'

const COLLECTING = around('route', 'collect', 'collected')

type Row = { id: string; collection: string | null; reference: string | null }

const routesTo = ({ db, workspace }: World, to_wallet_id: string) =>
  db.query<Row>(sql`
    select id, transfer -> 'from' ->> 'destination_external_account_id' as collection,
      collection_external_id as reference
    from treasury_routes
    where workspace = ${workspace}
      and to_wallet_id = ${to_wallet_id}`)

const COLLECTION: Flow = {
  name: 'route with a collection: vault',
  venue: 'fireblocks',
  send: 'create_external_wallet',
  points: [],
  api: COLLECTING,
  lost: COLLECTING,
  meets: [
    'none',
    'refuses',
    'accepts and says nothing',
    'connection cut',
    'answers too late',
    SET_BACK,
  ],
  async begin(world, expected, key) {
    const label = `Collected ${newId()}`
    const to = await createDestination(world, label)
    // Its venue may be what it waits for: how it ends is seen in the route.
    let refusal: unknown
    const request = requestRoute(world, to, key).catch((error: unknown) => {
      refusal = error
    })
    await Promise.race([request, world.db.query(sql`select pg_sleep(1)`)])
    return {
      subject: undefined,
      marks: [to.id],
      outcome: async () => {
        const routes = await routesTo(world, to.id)
        if (routes.length === 0 && refusal !== undefined) return refusedOutcome(refusal)
        return collectionOutcome(world, label, routes, expected)
      },
      waiting: async () => [],
    }
  },
}

async function createDestination(world: World, label: string): Promise<Wallet> {
  const { customer } = world
  return world.call<Wallet>('POST', '/treasury/wallets', {
    type: 'CUSTOMER',
    asset: 'BTC',
    address: await strangersAddress(world),
    label,
    account_id: customer.account_id,
    customer_id: customer.id,
    access_type: 'EXTERNAL',
  })
}

async function requestRoute(world: World, to: Wallet, key: string): Promise<unknown> {
  const { id: from_wallet_id } = await world.wallet('Vault BTC')
  const body = {
    from_wallet_id,
    to_wallet_id: to.id,
    protocol: 'BTC',
    label: to.label,
    transfer: { from: {}, to: {} },
  }
  return world.call('POST', '/treasury/wallets/routes', body, key)
}

const refusedOutcome = (refusal: unknown): Outcome => ({
  state: 'NONE',
  asked: null,
  effects: 0,
  hold: 'none',
  wrong: [String(refusal)],
})

async function collectionOutcome(
  world: World,
  label: string,
  routes: readonly Row[],
  expected: Expectation,
): Promise<Outcome | undefined> {
  const [route] = routes
  if (route === undefined) return undefined
  const isRefused = expected === 'refused'
  const isOver = isRefused ? route.reference === null : route.collection !== null
  if (!isOver) return undefined
  const collections = world.outside<{ id: string }>(
    'select id from vault_external_wallets where name = ?',
    label,
  )
  const wrong = [
    ...unless(routes.length === 1, `${routes.length} routes`),
    ...unless(
      collections.length === (isRefused ? 0 : 1),
      `${collections.length} collections were made`,
    ),
    ...unless(
      isRefused || route.collection === collections[0]?.id,
      `the route names ${route.collection}`,
    ),
  ]
  return {
    state: isRefused ? 'REFUSED' : 'MADE',
    asked: null,
    effects: collections.length,
    hold: 'none',
    wrong,
  }
}

export const COLLECTION_FLOWS: readonly Flow[] = [COLLECTION]
