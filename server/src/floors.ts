/**
 * The house as data: which module stands on which floor. A file imports its own folder freely and a
 * lower floor only through that folder's index.ts (core and store: any file); never up, never
 * sideways. The test beside this file enforces it, and the pictures in README.md and
 * ARCHITECTURE.md are drawn from it.
 */
const FLOORS: readonly { floor: number; modules: readonly string[]; holds: string }[] = [
  {
    floor: 6,
    modules: ['.'],
    holds: 'read configuration, build the parts; the only place that sees all',
  },
  {
    floor: 5,
    modules: [
      'settlements',
      'desk',
      'approvals',
      'compliance',
      'papers',
      'configuration',
      'backups',
      'heads',
      'webhooks',
    ],
    holds:
      'settlements · overview, search, notes, reconciliation, erasure · the policy, approvals · ' +
      'cases of screening · ' +
      'PDF · the configuration file · ' +
      'backups · signed heads · webhooks',
  },
  {
    floor: 4,
    modules: ['treasury', 'trading', 'events'],
    holds: 'wallets, routes, deposits, withdrawals · prices, quotes, executions · events',
  },
  {
    floor: 3,
    modules: ['customers', 'market-data', 'screening', 'travel-rule', 'views'],
    holds:
      'customers and their accounts · the price book · sanctions lists · ' +
      'travel-rule data · saved views',
  },
  {
    floor: 2,
    modules: ['ledger', 'access', 'venues'],
    holds: 'accounts, bookings, holds, the lane · who may what · adapters',
  },
  { floor: 1, modules: ['http'], holds: 'endpoints, envelope, idempotency, lists, OpenAPI' },
  { floor: 0, modules: ['core', 'store'], holds: 'decimals, ids, time, errors · PostgreSQL' },
]

/** Any file of these may be imported from above. */
const OPEN_MODULES: ReadonlySet<string> = new Set(['core', 'store'])

export function floorOf(module: string): number | undefined {
  return FLOORS.find((floor) => floor.modules.includes(module))?.floor
}

/** Why `from` may not import `to` (paths below server/src), or undefined when it may. */
export function breach(from: string, to: string): string | undefined {
  const [source, target] = [moduleOf(from), moduleOf(to)]
  if (source === target) return undefined
  const [above, below] = [floorOf(source), floorOf(target)]
  if (above === undefined) return `${source} stands on no floor`
  if (below === undefined) return `${target} stands on no floor`
  if (below > above) return `${from} imports up: ${to}`
  if (below === above)
    return isFoundation(source, target) ? undefined : `${from} imports sideways: ${to}`
  if (OPEN_MODULES.has(target) || to === `${target}/index.ts`) return undefined
  return `${from} imports past the door of ${target}: ${to}`
}

/** The store stands on the core, inside the lowest floor. */
function isFoundation(source: string, target: string): boolean {
  return source === 'store' && target === 'core'
}

function moduleOf(path: string): string {
  const slash = path.indexOf('/')
  return slash < 0 ? '.' : path.slice(0, slash)
}

/**
 * The rooms inside a module, from the top floor down. A room is a folder or, beside the folders, a
 * file (named without its ending). A room imports rooms of lower floors only: never up, never
 * sideways.
 */
export const ROOMS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  treasury: [
    ['index'],
    ['manual-assignments', 'polling', 'reports'],
    ['batches', 'deposits', 'jobs'],
    ['withdrawals'],
    ['opening', 'routes'],
    ['deposit-rows', 'wallets'],
    ['app', 'assignments', 'bookings', 'matchings', 'tasks'],
  ],
  trading: [
    ['index'],
    ['account-trades'],
    ['orders', 'reports'],
    ['executions'],
    ['quotes'],
    ['routes'],
    ['app', 'pricing', 'states'],
  ],
  ledger: [
    ['index'],
    ['ledger.http'],
    ['reports'],
    ['assets.http'],
    ['accounts', 'holds', 'manual-bookings'],
    ['halts', 'lane'],
    ['events'],
    ['bookings'],
    ['changes', 'drafts'],
    ['assets', 'halts.schema', 'event-types', 'ledger.schema', 'policy'],
  ],
  desk: [
    ['index'],
    ['news', 'notifications'],
    ['notes'],
    ['general-ledger', 'overview', 'pictures', 'proofs', 'records', 'valuation'],
    ['closing', 'erasure', 'reconciliation', 'silence'],
  ],
  venues: [
    ['index'],
    ['start-checks'],
    ['adapters', 'desk-feed', 'figures', 'venues.http'],
    ['snapshots'],
    ['availability', 'calendars', 'declaration', 'needs', 'protocols', 'silence'],
    ['balances'],
    ['registry'],
    ['connections', 'open-adapters'],
    ['same-account'],
    ['declaration.schema', 'rows', 'stored-secrets', 'term-problems'],
    ['bank-folders', 'declared-terms'],
    [
      'bank',
      'exchange',
      'managed-wallet',
      'secrets',
      'targets',
      'trades',
      'vault',
      'venues.schema',
    ],
    ['lease', 'live-reads', 'set-aside', 'unserved'],
    ['right-clock', 'same-connection', 'terms', 'traced'],
    ['addresses', 'catalogue', 'contract', 'news', 'time-limit'],
  ],
}

/** The room of a file (its path below its module). */
export function roomOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.ts$/, '')
}

/** Why `from` may not import `to` (paths below `module`), or undefined when it may. */
export function roomBreach(module: string, from: string, to: string): string | undefined {
  const floors = ROOMS[module]
  const [above, below] = [roomOf(from), roomOf(to)]
  if (floors === undefined || above === below) return undefined
  const floorOfRoom = (room: string) => floors.findIndex((rooms) => rooms.includes(room))
  if (floorOfRoom(above) < 0) return `${module}/${above} stands on no floor of ${module}`
  if (floorOfRoom(below) < 0) return `${module}/${below} stands on no floor of ${module}`
  return floorOfRoom(below) > floorOfRoom(above)
    ? undefined
    : `${module}/${from} imports up or sideways: ${to}`
}

/** The picture of the floors in README.md and ARCHITECTURE.md. */
export function drawFloors(): string {
  const names = FLOORS.map(({ modules }) =>
    modules[0] === '.' ? 'main  app  worker  commands' : modules.join('  '),
  )
  const width = Math.max(...names.map((name) => name.length)) + 2
  return FLOORS.map(({ floor, holds }, index) =>
    `${floor}  ${(names[index] ?? '').padEnd(width)}${holds}`.trimEnd(),
  ).join('\n')
}
