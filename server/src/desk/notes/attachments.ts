/** Files on records. They lie in the database, so a backup has them and an erasure finds them. */
import { createHash } from 'node:crypto'
import { userNames } from '../../access/index.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { AttachmentId, WorkspaceId } from '../../core/ids.ts'
import type { FileAnswer, Principal } from '../../http/index.ts'
import { text, Type } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { authorName } from './authors.ts'
import type { NotesParts } from './authors.ts'
import { isOfType } from './media.ts'
import { AttachmentRecord, MAXIMUM_FILE_BYTES } from './notes.schema.ts'
import type { AttachFileBody, Attachment, Noted } from './notes.schema.ts'
import { assertSeesKind, assertSeesRecord } from './records.ts'

/** Of one record. */
const MAXIMUM_FILES = 50
const MAXIMUM_RECORD_BYTES = 25_000_000

const ATTACHMENTS = tableOf('attachments', AttachmentRecord, {
  inside: { content: Type.Unsafe<Buffer | null>({ ...text(), 'x-column': 'bytea' }) },
  computed: ['available', 'author_name'],
})
const COLUMNS = columnsOf(AttachmentRecord, {
  computed: { available: sql`content is not null`, author_name: sql`null::text` },
})

/** Throws 1003, 4004, TOO_LARGE, FORMAT, CONFLICT (not what it says), ABOVE_MAXIMUM. */
export async function attachFile(
  principal: Principal,
  { tx, clock, places }: NotesParts & { tx: Tx },
  { kind, record_id, name, media_type, content: encoded }: Noted & AttachFileBody,
): Promise<Attachment> {
  const { workspace, user_id } = principal
  const content = contentOf(encoded)
  if (!isOfType(content, media_type))
    throw refuse('CONFLICT', 'media_type', `the file is not of the type ${media_type}`)
  await assertSeesRecord(tx, places, principal, { kind, record_id })
  const id = newId<AttachmentId>(clock.now())
  const place = { workspace, id, record_id }
  await assertRoom(tx, place, content.length)
  const sha256 = createHash('sha256').update(content).digest('hex')
  const file = { name: name.trim(), media_type, size: content.length, sha256, content }
  await tx.query(
    insertRow(
      ATTACHMENTS,
      { ...place, kind, ...file, deleted_at: null },
      { by: user_id, now: clock.now() },
    ),
  )
  // Bookings wait for whoever holds the lane, so the bytes are stored before it is taken. What
  // others attached meanwhile is counted once it is.
  await lockLane(tx, workspace)
  await assertRoom(tx, place, content.length)
  await tell(principal, { tx, clock }, { type: 'attachment.added', of: { kind, record_id, id } })
  return attachmentById(tx, workspace, id)
}

function contentOf(encoded: string): Buffer {
  const content = Buffer.from(encoded, 'base64')
  if (content.toString('base64') !== encoded)
    throw refuse('FORMAT', 'content', 'content must be the file in base64')
  if (content.length > MAXIMUM_FILE_BYTES)
    throw refuse('TOO_LARGE', 'content', `a file has at most ${MAXIMUM_FILE_BYTES} bytes`)
  return content
}

/** For this file beside the others of its record. */
async function assertRoom(
  tx: Tx,
  { workspace, id, record_id }: Pick<Attachment, 'workspace' | 'id' | 'record_id'>,
  size: number,
): Promise<void> {
  const [known] = await tx.query<{ count: number; size: number }>(sql`
    select count(*)::int as count, coalesce(sum(size), 0)::int as size
    from attachments
    where workspace = ${workspace}
      and record_id = ${record_id}
      and id <> ${id}
      and deleted_at is null`)
  const { count = 0, size: taken = 0 } = known ?? {}
  if (count >= MAXIMUM_FILES)
    throw refuse('ABOVE_MAXIMUM', 'content', `a record has at most ${MAXIMUM_FILES} files`)
  if (taken + size > MAXIMUM_RECORD_BYTES)
    throw refuse(
      'ABOVE_MAXIMUM',
      'content',
      `the files of a record have at most ${MAXIMUM_RECORD_BYTES} bytes, and ${taken} are taken`,
    )
}

/** The bytes go. Throws 1003, 4004, and CONFLICT for a file of somebody else, or a deleted one. */
export async function deleteAttachment(
  principal: Principal,
  { tx, clock, places }: NotesParts & { tx: Tx },
  id: AttachmentId,
): Promise<Attachment> {
  const { workspace, user_id } = principal
  await lockLane(tx, workspace)
  const attachment = await attachmentById(tx, workspace, id)
  assertSeesKind(places, principal, attachment.kind)
  if (attachment.system_created_by !== user_id)
    throw refuse('CONFLICT', 'attachment_id', 'somebody else attached the file')
  if (attachment.deleted_at !== null)
    throw refuse('CONFLICT', 'attachment_id', 'the file is deleted already')
  const set = { content: null, deleted_at: clock.now() }
  await tx.query(
    updateRow(ATTACHMENTS, { where: { workspace, id }, set, by: user_id, now: clock.now() }),
  )
  await tell(principal, { tx, clock }, { type: 'attachment.deleted', of: attachment })
  return attachmentById(tx, workspace, id)
}

function tell(
  { workspace, user_id }: Principal,
  parts: { tx: Tx } & Pick<NotesParts, 'clock'>,
  {
    type,
    of,
  }: { type: 'attachment.added' | 'attachment.deleted'; of: Noted & Pick<Attachment, 'id'> },
): Promise<void> {
  const data = { kind: of.kind, attachment_id: of.id, by: user_id }
  return publishEvents({ workspace, by: user_id }, parts, [
    { type, resource_id: of.record_id, data },
  ])
}

/** Throws 1003, 4004 (also for one without content). */
export async function fileOf(
  reader: Reader,
  places: NotesParts['places'],
  principal: Principal,
  id: AttachmentId,
): Promise<FileAnswer> {
  const { workspace } = principal
  const { kind } = await attachmentById(reader, workspace, id)
  assertSeesKind(places, principal, kind)
  const rows = await reader.query<{ name: string; content: Buffer | null }>(sql`
    select name, content
    from attachments
    where workspace = ${workspace}
      and id = ${id}`)
  const { name, content } = only(rows) ?? {}
  if (name === undefined || content === null || content === undefined)
    throw notFound('file', id, 'attachment_id')
  return { name, content }
}

/** Oldest first. */
export async function attachmentsOf(
  reader: Reader,
  workspace: WorkspaceId,
  { kind, record_id }: Noted,
): Promise<Attachment[]> {
  const attachments = await reader.query<Attachment>(sql`
    select ${COLUMNS}
    from attachments
    where workspace = ${workspace}
      and record_id = ${record_id}
      and kind = ${kind}
    order by id`)
  return named(reader, workspace, attachments)
}

async function attachmentById(
  reader: Reader,
  workspace: WorkspaceId,
  id: AttachmentId,
): Promise<Attachment> {
  const [attachment] = await named(
    reader,
    workspace,
    await reader.query<Attachment>(sql`
      select ${COLUMNS}
      from attachments
      where workspace = ${workspace}
        and id = ${id}`),
  )
  if (attachment === undefined) throw notFound('file', id, 'attachment_id')
  return attachment
}

async function named(
  reader: Reader,
  workspace: WorkspaceId,
  attachments: readonly Attachment[],
): Promise<Attachment[]> {
  const names = await userNames(
    reader,
    workspace,
    attachments.map(({ system_created_by }) => system_created_by ?? ''),
  )
  return attachments.map((one) => ({ ...one, author_name: authorName(one, names) }))
}
