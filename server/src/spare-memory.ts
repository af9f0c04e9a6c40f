/**
 * Gives memory back when a burst of work is over. V8 collects its old space when it needs room, and
 * keeps the pages that became free for the next burst. A service that has become quiet would hold
 * for hours what the burst left behind.
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const LOOK_MILLISECONDS = 15_000
/** Of the time since the last look. A collection stops the process for some 200 ms. */
const QUIET_UTILISATION = 0.25
/** Above the memory after the last collection. */
const WORTH_IT = 1.25

/** Looks every 15 seconds until stopped. */
export function keepMemorySmall(): { stop(): void } {
  const collect = collector()
  const turn = giveBack({ resident: () => process.memoryUsage.rss(), collect })
  let before = performance.eventLoopUtilization()
  const timer = setInterval(() => {
    turn(performance.eventLoopUtilization(before).utilization)
    before = performance.eventLoopUtilization()
  }, LOOK_MILLISECONDS)
  return { stop: () => clearInterval(timer) }
}

/** The turn of each look. `resident`: bytes that the process has in memory. */
export function giveBack({
  resident,
  collect,
}: {
  resident: () => number
  collect: () => void
}): (utilisation: number) => void {
  let after = resident()
  return (utilisation) => {
    if (utilisation > QUIET_UTILISATION || resident() < after * WORTH_IT) return
    collect()
    after = resident()
  }
}

/**
 * A full collection that also gives the free pages back, which a usual one does not. Node hands it
 * out only under a flag of V8, which need not stand on the command line.
 */
function collector(): () => void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('this Node has no collector')
  return () => void collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}
