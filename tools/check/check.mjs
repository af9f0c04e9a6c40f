// `npm run check`: everything that is looked at without running it. Each step is named. All run,
// and one failure fails.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { ROOT, findNode, setUp } from '../setup/setup.mjs'

const STEPS = [
  {
    name: 'types',
    program: 'node_modules/typescript-7/bin/tsc',
    args: ['--noEmit', '-p', 'tsconfig.json'],
  },
  {
    name: 'types of the console',
    program: 'node_modules/typescript-7/bin/tsc',
    args: ['--noEmit', '-p', 'console/tsconfig.json'],
  },
  { name: 'format', program: 'node_modules/oxfmt/bin/oxfmt', args: ['--check', '.'] },
  { name: 'lint', program: 'node_modules/oxlint/bin/oxlint', args: ['--deny-warnings'] },
  { name: 'house rules', program: 'tools/check/tidy.ts', args: [] },
  { name: 'generated files', program: 'tools/check/generate.ts', args: ['--check'] },
]

await setUp()
for (const { name, program, args } of STEPS) {
  const { status } = spawnSync(findNode(), [join(ROOT, program), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  process.stderr.write(`${status === 0 ? 'good' : 'BAD '}  ${name}\n`)
  if (status !== 0) process.exitCode = 1
}
