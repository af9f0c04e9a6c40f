/**
 * Domain time in Unix milliseconds, UTC. Leases and the age of idempotency keys alone use the
 * database's time.
 */
export type Clock = { now(): number }

export const systemClock: Clock = { now: () => Date.now() }

export type ManualClock = Clock & {
  set(milliseconds: number): void
  advance(milliseconds: number): void
}

export function manualClock(start: number): ManualClock {
  let current = start
  return {
    now: () => current,
    set: (milliseconds) => {
      current = milliseconds
    },
    advance: (milliseconds) => {
      current += milliseconds
    },
  }
}
