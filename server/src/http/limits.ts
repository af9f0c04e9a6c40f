/**
 * What one process takes on at most. Each limit is a variable of the environment
 * (docs/operations.md) and a figure of /metrics: what it is, how much of it is in use, and how
 * often it was reached. All of it is counted in this process alone.
 */
import { Counter, Gauge } from 'prom-client'
import type { Registry } from 'prom-client'
import { UsageError } from '../core/usage.ts'

export const LIMITS = {
  connections: { variable: 'KONTOR_CONNECTIONS', by_default: 2_000 },
  connections_per_address: { variable: 'KONTOR_CONNECTIONS_PER_ADDRESS', by_default: 500 },
  request_ms: { variable: 'KONTOR_REQUEST_MS', by_default: 30_000 },
  stalled_ms: { variable: 'KONTOR_STALLED_MS', by_default: 60_000 },
  streams: { variable: 'KONTOR_STREAMS', by_default: 500 },
  streams_per_user: { variable: 'KONTOR_STREAMS_PER_USER', by_default: 20 },
  list_places: { variable: 'KONTOR_LIST_PLACES', by_default: 40 },
  list_places_per_user: { variable: 'KONTOR_LIST_PLACES_PER_USER', by_default: 20 },
  list_wait_ms: { variable: 'KONTOR_LIST_WAIT_MS', by_default: 15_000 },
  list_queries: { variable: 'KONTOR_LIST_QUERIES', by_default: 3 },
  rows_per_session: { variable: 'KONTOR_ROWS_PER_SESSION', by_default: 50_000 },
  rows_per_user: { variable: 'KONTOR_ROWS_PER_USER', by_default: 100_000 },
} as const

export type LimitName = keyof typeof LIMITS
export type Limits = Readonly<Record<LimitName, number>>

const NAMES = Object.keys(LIMITS) as LimitName[]

export const LIMIT_VARIABLES: readonly string[] = NAMES.map((name) => LIMITS[name].variable)

/** Throws a sentence that names the variable of a value that is no limit. */
export function limitsFrom(env: Readonly<Record<string, string | undefined>>): Limits {
  return Object.fromEntries(
    NAMES.map((name) => {
      const { variable, by_default } = LIMITS[name]
      const text = env[variable] || String(by_default)
      if (!/^[1-9][0-9]{0,8}$/.test(text))
        throw new UsageError(`${variable} must be a whole number above 0, not ${text}`)
      return [name, Number(text)]
    }),
  ) as Limits
}

/** Called when a limit was reached and something was refused or cut. */
export type OnReached = (limit: LimitName) => void

/** How much of a limit is in use now, where that can be said. */
export type InUse = Partial<Record<LimitName, () => number>>

/** `inUse` may be filled later. */
export function measureLimits(metrics: Registry, limits: Limits, inUse: InUse): OnReached {
  const registers = [metrics]
  const labelNames = ['limit']
  const limit = new Gauge({ name: 'kontor_limit', help: 'Limits', labelNames, registers })
  for (const name of NAMES) limit.set({ limit: name }, limits[name])
  const used = new Gauge({
    name: 'kontor_limit_in_use',
    help: 'What of each limit is in use',
    labelNames,
    registers: [],
    collect() {
      for (const [name, count] of Object.entries(inUse)) this.set({ limit: name }, count())
    },
  })
  metrics.registerMetric(used)
  const reached = new Counter({
    name: 'kontor_limit_reached_total',
    help: 'What was refused or cut for each limit',
    labelNames,
    registers,
  })
  for (const name of NAMES) reached.inc({ limit: name }, 0)
  return (name) => {
    reached.inc({ limit: name })
  }
}
