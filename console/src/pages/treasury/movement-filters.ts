/** The filters that the lists of deposits and of withdrawals have in common. */
export const MOVEMENT_FILTERS = [
  { name: 'asset', label: 'Asset', kind: 'text' },
  { name: 'quantity_from', label: 'Amount from', kind: 'text' },
  { name: 'quantity_to', label: 'Amount to', kind: 'text' },
  { name: 'customer_id', label: 'Customer', kind: 'customer' },
  { name: 'account_id', label: 'Account', kind: 'account' },
  { name: 'wallet_id', label: 'Wallet', kind: 'wallet' },
] as const
