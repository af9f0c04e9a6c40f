// `npm start`: set-up, then the supervisor on Node 24. Plain JavaScript for whatever Node the machine has.
import { SetupError, handOver, findNode, setUp } from './setup.mjs'

const PARENT_POLL_MS = 250

/**
 * Ctrl-C, SIGTERM, a closed terminal, or the end of the npm that started us. Signals to the group arrive twice; only
 * the first counts. Without npm nobody is watched: who puts this program into the background may well leave.
 */
const ending = new AbortController()
for (const name of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP'])) process.on(name, () => ending.abort())
const parent = process.ppid
if (process.env['npm_lifecycle_event'] !== undefined || process.env['KONTOR_WATCH_PARENT'] !== undefined) {
  setInterval(() => process.ppid !== parent && ending.abort(), PARENT_POLL_MS).unref()
}

try {
  await setUp(ending.signal)
  const node = findNode()
  if (node === process.execPath) {
    const { supervise } = await import('./supervisor.ts')
    process.exitCode = await supervise({ ending: ending.signal, watch: process.argv.includes('--watch') })
  } else {
    process.exitCode = await handOver(node, ending.signal)
  }
} catch (error) {
  if (ending.signal.aborted) process.exitCode = 0
  else if (error instanceof SetupError) {
    process.stderr.write(`kontor: set-up failed: ${error.message}\n`)
    process.exitCode = 1
  } else throw error
}
