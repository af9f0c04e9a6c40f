/** A trial balance as lines, with the sums of each asset below its lines. */
import { isZero } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { t } from '../../language/index.ts'
import { ASSET_BESIDE } from '../../list/columns.tsx'
import type { Column } from '../../list/columns.tsx'
import { withDecimals } from '../../list/csv-text.ts'
import { inWords } from '../../parts/status.tsx'

export type Balances = DataOf<'get', '/bookings/trial-balance'>['assets']
export type TrialLine = {
  key: string
  asset: string
  type: string
  debit: string
  credit: string
  total: boolean
}

const inItsDecimals = (amount: string, asset: string): string =>
  isZero(amount) ? '' : withDecimals(amount, asset)

export const TRIAL_COLUMNS: readonly Column<TrialLine>[] = [
  { key: 'asset', title: t('Asset'), width: 110 },
  { key: 'type', title: t('Accounts'), width: 220 },
  {
    key: 'debit',
    title: t('Debit'),
    kind: 'amount',
    width: 240,
    ...ASSET_BESIDE,
    value: (line) => (isZero(line.debit) ? null : line.debit),
    text: (line) => inItsDecimals(line.debit, line.asset),
  },
  {
    key: 'credit',
    title: t('Credit'),
    kind: 'amount',
    width: 240,
    ...ASSET_BESIDE,
    value: (line) => (isZero(line.credit) ? null : line.credit),
    text: (line) => inItsDecimals(line.credit, line.asset),
  },
]

export const trialLines = ({ asset, debit, credit, lines }: Balances[number]): TrialLine[] => [
  ...lines.map((line) => ({
    key: `${asset} ${line.type}`,
    asset,
    type: inWords(line.type),
    debit: line.debit,
    credit: line.credit,
    total: false,
  })),
  { key: `${asset} total`, asset, type: t('Total'), debit, credit, total: true },
]
