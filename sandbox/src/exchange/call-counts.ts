/**
 * What an exchange counts of its client's calls, and when it refuses one. In real time, like the
 * client's own clock; a restart forgets it.
 */
import type { FastifyInstance } from 'fastify'
import { bad } from './bad-request.ts'
import type { Settings } from './settings.ts'

/** A counter of points that calls raise and time lowers. */
export type Counter = { maximum: number; per_second: number }
/** At most so many calls within any stretch of time. */
export type Window = { maximum: number; milliseconds: number }
/** A tier without limits is for whoever agreed on others with the exchange. */
export type Tiers<Limits> = Readonly<Record<string, Limits | null>>

export type CallCounts<Limits> = {
  tier(): string
  limits(): Limits | null
  /** Answers whether it may be; only then it is counted. */
  take(key: string, cost: number, counter: Counter): boolean
  takeWithin(key: string, window: Window): boolean
  note(cost: number): void
  /** Of all calls since the start, whether they were refused or not. */
  points(): number
  /** How many calls were refused. */
  refused(): number
}

export const LIMIT_ROUTES = ['GET limits', 'POST limits {tier}']

/** `SANDBOX_TIER` is the tier of every exchange that has it, until it is set. */
export function openCallCounts<Limits>(
  settings: Settings,
  tiers: Tiers<Limits>,
): CallCounts<Limits> {
  let points = 0
  let refused = 0
  const levels = new Map<string, { level: number; at: number }>()
  const times = new Map<string, number[]>()
  const [smallest = ''] = Object.keys(tiers)
  const wished = process.env['SANDBOX_TIER'] ?? smallest
  const tier = () => settings.get('tier') ?? (wished in tiers ? wished : smallest)
  return {
    tier,
    limits: () => tiers[tier()] ?? null,
    take(key, cost, { maximum, per_second }) {
      const now = Date.now()
      const { level, at } = levels.get(key) ?? { level: 0, at: now }
      const left = Math.max(0, level - ((now - at) / 1000) * per_second)
      if (left + cost > maximum) {
        refused += 1
        return false
      }
      levels.set(key, { level: left + cost, at: now })
      return true
    },
    takeWithin(key, { maximum, milliseconds }) {
      const now = Date.now()
      const within = (times.get(key) ?? []).filter((time) => time > now - milliseconds)
      times.set(key, within)
      if (within.length >= maximum) {
        refused += 1
        return false
      }
      within.push(now)
      return true
    },
    note(cost) {
      points += cost
    },
    points: () => points,
    refused: () => refused,
  }
}

export function mountLimits<Limits>(
  server: FastifyInstance,
  part: string,
  settings: Settings,
  { tiers, counts }: { tiers: Tiers<Limits>; counts: CallCounts<Limits> },
): void {
  const path = `/control/${part}/limits`
  const view = () => ({
    tier: counts.tier(),
    limits: counts.limits(),
    points: counts.points(),
    refused: counts.refused(),
  })
  server.get(path, async () => view())
  server.post<{ Body: Record<string, unknown> }>(path, async (request, reply) => {
    const wanted = String(request.body?.['tier'])
    if (!(wanted in tiers)) return bad(reply, `tier is one of ${Object.keys(tiers).join(', ')}`)
    settings.set('tier', wanted)
    return view()
  })
}
