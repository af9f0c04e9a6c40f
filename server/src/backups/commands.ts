/** `npm run backup` and `npm run restore`, for the embedded database. */
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { keyFileFrom, wrappingFault } from '../access/index.ts'
import type { Clock } from '../core/clock.ts'
import { count, ofCaller, parseArguments, UsageError } from '../core/usage.ts'
import { archiveOf, recoverySettings } from '../store/embedded-archive.ts'
import type { Embedded } from '../store/embedded.ts'
import { readMigrations } from '../store/migrate.ts'
import type { Head, Manifest } from './backups.schema.ts'
import { withCopy } from './beside.ts'
import { noteVerified, openBackup } from './folders.ts'
import type { Backup } from './folders.ts'
import { examine } from './heads.ts'
import { restore } from './restoring.ts'
import { removeLogBefore, removeOld } from './retention.ts'
import { exportAll, importAll } from './rows.ts'
import { createKey, readKey } from './sealing.ts'
import type { Key } from '../store/key-files.ts'
import { takeBackup } from './taking.ts'

type DataContext = {
  dataDir: string
  clock: Clock
  args: readonly string[]
  ending: AbortSignal
  say(line: string): void
  /** On the embedded server of the data folder: as it runs, else started and ended for it. */
  withServer<T>(work: (server: Embedded) => Promise<T>): Promise<T>
}

/** A command on the data folder rather than on a database. Answers the exit code. */
export type DataCommand = { usage: string; run(context: DataContext): Promise<number> }

export const DATA_COMMANDS: Readonly<Record<string, DataCommand>> = {
  backup: {
    usage:
      'npm run backup [-- --to FOLDER --keep N --key FILE --verify]\n' +
      '       npm run backup -- verify BACKUP [--key FILE]\n' +
      '       npm run backup -- key FILE',
    run: backup,
  },
  restore: {
    usage: 'npm run restore -- BACKUP [--key FILE --until TIME|latest]',
    run: (context) => withPlainErrors(() => restoreBackup(context)),
  },
  export: {
    usage: 'npm run export -- FILE',
    run: (context) => withPlainErrors(() => exportAll(context)),
  },
  import: {
    usage: 'npm run import -- FILE (with DATA_DIR naming a new folder)',
    run: (context) => withPlainErrors(() => importAll(context)),
  },
}

async function backup(context: DataContext): Promise<number> {
  const [word, ...args] = context.args
  return withPlainErrors(() => {
    if (word === 'verify') return verifyBackup({ ...context, args })
    return word === 'key' ? makeKey({ ...context, args }) : makeBackup(context)
  })
}

const KEY = { key: { type: 'string' } } as const

async function makeBackup(context: DataContext): Promise<number> {
  const { dataDir, clock, args, ending: signal, say, withServer } = context
  const values = parseArguments(
    () =>
      parseArgs({
        args: [...args],
        options: {
          ...KEY,
          to: { type: 'string' },
          keep: { type: 'string' },
          verify: { type: 'boolean' },
        },
      }).values,
  )
  assertOurs()
  const keep = values.keep === undefined ? undefined : Number(values.keep)
  if (keep !== undefined && !(Number.isSafeInteger(keep) && keep > 0))
    throw new UsageError(`--keep takes a whole number above 0, not ${values.keep}`)
  const to = values.to === undefined ? join(dirname(dataDir), 'backups') : ofCaller(values.to)
  const key = await keyOf(values.key)
  const made = await withServer((server) => takeBackup({ dataDir, server, clock, to, key, signal }))
  const bytes = made.manifest.files.reduce((sum, file) => sum + file.bytes, 0)
  say(`${made.path}: ${bytes} bytes, ${key === undefined ? 'not sealed' : 'sealed'}`)
  if (values.verify === true && !(await isRight(context, made, key))) return 1
  if (keep !== undefined) await removeAllBefore(context, { to, made, keep })
  return 0
}

async function removeAllBefore(
  { dataDir, say }: DataContext,
  { to, made, keep }: { to: string; made: Backup; keep: number },
): Promise<void> {
  const { removed, oldest } = await removeOld(to, made.manifest.system_identifier, keep)
  for (const { path } of removed) say(`removed: ${path}`)
  const archive = await archiveOf(join(dataDir, 'postgres'))
  if (archive === undefined || oldest === undefined) return
  const segments = await removeLogBefore(archive, oldest.manifest)
  if (segments > 0) say(`removed: ${count(segments, 'file')} of the log from before ${oldest.name}`)
}

/** Another server's files are not ours to read, and would need its own programs to be verified. */
function assertOurs(): void {
  if (process.env['DATABASE_URL'])
    throw new UsageError(
      'DATABASE_URL names a server of your own, which this command does not back up or restore; ' +
        'docs/operations.md, Backups, says how to',
    )
}

