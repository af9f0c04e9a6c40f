/** Tags: short words by which people find records again. A record carries each once. */
import { notFound, refuse } from '../../core/errors.ts'
import { isId, newId } from '../../core/ids.ts'
import type { TagId, WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { NotesParts } from './authors.ts'
import { TagRecord } from './notes.schema.ts'
import type { Noted, Tag } from './notes.schema.ts'
import { assertSeesKind, assertSeesRecord } from './records.ts'

/** Of one record. */
export const MAXIMUM_TAGS = 20

/** That one request names. */
const MAXIMUM_RECORDS = 100

const TAGS = tableOf('record_tags', TagRecord)
export const TAG_COLUMNS = columnsOf(TagRecord)

/** Answers the tag also where the record has it already. Throws 1003, 4004, ABOVE_MAXIMUM. */
export async function addTag(
  principal: Principal,
  { tx, clock, places }: NotesParts & { tx: Tx },
  { kind, record_id, ...body }: Noted & Pick<Tag, 'tag'>,
): Promise<Tag> {
  const { workspace, user_id } = principal
  const tag = body.tag.toLowerCase()
  await lockLane(tx, workspace)
  await assertSeesRecord(tx, places, principal, { kind, record_id })
  const known = await tagsOf(tx, workspace, { kind, record_id })
  const same = known.find((one) => one.tag === tag)
  if (same !== undefined) return same
  if (known.length >= MAXIMUM_TAGS)
    throw refuse('ABOVE_MAXIMUM', 'tag', `a record has at most ${MAXIMUM_TAGS} tags`)
  const id = newId<TagId>(clock.now())
  const row = { workspace, id, kind, record_id, tag }
  await tx.query(insertRow(TAGS, row, { by: user_id, now: clock.now() }))
  await tell(principal, { tx, clock }, { type: 'tag.added', of: row })
  return tagById(tx, workspace, id)
}

/** Answers the tag as it was. Throws 1003, 4004. */
export async function removeTag(
  principal: Principal,
  { tx, clock, places }: NotesParts & { tx: Tx },
  id: TagId,
): Promise<Tag> {
  const { workspace } = principal
  await lockLane(tx, workspace)
  const tag = await tagById(tx, workspace, id)
  assertSeesKind(places, principal, tag.kind)
  await tx.query(sql`
    delete from record_tags
    where workspace = ${workspace}
      and id = ${id}`)
  await tell(principal, { tx, clock }, { type: 'tag.removed', of: tag })
  return tag
}

function tell(
  { workspace, user_id }: Principal,
  parts: { tx: Tx } & Pick<NotesParts, 'clock'>,
  { type, of }: { type: 'tag.added' | 'tag.removed'; of: Noted & Pick<Tag, 'id'> },
): Promise<void> {
  const data = { kind: of.kind, tag_id: of.id, by: user_id }
  return publishEvents({ workspace, by: user_id }, parts, [
    { type, resource_id: of.record_id, data },
  ])
}

/** By the alphabet. */
export const tagsOf = (
  reader: Reader,
  workspace: WorkspaceId,
  { kind, record_id }: Noted,
): Promise<Tag[]> =>
  reader.query<Tag>(sql`
    select ${TAG_COLUMNS}
    from record_tags
    where workspace = ${workspace}
      and record_id = ${record_id}
      and kind = ${kind}
    order by tag`)

async function tagById(reader: Reader, workspace: WorkspaceId, id: TagId): Promise<Tag> {
  const rows = await reader.query<Tag>(sql`
    select ${TAG_COLUMNS}
    from record_tags
    where workspace = ${workspace}
      and id = ${id}`)
  const tag = only(rows)
  if (tag === undefined) throw notFound('tag', id, 'tag_id')
  return tag
}

/** Throws MALFORMED_ID, RANGE. */
export function recordsNamed(list: string): string[] {
  const ids = list.split(',')
  if (ids.length > MAXIMUM_RECORDS)
    throw refuse('RANGE', 'record_ids', `record_ids names at most ${MAXIMUM_RECORDS} records`)
  if (!ids.every(isId))
    throw refuse('MALFORMED_ID', 'record_ids', 'record_ids must be ids with commas between them')
  return ids
}
