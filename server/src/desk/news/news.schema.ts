/** What is new in a list since a person has looked. */
import type { UserId, WorkspaceId } from '../../core/ids.ts'
import { closed, flag, id, integer, nullable, oneOf, time, Type } from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { NEWS_LISTS } from './lists.ts'

/** Of records that are told. */
export const MAXIMUM_NEWS = 1_000
export const MAXIMUM_SEQUENCE = Number.MAX_SAFE_INTEGER

const list = oneOf(NEWS_LISTS, 'What the list has: its records as events name them')
export const OfList = closed({ list })

export const NewsShape = closed(
  {
    list,
    seen_at: nullable(time('When the caller has seen the list; null: never')),
    after: integer(0, MAXIMUM_SEQUENCE, 'What has an event after this one is new'),
    up_to: integer(0, MAXIMUM_SEQUENCE, 'The last event that is told here'),
    count: integer(0, MAXIMUM_NEWS, `How many records are new, up to ${MAXIMUM_NEWS}`),
    complete: flag('False: there may be more'),
    record_ids: Type.Array(id(), { description: 'Those that are new, the newest first' }),
  },
  { title: 'News' },
)
export type News = Static<typeof NewsShape>

export const SeeNews = closed(
  {
    up_to: integer(0, MAXIMUM_SEQUENCE, 'As the news told it; a mark never moves back'),
  },
  { title: 'NewsSeen' },
)

export const MarkRow = closed({
  workspace: id<WorkspaceId>(),
  user_id: id<UserId>(),
  list,
  sequence: Type.Integer(),
  seen_at: time(),
})
