/** Declarations as records: each with its version, who changed it last, and its drift. */
import { userNames } from '../access/index.ts'
import { notFound } from '../core/errors.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import type { Json } from '../core/json.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { folderOf, hasOwnFolder } from '../venues/index.ts'
import type { DeclaredVenue } from '../venues/index.ts'
import { declarationId } from './declaration-events.ts'
import { permissionOf } from './declaration-facts.ts'
import { kindOf, readDeclarations, wordOfFile } from './declarations.ts'
import type { Declaration } from './declarations.ts'
import type { DeclarationRecord } from './declarations.schema.ts'

/** Without those that are no longer declared. */
export async function listDeclarations(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<DeclarationRecord[]> {
  const rows = [...(await readDeclarations(reader, workspace)).values()]
  return recordsOf(
    reader,
    workspace,
    rows.filter((row) => row.value !== null),
  )
}

/** Throws 4004. */
export async function readDeclaration(
  reader: Reader,
  workspace: WorkspaceId,
  key: string,
): Promise<DeclarationRecord> {
  const row = (await readDeclarations(reader, workspace)).get(key)
  const [record] = row === undefined ? [] : await recordsOf(reader, workspace, [row])
  if (record === undefined) throw notFound('declaration', key, 'key')
  return record
}

async function recordsOf(
  reader: Reader,
  workspace: WorkspaceId,
  rows: readonly Declaration[],
): Promise<DeclarationRecord[]> {
  const authors = rows.map((row) => row.changed_by)
  const names = await userNames(reader, workspace, authors)
  const venues = await reader.query<{ id: VenueId; key: string }>(sql`
    select id, key
    from venues
    where workspace = ${workspace}`)
  const ids = new Map(venues.map((venue) => [venue.key, venue.id]))
  return rows.map((row) => {
    const { key, kind, value, of_version: version, changed_at, changed_by, hand, in_file } = row
    const name = kindOf(key)?.name ?? ''
    return {
      id: declarationId(workspace, key),
      key,
      kind,
      name,
      declaration: value,
      folder: folderIn(workspace, name, row),
      venue_id: kind === 'VENUE' ? (ids.get(name) ?? null) : null,
      version,
      changed_at,
      changed_by,
      changed_by_name: names.get(changed_by) ?? null,
      hand,
      permission: permissionOf(kind),
      in_file,
      file: in_file ? row.file : null,
      drift: driftOf(row),
    }
  })
}

function folderIn(
  workspace: WorkspaceId,
  name: string,
  { kind, value }: Declaration,
): string | null {
  if (kind !== 'VENUE' || value === null) return null
  return hasOwnFolder(value as unknown as DeclaredVenue) ? folderOf(workspace, name) : null
}

function driftOf(row: Declaration): DeclarationRecord['drift'] {
  if (row.kept || row.differs_since === null) return null
  return { file: wordOfFile(row) ?? null, record: row.value, since: row.differs_since }
}

type DeclarationDrift = { key: string; file: Json; record: Json; since: number }

/** Where the configuration file says something else than the record, and nobody has decided. */
export async function declarationDrifts(
  reader: Reader,
  workspace: WorkspaceId,
): Promise<DeclarationDrift[]> {
  const rows = await readDeclarations(reader, workspace)
  return [...rows.values()].flatMap((row) => {
    const drift = driftOf(row)
    return drift === null ? [] : [{ key: row.key, ...drift }]
  })
}
