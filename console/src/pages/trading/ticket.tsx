/** The trade ticket: the order on the left, live prices on the right, the last executions below. */
import { lazy, Suspense, useState } from 'react'
import type { ReactNode } from 'react'
import { useNavigate, useSearchParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useEvents } from '../../api/events.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { AT_ONCE } from '../../list/state.ts'
import { Empty, Failure, Loading } from '../../parts/states.tsx'
import { BLANK, marketOf } from './draft.ts'
import type { Written } from './draft.ts'
import { EXECUTION_COLUMNS } from './execution-columns.tsx'
import type { Execution } from './execution-columns.tsx'
import { cancel } from './executions.tsx'
import { TicketForm } from './ticket-form.tsx'
import { Prices } from './ticket-prices.tsx'

const RouteChart = lazy(async () => ({ default: (await import('./route-chart.tsx')).RouteChart }))
const LAST_EXECUTIONS = '8'

export function Page(): ReactNode {
  const { data: routes, error, refetch } = useGet('/price-stream/routes', {}, { every: 15_000 })
  const [params, setParams] = useSearchParams()
  const [written, setWritten] = useState<Written>(() => ({
    ...BLANK,
    customers: [{ customer_id: params.get('customer') ?? undefined, quantity: '' }],
  }))
  // Routes come newest first: these are the ones that were configured first.
  const first = routes?.findLast((route) => route.active)
  const market = marketOf(params.get('market') ?? first?.symbol ?? null, routes ?? [])
  const chart = market?.routes.at(-1)
  const choose = (name: string, value: string | undefined): void => {
    setParams((old) => {
      const next = new URLSearchParams(old)
      if (value === undefined) next.delete(name)
      else next.set(name, value)
      return next
    }, AT_ONCE)
  }
  const write = (change: Partial<Written>): void => {
    setWritten((old) => ({ ...old, ...change }))
    if (change.customers !== undefined) choose('customer', change.customers[0]?.customer_id)
  }
  return (
    <section className="page" aria-label={t('Trade', { context: 'verb' })}>
      <header className="page-head">
        <h1>{t('Trade', { context: 'verb' })}</h1>
      </header>
      {error !== null && <Failure error={error} again={refetch} />}
      {routes === undefined && error === null && <Loading />}
      {routes !== undefined && first === undefined && (
        <Empty title={t('No price-stream routes')}>
          {t('Declare routes in the configuration file, under price_routes.')}
        </Empty>
      )}
      {routes !== undefined && first !== undefined && (
        <div className="ticket">
          <TicketForm
            written={written}
            write={write}
            market={market}
            choose={(chosen) => {
              choose('market', chosen)
            }}
            routes={routes}
          />
          <div className="ticket-right">
            <Prices written={written} market={market} />
            {chart !== undefined && (
              <section className="panel" aria-label={t('Chart')}>
                <h2>{chart.label}</h2>
                <Suspense fallback={<Loading />}>
                  <RouteChart route_id={chart.id} quoted={chart.quote_asset} height={190} />
                </Suspense>
              </section>
            )}
          </div>
          <LastExecutions />
        </div>
      )}
    </section>
  )
}

function LastExecutions(): ReactNode {
  const navigate = useNavigate()
  const { data, error, refetch } = useGet('/executions', { query: { limit: LAST_EXECUTIONS } })
  useEvents(['execution'], () => refetch())
  const { created, state, side, type, amount, filled, price, customer_price, customers } =
    EXECUTION_COLUMNS
  return (
    <section className="panel last" aria-label={t('Last executions')}>
      <h2>{t('Last executions')}</h2>
      {error !== null && <Failure error={error} again={refetch} />}
      {data !== undefined && (
        <Rows<Execution>
          label={t('Last executions')}
          rows={data}
          keyOf={(row) => row.id}
          open={(row) => {
            navigate(`/trading/executions/${row.id}`)?.catch(() => undefined)
          }}
          empty={<p className="explain">{t('No executions yet.')}</p>}
          columns={[
            created,
            state,
            side,
            amount,
            price,
            {
              key: 'cancel',
              title: t('Action'),
              width: 140,
              render: (row) =>
                row.completed_at === null ? <ActionButton plan={cancel} row={row} /> : null,
            },
            customer_price,
            customers,
            type,
            filled,
          ]}
        />
      )}
    </section>
  )
}
