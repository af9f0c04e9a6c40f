/**
 * `npm run faults [kills] [seed]`: kills the process that sends withdrawals at random moments, 200 times by default, while the
 * vault accepts, refuses, or accepts and says nothing; then every withdrawal must have ended once. Prints seed and table.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { openFaultWorld, until } from '../server/src/treasury/faults.testing.ts'
import type { Facts } from '../server/src/treasury/faults.testing.ts'

const [kills = 200, seed = Date.now() % 1_000_000] = process.argv.slice(2).map(Number)
if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed) || seed < 0) throw new RangeError('npm run faults [kills] [seed]: two whole numbers')

const OUTCOMES = ['accepted', 'refused', 'time-out after accept'] as const
const LONGEST_LIFE_MILLISECONDS = 4_000
const SHORTEST_LIFE_MILLISECONDS = 400
const FINAL = ['SUCCESS', 'REJECTED', 'FAILED', 'CANCELED']
const END_MILLISECONDS = 300_000

/** mulberry32: the same kills for the same seed, as far as our own choices go. */
let stateOfRandom = seed
function random(): number {
  stateOfRandom = (stateOfRandom + 0x6d2b79f5) | 0
  let mixed = Math.imul(stateOfRandom ^ (stateOfRandom >>> 15), 1 | stateOfRandom)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
}

process.stdout.write(`seed ${seed}, ${kills} kills\n`)
const world = await openFaultWorld()
try {
  const asked: string[] = []
  for (let kill = 1; kill <= kills; kill += 1) {
    if (kill % 3 === 1) await world.mode(OUTCOMES[Math.floor(random() * OUTCOMES.length)] ?? 'accepted')
    asked.push(await world.withdraw())
    const worker = world.worker()
    await pause(SHORTEST_LIFE_MILLISECONDS + random() * (LONGEST_LIFE_MILLISECONDS - SHORTEST_LIFE_MILLISECONDS))
    await world.kill(worker)
    if (kill % 20 === 0) process.stdout.write(`${kill} killed\n`)
  }
  await world.mode('accepted')
  const worker = world.worker()
  const facts: Facts[] = []
  for (const id of asked) {
    await until(`the end of ${id}`, async () => (FINAL.includes(await world.stateOf(id)) ? true : undefined), END_MILLISECONDS)
    facts.push(await world.facts(id))
  }
  await world.kill(worker)
  const faults = await world.verify()
  const wrong = facts.filter((each) => !isRight(each))
  const rows = Map.groupBy(facts, (each) => `${each.state.padEnd(10)} asked ${each.received}×  arrived ${each.arrived}×  hold ${each.hold}  ${isRight(each) ? 'right' : 'WRONG'}`)
  process.stdout.write(`\n${[...rows].toSorted().map(([row, of]) => `${String(of.length).padStart(5)}  ${row}`).join('\n')}\n\n`)
  for (const each of wrong) process.stdout.write(`WRONG ${JSON.stringify(each)}\n`)
  for (const each of faults) process.stdout.write(`books: ${each}\n`)
  process.stdout.write(`seed ${seed}: ${kills} kills, ${facts.length} withdrawals, ${wrong.length} wrong, ${faults.length} faults in the books\n`)
  if (wrong.length > 0 || faults.length > 0) process.exitCode = 1
} finally {
  await world.close()
}

/** Arrived once, asked for once and captured; or nothing left and released. */
function isRight({ state, received, arrived, hold }: Facts): boolean {
  return state === 'SUCCESS' ? arrived === 1 && hold === 'captured' && received >= 1 : state === 'REJECTED' && arrived === 0 && hold === 'released'
}
