/**
 * Drives every endpoint from its own schema, with sensible and broken requests, against the whole
 * app over a real database, and judges every answer. `npm run fuzz -- REQUESTS SEED`; each round of
 * 20,000 has a fresh database.
 */
import { randomInt } from 'node:crypto'
import { Report } from './fuzz/report.ts'
import { drawsOf } from './fuzz/draws.ts'
import { Round } from './fuzz/round.ts'
import { Storm } from './fuzz/storm.ts'
import { Turns } from './fuzz/turns.ts'
import { openServiceUnderTest } from './service-under-test.ts'

const ROUND = 20_000
/** So many more are sent in batches, to see that what is refused changes nothing. */
const STORM_PART = 0.25

/** One round. Faults are reported, not thrown; each names the request that showed it. */
export async function fuzz(requests: number, seed: number): Promise<Report> {
  const service = await openServiceUnderTest()
  const report = new Report(service.endpoints.length)
  const onRejection = (error: unknown) => {
    report.fault(`unhandled rejection: ${error instanceof Error ? error.stack : String(error)}`)
  }
  process.on('unhandledRejection', onRejection)
  try {
    const draws = drawsOf(seed)
    const turns = new Turns(service, report, draws)
    await new Round(service, report, turns, draws).run(requests)
    const storm = new Storm(service, report, turns, draws)
    await storm.run(Math.ceil(requests * STORM_PART))
    report.harmless = storm.harmless
  } finally {
    process.off('unhandledRejection', onRejection)
    await service.close()
  }
  return report
}

export const freshSeed = (): string => String(randomInt(2 ** 31))

if (import.meta.main) {
  const [requests = String(ROUND), seed = freshSeed()] = process.argv.slice(2)
  if (!/^[1-9]\d*$/.test(requests) || !/^\d+$/.test(seed)) {
    process.stderr.write('usage: npm run fuzz -- [REQUESTS] [SEED]\n')
    process.exit(1)
  }
  for (let [left, round] = [Number(requests), Number(seed)]; left > 0; left -= ROUND, round += 1) {
    const report = await fuzz(Math.min(left, ROUND), round)
    process.stdout.write(`seed ${round}: ${report.summary()}\n`)
    if (report.faults.length === 0) continue
    for (const fault of report.faults) process.stdout.write(`  ${fault}\n`)
    process.exitCode = 1
    break
  }
}
