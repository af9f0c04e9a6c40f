/**
 * `npm run doctor`: looks at an installation and says what is right, what is doubtful and what is
 * wrong. Needs no running service, starts nothing and changes nothing.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { ofCaller, parseArguments, UsageError } from '../../server/src/core/usage.ts'
import { count } from '../../server/src/core/usage.ts'
import { settingsFrom } from '../../server/src/environment.ts'
import { openDb } from '../../server/src/store/db.ts'
import type { Db, Reader } from '../../server/src/store/db.ts'
import { serviceUrlOf } from '../../server/src/store/embedded-place.ts'
import { foreignFault } from '../../server/src/store/foreign.ts'
import { connectTo } from '../../server/src/store/login.ts'
import { readMigrations, serviceRole } from '../../server/src/store/migrate.ts'
import { startFault } from '../../server/src/preparation.ts'
import { sql } from '../../server/src/store/sql.ts'
import { archive, clock, serverSettings, standby } from './database.ts'
import { bad, good, messageOf, warning } from './findings.ts'
import type { Check, Env, Finding, Installation } from './findings.ts'
import { backups, heads, key, secrets, variables, wayToDatabase } from './keeping.ts'
import { builtConsole, disk, folders, keyOfHeads, memory, node, ports } from './machine.ts'
import { certificate, door, hosts, mail, webhooks } from './network.ts'
import { configuration, halts, venues } from './work.ts'

export const USAGE = 'npm run doctor [-- --json --backups FOLDER]'

/** In the order in which they are shown. */
const CHECKS: Readonly<Record<string, Check>> = {
  node,
  memory,
  disk,
  folders,
  variables,
  secrets,
  'key file': key,
  'key of heads': keyOfHeads,
  'way to the database': wayToDatabase,
  PostgreSQL: serverSettings,
  standby,
  archive,
  clock,
  backups,
  heads,
  certificate,
  door,
  hosts,
  ports,
  console: builtConsole,
  mail,
  webhooks,
  configuration,
  venues,
  halts,
}

const CONNECTIONS = 4
const STATEMENT_MILLISECONDS = 5_000
const CHECK_MILLISECONDS = 15_000

type Doctor = {
  /** That of the service; DATA_DIR may be named. */
  env: Env
  /** Of the embedded database, where no DATABASE_URL is named. */
  dataDir: string
  args: readonly string[]
  say(line: string): void
}

/** Answers the exit code: 1 when something is bad. */
export async function runDoctor({ env, dataDir, args, say }: Doctor): Promise<number> {
  const { values } = parseArguments(() =>
    parseArgs({
      args: [...args],
      options: { json: { type: 'boolean' }, backups: { type: 'string' } },
    }),
  )
  const findings = await examine({ env, dataDir, backups: values.backups })
  const isBad = findings.some(({ verdict }) => verdict === 'bad')
  if (values.json === true) say(JSON.stringify({ good: !isBad, findings }, null, 2))
  else sayFindings(findings, say)
  return isBad ? 1 : 0
}

function sayFindings(findings: readonly Finding[], say: Doctor['say']): void {
  const width = Math.max(...findings.map(({ check }) => check.length))
  for (const [index, { check, verdict, says, remedy }] of findings.entries()) {
    say(`${verdict.padEnd(8)} ${check.padEnd(width)}  ${says}`)
    // Of several faults that are mended alike, it is said once.
    const next = findings[index + 1]
    const isSaidLater = next?.check === check && next.remedy === remedy
    if (remedy !== undefined && !isSaidLater) say(`${' '.repeat(9 + width)}  → ${remedy}`)
  }
  const number = (verdict: Finding['verdict']) =>
    findings.filter((finding) => finding.verdict === verdict).length
  const warnings = count(number('warning'), 'warning')
  say(`${number('good')} good, ${warnings}, ${number('bad')} bad`)
}

type Looked = Pick<Doctor, 'env' | 'dataDir'> & { backups?: string | undefined }

