import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import { percent } from '../../parts/amount-words.ts'
import { Status } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section } from '../../record/record.tsx'
import { executeQuote } from './execute.tsx'
import { QuoteSides } from './quote-sides.tsx'
import type { Quote } from './quote-sides.tsx'
import { Countdown, SideWord, TYPE_WORDS } from './words.tsx'

const STATES = ['ACTIVE', 'ACCEPTED', 'EXPIRED', 'CANCELED'] as const
const REFRESH_MILLISECONDS = 5_000

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Quotes')}
      path="/price-stream/quotes"
      every={REFRESH_MILLISECONDS}
      live={['execution']}
      columns={[
        { key: 'created_at', title: t('Requested'), kind: 'time' },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        { key: 'symbol', title: t('Market'), width: 100 },
        {
          key: 'request_quantity',
          title: t('Quantity'),
          kind: 'amount',
          asset: (row) => row.request_asset,
        },
        {
          key: 'sell_price',
          title: t('Customer sells at'),
          kind: 'amount',
          price: true,
          value: (row) => row.sell.price,
          width: 150,
        },
        {
          key: 'buy_price',
          title: t('Customer buys at'),
          kind: 'amount',
          price: true,
          value: (row) => row.buy.price,
          width: 150,
        },
        { key: 'customer_id', title: t('Customer'), kind: 'customer' },
        {
          key: 'firm',
          title: t('Held'),
          width: 80,
          value: (row) => (row.firm ? `${row.risk_duration_ms / 1000} s` : null),
        },
        { key: 'expires_at', title: t('Until'), kind: 'time' },
        { key: 'route_id', title: t('Route'), kind: 'price_route' },
        { key: 'margin', title: t('Margin'), value: (row) => percent(row.margin), extra: true },
        { key: 'risk', title: t('Risk'), value: (row) => percent(row.risk), extra: true },
        { key: 'execution_id', title: t('Execution'), kind: 'id', extra: true },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[{ name: 'state', label: t('State'), kind: 'words', options: STATES, many: true }]}
      actions={
        <Link to="/trading/ticket" className="link-button">
          {t('Request a quote')}
        </Link>
      }
      empty={{
        title: t('No active quotes'),
        text: (
          <Trans
            i18nKey="Choose a state to see other quotes, or request a new one: <a>Trade</a>."
            components={{ a: <Link to="/trading/ticket" /> }}
          />
        ),
      }}
    />
  )
}

const SECTIONS: readonly Section<Quote>[] = [
  {
    fields: [
      { key: 'symbol', title: t('Market') },
      { key: 'state', title: t('State'), kind: 'status' },
      {
        key: 'request_quantity',
        title: t('Quantity'),
        kind: 'amount',
        asset: (row) => row.request_asset,
      },
      { key: 'customer_id', title: t('Customer'), kind: 'customer' },
      { key: 'route_id', title: t('Route'), kind: 'price_route' },
      {
        key: 'firm',
        title: t('Held'),
        value: (row) =>
          row.firm
            ? t('for {{seconds}} s', { seconds: row.risk_duration_ms / 1000 })
            : t('No, indicative'),
      },
      {
        key: 'request_side',
        title: t('Requested side'),
        render: (row) => (
          <>
            {row.request_side === null ? t('Both sides') : <SideWord side={row.request_side} />}
            {` ${TYPE_WORDS[row.execution_type ?? ''] ?? ''}`}
          </>
        ),
      },
      {
        key: 'execution_id',
        title: t('Execution'),
        render: (row) =>
          row.execution_id === null ? (
            t('None')
          ) : (
            <Link to={`/trading/executions/${row.execution_id}`}>{t('Open')}</Link>
          ),
      },
      { key: 'created_at', title: t('Requested'), kind: 'time' },
      { key: 'expires_at', title: t('Until'), kind: 'time' },
      {
        key: 'risk_source',
        title: t('Source of risk'),
        value: (row) =>
          ({
            NONE: t('No hold time'),
            OBSERVED: t('Price moves of two hours'),
            CONFIGURED: t('Default, because of too few prices'),
          })[row.risk_source],
      },
    ],
  },
  COMMON_FIELDS,
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Quote')}
      path="/price-stream/quotes/{quote_id}"
      request={{ params: { quote_id: id } }}
      live={['execution']}
      title={(row) => (
        <>
          <Amount value={row.request_quantity} asset={row.request_asset} /> {row.symbol}{' '}
          <Status state={row.state} />
          {row.state === 'ACTIVE' && <TimeLeft quote={row} />}
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={executeQuote('SELL')} row={row} />
          <ActionButton plan={executeQuote('BUY')} row={row} />
        </>
      )}
      sections={SECTIONS}
      tabs={[{ key: 'sides', label: t('Both sides'), node: (row) => <Sides quote={row} /> }]}
    />
  )
}

function TimeLeft({ quote }: { quote: Quote }): ReactNode {
  const left = quote.expires_at - Date.now()
  return left > 0 ? <Countdown of={quote.id} length={left} /> : null
}

function Sides({ quote }: { quote: Quote }): ReactNode {
  const { data } = useGet('/price-stream/routes')
  const route = data?.find((route) => route.id === quote.route_id)
  const [base = '', quoted = ''] = quote.symbol.split('/')
  return (
    <QuoteSides
      quote={quote}
      base={route?.base_asset ?? base}
      quoted={route?.quote_asset ?? quoted}
    />
  )
}
