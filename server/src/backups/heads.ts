/** How far the books of each workspace go, and what must be true of a restored copy of them. */
import { clientSecretsWrappedBy, verifySecurityLog } from '../access/index.ts'
import { NO_WORKSPACE } from '../core/ids.ts'
import { wrappingKeysOf } from '../access/index.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { UsageError } from '../core/usage.ts'
import { verifyBooks } from '../ledger/index.ts'
import { openDb } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { secretsWrappedBy } from '../venues/index.ts'
import type { Head, Manifest } from './backups.schema.ts'

type Heads = { books: Head[]; schema: string }

/** Of the books as they are now. `url` is the owner's. */
export async function readHeads(url: string): Promise<Heads> {
  const db = openDb({ url, maximumConnections: 1 })
  try {
    const [there] = await db.query<{ lanes: boolean }>(
      sql`select to_regclass('lanes') is not null as lanes`,
    )
    if (there?.lanes !== true)
      throw new UsageError('this database holds no Kontor yet: npm run migrate makes it')
    const [newest] = await db.query<{ name: string }>(sql`
      select max(name) as name
      from schema_migrations`)
    return { books: await headsOf(db), schema: newest?.name ?? '' }
  } finally {
    await db.close()
  }
}

const headsOf = (reader: Reader): Promise<Head[]> =>
  reader.query<Head>(sql`
    select
      workspace,
      booking_sequence as bookings,
      event_sequence as events,
      batch_no as batches,
      encode(last_hash, 'hex') as hash
    from lanes
    order by workspace`)

type Examination = {
  books: Head[]
  faults: string[]
  /** Which keys wrap something there; they are in no backup. */
  wrapped_by: string[]
}

/**
 * Verifies all books of a restored copy, and compares them with what the manifest says: they hold
 * at least what was booked before the backup began, with the same hash there. `isWhole` says that
 * nothing was replayed beyond the backup: then they hold no more than was booked when it ended.
 */
export async function examine(
  url: string,
  manifest: Manifest,
  { isWhole }: { isWhole: boolean },
): Promise<Examination> {
  const db = openDb({ url, maximumConnections: 2, statementMilliseconds: 0 })
  try {
    const books = await headsOf(db)
    const faults: string[] = []
    for (const { workspace } of books) {
      const found = await verifyBooks(db, workspace as WorkspaceId)
      faults.push(...found.faults.map((fault) => `${workspace}: ${fault}`))
    }
    for (const workspace of [...books.map((head) => head.workspace as WorkspaceId), NO_WORKSPACE]) {
      const log = await verifySecurityLog(db, workspace)
      faults.push(...log.faults.map((fault) => `${workspace}: ${fault}`))
    }
    for (const before of manifest.books_before) faults.push(...(await missingOf(db, before, books)))
    if (isWhole) for (const after of manifest.books_after) faults.push(...surplusOf(after, books))
    const secrets = [...(await secretsWrappedBy(db)), ...(await clientSecretsWrappedBy(db))]
    const ids = [...(await wrappingKeysOf(db)), ...secrets.map((row) => row.wrapped_by)]
    return { books, faults, wrapped_by: [...new Set(ids)] }
  } finally {
    await db.close()
  }
}

async function missingOf(reader: Reader, before: Head, books: readonly Head[]): Promise<string[]> {
  const { workspace } = before
  const found = books.find((head) => head.workspace === workspace)
  if (found === undefined) return [`${workspace}: the books are missing`]
  const faults = (['bookings', 'events', 'batches'] as const)
    .filter((what) => found[what] < before[what])
    .map((what) => `${workspace}: ${found[what]} ${what}, the backup began at ${before[what]}`)
  if (before.batches === 0) return faults
  const [batch] = await reader.query<{ hash: string }>(sql`
    select encode(hash, 'hex') as hash
    from batches
    where workspace = ${workspace}
      and batch_no = ${before.batches}`)
  if (batch?.hash !== before.hash)
    faults.push(`${workspace}: batch ${before.batches} has another hash than in the manifest`)
  return faults
}

function surplusOf(after: Head, books: readonly Head[]): string[] {
  const { workspace } = after
  const found = books.find((head) => head.workspace === workspace)
  if (found === undefined) return []
  const faults = (['bookings', 'events', 'batches'] as const)
    .filter((what) => found[what] > after[what])
    .map((what) => `${workspace}: ${found[what]} ${what}, the backup ended at ${after[what]}`)
  if (found.batches === after.batches && found.hash !== after.hash)
    faults.push(`${workspace}: batch ${after.batches} has another hash than in the manifest`)
  return faults
}