export async function examine({ env: named, dataDir, backups: folder }: Looked) {
  const own = named['DATABASE_URL'] || undefined
  const cluster = join(dataDir, 'postgres/cluster')
  const embedded = own === undefined && existsSync(cluster) ? cluster : undefined
  const url = own ?? (embedded === undefined ? undefined : serviceUrlOf(join(dataDir, 'postgres')))
  // As npm start names it; who runs a process alone may have none.
  const env = { ...named, ...(own === undefined ? { DATA_DIR: dataDir } : {}), DATABASE_URL: url }
  const { settings, faults } = understood(env)
  const database = await openServer(url, embedded !== undefined)
  try {
    const installation: Installation = {
      env,
      settings,
      embedded,
      backups: folder === undefined ? usualBackups(dataDir, embedded) : ofCaller(folder),
      ...database,
    }
    const found = await Promise.all(
      Object.entries(CHECKS).map(([name, check]) => within(name, check, installation)),
    )
    return [...faults, ...database.findings, ...found.flat()]
  } finally {
    await database.close()
  }
}

const usualBackups = (dataDir: string, embedded: string | undefined): string | undefined =>
  embedded === undefined ? undefined : join(dirname(dataDir), 'backups')

function understood(env: Env): Pick<Installation, 'settings'> & { faults: Finding[] } {
  try {
    // Which database there is, is said elsewhere.
    const settings = settingsFrom({ ...env, DATABASE_URL: env['DATABASE_URL'] ?? 'none' })
    return { settings, faults: [good('environment', `the role is ${settings.role}`)] }
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const remedy = 'the service does not start: see docs/operations.md'
    const faults = error.message.split('\n').map((line) => bad('environment', line, remedy))
    return { settings: undefined, faults }
  }
}

/** A check that fails or hangs says so, and holds up no other. */
async function within(
  name: string,
  check: Check,
  installation: Installation,
): Promise<Finding | Finding[]> {
  let timer: NodeJS.Timeout | undefined
  const failed = (why: string) => bad(name, `it could not be checked: ${why}`, 'see why')
  const late = new Promise<Finding>((done) => {
    timer = setTimeout(() => {
      done(failed('there was no answer in time'))
    }, CHECK_MILLISECONDS)
  })
  try {
    return await Promise.race([check(installation), late])
  } catch (error) {
    return failed(messageOf(error))
  } finally {
    clearTimeout(timer)
  }
}

type Server = Pick<Installation, 'server' | 'books'> & {
  findings: Finding[]
  close(): Promise<void>
}

async function openServer(url: string | undefined, isEmbedded: boolean): Promise<Server> {
  const nothing = (finding: Finding): Server => ({
    server: undefined,
    books: undefined,
    findings: [finding],
    close: async () => undefined,
  })
  if (url === undefined)
    return nothing(
      bad('database', 'there is none', 'set DATABASE_URL, or DATA_DIR, or run npm start once'),
    )
  let db: Db | undefined
  try {
    await assertOurs(url)
    const role = await serviceRole(url)
    db = openDb({
      url,
      maximumConnections: CONNECTIONS,
      statementMilliseconds: STATEMENT_MILLISECONDS,
      ...(role === undefined ? {} : { role }),
    })
    const server = reading(db)
    const fault = await startFault(server)
    const books = fault === undefined ? server : undefined
    const finding =
      fault === undefined
        ? good('database', 'it is reached, ours, and of this release')
        : bad('database', fault, 'npm run migrate, as the owner of the tables')
    const close = () => db?.close() ?? Promise.resolve()
    return { server, books, findings: [finding], close }
  } catch (error) {
    await db?.close()
    const says = messageOf(error)
    return nothing(
      isEmbedded
        ? warning('database', `the embedded database does not run: ${says}`, 'npm start')
        : bad('database', says, 'mend DATABASE_URL, or start the server (Database)'),
    )
  }
}

/** Throws a sentence when the database is somebody else's. */
async function assertOurs(url: string): Promise<void> {
  const client = await connectTo(url)
  try {
    const names = (await readMigrations()).map(({ name }) => name)
    const fault = await foreignFault(client, names)
    if (fault !== undefined) throw new UsageError(`DATABASE_URL: ${fault}`)
  } finally {
    await client.end()
  }
}

/** Nothing that is asked through it can change anything. */
const reading = (db: Db): Reader => ({
  query: (query) =>
    db.tx(async (tx) => {
      await tx.query(sql`set transaction read only`)
      return tx.query(query)
    }),
})
