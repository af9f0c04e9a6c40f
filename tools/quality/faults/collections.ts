/** A route whose venue makes a collection for it: one, however often it was asked for. */
import { newId } from '../../../server/src/core/ids.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { around, someone } from './flows.ts'
import type { Flow, Outcome } from './flows.ts'
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
  meets: ['none', 'refuses', 'accepts and says nothing', 'connection cut', 'answers too late'],
  async begin(world, expected, key) {
    const { customer } = world
    const label = `Collected ${newId()}`
    const { id: from_wallet_id } = await world.wallet('Vault BTC')
    const to = await world.call<Wallet>('POST', '/treasury/wallets', {
      type: 'CUSTOMER',
      asset: 'BTC',
      address: await someone(world),
      label,
      account_id: customer.account_id,
      customer_id: customer.id,
      access_type: 'EXTERNAL',
    })
    const request = world.call(
      'POST',
      '/treasury/wallets/routes',
      {
        from_wallet_id,
        to_wallet_id: to.id,
        protocol: 'BTC',
        label,
        transfer: { from: {}, to: {} },
      },
      key,
    )
    // Its venue may be what it waits for: how it ends is seen in the route.
    let refused: unknown
    request.catch((error: unknown) => {
      refused = error
    })
    await Promise.race([request.catch(() => undefined), world.db.query(sql`select pg_sleep(1)`)])
    const made = async () =>
      world.outside<{ id: string }>('select id from vault_external_wallets where name = ?', label)
    return {
      subject: undefined,
      marks: [to.id],
      async outcome(): Promise<Outcome | undefined> {
        const routes = await routesTo(world, to.id)
        const [route] = routes
        if (route === undefined)
          return refused === undefined
            ? undefined
            : { state: 'NONE', asked: null, effects: 0, hold: 'none', wrong: [String(refused)] }
        const over = expected === 'refused' ? route.reference === null : route.collection !== null
        if (!over) return undefined
        const collections = await made()
        const wrong = [
          ...(routes.length === 1 ? [] : [`${routes.length} routes`]),
          ...(collections.length === (expected === 'refused' ? 0 : 1)
            ? []
            : [`${collections.length} collections were made`]),
          ...(expected === 'refused' || route.collection === collections[0]?.id
            ? []
            : [`the route names ${route.collection}`]),
        ]
        return {
          state: expected === 'refused' ? 'REFUSED' : 'MADE',
          asked: null,
          effects: collections.length,
          hold: 'none',
          wrong,
        }
      },
      waiting: async () => [],
    }
  },
}

export const COLLECTION_FLOWS: readonly Flow[] = [COLLECTION]
