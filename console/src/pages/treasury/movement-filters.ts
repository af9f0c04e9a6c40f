/** What the lists of deposits and of withdrawals have in common: filters and totals. */
import { t } from '../../language/index.ts'
export const MOVEMENT_FILTERS = [
  { name: 'asset', label: t('Asset'), kind: 'text' },
  { name: 'quantity_from', label: t('Amount from'), kind: 'amount' },
  { name: 'quantity_to', label: t('Amount to'), kind: 'amount' },
  { name: 'customer_id', label: t('Customer'), kind: 'customer' },
  { name: 'account_id', label: t('Account'), kind: 'account' },
  { name: 'wallet_id', label: t('Wallet'), kind: 'wallet' },
  { name: 'system_created_at_from', label: t('Since'), kind: 'time' },
  { name: 'system_created_at_to', label: t('Until'), kind: 'time' },
] as const

/** These moved nothing. */
const NOTHING_MOVED = ['FAILED', 'REJECTED', 'REVERSED', 'CANCELED']

type Movement = { asset: string; quantity: string; state: string }

/** The sums that they have in common; each list says what they contain. */
export const MOVEMENT_TOTALS = {
  sums: [
    {
      label: t('Amount'),
      amount: ({ state, quantity }: Movement) => (NOTHING_MOVED.includes(state) ? null : quantity),
      asset: ({ asset }: Movement) => asset,
    },
  ],
}
