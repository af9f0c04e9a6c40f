import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { assertMigrated, COMMANDS, UsageError } from '../../server/src/commands.ts'
import { systemClock } from '../../server/src/core/clock.ts'
import { isAlive } from '../../server/src/core/file-lock.mjs'
import type { Identity } from '../../server/src/core/file-lock.mjs'
import { openDb } from '../../server/src/store/db.ts'
import { startEmbedded } from '../../server/src/store/embedded.ts'
import { serviceRole } from '../../server/src/store/migrate.ts'
import { ROOT } from './setup.mjs'

/** Commands that are programs of their own and bring what they need. */
const PROGRAMS: Readonly<Record<string, string>> = {
  build: 'tools/setup/console.ts',
  generate: 'tools/check/generate.ts',
  screenshots: 'console/testing/screenshots.ts',
  figures: 'console/testing/figures.ts',
  fuzz: 'server/quality/fuzz.ts',
  day: 'tools/quality/day.ts',
  bench: 'tools/quality/bench.ts',
  faults: 'tools/quality/faults.ts',
}

/**
 * Runs one command to its end and answers its exit code; what is wrong with the call is told in a
 * sentence.
 */
export async function runCommand(
  name: string,
  args: readonly string[],
  ending: AbortSignal,
): Promise<number> {
  const program = PROGRAMS[name]
  if (program !== undefined) return runProgram(join(ROOT, program), args, ending)
  const command = COMMANDS[name]
  if (command === undefined) {
    process.stderr.write(
      `kontor: there is no command ${name}; there are ${[...Object.keys(COMMANDS), ...Object.keys(PROGRAMS)].join(', ')}\n`,
    )
    return 1
  }
  try {
    return await withDatabase(async (url, role) => {
      const db = openDb({ url, maximumConnections: 2, ...(role === undefined ? {} : { role }) })
      try {
        await assertMigrated(db)
        return await command.run({
          db,
          clock: systemClock,
          args,
          say: (line) => void process.stdout.write(`${line}\n`),
        })
      } finally {
        await db.close()
      }
    })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`kontor: ${error.message}\nusage: ${command.usage}\n`)
    return 1
  }
}

/**
 * The operator's server, or the embedded one of DATA_DIR: as it runs, else started for the command
 * and stopped after it.
 */
async function withDatabase(
  work: (url: string, role: string | undefined) => Promise<number>,
): Promise<number> {
  const given = process.env['DATABASE_URL']
  if (given) return work(given, await serviceRole(given))
  const dataDir = resolve(
    process.env['INIT_CWD'] ?? process.cwd(),
    process.env['DATA_DIR'] ?? join(ROOT, 'data'),
  )
  const dir = join(dataDir, 'postgres')
  if (!existsSync(join(dir, 'cluster')))
    throw new UsageError(
      `there is no database in ${dataDir}: run npm start once, or set DATA_DIR or DATABASE_URL`,
    )
  const database = await startEmbedded({ dir })
  try {
    return await work(database.serviceUrl, undefined)
  } finally {
    if (!database.adopted && !(await isInUse(dataDir))) await database.stop()
  }
}

/** A Kontor that was started meanwhile has adopted the server. */
async function isInUse(dataDir: string): Promise<boolean> {
  const lock = join(dataDir, 'kontor.lock')
  return existsSync(lock) && isAlive(JSON.parse(await readFile(lock, 'utf8')) as Identity)
}

async function runProgram(
  path: string,
  args: readonly string[],
  ending: AbortSignal,
): Promise<number> {
  const child = spawn(process.execPath, [path, ...args], { cwd: ROOT, stdio: 'inherit' })
  ending.addEventListener('abort', () => child.kill('SIGTERM'))
  return new Promise((done, fail) =>
    child.once('error', fail).once('exit', (code) => {
      done(code ?? 1)
    }),
  )
}
