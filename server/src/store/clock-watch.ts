/**
 * Compares the clock of this process with the database's. What a wrong clock writes, others
 * believe: due times, deadlines, the time of a booking. So a process whose clock differs claims no
 * work, and beyond a few seconds it changes nothing.
 *
 * The database is asked once a minute. In between, a time that nobody can set says where the clock
 * should be: a jump is known at once, without a query.
 */
import type { Clock } from '../core/clock.ts'
import type { Reader } from './db.ts'
import { sql } from './sql.ts'

const COMPARE_EVERY_MILLISECONDS = 60_000
const LOOK_EVERY_MILLISECONDS = 1_000
/** An answer that took longer says little about the time. */
const PRECISE_MILLISECONDS = 500
/** Beyond it no work is claimed. */
const CLAIM_LIMIT_MILLISECONDS = 2_000
/** Beyond it nothing is changed. */
const CHANGE_LIMIT_MILLISECONDS = 5_000

/** `steady` counts milliseconds from anywhere, and nobody can set it. */
type Times = { clock: Clock; steady: () => number }

type WatchLog = {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Throws when the clock is too wrong to start with. The caller stops it. */
export async function watchClock(reader: Reader, times: Times, log: WatchLog): Promise<ClockWatch> {
  const watch = new ClockWatch(reader, times, log)
  await watch.compare()
  const fault = watch.fault()
  if (fault !== undefined) throw new Error(`${fault}. Set the clock, then start again.`)
  return watch.begin()
}

export class ClockWatch {
  readonly #reader: Reader
  readonly #times: Times
  readonly #log: WatchLog
  /** How far the right clock is ahead of the steady time, at least and at most. */
  #least = 0
  #most = Number.POSITIVE_INFINITY
  #comparedAt = Number.NEGATIVE_INFINITY
  #comparing = false
  #silent = false
  #wrong = false
  #timer: NodeJS.Timeout | undefined

  constructor(reader: Reader, times: Times, log: WatchLog) {
    this.#reader = reader
    this.#times = times
    this.#log = log
  }

  /** Milliseconds by which the clock is ahead at least; below zero when it is behind. */
  ahead(): number {
    const { clock, steady } = this.#times
    const difference = clock.now() - steady()
    if (difference > this.#most) return difference - this.#most
    return Math.min(0, difference - this.#least)
  }

  /** Work may be claimed. */
  mayClaim(): boolean {
    return Math.abs(this.ahead()) <= CLAIM_LIMIT_MILLISECONDS
  }

  /** Why nothing may be changed. */
  fault(): string | undefined {
    const ahead = this.ahead()
    if (Math.abs(ahead) <= CHANGE_LIMIT_MILLISECONDS) return undefined
    const tenths = Math.floor(Math.abs(ahead) / 100)
    const by = `${Math.floor(tenths / 10)}.${tenths % 10} s ${ahead > 0 ? 'ahead of' : 'behind'}`
    return `the clock of this process is ${by} the database's`
  }

  /** Asks the database. An answer that took long does not replace a better one. */
  async compare(): Promise<void> {
    const { steady } = this.#times
    const asked = steady()
    const [row] = await this.#reader.query<{ now: number }>(
      sql`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`,
    )
    const answered = steady()
    if (row === undefined) return
    if (answered - asked > PRECISE_MILLISECONDS && this.#most < Number.POSITIVE_INFINITY) return
    this.#least = row.now - answered
    this.#most = row.now - asked
    this.#comparedAt = answered
  }

  begin(): this {
    this.#timer = setInterval(() => {
      void this.look()
    }, LOOK_EVERY_MILLISECONDS).unref()
    return this
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  /**
   * Compares when it is time to, and at once when the clock seems wrong: a machine that slept has
   * not counted the steady time.
   */
  async look(): Promise<void> {
    const isDue = this.#times.steady() - this.#comparedAt >= COMPARE_EVERY_MILLISECONDS
    if (this.#comparing) return
    if (this.mayClaim() && !isDue) return this.#report()
    this.#comparing = true
    try {
      await this.compare()
      this.#silent = false
    } catch (error) {
      if (!this.#silent)
        this.#log.warn({ error: String(error) }, 'the clock could not be compared; trying again')
      this.#silent = true
    } finally {
      this.#comparing = false
    }
    this.#report()
  }

  #report(): void {
    const wrong = !this.mayClaim()
    if (wrong === this.#wrong) return
    this.#wrong = wrong
    const facts = { ahead_ms: Math.floor(this.ahead()) }
    if (wrong) this.#log.error(facts, 'the clock differs from the database’s: no work is claimed')
    else this.#log.warn(facts, 'the clock agrees with the database’s again')
  }
}
