/**
 * Figures that are read when somebody asks for the metrics. One reading serves all who ask within
 * some seconds. One that fails, or takes too long, is left out, and `kontor_scrape_failed` says so.
 */
import type { FastifyBaseLogger } from 'fastify'
import { Gauge, Histogram } from 'prom-client'
import type { Registry } from 'prom-client'
import { mustExist } from '../core/assert.ts'
import type { Figures, Sample } from '../core/figures.ts'
import { shortCache } from '../core/short-cache.ts'
import { Waits } from '../core/waits.ts'

const KEPT_MILLISECONDS = 5_000
/** Prometheus waits ten seconds by default. */
const LIMIT_MILLISECONDS = 3_000

type FigureOptions = {
  log: Pick<FastifyBaseLogger, 'warn'>
  /** LIMIT_MILLISECONDS when absent. */
  limit_ms?: number
  /** KEPT_MILLISECONDS when absent. */
  kept_ms?: number
}

/** Undefined: it failed. */
type Reading = Readonly<Record<string, readonly Sample[]>> | undefined

export function exposeFigures(
  metrics: Registry,
  all: readonly Figures[],
  { log, limit_ms = LIMIT_MILLISECONDS, kept_ms = KEPT_MILLISECONDS }: FigureOptions,
): void {
  const byName = new Map(all.map((figures) => [figures.name, figures]))
  const readings = shortCache(kept_ms, async (name): Promise<Reading> => {
    try {
      return await withinLimit(mustExist(byName.get(name), name).read(), limit_ms)
    } catch (error) {
      log.warn({ figures: name, error: String(error) }, 'figures could not be read')
      return undefined
    }
  })
  const registers = [metrics]
  for (const { name, gauges } of all)
    for (const [gauge, { help, labels }] of Object.entries(gauges)) {
      const shown = new Gauge({
        name: gauge,
        help,
        labelNames: [...labels],
        registers,
        async collect() {
          show(shown, (await readings.get(name))?.[gauge] ?? [])
        },
      })
    }
  const failed = new Gauge({
    name: 'kontor_scrape_failed',
    help: '1 where these figures could not be read',
    labelNames: ['figures'],
    registers,
    async collect() {
      await Promise.all(
        all.map(async ({ name }) => {
          failed.set({ figures: name }, (await readings.get(name)) === undefined ? 1 : 0)
        }),
      )
    },
  })
}

function show(gauge: Gauge, samples: readonly Sample[]): void {
  gauge.reset()
  // After a reset, a gauge without labels shows 0.
  gauge.remove({})
  for (const { labels, value } of samples) gauge.set(labels, value)
}

/** What comes later is dropped. */
async function withinLimit<T>(work: Promise<T>, limit_ms: number): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const limit = setTimeout(() => {
    reject(new Error(`nothing was read within ${limit_ms / 1000} s`))
  }, limit_ms)
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(limit)
  }
}

/** One for each name, shown by its label `for`. */
export function measureWaits<Name extends string>(
  metrics: Registry,
  names: readonly Name[],
): Record<Name, Waits> {
  const labelNames = ['for']
  const registers = [metrics]
  const ended = new Histogram({
    name: 'kontor_wait_seconds',
    help: 'How long callers waited, for the ordered writer or for a connection to the database',
    labelNames,
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10, 30],
    registers,
  })
  const waits = Object.fromEntries(
    names.map((name) => {
      const own = ended.labels({ for: name })
      return [
        name,
        new Waits((seconds) => {
          own.observe(seconds)
        }),
      ]
    }),
  ) as Record<Name, Waits>
  const waiting = new Gauge({
    name: 'kontor_waiting',
    help: 'Callers that wait now',
    labelNames,
    registers,
    collect() {
      for (const name of names) waiting.set({ for: name }, waits[name].count)
    },
  })
  const longest = new Gauge({
    name: 'kontor_waiting_longest_seconds',
    help: 'How long the caller has waited who waits longest now; 0 when nobody waits',
    labelNames,
    registers,
    collect() {
      for (const name of names) longest.set({ for: name }, waits[name].longest)
    },
  })
  return waits
}
