import {
  closed,
  endpoint,
  id,
  queryInteger,
  queryTime,
  requiredQueryText,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { DeskFeed } from '../../store/desk-feed.ts'
import { allDeskFeeds } from './desk-feed.ts'
import { overviewOf } from './overview.ts'
import type { OverviewApp } from './overview.ts'
import { OverviewShape } from './overview.schema.ts'
import { search } from './search.ts'
import { HitShape, MAXIMUM_HITS, MINIMUM_SEARCH } from './search.schema.ts'
import { timelineOf } from './timeline.ts'
import { TIMELINE_KINDS, TimelineShape } from './timeline.schema.ts'

const USUAL_HITS = 20
const tag = 'Overview'

export function overviewEndpoints(app: OverviewApp, beside: readonly DeskFeed[]): Endpoint[] {
  const { searchables, needs, timelines } = allDeskFeeds(beside)
  const permissionOf = new Map(
    [...timelines, ...searchables].map(({ kind, permission }) => [kind, permission]),
  )
  return [
    endpoint({
      method: 'GET',
      operation_id: 'getOverview',
      path: '/overview',
      origin: { ours: 'one page shows totals, what needs attention and what has moved today' },
      tag,
      summary: 'Overview',
      permission: 'authenticated',
      effect: 'read',
      read_cost: 1_000,
      description:
        'Per asset the holdings and their owners, what needs attention, and what has moved ' +
        'since `from` (within the last seven days; by default since midnight UTC). Each part ' +
        'needs the permission to see its records.',
      query: closed({ from: queryTime() }),
      data: OverviewShape,
      handle: ({ principal, query }) => overviewOf(app, needs, principal, query.from),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'search',
      personal: true,
      path: '/search',
      origin: { ours: 'finds a record by any of its identifiers' },
      tag,
      summary: 'Find records by any of their identifiers',
      permission: 'authenticated',
      effect: 'read',
      read_cost: 1_000,
      description:
        'By id or its first eight digits, client_ref, address, transaction hash, reference ' +
        "(any run of its words), IBAN, a venue's id, amount, name, label or e-mail; from two " +
        'characters on. Best first: ids, then whole fields, then beginnings of fields. Only ' +
        'kinds that the caller may see.',
      query: closed({ q: requiredQueryText(MINIMUM_SEARCH), limit: queryInteger(1, MAXIMUM_HITS) }),
      data: Type.Array(HitShape),
      handle: ({ principal, query }) =>
        search(app.db, principal, searchables, {
          q: query.q,
          limit: query.limit ?? USUAL_HITS,
        }),
    }),
    timelineEndpoint(app, { timelines, permissionOf }),
  ]
}

const timelineEndpoint = (app: OverviewApp, sources: Parameters<typeof timelineOf>[1]): Endpoint =>
  endpoint({
    method: 'GET',
    operation_id: 'getTimeline',
    errors: ['PermissionDenied'],
    path: '/timeline/:kind/:id',
    origin: { ours: 'explains the history of a record, with reasons and bookings' },
    tag,
    summary: 'The timeline of a record',
    permission: 'authenticated',
    effect: 'read',
    read_cost: 1_000,
    description:
      'What happened to it and to the records that have a part in it, oldest first, each ' +
      'step with its reason and its bookings: a deposit seen and final, the matching that ' +
      'fired and why, assignments and rectifications, the transfer by a job, the settlement. ' +
      'Needs the permission to see the record (else 1003). Of a customer: what was lately ' +
      'done with its account.',
    params: closed({ kind: oneOf(TIMELINE_KINDS), id: id() }),
    data: TimelineShape,
    handle: ({ principal, params }) => timelineOf(app.db, sources, principal, params),
  })
