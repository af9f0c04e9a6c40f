/**
 * Where the newer rules count: the beginnings of paths. A rule that is not named here counts
 * everywhere. `node tools/check/tidy.ts --all` shows what every rule would find in all folders.
 */
const LOW = [
  'server/src/core/',
  'server/src/http/',
  'server/src/ledger/',
  'server/src/store/',
  'server/src/venues/',
  'server/quality/',
] as const
const OUTER = ['client/', 'console/', 'sandbox/', 'tools/', 'bench/'] as const
const TRADES = ['server/src/settlements/', 'server/src/trading/'] as const
const SMALL = [
  'server/src/access/',
  'server/src/events/',
  'server/src/customers/',
  'server/src/configuration/',
  'server/src/desk/',
  'server/src/market-data/',
  'server/src/app',
  'server/src/commands',
  'server/src/floors',
  'server/src/main',
  'server/src/ways',
  'server/src/worker',
] as const
const READY = [...LOW, ...SMALL, ...TRADES, 'server/src/treasury/', ...OUTER] as const

export const SWITCHES: Readonly<Record<string, readonly string[]>> = {
  'line-length': READY,
  'file-length': READY,
  'function-length': READY,
  parameters: READY,
  'nested-ternary': READY,
  'sql-clauses': READY,
  each: READY,
  'unused-export': READY,
  'sql-states': [...LOW, ...SMALL, ...TRADES, 'server/src/treasury/'],
  'sql-inserts': [...LOW, ...SMALL, ...TRADES, 'server/src/treasury/'],
  'workspace-string': [...LOW, ...SMALL, ...TRADES, 'server/src/treasury/'],
}
