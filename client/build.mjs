// `npm pack` runs this first: built JavaScript and types in dist/, without any file of the tree
// around it. Within the repository the sources are used, by the condition `kontor-source`.
import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const HERE = import.meta.dirname
const DIST = join(HERE, 'dist')

const compiler = compilerPlace()

rmSync(DIST, { recursive: true, force: true })
// The library, which knows nothing of Node, and the program `kontor`.
for (const project of ['tsconfig.json', 'tsconfig.program.json'])
  execFileSync(process.execPath, [join(dirname(compiler), 'bin/tsc'), '-p', join(HERE, project)], {
    stdio: 'inherit',
  })
chmodSync(join(DIST, 'cli/main.js'), 0o755)

// The compiler leaves the names of sources in types, which older compilers do not take.
for (const name of readdirSync(DIST).filter((file) => file.endsWith('.d.ts'))) {
  const file = join(DIST, name)
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
}

/** Of the repository's dependencies. Ends with a sentence where they are not installed. */
function compilerPlace() {
  try {
    return createRequire(import.meta.url).resolve('typescript-7/package.json')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND'))
      throw error
    process.stderr.write('kontor: run npm ci in the repository first, then npm pack here again\n')
    process.exit(1)
  }
}
