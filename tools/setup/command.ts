import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { pino } from 'pino'
import { keyFileFrom } from '../../server/src/access/index.ts'
import { bankFoldersFrom } from '../../server/src/venues/index.ts'
import { historyFolderOf, openApp } from '../../server/src/app.ts'
import type { App } from '../../server/src/app.ts'
import { DATA_COMMANDS } from '../../server/src/backups/index.ts'
import type { DataCommand } from '../../server/src/backups/index.ts'
import type { Command } from '../../server/src/command.ts'
import { assertMigrated, COMMANDS } from '../../server/src/commands.ts'
import { systemClock } from '../../server/src/core/clock.ts'
import { isAlive } from '../../server/src/core/file-lock.mjs'
import type { Identity } from '../../server/src/core/file-lock.mjs'
import { UsageError } from '../../server/src/core/usage.ts'
import { VERSION } from '../../server/src/core/version.ts'
import { firstUserFrom, prepare } from '../../server/src/preparation.ts'
import { openDb } from '../../server/src/store/db.ts'
import { startEmbedded } from '../../server/src/store/embedded.ts'
import type { Embedded } from '../../server/src/store/embedded.ts'
import { serviceRole } from '../../server/src/store/migrate.ts'
import { runDoctor, USAGE as DOCTOR } from '../doctor/doctor.ts'
import { listOfPrograms, QUALITY_PROGRAMS } from '../quality/programs.ts'
import { endingSignal, ROOT } from './setup.mjs'

/** Commands that are programs of their own and bring what they need. */
const PROGRAMS: Readonly<Record<string, string>> = {
  build: 'tools/setup/console.ts',
  docs: 'tools/setup/documentation.ts',
  generate: 'tools/check/generate.ts',
}

/** Runs one command to its end and answers its exit code. A wrong call gets a sentence. */
export async function runCommand(
  name: string,
  args: readonly string[],
  ending: AbortSignal,
): Promise<number> {
  if (name === 'quality') return runQuality(args, ending)
  if (name === 'migrate') return runMigrate(args)
  if (name === 'doctor')
    return sayingWhy({ usage: DOCTOR }, () =>
      runDoctor({ env: process.env, dataDir: dataFolder(), args, say }),
    )
  const program = PROGRAMS[name]
  if (program !== undefined) return runProgram(program, args, ending)
  const command = COMMANDS[name]
  if (command !== undefined) return runOnDatabase(command, args)
  const onData = DATA_COMMANDS[name]
  if (onData !== undefined) return runOnData(onData, args, ending)
  const names = [COMMANDS, DATA_COMMANDS, PROGRAMS].flatMap((list) => Object.keys(list))
  names.push('migrate', 'doctor', 'quality')
  process.stderr.write(`kontor: there is no command ${name}; there are ${names.join(', ')}\n`)
  return 1
}

/** `npm run quality [NAME [argument …]]`: without a name the list of what there is. */
async function runQuality(
  [name, ...args]: readonly string[],
  ending: AbortSignal,
): Promise<number> {
  const program = name === undefined ? undefined : QUALITY_PROGRAMS[name]
  if (program !== undefined) return runProgram(program.file, args, ending)
  process.stdout.write(listOfPrograms())
  if (name === undefined) return 0
  process.stderr.write(`kontor: there is no quality program ${name}\n`)
  return 1
}

/** Makes the database ready for the service, as `npm start` does before it starts one. */
function runMigrate(args: readonly string[]): Promise<number> {
  return sayingWhy({ usage: 'npm run migrate' }, async () => {
    if (args.length > 0) throw new UsageError('it takes no words')
    const admin = firstUserFrom(process.env)
    const { email, created, generated } = await withOwner((url, ownerUrl) =>
      prepare({ url, ownerUrl, admin }),
    )
    say(`the database is ready for Kontor ${VERSION}`)
    if (created) say(`first user ${email}`)
    if (generated !== undefined) say(`password ${generated} (shown only this once)`)
    return 0
  })
}

/** With the logins of the service and of the owner of the tables. */
async function withOwner<T>(work: (url: string, ownerUrl: string) => Promise<T>): Promise<T> {
  const { DATABASE_URL: url, KONTOR_OWNER_DATABASE_URL: ownerUrl } = process.env
  if (url) return work(url, ownerUrl || url)
  return withEmbedded(dataFolder(), (server) => work(server.serviceUrl, server.ownerUrl))
}

