/**
 * What is new in a list since a person has looked. Kept is one number for each person and list: the
 * last event that they have seen. The records come from the events after it, which an index has by
 * type and sequence, and of each type at most so many are read: the cost grows neither with history
 * nor with how long somebody was away.
 */
import { permissionRequired } from '../../core/errors.ts'
import type { Clock } from '../../core/clock.ts'
import type { UserId, WorkspaceId } from '../../core/ids.ts'
import type { Principal, Static } from '../../http/index.ts'
import { lastEventSequences } from '../../ledger/index.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { AS_ORDERED, NEWS_PLACES } from './lists.ts'
import type { NewsList, NewsPlace } from './lists.ts'
import { MarkRow, MAXIMUM_NEWS } from './news.schema.ts'
import type { News } from './news.schema.ts'

type Mark = Static<typeof MarkRow>
const MARKS = tableOf('news_marks', MarkRow)

type Whose = Pick<Principal, 'workspace' | 'user_id' | 'permissions'>
type Since = { workspace: WorkspaceId; user_id: UserId; after: number }

/** Whoever has never looked has no news yet. Throws 1003. */
export async function newsOf(reader: Reader, whose: Whose, list: NewsList): Promise<News> {
  const { workspace, user_id } = whose
  const place = placeFor(whose, list)
  const up_to = await headOf(reader, workspace)
  const [mark] = await reader.query<Mark>(sql`
    select ${columnsOf(MarkRow)}
    from news_marks
    where workspace = ${workspace}
      and user_id = ${user_id}
      and list = ${list}`)
  const after = mark?.sequence ?? up_to
  const changed =
    after < up_to
      ? await readChanged(reader, place, { workspace, user_id, after })
      : { record_ids: [], complete: true }
  const { record_ids, complete } = changed
  const seen_at = mark?.seen_at ?? null
  return { list, seen_at, after, up_to, count: record_ids.length, complete, record_ids }
}

/** The mark moves forward only, and not beyond what has happened. Throws 1003. */
export async function seeNews(
  tx: Tx,
  clock: Clock,
  whose: Whose,
  { list, up_to }: { list: NewsList; up_to: number },
): Promise<News> {
  placeFor(whose, list)
  const { workspace, user_id } = whose
  const sequence = Math.min(up_to, await headOf(tx, workspace))
  const mark = { workspace, user_id, list, sequence, seen_at: clock.now() }
  await tx.query(sql`
    ${insertRow(MARKS, mark, { by: null, now: 0 })}
    on conflict (workspace, user_id, list) do update
    set sequence = greatest(news_marks.sequence, excluded.sequence),
      seen_at = greatest(news_marks.seen_at, excluded.seen_at)`)
  return newsOf(tx, whose, list)
}

function placeFor({ permissions }: Whose, list: NewsList): NewsPlace {
  const place = NEWS_PLACES[list]
  if (!permissions.has(place.permission)) throw permissionRequired(place.permission)
  return place
}

async function headOf(reader: Reader, workspace: WorkspaceId): Promise<number> {
  return (await lastEventSequences(reader, [workspace])).get(workspace) ?? 0
}

async function readChanged(
  reader: Reader,
  place: NewsPlace,
  since: Since,
): Promise<{ record_ids: string[]; complete: boolean }> {
  const rows = await reader.query<{ id: string; cut: boolean }>(
    changedRecords(place, since, MAXIMUM_NEWS + 1),
  )
  return {
    record_ids: rows.slice(0, MAXIMUM_NEWS).map(({ id }) => id),
    complete: rows.length <= MAXIMUM_NEWS && rows.every(({ cut }) => !cut),
  }
}

/** The condition of a list of only what others have made or changed. */
export const isNews = (column: string, place: NewsPlace, since: Since): Query => sql`
  ${raw(column)} = any(array(
    select id
    from (${changedRecords(place, since, MAXIMUM_NEWS)}) as changed
  ))`

/**
 * `cut`: of some type not all events were read. What a person does is no news to themselves, nor
 * that it has gone as they ordered. The order is that of the index by type: by sequence alone, a
 * rare type would be sought in all events.
 */
const changedRecords = (
  { types, record }: NewsPlace,
  { workspace, user_id, after }: Since,
  limit: number,
): Query => sql`
  select id, bool_or(read > ${MAXIMUM_NEWS}) as cut
  from (
    select e.*, count(*) over (partition by t.type) as read
    from unnest(${types}::text[]) as t (type)
      cross join lateral (
        select ${raw(record)} as id,
          told_by is not distinct from ${user_id} as own,
          type = any(${AS_ORDERED}::text[]) as ordered,
          sequence
        from events
        where workspace = ${workspace}
          and (type, sequence) > (t.type, ${after})
          and type <= t.type
        order by type desc, sequence desc
        limit ${MAXIMUM_NEWS + 1}
      ) as e
  ) as told
  where id is not null
  group by id
  having bool_or(not own and not ordered)
    or bool_or(not own) and not bool_or(own)
  order by max(sequence) desc
  limit ${limit}`
