import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { Trans, t } from '../../language/index.ts'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { percent } from '../../parts/amount-words.ts'
import { Status } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import type { Section, Tab } from '../../record/record.tsx'
import { EXECUTION_COLUMNS, EXECUTION_TOTALS, hasEnded } from './execution-columns.tsx'
import type { Execution } from './execution-columns.tsx'
import { recheck, resolve } from './execution-resolution.tsx'
import { Customers, Fills, Orders, PriceOf } from './execution-tabs.tsx'
import { CONDITION_WORDS, CustomerNames, SideWord, TIF_WORDS, TYPE_WORDS } from './words.tsx'

const STATES = [
  'WAITING_FOR_TRIGGER',
  'PROCESSING',
  'CANCELING',
  'UNKNOWN',
  'DONE',
  'CANCELED',
  'EXPIRED',
  'FAILED',
  'REJECTED',
] as const

type State = Execution['state']

function whyNotCancel(row: Execution): string | undefined {
  if (hasEnded(row)) return t('The execution has ended')
  return row.cancel_requested_at === null ? undefined : t('Its cancellation is already requested')
}

const WHAT_CANCELING_DOES: Readonly<Partial<Record<State, string>>> = {
  WAITING_FOR_TRIGGER: t('Kontor stops watching the trigger and releases the held amount.'),
  UNKNOWN: t(
    'The outcome of the order is unknown. Kontor cancels it once it is known and ' +
      'still open. If the venue never got it, it is not sent again.',
  ),
}

export const cancel: ActionPlan<'delete', '/executions/{execution_id}', Execution> = {
  label: t('Cancel execution'),
  cancels: true,
  permission: 'trading.executions.create',
  danger: true,
  why: whyNotCancel,
  explain: ({ state }) =>
    WHAT_CANCELING_DOES[state] ??
    t(
      'What has not been sent is not sent. Otherwise Kontor asks the venue to cancel ' +
        'the order. Fills until then remain.',
    ),
  method: 'delete',
  path: '/executions/{execution_id}',
  request: ({ id }) => ({ params: { execution_id: id } }),
  confirm: (row) => [
    {
      label: t('Execution'),
      value: (
        <>
          <SideWord side={row.side} /> {TYPE_WORDS[row.execution_type]} {row.internal_ref}
        </>
      ),
    },
    { label: t('Amount'), value: <Amount value={row.amount} asset={row.base_asset} /> },
    {
      label: t('Filled so far'),
      value: <Amount value={row.filled_amount} asset={row.base_asset} />,
    },
    { label: t('Route'), value: row.route.label },
    {
      label: t('Customers'),
      value: <CustomerNames ids={row.customers.map((customer) => customer.customer_id)} />,
    },
  ],
  done: ({ state }) => (state === 'CANCELED' ? t('Canceled') : t('Cancellation requested')),
}

const COLUMNS: readonly Column<Execution>[] = [
  EXECUTION_COLUMNS.created,
  EXECUTION_COLUMNS.state,
  EXECUTION_COLUMNS.side,
  EXECUTION_COLUMNS.type,
  EXECUTION_COLUMNS.symbol,
  EXECUTION_COLUMNS.amount,
  EXECUTION_COLUMNS.filled,
  EXECUTION_COLUMNS.price,
  EXECUTION_COLUMNS.customer_price,
  EXECUTION_COLUMNS.customers,
  { key: 'route', title: t('Route'), value: (row) => row.route.label, width: 130 },
  { key: 'client_ref', title: t('Your reference'), extra: true },
  {
    key: 'average_price',
    title: t('Venue price'),
    kind: 'amount',
    price: true,
    asset: (row) => row.quote_asset,
    extra: true,
  },
  {
    key: 'filled_volume',
    title: t('Traded'),
    kind: 'amount',
    asset: (row) => row.quote_asset,
    extra: true,
  },
  {
    key: 'volume',
    title: t('Requested volume'),
    kind: 'amount',
    asset: (row) => row.quote_asset,
    extra: true,
  },
  { key: 'fee', title: t('Fee'), kind: 'amount', asset: (row) => row.quote_asset, extra: true },
  { key: 'tif_mode', title: t('Time in force'), extra: true },
  { key: 'reason', title: t('Reason'), kind: 'said', width: 220, extra: true },
  { key: 'completed_at', title: t('Ended'), kind: 'time', extra: true },
  { key: 'internal_ref', title: t('Reference'), kind: 'id', extra: true },
  { key: 'id', title: t('Id'), kind: 'id', extra: true },
]

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Executions')}
      path="/executions"
      live={['execution']}
      columns={COLUMNS}
      filters={[
        { name: 'state', label: t('State'), kind: 'words', options: STATES, many: true },
        { name: 'stuck', label: t('Stuck'), kind: 'flag' },
        { name: 'contradicted', label: t('Contradicted by the venue'), kind: 'flag' },
        { name: 'asset', label: t('Asset'), kind: 'text' },
        { name: 'amount_from', label: t('Amount from'), kind: 'amount' },
        { name: 'amount_to', label: t('Amount to'), kind: 'amount' },
        { name: 'customer_id', label: t('Customer'), kind: 'customer' },
        { name: 'client_ref', label: t('Your reference'), kind: 'text' },
        { name: 'created_at_from', label: t('Since'), kind: 'time' },
        { name: 'created_at_to', label: t('Until'), kind: 'time' },
      ]}
      actions={
        <Link to="/trading/ticket" className="link-button">
          {t('Trade', { context: 'verb' })}
        </Link>
      }
      totals={EXECUTION_TOTALS}
      empty={{
        title: t('No executions yet'),
        text: (
          <Trans
            i18nKey="Buy or sell for a customer: <a>Trade</a>."
            components={{ a: <Link to="/trading/ticket" /> }}
          />
        ),
      }}
    />
  )
}

