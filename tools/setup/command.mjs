// `npm run verify`, `workspace`, `generate`, `fuzz` …: set-up, then the command on Node 24.
import { SetupError, endingSignal, findNode, handOver, setUp } from './setup.mjs'

const ending = endingSignal()

try {
  await setUp(ending)
  const node = findNode()
  if (node === process.execPath) {
    const { runCommand } = await import('./command.ts')
    const [name = '', ...args] = process.argv.slice(2)
    process.exitCode = await runCommand(name, args, ending)
  } else {
    process.exitCode = await handOver(node, ending)
  }
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  process.stderr.write(`kontor: set-up failed: ${error.message}\n`)
  process.exitCode = 1
}
