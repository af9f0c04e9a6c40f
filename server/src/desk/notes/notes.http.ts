import { colleagues } from '../../access/index.ts'
import type { Clock } from '../../core/clock.ts'
import type { AttachmentId, CommentId, TagId } from '../../core/ids.ts'
import {
  closed,
  endpoint,
  fileEndpoint,
  id,
  listEndpoint,
  queryReference,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { Db } from '../../store/db.ts'
import type { DeskFeed } from '../../store/desk-feed.ts'
import { sql } from '../../store/sql.ts'
import { attachFile, attachmentsOf, deleteAttachment, fileOf } from './attachments.ts'
import { commentsOf, deleteComment, writeComment } from './comments.ts'
import {
  AddTag,
  AttachFile,
  AttachmentRecord,
  CommentRecord,
  NotedRecord,
  NotesShape,
  PersonShape,
  TagRecord,
  UPLOAD_BYTES,
  WriteComment,
} from './notes.schema.ts'
import { assertSeesKind, assertSeesRecord, notedPlaces } from './records.ts'
import { recordsNamed, removeTag, addTag, TAG_COLUMNS, tagsOf } from './tags.ts'

type NotesApp = { db: Db; clock: Clock }
type Parts = NotesApp & { places: ReturnType<typeof notedPlaces> }

const MAXIMUM_RECORDS_TEXT = 4_000
/** A file is read whole, and costs as much as a page of a list. */
const FILE_COST = 1_000

const common = {
  tag: 'Notes',
  origin: { ours: 'people who work on a record tell each other what it does not say itself' },
} as const
const writes = { ...common, permission: 'notes.write', effect: 'transaction' } as const
const ofRecord = { ...common, params: NotedRecord } as const

/** `beside`: what search finds of modules on the desk's own floor. */
export function notesEndpoints(app: NotesApp, beside: readonly DeskFeed[]): Endpoint[] {
  const parts = { ...app, places: notedPlaces(beside) }
  return [notesEndpoint(parts), ...comments(parts), ...tags(parts), ...attachments(parts), PEOPLE]
}

const notesEndpoint = ({ db, places }: Parts): Endpoint =>
  endpoint({
    ...ofRecord,
    method: 'GET',
    operation_id: 'getNotes',
    personal: true,
    path: '/notes/:kind/:record_id',
    errors: ['PermissionDenied'],
    summary: 'Comments, tags and files of a record',
    description: 'Needs the permission to see the record (else 1003).',
    permission: 'authenticated',
    effect: 'read',
    data: NotesShape,
    async handle({ principal, params }) {
      await assertSeesRecord(db, places, principal, params)
      const { workspace } = principal
      const [comments, tags, attachments] = await Promise.all([
        commentsOf(db, workspace, params),
        tagsOf(db, workspace, params),
        attachmentsOf(db, workspace, params),
      ])
      return { ...params, comments, tags, attachments }
    },
  })

const comments = (parts: Parts): Endpoint[] => [
  endpoint({
    ...ofRecord,
    ...writes,
    method: 'POST',
    operation_id: 'writeComment',
    path: '/notes/:kind/:record_id/comments',
    summary: 'Write a comment',
    description:
      'It is never edited. Who is mentioned gets a notification. Needs the permission to see the ' +
      'record too. Refused: ABOVE_MAXIMUM.',
    body: WriteComment,
    example: { text: 'The sender has confirmed the amount by telephone.' },
    data: CommentRecord,
    handle: ({ principal, params, body }, tx) =>
      writeComment(principal, { ...parts, tx }, { ...params, ...body }),
  }),
  endpoint({
    ...writes,
    method: 'DELETE',
    operation_id: 'deleteComment',
    path: '/comments/:comment_id',
    summary: 'Delete an own comment',
    description:
      'Its text goes, and it is shown as deleted. Refused: CONFLICT (of somebody else, or ' +
      'deleted already).',
    params: closed({ comment_id: id<CommentId>() }),
    data: CommentRecord,
    handle: ({ principal, params }, tx) =>
      deleteComment(principal, { ...parts, tx }, params.comment_id),
  }),
]

const tags = (parts: Parts): Endpoint[] => [
  listEndpoint({
    ...common,
    operation_id: 'listTags',
    path: '/tagged/:kind',
    errors: ['PermissionDenied'],
    summary: 'Tags of the records of a kind',
    description:
      'Needs the permission to see such records (else 1003). `tag`: only those that are this ' +
      'word. `record_ids`: only those of these records, a comma list of at most 100.',
    permission: 'authenticated',
    params: closed({ kind: NotedRecord.properties.kind }),
    query: closed({ tag: queryReference(), record_ids: queryReference(MAXIMUM_RECORDS_TEXT) }),
    data: TagRecord,
    list: ({ principal, params: { kind }, query: { tag, record_ids } }) => {
      assertSeesKind(parts.places, principal, kind)
      return {
        select: sql`
          select ${TAG_COLUMNS}
          from record_tags`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          sql`kind = ${kind}`,
          ...(tag === undefined ? [] : [sql`tag = ${tag.toLowerCase()}`]),
          ...(record_ids === undefined
            ? []
            : [sql`record_id = any(${recordsNamed(record_ids)}::uuid[])`]),
        ],
        key: { column: 'id', type: 'uuid' },
      }
    },
  }),
  endpoint({
    ...ofRecord,
    ...writes,
    method: 'POST',
    operation_id: 'addTag',
    path: '/notes/:kind/:record_id/tags',
    summary: 'Tag a record',
    description:
      'Answers the tag also where the record has it already. Needs the permission to see the ' +
      'record too. Refused: ABOVE_MAXIMUM.',
    body: AddTag,
    example: { tag: 'urgent' },
    data: TagRecord,
    handle: ({ principal, params, body }, tx) =>
      addTag(principal, { ...parts, tx }, { ...params, ...body }),
  }),
  endpoint({
    ...writes,
    method: 'DELETE',
    operation_id: 'removeTag',
    path: '/tags/:tag_id',
    summary: 'Take a tag off a record',
    description: 'Whoever put it there. Answers the tag as it was.',
    params: closed({ tag_id: id<TagId>() }),
    data: TagRecord,
    handle: ({ principal, params }, tx) => removeTag(principal, { ...parts, tx }, params.tag_id),
  }),
]

