/** The transfers of settlement parts as confirmations show them: amount, way, address and fee. */
import type { ReactNode } from 'react'
import type { Fact } from '../../action/plan.ts'
import { client } from '../../api/session.ts'
import { Trans, t } from '../../language/index.ts'
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
  if (route_id === null) return t('By hand')
  return direction === 'OUTGOING' ? t('We pay') : t('We receive')
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
        <Trans
          i18nKey="with <name/>, without a route"
          components={{ name: <Name of="venue" id={part.venue_id} /> }}
        />
      ) : (
        t('from {{source}} to {{destination}}', {
          source: route.from_wallet.label,
          destination: route.to_wallet.label,
        })
      )}
      {part.direction === 'OUTGOING' && route !== undefined && <Destination route={route} />}
      {fee !== undefined && (
        <div>
          <Trans i18nKey="Fee about <fee/>" components={{ fee: <>{fee}</> }} />
        </div>
      )}
    </>
  )
}

function Destination({ route }: { route: Route }): ReactNode {
  const { to } = route.transfer as { to?: { tag?: string; reference?: string } }
  const tag = to?.tag ?? to?.reference
  return (
    <div>
      <Trans
        i18nKey={tag === undefined ? 'To <address/>' : 'To <address/> tag <code/>'}
        components={{
          address: <Id value={route.to_wallet.address} what={t('Address')} full />,
          code: <code>{tag}</code>,
        }}
      />
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
    t('not available from the venue at the moment')
  ) : (
    <Amount value={estimate.speed_levels.DEFAULT.fee} asset={estimate.asset} />
  )
}
