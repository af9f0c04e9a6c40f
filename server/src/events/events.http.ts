import { refuse } from '../core/errors.ts'
import {
  closed,
  listEndpoint,
  queryFlag,
  queryId,
  queryInteger,
  queryOneOf,
  streamEndpoint,
} from '../http/index.ts'
import type { Endpoint, ListQuery, Principal } from '../http/index.ts'
import { EVENT_TYPES, EventRecord, eventsAfter } from '../ledger/index.ts'
import type { EventFilter, EventType } from '../ledger/index.ts'
import { columnIn, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { followEvents } from './follow.ts'
import type { FollowApp } from './follow.ts'
import { MAIL_COLUMNS } from './mails-table.ts'
import { MailRecord, MAIL_STATES } from './mails.schema.ts'
import { readableMails, readableTypes } from './readers.ts'

const filters = {
  after: queryInteger(0, Number.MAX_SAFE_INTEGER),
  type: queryOneOf(EVENT_TYPES),
  resource_id: queryId(),
}
const tag = 'Events'

export function eventsEndpoints(app: FollowApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listEvents',
      ordered_by: 'sequence',
      path: '/events',
      origin: {
        ours: 'other programs learn what has happened, each event once and in commit order',
      },
      tag,
      summary: 'List events',
      permission: 'events.read',
      data: EventRecord,
      description:
        'Everything after the sequence `after` (0 when absent), each event once and in commit ' +
        'order: ask again after the last one you have. `newest_first` reverses the order, for ' +
        'people who look at it. A booking is its own event, `booking.created`. Events of records ' +
        'that the caller may not read are left out.',
      query: closed({ ...filters, newest_first: queryFlag() }),
      list: ({ principal, query }) =>
        eventsAfter(app.db, principal.workspace, {
          ...filterOf(principal, query),
          newest_first: query.newest_first === true,
        }),
    }),
    streamEndpoint({
      operation_id: 'streamEvents',
      path: '/events/stream',
      origin: { ours: 'the events, live' },
      tag,
      summary: 'What happens, live',
      permission: 'events.read',
      data: EventRecord,
      description:
        'Server-sent events: `id` is the sequence, `event` the type, `data` the event as JSON. ' +
        'Begins after `Last-Event-ID`, else after `after`, else with what happens from now on. ' +
        'Ends with the session, or when the caller loses a permission: come back with a new ' +
        'token and Last-Event-ID. Events of records that the caller may not read are left out.',
      query: closed(filters),
      stream: ({ principal, query, headers }, leaving) =>
        followEvents(
          app,
          principal.workspace,
          { ...filterOf(principal, query), ...lastSeen(headers['last-event-id']) },
          leaving,
        ),
    }),
    MAILS,
  ]
}

const MAILS = listEndpoint({
  operation_id: 'listMails',
  personal: true,
  path: '/mails',
  origin: { ours: 'support sees the mails to customers, and whether they were sent' },
  tag,
  summary: 'Mails to customers',
  permission: 'customers.read',
  data: MailRecord,
  description:
    'Mails to the notification_recipients of customers, and whether each has been ' +
    'handed to the mail server. Mails about what the caller may not read are left out.',
  query: closed({ state: queryOneOf(MAIL_STATES), customer_id: queryId() }),
  list: ({ principal, query }) => ({
    ...mailsAbout(readableMails(principal.permissions)),
    conditions: [
      sql`workspace = ${principal.workspace}`,
      ...(query.state === undefined ? [] : [columnIn('state', query.state)]),
      ...(query.customer_id === undefined ? [] : [sql`customer_id = ${query.customer_id}`]),
    ],
    key: { column: 'id', type: 'uuid' },
  }),
})

/** One part for each type, in the order of its index. */
function mailsAbout(
  types: readonly EventType[] | undefined,
): Pick<ListQuery<never>, 'select' | 'merged'> {
  const mailsWhere = (condition: Query) => sql`
    select *
    from (
      select ${MAIL_COLUMNS}
      from mails
      where ${condition}
    ) as mails`
  if (types === undefined) return { select: mailsWhere(sql`true`) }
  const [select = mailsWhere(sql`false`), ...merged] = types.map((type) =>
    mailsWhere(sql`event_type = ${type}`),
  )
  return { select, merged }
}

/** Refuses 1003 for a type that the caller may not read. */
function filterOf(
  { permissions }: Pick<Principal, 'permissions'>,
  query: {
    after?: number | undefined
    type?: EventFilter['type'] | undefined
    resource_id?: string | undefined
  },
): EventFilter {
  const type = readableTypes(permissions, query.type)
  return {
    ...(query.after === undefined ? {} : { after: query.after }),
    ...(type === undefined ? {} : { type }),
    ...(query.resource_id === undefined ? {} : { resource_id: query.resource_id }),
  }
}

/** A browser sends it by itself when it comes back. */
function lastSeen(header: string | string[] | undefined): { after?: number } {
  if (header === undefined || header === '') return {}
  if (!/^[0-9]{1,15}$/.test(String(header)))
    throw refuse('FORMAT', 'Last-Event-ID', 'Last-Event-ID is not the sequence of an event')
  return { after: Number(header) }
}
