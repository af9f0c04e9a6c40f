/** The tables of signed days and closed periods: tables.ts has all. */
export const CLOSING_TABLES = {
  periods: {
    kept: 'for good',
    plain: ['last_day', 'note', 'reason', 'frozen', 'hash', 'chain_hash'],
  },
  reconciliation_days: { kept: 'for good', plain: ['day'] },
  reconciliation_lines: { kept: 'for good', plain: ['wallet'] },
  reconciliation_signatures: { kept: 'for good', plain: ['action', 'note'] },
}