/** Runs a command of the service on its database. */
function runOnDatabase(command: Command, args: readonly string[]): Promise<number> {
  return sayingWhy(command, () =>
    withDatabase(async (url, role) => {
      const db = openDb({
        url,
        maximumConnections: 2,
        // Who verifies the books of years waits for it.
        statementMilliseconds: 0,
        ...(role === undefined ? {} : { role }),
      })
      try {
        await assertMigrated(db)
        const open = () => openWhole(url, role)
        const env = { ...process.env, DATA_DIR: dataFolder() }
        const common = { db, clock: systemClock, args, env, say, ask, open }
        return await command.run({ ...common, key_file: keyFile(), bank_folders: bankFolders() })
      } finally {
        await db.close()
      }
    }),
  )
}

/** Runs a command of the service on its data folder. */
function runOnData(
  command: DataCommand,
  args: readonly string[],
  ending: AbortSignal,
): Promise<number> {
  const dataDir = dataFolder()
  const withServer = <T>(work: (server: Embedded) => Promise<T>): Promise<T> =>
    withEmbedded(dataDir, work)
  return sayingWhy(command, async () => {
    try {
      return await command.run({ dataDir, clock: systemClock, args, ending, say, withServer })
    } catch (error) {
      throw ending.aborted ? new UsageError('it was told to stop') : error
    }
  })
}

const say = (line: string): void => void process.stdout.write(`${line}\n`)

async function sayingWhy(
  { usage }: { usage: string },
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`kontor: ${error.message}\nusage: ${usage}\n`)
    return 1
  }
}

const keyFile = (): string | undefined => keyFileFrom(serviceEnvironment())
const bankFolders = (): string | undefined => bankFoldersFrom(serviceEnvironment())

/** As the service has it: without the embedded database it may have no folder for data. */
function serviceEnvironment(): NodeJS.ProcessEnv {
  const { env } = process
  return env['DATABASE_URL'] ? env : { ...env, DATA_DIR: dataFolder() }
}

function openWhole(url: string, role: string | undefined): Promise<App> {
  const historyFolder = historyFolderOf({ ...process.env, DATA_DIR: dataFolder() })
  const [file, banks] = [keyFile(), bankFolders()]
  return openApp({
    url,
    clock: systemClock,
    log: pino({ level: process.env['LOG_LEVEL'] ?? 'silent' }, pino.destination(2)),
    ...(historyFolder === undefined ? {} : { historyFolder }),
    ...(file === undefined ? {} : { keyFile: file }),
    ...(banks === undefined ? {} : { bankFolders: banks }),
    ...(role === undefined ? {} : { role }),
  })
}

async function ask(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY) return undefined
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}

/** The operator's server, or the embedded one of DATA_DIR. */
async function withDatabase(
  work: (url: string, role: string | undefined) => Promise<number>,
): Promise<number> {
  const url = process.env['DATABASE_URL']
  if (url) return work(url, await serviceRole(url))
  return withEmbedded(dataFolder(), ({ serviceUrl }) => work(serviceUrl, undefined))
}

const dataFolder = (): string =>
  resolve(process.env['INIT_CWD'] ?? process.cwd(), process.env['DATA_DIR'] ?? join(ROOT, 'data'))

/** As it runs, else started for the command and stopped after it. */
async function withEmbedded<T>(
  dataDir: string,
  work: (server: Embedded) => Promise<T>,
): Promise<T> {
  const dir = join(dataDir, 'postgres')
  if (!existsSync(join(dir, 'cluster')))
    throw new UsageError(
      `there is no database in ${dataDir}: run npm start once, or set DATA_DIR or DATABASE_URL`,
    )
  const database = await startEmbedded({ dir })
  try {
    return await work(database)
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
  file: string,
  args: readonly string[],
  ending: AbortSignal,
): Promise<number> {
  const child = spawn(process.execPath, [join(ROOT, file), ...args], {
    cwd: ROOT,
    stdio: 'inherit',
  })
  ending.addEventListener('abort', () => child.kill('SIGTERM'))
  return new Promise((done, fail) =>
    child.once('error', fail).once('exit', (code) => {
      done(code ?? 1)
    }),
  )
}

// Where everything is installed, as in a container, no set-up is needed: this is the command.
if (import.meta.main) {
  const [name = '', ...args] = process.argv.slice(2)
  process.exitCode = await runCommand(name, args, endingSignal())
}
