/** How exchanges count the calls of an API key. */

export type Meter = {
  /** From when on a call of this cost may go, when `share` of the limit may be used. */
  freeAt(cost: number, share: number, now: number): number
  add(cost: number, now: number): void
  /** From 0 to 1. */
  used(now: number): number
  /** The exchange has counted more than we have. */
  fill(now: number): void
}

/** A counter that calls raise and time lowers. */
export function decayingMeter(maximum: number, perSecond: number): Meter {
  let [level, at] = [0, 0]
  const levelAt = (now: number) => Math.max(0, level - (Math.max(0, now - at) / 1000) * perSecond)
  return {
    freeAt(cost, share, now) {
      const over = levelAt(now) + cost - maximum * share
      return cost === 0 || over <= 0 ? now : now + Math.ceil((over / perSecond) * 1000)
    },
    add(cost, now) {
      ;[level, at] = [levelAt(now) + cost, now]
    },
    used: (now) => Math.min(1, levelAt(now) / maximum),
    fill(now) {
      ;[level, at] = [maximum, now]
    },
  }
}

/** At most so many calls within any stretch of time, whatever each costs. */
export function windowMeter(maximum: number, milliseconds: number): Meter {
  let times: number[] = []
  let oldest = 0
  const forget = (now: number) => {
    while (oldest < times.length && (times[oldest] ?? now) <= now - milliseconds) oldest += 1
    if (oldest < maximum) return
    times = times.slice(oldest)
    oldest = 0
  }
  return {
    freeAt(_cost, share, now) {
      forget(now)
      const over = times.length - oldest + 1 - Math.floor(maximum * share)
      return over <= 0 ? now : (times[oldest + over - 1] ?? now) + milliseconds
    },
    add(_cost, now) {
      times.push(now)
    },
    used(now) {
      forget(now)
      return Math.min(1, (times.length - oldest) / maximum)
    },
    fill(now) {
      forget(now)
      while (times.length - oldest < maximum) times.push(now)
    },
  }
}
