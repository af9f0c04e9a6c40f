import type { Column } from '../../list/columns.tsx'
import type { TotalsPlan } from '../../list/totals.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { SideWord } from './words.tsx'

export type Fill = RowOf<'/toms/{service_id}/fills'>

type Traded = Pick<Fill, 'side' | 'busted' | 'base_asset' | 'quote_asset' | 'quantity' | 'volume'>

export const FILL_TOTALS: TotalsPlan<Traded> = {
  path: '/toms/{service_id}/fills/totals',
  note: 'without busted trades',
  sums: [
    {
      label: ({ side }) => (side === 'BUY' ? 'Bought' : 'Sold'),
      amount: (row) => (row.busted ? null : row.quantity),
      asset: (row) => row.base_asset,
    },
    {
      label: ({ side }) => (side === 'BUY' ? 'Bought for' : 'Sold for'),
      amount: (row) => (row.busted ? null : row.volume),
      asset: (row) => row.quote_asset,
    },
  ],
}

/** A trade as the venue made it. */
export const FILL_COLUMNS: readonly Column<Fill>[] = [
  { key: 'executed_at', title: 'Traded', kind: 'time' },
  { key: 'venue_id', title: 'Venue', kind: 'venue', width: 120 },
  { key: 'symbol', title: 'Market', width: 85 },
  { key: 'side', title: 'Side', width: 55, render: (row) => <SideWord side={row.side} /> },
  { key: 'quantity', title: 'Amount', kind: 'amount', width: 130, asset: (row) => row.base_asset },
  { key: 'price', title: 'Price', kind: 'amount', price: true, width: 100 },
  { key: 'volume', title: 'Volume', kind: 'amount', width: 135, asset: (row) => row.quote_asset },
  { key: 'fee', title: 'Fee', kind: 'amount', asset: (row) => row.fee_asset, width: 120 },
  { key: 'settlement_state', title: 'Settlement', kind: 'status', width: 125 },
  { key: 'busted', title: 'Busted', kind: 'flag', width: 112 },
  { key: 'entered_by', title: 'Entered by', kind: 'user' },
  { key: 'foreign_id', title: 'Venue reference', kind: 'id' },
]
