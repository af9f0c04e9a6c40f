/**
 * The house as data: which module stands on which floor. A file imports its own folder freely and a lower floor only
 * through that folder's index.ts (core and store: any file); never up, never sideways. The test beside this file
 * enforces it, and the picture in the README is drawn from it.
 */
export const FLOORS: readonly { floor: number; modules: readonly string[]; holds: string }[] = [
  { floor: 6, modules: ['.'], holds: 'main, app, worker, commands: the only place that sees all' },
  {
    floor: 5,
    modules: ['settlements', 'desk', 'configuration'],
    holds: 'what stands on treasury and trading together',
  },
  {
    floor: 4,
    modules: ['treasury', 'trading', 'events'],
    holds: 'wallets, routes, deposits, withdrawals · prices, quotes, executions · events',
  },
  {
    floor: 3,
    modules: ['customers', 'market-data'],
    holds: 'customers and their accounts · the price book',
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
export const OPEN_MODULES: ReadonlySet<string> = new Set(['core', 'store'])

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

/** The README's picture. */
export function drawFloors(): string {
  const width = Math.max(...FLOORS.map((floor) => floor.modules.join('  ').length))
  return FLOORS.map(
    (floor) =>
      `${floor.floor}  ${(floor.modules[0] === '.' ? 'main  app  worker' : floor.modules.join('  ')).padEnd(width + 2)}${floor.holds}`,
  ).join('\n')
}
