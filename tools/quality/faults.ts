/**
 * `npm run faults [word …]`: the fault matrix against real processes, every row whose fault or flow
 * holds one of the words; prints fault × flow × outcome and ends with 1 when a row is wrong. `npm
 * run faults -- random [kills] [seed]`: kills at random.
 */
import { nameOf, ROWS } from './faults/matrix.ts'
import { SELECTED } from './faults/selected.ts'
import { runRandom } from './faults/random.ts'
import { wholeWrong } from './faults/differences.ts'
import { runRows } from './faults/run.ts'
import { tableOf } from './faults/table.ts'
import { openWorld } from './faults/world.ts'

const words = process.argv.slice(2)

async function runMatrix(): Promise<number> {
  const chosen =
    words[0] === 'selected'
      ? SELECTED
      : ROWS.filter((row) =>
          words.every((word) =>
            `${row.flow.name} | ${nameOf(row)} | ${row.flow.venue}`.includes(word),
          ),
        )
  if (chosen.length === 0)
    throw new RangeError(`no row of the matrix has ${words.join(' and ')} in its fault or flow`)
  const started = Date.now()
  process.stdout.write(`${chosen.length} rows\n`)
  const world = await openWorld()
  try {
    let ended = 0
    const results = await runRows(world, chosen, ({ row, wrong }) => {
      ended += 1
      if (wrong.length > 0)
        process.stdout.write(
          `${Math.round((Date.now() - started) / 1000)} s WRONG ${row.flow.name}: ` +
            `${nameOf(row)}: ${wrong.join('; ')}\n`,
        )
      else if (ended % 20 === 0) process.stdout.write(`${ended} ended\n`)
    })
    const whole = await wholeWrong(world)
    const order = new Map(chosen.map((row, index) => [row, index]))
    const sorted = results.toSorted((a, b) => (order.get(a.row) ?? 0) - (order.get(b.row) ?? 0))
    const wrong = sorted.filter((result) => result.wrong.length > 0)
    process.stdout.write(`\n${tableOf(sorted)}\n\n`)
    for (const result of wrong)
      process.stdout.write(
        `WRONG ${result.row.flow.name}: ${nameOf(result.row)}: ${result.wrong.join('; ')}\n`,
      )
    for (const reason of whole) process.stdout.write(`WRONG at the end: ${reason}\n`)
    process.stdout.write(
      `${sorted.length} rows, ${wrong.length} wrong; the whole ` +
        `${whole.length === 0 ? 'right' : 'WRONG'}; ${world.processes.deaths} processes ` +
        `died; ${Math.round((Date.now() - started) / 1000)} s\n`,
    )
    return wrong.length + whole.length === 0 ? 0 : 1
  } finally {
    await world.close()
  }
}

process.exitCode = words[0] === 'random' ? await runRandom(words.slice(1)) : await runMatrix()
