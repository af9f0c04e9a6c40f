import { t } from '../../language/index.ts'
import type { Column } from '../../list/columns.tsx'
import type { TotalsPlan } from '../../list/totals.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { SIDE_WORDS, SideWord } from './words.tsx'

export type Fill = RowOf<'/toms/fills'>

type Traded = Pick<Fill, 'side' | 'busted' | 'base_asset' | 'quote_asset' | 'quantity' | 'volume'>

export const FILL_TOTALS: TotalsPlan<Traded> = {
  path: '/toms/fills/totals',
  note: t('without busted trades'),
  sums: [
    {
      label: ({ side }) => (side === 'BUY' ? t('Bought') : t('Sold')),
      amount: (row) => (row.busted ? null : row.quantity),
      asset: (row) => row.base_asset,
    },
    {
      label: ({ side }) => (side === 'BUY' ? t('Bought for') : t('Sold for')),
      amount: (row) => (row.busted ? null : row.volume),
      asset: (row) => row.quote_asset,
    },
  ],
}

/** A trade as the venue made it. */
export const FILL_COLUMNS: readonly Column<Fill>[] = [
  { key: 'executed_at', title: t('Traded'), kind: 'time' },
  { key: 'venue_id', title: t('Venue'), kind: 'venue', width: 120 },
  { key: 'symbol', title: t('Market'), width: 85 },
  {
    key: 'side',
    title: t('Side'),
    width: 55,
    uncut: SIDE_WORDS,
    render: (row) => <SideWord side={row.side} />,
  },
  {
    key: 'quantity',
    title: t('Amount'),
    kind: 'amount',
    width: 130,
    asset: (row) => row.base_asset,
  },
  { key: 'price', title: t('Price'), kind: 'amount', price: true, width: 100 },
  {
    key: 'volume',
    title: t('Volume'),
    kind: 'amount',
    width: 135,
    asset: (row) => row.quote_asset,
  },
  { key: 'fee', title: t('Fee'), kind: 'amount', asset: (row) => row.fee_asset, width: 120 },
  { key: 'settlement_state', title: t('Settlement'), kind: 'status', width: 125 },
  { key: 'busted', title: t('Busted'), kind: 'flag', width: 112 },
  { key: 'entered_by', title: t('Entered by'), kind: 'user' },
  { key: 'foreign_id', title: t('Venue reference'), kind: 'id' },
]
