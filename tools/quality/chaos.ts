/**
 * `npm run chaos -- --minutes N --seed S`: a whole Kontor of two API and two worker processes under
 * random flows and random storms; then an independent checker judges. Prints what it did with its
 * seed, and ends with 1 when something is wrong.
 */
import { parseArgs } from 'node:util'
import { runChaos } from './chaos/run.ts'

const { minutes: minutesText, seed: seedText } = parseArgs({
  options: { minutes: { type: 'string', default: '5' }, seed: { type: 'string' } },
}).values
const minutes = Number(minutesText)
const seed = Number(seedText ?? Date.now() % 1_000_000)
if (!(minutes > 0) || !Number.isSafeInteger(seed) || seed < 0)
  throw new RangeError('npm run chaos -- --minutes N --seed S: a length and a whole number')

const line = (text: string): void => void process.stdout.write(`${text}\n`)
const tableOf = (counts: ReadonlyMap<string, number>): void => {
  for (const [name, count] of [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    line(`  ${String(count).padStart(5)}  ${name}`)
}

line(`seed ${seed}, ${minutes} minutes`)
const { wrong, effects, flows, storms, refusals, events, dir } = await runChaos({
  seed,
  milliseconds: minutes * 60_000,
  show: (text) => {
    if (!text.includes('begins')) line(text)
  },
})
line('\nflows that were answered')
tableOf(flows)
line('\nstorms')
tableOf(storms)
line('\nrefused')
for (const refusal of refusals) line(`  ${refusal}`)
line('')
for (const reason of wrong) line(`WRONG ${reason}`)
line(
  `seed ${seed}: ${effects} effects, ${events} events, ` +
    `${[...storms.values()].reduce((sum, count) => sum + count, 0)} storms; ` +
    (wrong.length === 0 ? 'all right' : `${wrong.length} WRONG, everything is in ${dir}`),
)
process.exitCode = wrong.length === 0 ? 0 : 1
