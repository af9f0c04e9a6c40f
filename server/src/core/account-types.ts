/** The types of accounts, which the ledger keeps and settings name. */
export const ACCOUNT_TYPES = [
  'CUSTOMER',
  'VENUE',
  'TRADING',
  'HOUSE',
  'SUSPENSE',
  'TRANSIT',
  'MARGIN',
  'RISK',
  'FEE',
  'ROUNDING',
  'INCOME',
  'EXPENSE',
] as const
