/** What the doctor says: one finding for each check. */
import type { Settings } from '../../server/src/environment.ts'
import type { Reader } from '../../server/src/store/db.ts'

export type Env = Readonly<Record<string, string | undefined>>

type Verdict = 'good' | 'warning' | 'bad'

/** `remedy`: what to do, unless all is good. */
export type Finding = { check: string; verdict: Verdict; says: string; remedy?: string }

/** What is looked at. */
export type Installation = {
  /** That of the service, with DATA_DIR and DATABASE_URL as it has them. */
  env: Env
  /** Absent where the environment cannot be understood. */
  settings: Settings | undefined
  /** The folder of the embedded database; absent where the operator has a server. */
  embedded: string | undefined
  /** Where backups are. */
  backups: string | undefined
  /** Any PostgreSQL that answers. */
  server: Reader | undefined
  /** The same, when it holds the books of this release. */
  books: Reader | undefined
}

export type Check = (installation: Installation) => Promise<Finding | Finding[]>

export const good = (check: string, says: string): Finding => ({ check, verdict: 'good', says })

export const warning = (check: string, says: string, remedy: string): Finding => ({
  check,
  verdict: 'warning',
  says,
  remedy,
})

export const bad = (check: string, says: string, remedy: string): Finding => ({
  check,
  verdict: 'bad',
  says,
  remedy,
})

/** What was refused, as a sentence: never a stack. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

const DAY = 86_400_000
const HOUR = 3_600_000

/** `3 hours`: about how long. */
export function spanOf(milliseconds: number): string {
  const [size, unit] = milliseconds < 2 * DAY ? [HOUR, 'hour'] : [DAY, 'day']
  const number = Math.max(0, Math.floor(milliseconds / size))
  return number === 0 ? 'less than an hour' : `${number} ${unit}${number === 1 ? '' : 's'}`
}