const SECTIONS: readonly Section<Execution>[] = [
  {
    fields: [
      { key: 'symbol', title: t('Market') },
      { key: 'state', title: t('State'), kind: 'status' },
      {
        key: 'execution_type',
        title: t('Type'),
        value: (row) =>
          `${TYPE_WORDS[row.execution_type]}${row.mode === 'VOLUME' ? t(' by volume') : ''}`,
      },
      { key: 'reason', title: t('Reason'), kind: 'said' },
      { key: 'amount', title: t('Amount'), kind: 'amount', asset: (row) => row.base_asset },
      {
        key: 'filled_amount',
        title: t('Filled'),
        kind: 'amount',
        asset: (row) => row.base_asset,
      },
      {
        key: 'volume',
        title: t('Requested volume'),
        kind: 'amount',
        asset: (row) => row.quote_asset,
      },
      {
        key: 'filled_volume',
        title: t('Traded at venue'),
        kind: 'amount',
        asset: (row) => row.quote_asset,
      },
      {
        key: 'price',
        title: t('Limit or trigger'),
        kind: 'amount',
        price: true,
        asset: (row) => row.quote_asset,
      },
      {
        key: 'average_price',
        title: t('Venue price'),
        kind: 'amount',
        price: true,
        asset: (row) => row.quote_asset,
      },
      {
        key: 'stop_order_condition',
        title: t('Condition'),
        value: (row) => CONDITION_WORDS[row.stop_order_condition ?? ''],
      },
      {
        key: 'customer_price',
        title: t('Customer price'),
        kind: 'amount',
        price: true,
        asset: (row) => row.quote_asset,
      },
      { key: 'tif_mode', title: t('Time in force'), value: (row) => TIF_WORDS[row.tif_mode ?? ''] },
      { key: 'fee', title: t('Fee'), kind: 'amount', asset: (row) => row.quote_asset },
      { key: 'expires_at', title: t('Until'), kind: 'time' },
      { key: 'slippage', title: t('Slippage'), value: (row) => percent(row.slippage) },
      { key: 'triggered_at', title: t('Triggered'), kind: 'time' },
      { key: 'cancel_requested_at', title: t('Cancellation requested'), kind: 'time' },
      { key: 'cancel_requested_by', title: t('Requested by'), kind: 'user' },
      { key: 'completed_at', title: t('Ended'), kind: 'time' },
    ],
  },
  {
    title: t('References'),
    fields: [
      { key: 'route', title: t('Route'), value: (row) => row.route.label },
      { key: 'internal_ref', title: t('Reference'), kind: 'id' },
      { key: 'client_ref', title: t('Your reference') },
      { key: 'quote_id', title: t('Quote'), kind: 'id' },
      { key: 'margin', title: t('Requested margin'), value: (row) => percent(row.margin) },
      { key: 'risk', title: t('Requested risk'), value: (row) => percent(row.risk) },
    ],
  },
  COMMON_FIELDS,
]

const TABS: readonly Tab<Execution>[] = [
  { key: 'customers', label: t('Customers'), node: (row) => <Customers execution={row} /> },
  { key: 'orders', label: t('Orders'), node: (row) => <Orders execution={row} /> },
  { key: 'fills', label: t('Fills'), node: (row) => <Fills execution={row} /> },
  { key: 'price', label: t('Quote and routes'), node: (row) => <PriceOf execution={row} /> },
]

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Execution')}
      path="/executions/{execution_id}"
      request={{ params: { execution_id: id } }}
      live={['execution']}
      title={(row) => (
        <>
          <SideWord side={row.side} /> <Amount value={row.amount} asset={row.base_asset} />{' '}
          <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={recheck} row={row} primary={row.contradicted} />
          <ActionButton plan={resolve} row={row} />
          <ActionButton plan={cancel} row={row} />
        </>
      )}
      sections={SECTIONS}
      tabs={TABS}
    />
  )
}
