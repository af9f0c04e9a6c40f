import type { ReactNode } from 'react'
import { Link, useParams } from 'react-router'
import { t } from '../../language/index.ts'
import type { Column } from '../../list/columns.tsx'
import { WorkList } from '../../list/work-list.tsx'
import { Status, wordsOf } from '../../parts/status.tsx'
import { Amount } from '../../parts/values.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'
import { FILL_COLUMNS, FILL_TOTALS } from './fill-columns.tsx'
import type { Fill } from './fill-columns.tsx'
import { SideWord } from './words.tsx'

const COLUMNS: readonly Column<Fill>[] = [
  ...FILL_COLUMNS,
  {
    key: 'execution_id',
    title: t('Execution'),
    width: 115,
    text: (row) => row.execution_id ?? t('Outside trade'),
    render: (row) =>
      row.execution_id === null ? (
        <span title={t('This trade was not ordered through Kontor')}>{t('Outside trade')}</span>
      ) : (
        <Link
          to={`/trading/executions/${row.execution_id}`}
          onClick={(event) => {
            event.stopPropagation()
          }}
        >
          {t('Execution')}
        </Link>
      ),
  },
  {
    key: 'liquidity',
    title: t('Maker or taker'),
    value: (row) => wordsOf(row.liquidity ?? ''),
    width: 120,
    extra: true,
  },
  { key: 'hop_no', title: t('Hop'), kind: 'number', extra: true },
  { key: 'settlement_id', title: t('Settlement id'), kind: 'id', extra: true },
  { key: 'id', title: t('Id'), kind: 'id', extra: true },
]

/** The trades of all accounts at venues. */
export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Account trades')}
      path="/toms/fills"
      live={['execution', 'fill']}
      columns={COLUMNS}
      filters={[
        { name: 'venue_id', label: t('Venue'), kind: 'venue' },
        { name: 'asset', label: t('Asset'), kind: 'text' },
        { name: 'quantity_from', label: t('Amount from'), kind: 'amount' },
        { name: 'quantity_to', label: t('Amount to'), kind: 'amount' },
        { name: 'customer_id', label: t('Customer'), kind: 'customer' },
        { name: 'from', label: t('Traded since'), kind: 'time' },
        { name: 'to', label: t('Until'), kind: 'time' },
      ]}
      totals={FILL_TOTALS}
      empty={{
        title: t('No trades'),
        text: t('Trades of the accounts at venues appear here, outside trades included.'),
      }}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  return (
    <RecordDrawer
      what={t('Account trade')}
      path="/settlements/fills/{fill_id}"
      request={{ params: { fill_id: id } }}
      live={['execution', 'fill', 'settlement']}
      title={(row) => (
        <>
          <SideWord side={row.side} /> <Amount value={row.quantity} asset={row.base_asset} />{' '}
          <Status state={row.settlement_state} />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'symbol', title: t('Market') },
            { key: 'executed_at', title: t('Traded'), kind: 'time' },
            { key: 'quantity', title: t('Amount'), kind: 'amount', asset: (row) => row.base_asset },
            { key: 'venue_id', title: t('Venue'), kind: 'venue' },
            {
              key: 'price',
              title: t('Price'),
              kind: 'amount',
              price: true,
              asset: (row) => row.quote_asset,
            },
            { key: 'foreign_id', title: t('Venue reference'), kind: 'id' },
            { key: 'volume', title: t('Volume'), kind: 'amount', asset: (row) => row.quote_asset },
            {
              key: 'liquidity',
              title: t('Maker or taker'),
              value: (row) => wordsOf(row.liquidity ?? ''),
            },
            { key: 'fee', title: t('Fee'), kind: 'amount', asset: (row) => row.fee_asset },
            { key: 'busted', title: t('Busted'), kind: 'flag' },
            {
              key: 'execution_id',
              title: t('Execution'),
              render: (row) =>
                row.execution_id === null ? (
                  t('None: an outside trade')
                ) : (
                  <Link to={`/trading/executions/${row.execution_id}`}>{t('Execution')}</Link>
                ),
            },
            {
              key: 'settlement_id',
              title: t('Settlement'),
              render: (row) =>
                row.settlement_id === null ? (
                  t('None')
                ) : (
                  <Link to={`/trading/settlements/${row.settlement_id}`}>{t('Settlement')}</Link>
                ),
            },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
