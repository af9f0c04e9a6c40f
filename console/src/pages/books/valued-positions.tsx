/** What each account held at the end of a day, valued at the prices of that day. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { Link, useSearchParams } from 'react-router'
import { useGet } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import type { Column, NameOf } from '../../list/columns.tsx'
import { RowsCsv } from '../../list/csv.tsx'
import { Rows } from '../../list/grid.tsx'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { ACCOUNT_TYPES } from '../../parts/account-types.ts'
import { inWords, Status } from '../../parts/status.tsx'
import { Name, NOTHING } from '../../parts/values.tsx'
import { Choice, useCurrencyChoice } from '../../parts/choice.tsx'

type Position = RowOf<'/valued-positions'>
type Totals = DataOf<'get', '/valued-positions/totals'>
type Line = Totals['lines'][number]
type Valued = Pick<Position, 'asset' | 'value_in' | 'parts'>

const typeColumn = <Row extends { account_type: string }>(): Column<Row> => ({
  key: 'account_type',
  title: t('Type'),
  value: ({ account_type }) => inWords(account_type),
  width: 95,
})

const inCurrency = ({ value_in }: Valued): string | null => value_in

const valueColumns = <Row extends Valued>(): Column<Row>[] => [
  { key: 'asset', title: t('Asset'), width: 70 },
  { key: 'quantity', title: t('Amount'), kind: 'amount', width: 125, ...ASSET_BESIDE },
  {
    key: 'price',
    title: t('Price'),
    kind: 'amount',
    width: 115,
    asset: inCurrency,
    price: true,
    bare: true,
  },
  { key: 'value', title: t('Value'), kind: 'amount', asset: inCurrency },
  { key: 'timing', title: t('Kind of price'), kind: 'status', width: 125 },
  { key: 'priced_at', title: t('Price seen'), kind: 'time' },
  {
    key: 'parts',
    title: t('Price from'),
    width: 230,
    value: ({ parts }) => parts.length,
    render: ({ parts }) => <Sources parts={parts} />,
    names: ['venue'],
    text: ({ parts }, nameOf) => sourcesText(parts, nameOf),
  },
]

const COLUMNS: readonly Column<Position>[] = [
  { key: 'account_id', title: t('Account'), kind: 'account', width: 165 },
  typeColumn<Position>(),
  ...valueColumns<Position>(),
  { key: 'customer_id', title: t('Customer'), kind: 'customer', extra: true },
  { key: 'venue_id', title: t('Venue'), kind: 'venue', extra: true },
]

const LINES: readonly Column<Line>[] = [typeColumn<Line>(), ...valueColumns<Line>()]

const pairOf = ({ base_asset, quote_asset }: Valued['parts'][number]): string =>
  `${base_asset}/${quote_asset}`

/** Each pair that the price leads over, and where its price is from. */
function Sources({ parts }: { parts: Valued['parts'] }): ReactNode {
  if (parts.length === 0) return NOTHING
  return parts.map((part, index) => (
    <span key={part.id}>
      {index > 0 && ' · '}
      {pairOf(part)} {part.venue_id === null ? part.source : <Name of="venue" id={part.venue_id} />}
    </span>
  ))
}

const sourcesText = (parts: Valued['parts'], nameOf: NameOf): string =>
  parts
    .map((part) => {
      const from = part.venue_id === null ? (part.source ?? '') : nameOf('venue', part.venue_id)
      return `${pairOf(part)} ${from}`
    })
    .join(' · ')

export function Page(): ReactNode {
  const { value: value_in, options, choose } = useCurrencyChoice('in')
  return (
    <WorkList
      title={t('Valued positions')}
      help="valued-positions"
      path="/valued-positions"
      query={value_in === undefined ? {} : { value_in }}
      keyOf={({ account_id, asset }) => `${account_id} ${asset}`}
      record={({ account_id }) => `/books/accounts/${account_id}`}
      actions={<Choice label={t('Valued in')} value={value_in} options={options} choose={choose} />}
      above={value_in !== undefined && <TotalsOf value_in={value_in} />}
      columns={COLUMNS}
      filters={[
        { name: 'day', label: t('Day, e.g. 2026-11-24'), kind: 'text' },
        { name: 'type', label: t('Accounts'), kind: 'words', options: ACCOUNT_TYPES, many: true },
        { name: 'customer_id', label: t('Customer'), kind: 'customer' },
        { name: 'venue_id', label: t('Venue'), kind: 'venue' },
        { name: 'assets', label: t('Assets, e.g. EUR,BTC'), kind: 'text' },
      ]}
      empty={{
        title: t('Nothing was held at the end of that day'),
        text: t('The list is as booked before the midnight (UTC) that ended the day.'),
      }}
    />
  )
}

/** Of the whole day, whatever the list is filtered by. */
function TotalsOf({ value_in }: { value_in: string }): ReactNode {
  const day = useSearchParams()[0].get('day')
  const { data } = useGet(
    '/valued-positions/totals',
    { query: { value_in, ...(day === null ? {} : { day }) } },
    { keep: true },
  )
  if (data === undefined || data.lines.length === 0) return null
  return (
    <>
      <p>{t('At the end of {{day}} (UTC), of all accounts:', { day: data.day })}</p>
      {!data.complete && (
        <p role="status">
          <Trans
            i18nKey={
              'No price on {{day}}, so in no total: {{assets}}. ' +
              'Prices are entered under <prices>Daily prices</prices>.'
            }
            values={{ day: data.day, assets: data.without_price.join(', ') }}
            components={{ prices: <Link to={`/books/daily-prices?day=${data.day}`} /> }}
          />
        </p>
      )}
      <Rows
        label={t('Totals of {{day}}', { day: data.day })}
        rows={data.totals}
        keyOf={({ account_type }) => account_type}
        columns={[
          typeColumn<Totals['totals'][number]>(),
          { key: 'value', title: t('Value'), kind: 'amount', asset: () => data.value_in },
          {
            key: 'complete',
            title: t('Complete'),
            width: 200,
            render: ({ complete }) =>
              complete ? (
                <Status state="" tone="good" says={t('Complete')} />
              ) : (
                <Status state="" tone="wait" says={t('A price is missing')} />
              ),
          },
        ]}
      />
      <p>
        <RowsCsv
          label={t('CSV of the totals')}
          title={t('Download what the accounts of each type held together, asset by asset')}
          columns={LINES}
          rows={data.lines}
          name={`${t('Valued positions')} ${data.day}`}
        />
      </p>
    </>
  )
}
