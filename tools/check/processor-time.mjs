/**
 * What test files cost. `npm test` loads this into each of them (`--import`): when the file ends,
 * it writes down the processor time of its process and of all that it has started and waited for,
 * and how long it ran. Linux.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { isMainThread } from 'node:worker_threads'

/** Names the file for these notes. */
export const NOTES = 'KONTOR_TEST_COSTS'
/** Of proc(5), everywhere. */
const TICKS_PER_SECOND = 100
/** Their places after the name: own time in user mode and in the kernel, then that of children. */
const TIMES = [11, 12, 13, 14]
const SHOWN = 30
/** Of a column. */
const WIDTH = 10

const [notes, root] = [process.env[NOTES], process.cwd()]
if (notes !== undefined && isMainThread)
  process.on('exit', () => {
    const seconds = processorSeconds('self')
    if (seconds === undefined) return
    const ran = (performance.now() / 1000).toFixed(1)
    appendFileSync(notes, `${seconds} ${ran} ${relative(root, process.argv[1] ?? '')}\n`)
  })

/**
 * Of a process and of the children that it has waited for. @param {number | 'self'} pid
 */
function processorSeconds(pid) {
  const path = `/proc/${pid}/stat`
  if (!existsSync(path)) return undefined
  const text = readFileSync(path, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return TIMES.reduce((sum, place) => sum + Number(fields[place]), 0) / TICKS_PER_SECOND
}

/**
 * The sum and the dearest files, in lines. @param {string} file the notes @param {number}
 * databasePid
 */
export function costsIn(file, databasePid) {
  const database = processorSeconds(databasePid)
  if (database === undefined || !existsSync(file)) return ''
  const costs = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const [seconds = '', ran = '', name = ''] = line.split(/ (\S+) (.*)/)
      return {
        seconds: Number(seconds),
        ran: Number(ran),
        name: name.replace(/^.*\/shared\//, ''),
      }
    })
    .toSorted((a, b) => b.seconds - a.seconds)
  const sum = costs.reduce((total, cost) => total + cost.seconds, database)
  /** @param {number} seconds */
  const shown = (seconds) => `${seconds.toFixed(1)} s`.padStart(WIDTH)
  return [
    `processor time: ${sum.toFixed(0)} s, the dearest files, and how long each ran:`,
    ...costs
      .slice(0, SHOWN)
      .map(({ seconds, ran, name }) => `${shown(seconds)}${shown(ran)}  ${name}`),
    `${shown(database)}${' '.repeat(WIDTH)}  PostgreSQL of all files`,
    '',
  ].join('\n')
}
