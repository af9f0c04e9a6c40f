/** The database: whether it is ours and of this release, and how its server is set. */
import { systemClock } from '../../server/src/core/clock.ts'
import { archiveFigures } from '../../server/src/store/archive-figures.ts'
import { ClockWatch } from '../../server/src/store/clock-watch.ts'
import type { Reader } from '../../server/src/store/db.ts'
import { sql } from '../../server/src/store/sql.ts'
import { bad, good, spanOf, warning } from './findings.ts'
import type { Check, Finding } from './findings.ts'

const SECTION = 'docs/operations.md, Database'
const OLDEST_VERSION = 150_000
const LOG_MEGABYTES = 4_096
const NAPTIME_SECONDS = 10

/** As PostgreSQL has them, in its own units: megabytes and seconds here. */
export type ServerSettings = Readonly<Record<(typeof NAMES)[number], string>>

const NAMES = [
  'server_version_num',
  'server_version',
  'fsync',
  'full_page_writes',
  'synchronous_commit',
  'wal_compression',
  'max_wal_size',
  'autovacuum',
  'autovacuum_naptime',
  'synchronous_standby_names',
  'archive_mode',
] as const

async function settingsOf(server: Reader): Promise<ServerSettings> {
  const rows = await server.query<{ name: string; setting: string }>(sql`
    select name, setting
    from pg_settings
    where name = any(${[...NAMES]}::text[])`)
  return Object.fromEntries(rows.map(({ name, setting }) => [name, setting])) as ServerSettings
}

export const serverSettings: Check = async ({ server }) =>
  server === undefined ? [] : judge(await settingsOf(server))

/** What the settings of a server mean for the books. */
export function judge(settings: ServerSettings): Finding[] {
  return [versionFinding(settings), durabilityFinding(settings), ...speedFindings(settings)]
}

function versionFinding({ server_version_num, server_version }: ServerSettings): Finding {
  const says = `PostgreSQL ${server_version}`
  return Number(server_version_num) < OLDEST_VERSION
    ? bad('PostgreSQL', `${says} is too old`, 'Kontor needs 15 or newer')
    : good('PostgreSQL', says)
}

function durabilityFinding(settings: ServerSettings): Finding {
  const name = 'durability'
  for (const setting of ['fsync', 'full_page_writes'] as const)
    if (settings[setting] !== 'on')
      return bad(
        name,
        `${setting} is off: a power cut destroys the books`,
        `alter system set ${setting} = on; select pg_reload_conf()`,
      )
  const { synchronous_commit } = settings
  const remedy = 'alter system set synchronous_commit = on; select pg_reload_conf()'
  if (synchronous_commit === 'off')
    return bad(name, 'synchronous_commit is off: acknowledged money can be lost', remedy)
  if (synchronous_commit === 'local' && settings.synchronous_standby_names !== '')
    return bad(name, 'synchronous_commit is local: no commit waits for the standby', remedy)
  return good(name, 'what is acknowledged is on the disk')
}

function speedFindings(settings: ServerSettings): Finding[] {
  const name = 'settings'
  const findings: Finding[] = []
  if (settings.wal_compression !== 'off')
    findings.push(
      warning(
        name,
        `wal_compression is ${settings.wal_compression}: it costs a core`,
        `set it to off (${SECTION})`,
      ),
    )
  if (Number(settings.max_wal_size) < LOG_MEGABYTES)
    findings.push(
      warning(
        name,
        `max_wal_size is ${settings.max_wal_size} MB: checkpoints come often`,
        `set it to 4GB or more (${SECTION})`,
      ),
    )
  if (settings.autovacuum !== 'on')
    findings.push(
      bad(name, 'autovacuum is off: statements get slower and slower', 'set autovacuum to on'),
    )
  if (Number(settings.autovacuum_naptime) > NAPTIME_SECONDS)
    findings.push(
      warning(
        name,
        `autovacuum_naptime is ${settings.autovacuum_naptime} s: new tables are read whole`,
        `set it to 10s (${SECTION})`,
      ),
    )
  return findings.length > 0 ? findings : [good(name, 'as docs/operations.md asks')]
}

type Standby = { application_name: string | null; sync_state: string | null }

export const standby: Check = async ({ server, embedded }) => {
  if (server === undefined) return []
  if (embedded !== undefined)
    return warning(
      'standby',
      'the embedded database lies on one disk',
      'where that is not enough, use a server of your own with a standby (A synchronous standby)',
    )
  const { synchronous_standby_names: names } = await settingsOf(server)
  const standbys = await server.query<Standby>(sql`
    select application_name, sync_state
    from pg_stat_replication`)
  if (names === '')
    return warning(
      'standby',
      'no commit waits for a standby: with the disk of the server, money is lost',
      'set synchronous_standby_names (docs/operations.md, A synchronous standby)',
    )
  const hidden = standbys.some(({ sync_state }) => sync_state === null)
  if (hidden)
    return warning(
      'standby',
      'this login may not see the standbys',
      'grant pg_read_all_stats to the login of the service',
    )
  const waited = standbys.filter(({ sync_state }) => ['sync', 'quorum'].includes(sync_state ?? ''))
  return waited.length === 0
    ? bad('standby', 'no standby is connected: every commit waits', 'start a standby')
    : good('standby', `commits wait for ${waited.map((one) => one.application_name).join(', ')}`)
}

export const archive: Check = async ({ server, embedded }) => {
  if (server === undefined) return []
  const read = await archiveFigures(server).read()
  const [failing] = read['kontor_log_archive_failing_seconds'] ?? []
  if (failing === undefined)
    return warning(
      'archive',
      'the log of the database is not archived: a backup brings back nothing later than itself',
      embedded === undefined ? 'set archive_mode and archive_command' : 'set KONTOR_WAL_ARCHIVE',
    )
  return failing.value > 0
    ? bad(
        'archive',
        `the log has not been archived for ${spanOf(failing.value * 1000)}`,
        'see the log of PostgreSQL, and whether the archive has room',
      )
    : good('archive', 'the log of the database is archived')
}

export const clock: Check = async ({ server }) => {
  if (server === undefined) return []
  const silent = { warn: () => undefined, error: () => undefined }
  const times = { clock: systemClock, steady: () => performance.now() }
  const watch = new ClockWatch(server, times, silent)
  await watch.compare()
  const remedy = 'let both machines keep their time by NTP'
  const fault = watch.fault()
  if (fault !== undefined) return bad('clock', `${fault}: nothing is changed`, remedy)
  return watch.mayClaim()
    ? good('clock', 'the clock agrees with that of the database')
    : bad('clock', `the clock differs by ${watch.ahead()} ms: no work is done`, remedy)
}