const keyOf = async (file: string | undefined): Promise<Key | undefined> =>
  file === undefined ? undefined : readKey(file)

async function verifyBackup(context: DataContext): Promise<number> {
  const { backup, key, until } = await namedBackup(context)
  if (until !== undefined) throw new UsageError('--until belongs to npm run restore')
  return (await isRight(context, backup, key)) ? 0 : 1
}

async function isRight(
  { dataDir, clock, ending: signal, say }: DataContext,
  backup: Backup,
  key: Key | undefined,
): Promise<boolean> {
  const { books, faults } = await withCopy(
    dataDir,
    { backup, key, signal, durable: false },
    (server) => examine(server.serviceUrl, backup.manifest, { isWhole: true }),
  )
  sayBooks(say, books)
  for (const fault of faults) say(`  ${fault}`)
  if (faults.length > 0) {
    say(`${backup.path}: ${count(faults.length, 'fault')} found`)
    return false
  }
  say(`${backup.path}: a restored copy is correct`)
  await noteVerified(backup, { verified_at: new Date(clock.now()).toISOString(), books }).catch(
    (error: Error) => say(`it is not noted there: ${error.message}`),
  )
  return true
}

function sayBooks(say: (line: string) => void, books: readonly Head[]): void {
  for (const { workspace, bookings, batches, hash } of books) {
    const counts = `${count(bookings, 'booking')} in ${count(batches, 'batch', 'batches')}`
    say(`${workspace}: ${counts}, last hash ${hash}`)
  }
}

async function makeKey({ args, say }: DataContext): Promise<number> {
  const [file] = args
  if (file === undefined || args.length > 1) throw new UsageError('it takes the file for the key')
  await createKey(ofCaller(file))
  say(`${ofCaller(file)}: a new key. Keep a copy elsewhere: without it a backup cannot be read`)
  return 0
}

async function restoreBackup(context: DataContext): Promise<number> {
  const { dataDir, clock, ending: signal, say } = context
  const { backup, key, until: text } = await namedBackup(context)
  assertOurs()
  await assertKnown(backup)
  const until = untilOf(text, backup.manifest, clock)
  const archive = await archiveFor(dataDir)
  if (archive === undefined && until !== 'backup')
    throw new UsageError('--until needs the archived log: set KONTOR_WAL_ARCHIVE to its folder')
  const { books, wrapped_by, kept } = await restore({
    dataDir,
    clock,
    unpacking: { backup, key, signal, recovery: recoverySettings(archive, until) },
    isWhole: until === 'backup',
  })
  sayBooks(say, books)
  say(`restored: ${backup.path}, as of ${text ?? backup.manifest.stopped_at}`)
  const fault = await wrappingFault(wrapped_by, keyFileFrom({ ...process.env, DATA_DIR: dataDir }))
  if (fault !== undefined) say(`before you start: ${fault}`)
  say('start Kontor, then run npm run after-restore (docs/operations.md, After a restore)')
  if (kept !== undefined) say(`the database before is kept in ${kept}`)
  return 0
}

async function archiveFor(dataDir: string): Promise<string | undefined> {
  const named = process.env['KONTOR_WAL_ARCHIVE']
  return named ? ofCaller(named) : archiveOf(join(dataDir, 'postgres'))
}

function untilOf(
  text: string | undefined,
  { stopped_at }: Manifest,
  clock: Clock,
): 'backup' | 'latest' | Date {
  if (text === undefined) return 'backup'
  if (text === 'latest') return text
  const time = new Date(text)
  if (!/T.*(Z|[+-]\d{2}:\d{2})$/.test(text) || Number.isNaN(time.getTime()))
    throw new UsageError(`--until takes a time like 2026-11-20T10:00:00Z, or latest, not ${text}`)
  if (time.getTime() > clock.now()) throw new UsageError(`${text} is yet to come`)
  if (time < new Date(stopped_at))
    throw new UsageError(`this backup ended at ${stopped_at}: take an older one for ${text}`)
  return time
}

async function assertKnown({ path, manifest: { schema } }: Backup): Promise<void> {
  if (!(await readMigrations()).some(({ name }) => name === schema))
    throw new UsageError(`${path} is of a newer Kontor: its database has ${schema}`)
}

type Named = { backup: Backup; key: Key | undefined; until: string | undefined }

async function namedBackup({ args }: DataContext): Promise<Named> {
  const { values, positionals } = parseArguments(() =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...KEY, until: { type: 'string' } },
    }),
  )
  const [path] = positionals
  if (path === undefined || positionals.length > 1) throw new UsageError('it takes the backup')
  const key = await keyOf(values.key)
  return { backup: await openBackup(ofCaller(path)), key, until: values.until }
}

/** A full disk, a folder that may not be written: a sentence, not a stack. */
async function withPlainErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw new UsageError(error.message)
    throw error
  }
}
