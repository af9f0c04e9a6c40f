/**
 * Kills the processes that work at random moments while every flow that sends meets what its venue
 * may do; then all must have ended rightly. Prints seed and table.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Dice } from '../dice.ts'
import { FLOWS, VENUE_FAULTS } from './matrix.ts'
import type { MatrixRow } from './matrix.ts'
import { wholeWrong } from './differences.ts'
import { runRows } from './run.ts'
import { tableOf } from './table.ts'
import { openWorld } from './world.ts'

const KINDS = ['none', 'refuses', 'accepts and says nothing']
const LONGEST_LIFE_MILLISECONDS = 4_000
const SHORTEST_LIFE_MILLISECONDS = 400

/** Answers the exit code. Throws RangeError. */
export async function runRandom(words: readonly string[]): Promise<number> {
  const [kills = 200, seed = Date.now() % 1_000_000] = words.map(Number)
  if (!Number.isSafeInteger(kills) || kills < 1 || !Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError('npm run faults -- random [kills] [seed]: two whole numbers')
  process.stdout.write(`seed ${seed}, ${kills} kills\n`)
  const dice = new Dice(seed)
  const flows = FLOWS.filter((flow) => flow.send !== undefined && flow.apart === undefined)
  const faults = VENUE_FAULTS.filter((venueFault) => KINDS.includes(venueFault.name))
  const world = await openWorld()
  try {
    const killing = (async () => {
      for (let kill = 1; kill <= kills; kill += 1) {
        await pause(dice.between(SHORTEST_LIFE_MILLISECONDS, LONGEST_LIFE_MILLISECONDS))
        world.processes.kill('worker')
        if (kill % 20 === 0) process.stdout.write(`${kill} killed\n`)
      }
    })()
    let going = true
    void killing.then(() => {
      going = false
    })
    const results = []
    while (going) {
      const fault = dice.pick(faults)
      const rows = flows
        .filter((flow) => flow.meets?.includes(fault.name) !== false)
        .map((flow): MatrixRow => ({ flow, venue: fault, service: { name: '' } }))
      results.push(
        ...(await runRows(world, rows, ({ row, wrong }) => {
          if (wrong.length > 0)
            process.stdout.write(`WRONG ${row.flow.name}: ${fault.name}: ${wrong.join('; ')}\n`)
        })),
      )
    }
    await killing
    const wrong = results.filter((result) => result.wrong.length > 0)
    const whole = await wholeWrong(world)
    process.stdout.write(`\n${tableOf(results)}\n\n`)
    for (const result of wrong)
      process.stdout.write(`WRONG ${result.row.flow.name}: ${result.wrong.join('; ')}\n`)
    for (const reason of whole) process.stdout.write(`WRONG at the end: ${reason}\n`)
    process.stdout.write(
      `seed ${seed}: ${kills} kills, ${results.length} rows, ${wrong.length} wrong; the ` +
        `whole ${whole.length === 0 ? 'right' : 'WRONG'}\n`,
    )
    return wrong.length + whole.length === 0 ? 0 : 1
  } finally {
    await world.close()
  }
}
