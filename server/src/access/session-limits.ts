/** How long sessions live, from the environment (docs/operations.md). */
import { UsageError } from '../core/usage.ts'

const LIMITS = {
  idle_ms: { variable: 'KONTOR_CONSOLE_IDLE_MINUTES', by_default: 60, unit_ms: 60_000 },
  longest_ms: { variable: 'KONTOR_CONSOLE_HOURS', by_default: 12, unit_ms: 3_600_000 },
} as const

/** Of sessions in the console: without use, and in all. */
export type SessionLimits = Readonly<Record<keyof typeof LIMITS, number>>

/** Throws a sentence that names the variable of a value that is no limit. */
export function sessionLimitsFrom(
  env: Readonly<Record<string, string | undefined>>,
): SessionLimits {
  const limitOf = (name: keyof typeof LIMITS): number => {
    const { variable, by_default, unit_ms } = LIMITS[name]
    const text = env[variable] || String(by_default)
    if (!/^[1-9][0-9]{0,4}$/.test(text))
      throw new UsageError(`${variable} must be a whole number above 0, not ${text}`)
    return Number(text) * unit_ms
  }
  return { idle_ms: limitOf('idle_ms'), longest_ms: limitOf('longest_ms') }
}
