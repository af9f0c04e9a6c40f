/**
 * `npm run export` and `npm run import`: all rows of the embedded database in one file, and a new
 * database of them. This is the way to a release that brings another major version of PostgreSQL.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { count, ofCaller, UsageError } from '../core/usage.ts'
import { startEmbedded } from '../store/embedded.ts'
import type { Embedded } from '../store/embedded.ts'
import { migrate } from '../store/migrate.ts'
import { exportRows, importRows } from '../store/row-archive.ts'

type Rows = { dataDir: string; args: readonly string[]; say(line: string): void }
type WithServer = { withServer(work: (server: Embedded) => Promise<void>): Promise<void> }

/** As of one moment, also while a service writes. */
export async function exportAll({ args, say, withServer }: Rows & WithServer): Promise<number> {
  const file = fileOf(args)
  if (existsSync(file)) throw new UsageError(`there is ${file} already`)
  await withServer((server) => exportRows(bookUrl(server), file))
  say(`${file} has all rows; keep it closed, it holds what the database holds`)
  return 0
}

/** Into a data folder without a database. */
export async function importAll({ dataDir, args, say }: Rows): Promise<number> {
  const file = fileOf(args)
  const dir = join(dataDir, 'postgres')
  if (!existsSync(file)) throw new UsageError(`there is no file ${file}`)
  if (existsSync(join(dir, 'cluster')))
    throw new UsageError(`there is a database in ${dataDir} already: set DATA_DIR to a new folder`)
  const server = await startEmbedded({ dir })
  try {
    const rows = await importRows(bookUrl(server), file)
    await migrate(server.ownerUrl)
    say(`${count(rows, 'row')} imported into ${dataDir}; npm run verify compares the books`)
    return 0
  } finally {
    await server.stop()
  }
}

function fileOf(args: readonly string[]): string {
  const [file] = args
  if (file === undefined || args.length > 1) throw new UsageError('it takes the name of one file')
  if (process.env['DATABASE_URL'])
    throw new UsageError('DATABASE_URL names a server of your own: it has pg_dump and pg_upgrade')
  return ofCaller(file)
}

/** As superuser: rows are read and written whatever they refer to. */
function bookUrl({ superUrl, ownerUrl }: Embedded): string {
  const url = new URL(superUrl)
  url.pathname = new URL(ownerUrl).pathname
  return url.href
}
