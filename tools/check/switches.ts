/**
 * Where the newer rules count: the beginnings of paths. A rule that is not named here counts
 * everywhere. `node tools/check/tidy.ts --all` shows what every rule would find in all folders.
 */
const LOW = [
  'server/src/core/',
  'server/src/http/',
  'server/src/store/',
  'server/src/venues/',
  'server/quality/',
] as const
const OUTER = ['sandbox/'] as const
const PRICES = [
  'server/src/trading/quotes/',
  'server/src/trading/routes/',
  'server/src/trading/pricing/',
  'server/src/trading/reports/',
] as const
const READY = ['tools/', 'bench/', ...LOW, ...PRICES, ...OUTER] as const
const BOOKS = ['server/src/ledger/', 'server/src/desk/'] as const

export const SWITCHES: Readonly<Record<string, readonly string[]>> = {
  'line-length': READY,
  'file-length': [...LOW, ...PRICES, ...OUTER],
  'function-length': [...LOW, ...PRICES, ...OUTER],
  parameters: [...LOW, ...PRICES, ...OUTER, 'server/src/treasury/', ...BOOKS],
  'nested-ternary': [...LOW, ...PRICES, ...OUTER],
  'sql-clauses': READY,
  each: READY,
  'unused-export': [...READY, 'client/', 'console/', 'server/src/treasury/', ...BOOKS],
  'sql-states': [...LOW, ...PRICES, 'server/src/treasury/', ...BOOKS],
  'sql-inserts': [...LOW, ...PRICES, 'server/src/treasury/', ...BOOKS],
  'workspace-string': [...LOW, ...PRICES, 'server/src/treasury/', ...BOOKS],
}
