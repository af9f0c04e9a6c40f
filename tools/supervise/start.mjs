// `npm start`: set-up, then the supervisor on Node 24. Plain JavaScript for whatever Node the
// machine has.
import module from 'node:module'
import {
  COMPILE_CACHE,
  SetupError,
  endingSignal,
  findNode,
  handOver,
  setUp,
} from '../setup/setup.mjs'

// Words that cannot be written, on a full disk or a closed terminal, end nothing.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)

const ending = endingSignal()

try {
  await setUp(ending)
  const node = findNode()
  if (node === process.execPath) {
    module.enableCompileCache?.(COMPILE_CACHE)
    const { supervise } = await import('./supervisor.ts')
    process.exitCode = await supervise({ ending: ending, watch: process.argv.includes('--watch') })
  } else {
    process.exitCode = await handOver(node, ending)
  }
} catch (error) {
  if (ending.aborted) process.exitCode = 0
  else if (error instanceof SetupError) {
    process.stderr.write(`kontor: set-up failed: ${error.message}\n`)
    process.exitCode = 1
  } else throw error
}
