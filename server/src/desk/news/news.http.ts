import type { Clock } from '../../core/clock.ts'
import { closed, endpoint, queryInteger } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { Db } from '../../store/db.ts'
import { NEWS_PLACES } from './lists.ts'
import type { NewsPlace } from './lists.ts'
import { MAXIMUM_SEQUENCE, NewsShape, OfList, SeeNews } from './news.schema.ts'
import { isNews, newsOf, seeNews } from './news.ts'

const common = {
  tag: 'News',
  path: '/news/:list',
  permission: 'authenticated',
  errors: ['PermissionDenied'],
  origin: { ours: 'whoever comes back sees what others have done meanwhile' },
  params: OfList,
  data: NewsShape,
} as const

export const newsEndpoints = ({ db, clock }: { db: Db; clock: Clock }): Endpoint[] => [
  endpoint({
    ...common,
    method: 'GET',
    operation_id: 'getNews',
    summary: 'What is new in a list since the caller has looked',
    description:
      'Records that others have made or changed after the last event that the caller has seen, ' +
      'beside those that only went as the caller had ordered; nothing for who has never looked. ' +
      'Needs the permission of the list (else 1003). The list itself takes `news_after`.',
    effect: 'read',
    handle: ({ principal, params }) => newsOf(db, principal, params.list),
  }),
  endpoint({
    ...common,
    method: 'PUT',
    operation_id: 'seeNews',
    unrecorded: 'it is what the caller has seen, and nothing else',
    summary: 'Say that a list was seen',
    description:
      'Up to this event; what comes later is new. A mark never moves back. Needs the permission ' +
      'of the list (else 1003).',
    effect: 'transaction',
    body: SeeNews,
    example: { up_to: 48213 },
    handle: ({ principal, params, body }, tx) =>
      seeNews(tx, clock, principal, { ...params, ...body }),
  }),
]

const PLACES = new Map(Object.values(NEWS_PLACES).map((place) => [place.path, place]))

/** Each list that has news takes `news_after`: only what others made or changed after an event. */
export const withNewsFilter = (endpoints: readonly Endpoint[]): Endpoint[] =>
  endpoints.map((one) => {
    const place = PLACES.get(one.path)
    return place === undefined || one.effect !== 'list' ? one : filtered(one, place)
  })

type ListEndpoint = Extract<Endpoint, { effect: 'list' }>

function filtered(endpoint: ListEndpoint, place: NewsPlace): Endpoint {
  const { list, query } = endpoint
  return {
    ...endpoint,
    query: closed({ ...query?.properties, news_after: queryInteger(0, MAXIMUM_SEQUENCE) }),
    async list(call) {
      const listed = await list(call)
      const { workspace, user_id } = call.principal
      const { news_after: after } = call.query as { news_after?: number }
      if (after === undefined) return listed
      const only = isNews(listed.key.column, place, { workspace, user_id, after })
      return { ...listed, conditions: [...listed.conditions, only] }
    },
  }
}
