/**
 * The archive of the server's log: PostgreSQL's own module `basic_archive` copies every finished
 * segment there, durably and never over another one. With a backup and the log since, the database
 * comes back as of any moment (https://www.postgresql.org/docs/current/continuous-archiving.html).
 *
 * The folder is remembered in the place, so that a command which starts the server archives too: a
 * gap in the log ends what it can bring back.
 */
import { existsSync } from 'node:fs'
import { chown, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import type { RunAs } from './embedded-user.ts'

/** A segment of the log that is not full waits at most this long. */
const ARCHIVED_WITHIN = '60s'
const PROBE = 'kontor-probe'

const memoOf = (dir: string): string => join(dir, 'wal-archive')

/** The folder that gets the log of the server in `dir`. */
export async function archiveOf(dir: string): Promise<string | undefined> {
  return existsSync(memoOf(dir)) ? readFile(memoOf(dir), 'utf8') : undefined
}

export async function rememberArchive(dir: string, folder: string | undefined): Promise<void> {
  if (folder === undefined) return rm(memoOf(dir), { force: true })
  await writeFile(`${memoOf(dir)}.new`, folder, { mode: 0o600, flush: true })
  await rename(`${memoOf(dir)}.new`, memoOf(dir))
}

/** The folder, made when it is missing, for the user that PostgreSQL runs as. */
export async function prepareArchive(folder: string, as: RunAs): Promise<Record<string, string>> {
  if (!existsSync(folder)) {
    await mkdir(folder, { mode: 0o700 })
    if (process.getuid?.() === 0) await chown(folder, as.owner, as.gid ?? 0)
  }
  // Left behind by a server that was killed.
  for (const name of (await readdir(folder)).filter((name) => name.startsWith('archtemp.')))
    await rm(join(folder, name), { force: true })
  return {
    archive_mode: 'on',
    archive_library: 'basic_archive',
    'basic_archive.archive_directory': folder,
    archive_timeout: ARCHIVED_WITHIN,
  }
}

/** Has the server itself write there: a log that is not archived fills the disk of the database. */
export async function probeArchive(url: string, folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const probe = join(folder, PROBE)
  try {
    await client.query(`copy (select 'kontor') to ${pg.escapeLiteral(probe)}`)
    await rm(probe)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`PostgreSQL cannot write to its archive ${folder}: ${why}`, { cause: error })
  } finally {
    await client.end()
  }
}

/**
 * Settings of a recovery. The server goes on with a timeline of its own, and keeps what it writes
 * for the archive until it is started with one.
 */
export function recoverySettings(
  archive: string | undefined,
  until: 'backup' | 'latest' | Date,
): Record<string, string> {
  return {
    restore_command: archive === undefined ? 'false' : `cp ${quoted(archive)}/%f "%p"`,
    ...targetOf(until),
    archive_mode: 'on',
    archive_command: '',
    archive_library: '',
    hot_standby: 'off',
  }
}

function targetOf(until: 'backup' | 'latest' | Date): Record<string, string> {
  if (until === 'latest') return {}
  return {
    ...(until === 'backup'
      ? { recovery_target: 'immediate' }
      : { recovery_target_time: until.toISOString().replace('T', ' ').replace('Z', '+00') }),
    recovery_target_action: 'promote',
  }
}

/** For a shell; and PostgreSQL takes two % for one. */
const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
