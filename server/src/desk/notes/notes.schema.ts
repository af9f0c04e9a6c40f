/** What people note on records: comments, tags and attached files. */
import type { AttachmentId, CommentId, TagId, UserId } from '../../core/ids.ts'
import {
  closed,
  flag,
  id,
  integer,
  MAXIMUM_TAG,
  nullable,
  oneOf,
  optional,
  record,
  requiredText,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { MEDIA_TYPES } from './media.ts'
import { NOTED_KINDS } from './records.ts'

const MAXIMUM_COMMENT = 4_000
const MAXIMUM_MENTIONS = 20
const MAXIMUM_FILE_NAME = 200
export const MAXIMUM_FILE_BYTES = 5_000_000
/** Four characters carry three bytes. */
const MAXIMUM_BASE64 = Math.ceil(MAXIMUM_FILE_BYTES / 3) * 4
/** The file, and room for the rest of the body. */
export const UPLOAD_BYTES = MAXIMUM_BASE64 + 16_384

const named = {
  kind: oneOf(NOTED_KINDS, 'As search names it'),
  record_id: id('Of the record'),
}
export const NotedRecord = closed(named)
export type Noted = Static<typeof NotedRecord>

const author_name = nullable(text(500, 'Null where the user is not known any more'))

export const CommentRecord = record('Comment', {
  id: id<CommentId>(),
  ...named,
  text: nullable(text(MAXIMUM_COMMENT, 'Null once its author has deleted it')),
  mentions: Type.Array(id<UserId>(), { description: 'The users whom it mentions' }),
  deleted_at: nullable(time()),
  author_name,
})
export type Comment = Static<typeof CommentRecord>

export const WriteComment = closed(
  {
    text: requiredText(MAXIMUM_COMMENT),
    mentions: optional(Type.Array(id<UserId>(), { maxItems: MAXIMUM_MENTIONS, uniqueItems: true })),
  },
  { title: 'NewComment' },
)
export type WriteCommentBody = Static<typeof WriteComment>

const tag = Type.String({
  minLength: 1,
  maxLength: MAXIMUM_TAG,
  pattern: '^[^\\s,]+$',
  description: 'One word, kept in lower case',
  'x-form': 'must be one word without commas',
})

export const TagRecord = record('Tag', { id: id<TagId>(), ...named, tag })
export type Tag = Static<typeof TagRecord>

export const AddTag = closed({ tag }, { title: 'NewTag' })

export const AttachmentRecord = record('Attachment', {
  id: id<AttachmentId>(),
  ...named,
  name: text(MAXIMUM_FILE_NAME),
  media_type: oneOf(MEDIA_TYPES),
  size: integer(1, MAXIMUM_FILE_BYTES, 'Bytes'),
  sha256: text(64, 'Of the content, in hexadecimal digits'),
  deleted_at: nullable(time()),
  available: flag('False once it was deleted, or erased with a customer'),
  author_name,
})
export type Attachment = Static<typeof AttachmentRecord>

export const AttachFile = closed(
  {
    name: Type.String({
      minLength: 1,
      maxLength: MAXIMUM_FILE_NAME,
      pattern: '^[^\\u0000-\\u001f/\\\\]*[^\\u0000-\\u001f/\\\\\\s]$',
      description: 'Of the file, without a folder',
      'x-form': 'must be the name of a file, without a folder',
    }),
    media_type: oneOf(MEDIA_TYPES),
    content: Type.String({
      minLength: 4,
      maxLength: MAXIMUM_BASE64,
      pattern: '^[A-Za-z0-9+/]+={0,2}$',
      description: 'The file in base64 (RFC 4648)',
      'x-form': 'must be the file in base64',
    }),
  },
  { title: 'NewAttachment' },
)
export type AttachFileBody = Static<typeof AttachFile>

export const NotesShape = closed(
  {
    ...named,
    comments: Type.Array(CommentRecord, { description: 'Oldest first' }),
    tags: Type.Array(TagRecord, { description: 'By the alphabet' }),
    attachments: Type.Array(AttachmentRecord, { description: 'Oldest first' }),
  },
  { title: 'Notes' },
)
export type Notes = Static<typeof NotesShape>

export const PersonShape = closed(
  { id: id<UserId>(), name: text(500, 'The e-mail address where there is no name') },
  { title: 'Colleague' },
)
