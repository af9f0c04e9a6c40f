/** What keeps the books safe: keys, logins, backups and signed heads. */
import { existsSync } from 'node:fs'
import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isKnownPassword, signingKeysFault } from '../../server/src/access/index.ts'
import { backupsIn } from '../../server/src/backups/index.ts'
import type { Backup } from '../../server/src/backups/index.ts'
import { isLoopback } from '../../server/src/core/networks.ts'
import { ofCaller } from '../../server/src/core/usage.ts'
import { headsPlaceFrom, readExports } from '../../server/src/heads/index.ts'
import type { Reader } from '../../server/src/store/db.ts'
import { ownsTables } from '../../server/src/store/migrate.ts'
import { sql } from '../../server/src/store/sql.ts'
import { unknownVariables } from '../../server/src/variables.ts'
import { bad, good, messageOf, spanOf, warning } from './findings.ts'
import type { Check, Finding } from './findings.ts'

const HOUR = 3_600_000
/** A day and some: backups and heads are made once a day. */
const DAILY_MILLISECONDS = 26 * HOUR
const OLD_MILLISECONDS = 7 * 24 * HOUR

export const key: Check = async ({ settings, books }) => {
  if (settings === undefined || books === undefined) return []
  const { keyFile } = settings.app
  try {
    const fault = await signingKeysFault(books, keyFile)
    if (fault !== undefined) return bad('key file', fault, 'docs/operations.md, Keys')
  } catch (error) {
    return bad('key file', messageOf(error), 'docs/operations.md, Keys')
  }
  if (keyFile === undefined)
    return warning('key file', 'the keys that sign tokens lie unwrapped', 'set KONTOR_KEY_FILE')
  return existsSync(keyFile)
    ? good('key file', `${keyFile} opens what is wrapped: keep a copy elsewhere`)
    : good('key file', `${keyFile} is made at the first start`)
}

/** Of the environment that the service has. */
export const secrets: Check = async ({ env, embedded, server }) => {
  const findings: Finding[] = []
  for (const name of ['KONTOR_OWNER_DATABASE_URL', 'KONTOR_ADMIN_PASSWORD'])
    if (env[name])
      findings.push(
        warning(
          'secrets',
          `${name} is in this environment`,
          'take it out of that of the service, which does not need it',
        ),
      )
  if (embedded === undefined && server !== undefined && (await ownsTables(server)))
    findings.push(
      warning(
        'secrets',
        'the login in DATABASE_URL owns the tables: who reads it can rewrite the books',
        'give the service a login of its own (docs/operations.md, Database)',
      ),
    )
  for (const name of ['DATABASE_URL', 'KONTOR_SMTP_URL'])
    if (embedded === undefined && (await hasKnownPassword(env[name])))
      findings.push(
        bad('secrets', `the password in ${name} is one that many people use`, 'choose another'),
      )
  return findings.length > 0 ? findings : good('secrets', 'the service has no login but its own')
}

async function hasKnownPassword(address: string | undefined): Promise<boolean> {
  if (!address || !URL.canParse(address)) return false
  const { username, password } = new URL(address)
  return password !== '' && (password === username || isKnownPassword(decodeURIComponent(password)))
}

/** Between machines the way to the database is open to all on it, unless it is encrypted. */
export const wayToDatabase: Check = async ({ env, server }) => {
  if (server === undefined || usesThisMachine(env['DATABASE_URL'] ?? '')) return []
  const [row] = await server.query<{ encrypted: boolean }>(sql`
    select ssl as encrypted
    from pg_stat_ssl
    where pid = pg_backend_pid()`)
  return row?.encrypted === true
    ? good('way to the database', 'it is encrypted')
    : warning(
        'way to the database',
        'it is not encrypted',
        'add sslmode=verify-full to DATABASE_URL, or keep both in a network of their own',
      )
}

function usesThisMachine(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { hostname, searchParams } = new URL(address)
  return isLoopback(hostname) || (searchParams.get('host') ?? '').startsWith('/')
}

export const variables: Check = async ({ env }) => {
  const unknown = unknownVariables(env)
  const { KONTOR_CONFIG: file } = env
  // A configuration reads what it names.
  const read = file ? await readFile(ofCaller(file), 'utf8').catch(() => '') : ''
  return unknown
    .filter((name) => !read.includes(name))
    .map((name) =>
      warning('variables', `nothing reads ${name}`, 'docs/operations.md lists the variables'),
    )
}

export const backups: Check = async ({ books, embedded, backups: folder }) => {
  if (embedded === undefined) return backupOfServer(folder)
  if (books === undefined || folder === undefined) return []
  const [newest] = existsSync(folder) ? await backupsIn(folder, await clusterOf(books)) : []
  if (newest === undefined)
    return warning('backups', `there is none in ${folder}`, 'npm run backup -- --verify, daily')
  return judgedAge(newest)
}

async function clusterOf(reader: Reader): Promise<string> {
  const [row] = await reader.query<{ id: string }>(sql`
    select system_identifier::text as id
    from pg_control_system()`)
  return row?.id ?? ''
}

function judgedAge({ path, name, manifest, verified }: Backup): Finding {
  const age = Date.now() - Date.parse(manifest.started_at)
  const says = `the last one, ${name}, is ${spanOf(age)} old`
  const finding = ageFinding('backups', says, age)
  return finding.verdict !== 'good' || verified !== undefined
    ? finding
    : warning('backups', `${says} and not verified`, `npm run backup -- verify ${path}`)
}

function ageFinding(check: string, says: string, age: number): Finding {
  const remedy = 'see why none was made since'
  if (age > OLD_MILLISECONDS) return bad(check, says, remedy)
  return age > DAILY_MILLISECONDS ? warning(check, says, remedy) : good(check, says)
}

/** Whatever its own tools write there: a file or a folder for each backup. */
async function backupOfServer(folder: string | undefined): Promise<Finding> {
  const remedy = 'name the folder of your server’s backups: npm run doctor -- --backups FOLDER'
  if (folder === undefined) return warning('backups', 'nothing is known of backups', remedy)
  try {
    const names = await readdir(folder)
    const times = await Promise.all(
      names.map(async (name) => (await stat(join(folder, name))).mtimeMs),
    )
    if (times.length === 0) return bad('backups', `there is none in ${folder}`, 'take one, daily')
    const age = Date.now() - Math.max(...times)
    return ageFinding('backups', `the last one in ${folder} is ${spanOf(age)} old`, age)
  } catch (error) {
    return bad('backups', messageOf(error), remedy)
  }
}

export const heads: Check = async ({ env, books }) => {
  if (books === undefined || headsPlaceFrom(env) === undefined) return []
  const { made_at = null, waiting_since = null, reason = null } = (await readExports(books)) ?? {}
  const remedy = 'see that a worker runs, and may write to KONTOR_HEADS'
  if (waiting_since !== null && Date.now() - waiting_since > HOUR)
    return bad(
      'heads',
      `a head has waited for ${spanOf(Date.now() - waiting_since)}: ${reason ?? 'no worker runs'}`,
      remedy,
    )
  if (made_at === null)
    return warning('heads', 'no head was signed yet', 'the first comes within minutes of a start')
  const age = Date.now() - made_at
  const says = `the last one was exported ${spanOf(age)} ago`
  return age > DAILY_MILLISECONDS ? warning('heads', says, remedy) : good('heads', says)
}
