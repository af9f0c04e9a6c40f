/** Comments are never edited. Their author may delete them, and they are then shown as deleted. */
import { colleaguesAmong, userNames } from '../../access/index.ts'
import { mustExist } from '../../core/assert.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { CommentId, UserId, WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import { lockLane, publishEvents } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import { authorName } from './authors.ts'
import type { NotesParts } from './authors.ts'
import { CommentRecord } from './notes.schema.ts'
import type { Comment, Noted, WriteCommentBody } from './notes.schema.ts'
import { assertSeesKind, assertSeesRecord } from './records.ts'

/** Of one record. */
export const MAXIMUM_COMMENTS = 500

const COMMENTS = tableOf('comments', CommentRecord, { computed: ['author_name'] })
const COMPUTED = { author_name: sql`null::text` }
const COLUMNS = columnsOf(CommentRecord, { computed: COMPUTED })

/** Throws 1003, 4004, ABOVE_MAXIMUM, and NOT_FOUND for who is mentioned and does not exist. */
export async function writeComment(
  principal: Principal,
  { tx, clock, places }: NotesParts & { tx: Tx },
  { kind, record_id, text, mentions = [] }: Noted & WriteCommentBody,
): Promise<Comment> {
  const { workspace, user_id } = principal
  await lockLane(tx, workspace)
  await assertSeesRecord(tx, places, principal, { kind, record_id })
  await assertMentioned(tx, workspace, mentions)
  const [known] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count
    from comments
    where workspace = ${workspace}
      and record_id = ${record_id}`)
  if ((known?.count ?? 0) >= MAXIMUM_COMMENTS)
    throw refuse('ABOVE_MAXIMUM', 'text', `a record has at most ${MAXIMUM_COMMENTS} comments`)
  const id = newId<CommentId>(clock.now())
  const row = { workspace, id, kind, record_id, text, mentions, deleted_at: null }
  await tx.query(insertRow(COMMENTS, row, { by: user_id, now: clock.now() }))
  await publishEvents({ workspace, by: user_id }, { tx, clock }, [
    {
      type: 'comment.written',
      resource_id: record_id,
      data: { kind, comment_id: id, mentions, by: user_id },
    },
  ])
  return commentById(tx, workspace, id)
}

async function assertMentioned(
  reader: Reader,
  workspace: WorkspaceId,
  mentions: readonly UserId[],
): Promise<void> {
  const known = new Set(await colleaguesAmong(reader, workspace, mentions))
  for (const [index, id] of mentions.entries())
    if (!known.has(id)) throw notFound('user', id, `mentions[${index}]`)
}

/** Throws 1003, 4004, and CONFLICT for a comment of somebody else or one that is deleted. */
export async function deleteComment(
  principal: Principal,
  { tx, clock, places }: NotesParts & { tx: Tx },
  id: CommentId,
): Promise<Comment> {
  const { workspace, user_id } = principal
  await lockLane(tx, workspace)
  const comment = await commentById(tx, workspace, id)
  const { kind, record_id } = comment
  assertSeesKind(places, principal, kind)
  if (comment.system_created_by !== user_id)
    throw refuse('CONFLICT', 'comment_id', 'the comment is of somebody else')
  if (comment.deleted_at !== null)
    throw refuse('CONFLICT', 'comment_id', 'the comment is deleted already')
  const set = { text: null, deleted_at: clock.now() }
  await tx.query(
    updateRow(COMMENTS, { where: { workspace, id }, set, by: user_id, now: clock.now() }),
  )
  await publishEvents({ workspace, by: user_id }, { tx, clock }, [
    {
      type: 'comment.deleted',
      resource_id: record_id,
      data: { kind, comment_id: id, by: user_id },
    },
  ])
  return commentById(tx, workspace, id)
}

/** Oldest first. */
export async function commentsOf(
  reader: Reader,
  workspace: WorkspaceId,
  { kind, record_id }: Noted,
): Promise<Comment[]> {
  const comments = await reader.query<Comment>(sql`
    select ${COLUMNS}
    from comments
    where workspace = ${workspace}
      and record_id = ${record_id}
      and kind = ${kind}
    order by id`)
  const names = await userNames(
    reader,
    workspace,
    comments.map(({ system_created_by }) => system_created_by ?? ''),
  )
  return comments.map((comment) => ({ ...comment, author_name: authorName(comment, names) }))
}

async function commentById(
  reader: Reader,
  workspace: WorkspaceId,
  id: CommentId,
): Promise<Comment> {
  const rows = await reader.query<Comment>(sql`
    select ${COLUMNS}
    from comments
    where workspace = ${workspace}
      and id = ${id}`)
  const comment = only(rows)
  if (comment === undefined) throw notFound('comment', id, 'comment_id')
  const names = await userNames(reader, workspace, [mustExist(comment.system_created_by, id)])
  return { ...comment, author_name: authorName(comment, names) }
}
