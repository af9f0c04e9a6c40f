/** Whom a comment concerns beside its author: the mentioned, and who had to do with the record. */
import type { CommentId, UserId, WorkspaceId } from '../../core/ids.ts'
import type { Event } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Searchable } from '../../store/desk-feed.ts'
import type { NotificationKind } from './kinds.ts'

/** Some of them may be no users, or none that is active. */
export async function concerned(
  reader: Reader,
  workspace: WorkspaceId,
  { table }: Pick<Searchable, 'table'>,
  { resource_id, data }: Pick<Event, 'resource_id' | 'data'>,
): Promise<Map<UserId, NotificationKind>> {
  const { comment_id, mentions } = data as { comment_id: CommentId; mentions: UserId[] }
  const [authors, requesters] = await Promise.all([
    reader.query<{ by: UserId }>(sql`
      select distinct system_created_by as by
      from comments
      where workspace = ${workspace}
        and record_id = ${resource_id}
        and id < ${comment_id}
        and deleted_at is null`),
    // Bookings and quotes call it otherwise than the rest.
    reader.query<{ by: UserId | null }>(sql`
      select coalesce(row ->> 'system_created_by', row ->> 'booked_by') as by
      from (
        select to_jsonb(t) as row
        from ${raw(table)} t
        where workspace = ${workspace}
          and id = ${resource_id}
      ) as record`),
  ])
  const others = [...authors, ...requesters].flatMap(({ by }) => by ?? [])
  return new Map<UserId, NotificationKind>([
    ...others.map((by) => [by, 'comment'] as const),
    ...mentions.map((by) => [by, 'mention'] as const),
  ])
}
