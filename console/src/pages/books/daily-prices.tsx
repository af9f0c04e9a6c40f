/** What each pair cost at the end of each day: kept from the venues, or entered with its source. */
import type { ReactNode } from 'react'
import { ActionButton } from '../../action/action.tsx'
import type { ActionPlan } from '../../action/plan.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'

const MINUTE_MILLISECONDS = 60_000
const DAYS = '14'

const enter: ActionPlan<'post', '/market-data/daily-prices'> = {
  label: t('Enter a price'),
  permission: 'market-data.daily-prices.enter',
  explain: () =>
    t(
      'Positions of that day are valued at it, instead of the prices of venues and of what was ' +
        'entered before. It stays, with who entered it.',
    ),
  fields: [
    { name: 'day', label: t('Day (UTC), e.g. 2026-11-24'), kind: 'text', required: true },
    { name: 'base_asset', label: t('One unit of'), kind: 'text', required: true },
    { name: 'quote_asset', label: t('Priced in'), kind: 'text', required: true },
    { name: 'price', label: t('Price'), kind: 'amount', required: true },
    {
      name: 'source',
      label: t('Source'),
      kind: 'lines',
      required: true,
      help: t('Where the price is from, so that another person can find it'),
    },
  ],
  method: 'post',
  path: '/market-data/daily-prices',
  request: (_row, { day, base_asset, quote_asset, price, source }) => ({
    body: {
      day: String(day).trim(),
      base_asset: String(base_asset).trim().toUpperCase(),
      quote_asset: String(quote_asset).trim().toUpperCase(),
      price: String(price),
      source: String(source),
    },
  }),
  done: ({ day }) => t('Price of {{day}} entered', { day }),
}

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Daily prices')}
      help="valued-positions"
      path="/market-data/daily-prices"
      every={MINUTE_MILLISECONDS}
      record={false}
      above={<DaysWithout />}
      actions={<ActionButton plan={enter} row={undefined} primary />}
      columns={[
        { key: 'day', title: t('Day (UTC)'), width: 100 },
        { key: 'base_asset', title: t('Asset'), width: 80 },
        {
          key: 'price',
          title: t('Price'),
          kind: 'amount',
          asset: ({ quote_asset }) => quote_asset,
          price: true,
          width: 170,
        },
        { key: 'timing', title: t('Kind of price'), kind: 'status', width: 125 },
        { key: 'priced_at', title: t('Price seen'), kind: 'time' },
        { key: 'venue_id', title: t('Venue'), kind: 'venue' },
        { key: 'source', title: t('Source'), width: 215 },
        { key: 'system_created_by', title: t('Entered by'), kind: 'user' },
        { key: 'system_created_at', title: t('Kept'), kind: 'time' },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        { name: 'day', label: t('Day, e.g. 2026-11-24'), kind: 'text' },
        { name: 'base_asset', label: t('Asset'), kind: 'text' },
        { name: 'quote_asset', label: t('Priced in'), kind: 'text' },
      ]}
      empty={{
        title: t('No prices of days yet'),
        text: t('They are kept from the venues when a day (UTC) ends.'),
      }}
    />
  )
}

/** Days that are over and have none: nothing of them can be valued. */
function DaysWithout(): ReactNode {
  const { data = [] } = useGet(
    '/market-data/daily-prices/days',
    { query: { days: DAYS } },
    { every: MINUTE_MILLISECONDS },
  )
  // Newest first. Before the first that has some it may not have been running yet.
  const first = data.findLastIndex(({ state }) => state === 'TAKEN')
  const missing = data
    .slice(0, Math.max(first, 0))
    .filter(({ state }) => state === 'MISSING')
    .map(({ day }) => day)
  if (missing.length === 0) return null
  return (
    <p role="status">
      {t('Days of the last two weeks without a price: {{days}}.', { days: missing.join(', ') })}
    </p>
  )
}
