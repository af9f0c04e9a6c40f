/** The transfers of settlement parts as confirmations show them: amount, way, address and fee. */
import type { ReactNode } from 'react'
import type { Fact } from '../../action/plan.ts'
import { client } from '../../api/session.ts'
import type { RowOf } from '../../list/work-list.tsx'
import { Amount, Id, Name } from '../../parts/values.tsx'
import type { Part } from './settlement-states.ts'

type Route = RowOf<'/treasury/wallets/routes'>

export async function transfersOf(parts: readonly Part[]): Promise<Fact[]> {
  const routes = await client().get('/treasury/wallets/routes')
  return Promise.all(
    parts.map(async (part): Promise<Fact> => {
      const route = routes.find((route) => route.id === part.route_id)
      const fee =
        route === undefined || part.direction === 'INCOMING'
          ? undefined
          : await feeOf(route.id, part.quantity)
      return { label: labelOf(part), value: <Transfer part={part} route={route} fee={fee} /> }
    }),
  )
}

function labelOf({ route_id, direction }: Part): string {
  if (route_id === null) return 'By hand'
  return direction === 'OUTGOING' ? 'We pay' : 'We receive'
}

function Transfer({
  part,
  route,
  fee,
}: {
  part: Part
  route: Route | undefined
  fee: ReactNode
}): ReactNode {
  return (
    <>
      <strong>
        <Amount value={part.quantity} asset={part.asset} />
      </strong>{' '}
      {route === undefined ? (
        <>
          with <Name of="venue" id={part.venue_id} />, without a route
        </>
      ) : (
        <>
          from {route.from_wallet.label} to {route.to_wallet.label}
        </>
      )}
      {part.direction === 'OUTGOING' && route !== undefined && <Destination route={route} />}
      {fee !== undefined && <div>Fee about {fee}</div>}
    </>
  )
}

function Destination({ route }: { route: Route }): ReactNode {
  const { to } = route.transfer as { to?: { tag?: string; reference?: string } }
  const tag = to?.tag ?? to?.reference
  return (
    <div>
      To <Id value={route.to_wallet.address} what="Address" full />
      {tag !== undefined && (
        <>
          {' '}
          tag <code>{tag}</code>
        </>
      )}
    </div>
  )
}

async function feeOf(route_id: string, quantity: string): Promise<ReactNode> {
  const estimate = await client()
    .post('/treasury/wallets/routes/{route_id}/estimate-fee', {
      params: { route_id },
      body: { quantity },
    })
    .catch(() => undefined)
  return estimate === undefined ? (
    'not available from the venue at the moment'
  ) : (
    <Amount value={estimate.speed_levels.DEFAULT.fee} asset={estimate.asset} />
  )
}
