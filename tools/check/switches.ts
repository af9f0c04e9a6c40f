/**
 * Where the newer rules count: the beginnings of paths. A rule that is not named here counts
 * everywhere. `node tools/check/tidy.ts --all` shows what every rule would find in all folders.
 */
const LOW = [
  'server/src/core/',
  'server/src/http/',
  'server/src/store/',
  'server/quality/',
] as const
const OUTER = ['sandbox/'] as const
const READY = ['tools/', 'bench/', ...LOW, ...OUTER] as const

export const SWITCHES: Readonly<Record<string, readonly string[]>> = {
  'line-length': READY,
  'file-length': [...LOW, ...OUTER],
  'function-length': [...LOW, ...OUTER],
  parameters: [...LOW, ...OUTER, 'server/src/treasury/'],
  'nested-ternary': [...LOW, ...OUTER],
  'sql-clauses': READY,
  each: READY,
  'unused-export': [...READY, 'client/', 'console/', 'server/src/treasury/'],
  'sql-states': [...LOW, 'server/src/treasury/'],
  'sql-inserts': [...LOW, 'server/src/treasury/'],
  'workspace-string': [...LOW, 'server/src/treasury/'],
}