const attachments = (parts: Parts): Endpoint[] => [
  endpoint({
    ...ofRecord,
    ...writes,
    method: 'POST',
    operation_id: 'attachFile',
    path: '/notes/:kind/:record_id/attachments',
    summary: 'Attach a file',
    description:
      'At most 5 MB, and 25 MB and 50 files for each record. Needs the permission to see the ' +
      'record too. Refused: CONFLICT (the file is not of the type that it says), TOO_LARGE, ' +
      'ABOVE_MAXIMUM.',
    body: AttachFile,
    body_bytes: UPLOAD_BYTES,
    example: { name: 'confirmation.txt', media_type: 'text/plain', content: 'Q29uZmlybWVkLg==' },
    data: AttachmentRecord,
    handle: ({ principal, params, body }, tx) =>
      attachFile(principal, { ...parts, tx }, { ...params, ...body }),
  }),
  fileEndpoint({
    ...common,
    operation_id: 'downloadAttachment',
    personal: true,
    path: '/attachments/:attachment_id',
    errors: ['PermissionDenied'],
    summary: 'Download a file',
    description: 'Needs the permission to see its record (else 1003).',
    permission: 'authenticated',
    read_cost: FILE_COST,
    params: closed({ attachment_id: id<AttachmentId>() }),
    file: ({ principal, params }) =>
      fileOf(parts.db, parts.places, principal, params.attachment_id),
  }),
  endpoint({
    ...writes,
    method: 'DELETE',
    operation_id: 'deleteAttachment',
    path: '/attachments/:attachment_id',
    summary: 'Delete a file that one attached oneself',
    description:
      'Its content goes, and it is shown as deleted. Refused: CONFLICT (of somebody else, or ' +
      'deleted already).',
    params: closed({ attachment_id: id<AttachmentId>() }),
    data: AttachmentRecord,
    handle: ({ principal, params }, tx) =>
      deleteAttachment(principal, { ...parts, tx }, params.attachment_id),
  }),
]

const PEOPLE = listEndpoint({
  ...common,
  operation_id: 'listColleagues',
  path: '/colleagues',
  summary: 'Whom a comment can mention',
  description: 'The users of the workspace who can log in.',
  permission: 'notes.write',
  data: PersonShape,
  list: ({ principal: { workspace } }) => colleagues(workspace),
})
