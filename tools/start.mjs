// `npm start`: set-up, then the supervisor on Node 24. Plain JavaScript for whatever Node the machine has.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { ROOT, SetupError, findNode, setUp } from './setup.mjs'

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
    process.exitCode = await handOver(node)
  }
} catch (error) {
  if (ending.signal.aborted) process.exitCode = 0
  else if (error instanceof SetupError) {
    process.stderr.write(`kontor: set-up failed: ${error.message}\n`)
    process.exitCode = 1
  } else throw error
}

/** After a fresh install `node` is still the old one: the new one takes its place, or runs below where it cannot. */
async function handOver(/** @type {string} */ node) {
  const args = [join(ROOT, 'tools/start.mjs'), ...process.argv.slice(2)]
  const env = { ...process.env, KONTOR_WATCH_PARENT: '1' }
  if ('execve' in process && typeof process.execve === 'function') process.execve(node, [node, ...args], env)
  const child = spawn(node, args, { stdio: 'inherit', env })
  ending.signal.addEventListener('abort', () => child.kill('SIGTERM'))
  return await new Promise((done, fail) => child.once('error', fail).once('exit', (code) => done(code ?? 1)))
}
