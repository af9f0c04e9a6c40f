import type { Clock } from '../../core/clock.ts'
import { endpoint, closed, listEndpoint, queryFlag } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { Db } from '../../store/db.ts'
import type { DeskFeed } from '../../store/desk-feed.ts'
import { notedPlaces } from '../notes/records.ts'
import {
  NotificationRecord,
  PreferencesShape,
  PutPreferences,
  ReadNotifications,
  UnreadShape,
} from './notifications.schema.ts'
import { countUnread, listOfNotifications, markRead } from './notifications.ts'
import { preferencesOf, putPreferences } from './preferences.ts'

const common = {
  tag: 'Notifications',
  permission: 'authenticated',
  origin: { ours: 'whoever has to do something is told, and need not look for it' },
} as const

/** `beside`: what search finds of modules on the desk's own floor. */
export function notificationsEndpoints(
  { db, clock }: { db: Db; clock: Clock },
  beside: readonly DeskFeed[],
): Endpoint[] {
  const places = notedPlaces(beside)
  return [
    listEndpoint({
      ...common,
      operation_id: 'listNotifications',
      path: '/notifications',
      summary: "The caller's own notifications",
      description:
        'Only of records that the caller may see now. `unread=true`: only those that are not ' +
        'read. They are kept for 90 days.',
      query: closed({ unread: queryFlag() }),
      data: NotificationRecord,
      list: ({ principal, query: { unread } }) =>
        listOfNotifications({ db, clock }, { places, beside }, principal, unread),
    }),
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'countUnreadNotifications',
      path: '/notifications/unread',
      summary: 'How many are not read',
      effect: 'read',
      data: UnreadShape,
      handle: ({ principal }) => countUnread(db, places, principal),
    }),
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'readNotifications',
      unrecorded: 'it is what the caller has seen, and nothing else',
      path: '/notifications/read',
      summary: 'Mark notifications as read',
      description:
        "Answers how many are left. An id that is none of the caller's is refused: NOT_FOUND.",
      effect: 'transaction',
      body: ReadNotifications,
      example: { ids: ['01a1fc75-ea2a-7589-aa8f-000000000001'] },
      data: UnreadShape,
      async handle({ principal, body }, tx) {
        await markRead(tx, clock, principal, body.ids)
        return countUnread(tx, places, principal)
      },
    }),
    ...preferencesEndpoints(db),
  ]
}

const preferencesEndpoints = (db: Db): Endpoint[] => [
  endpoint({
    ...common,
    method: 'GET',
    operation_id: 'getNotificationPreferences',
    path: '/notifications/preferences',
    summary: 'How the caller is told',
    description:
      'MENU: in the menu of the console. MAIL: there, and by mail. OFF: not at all. Of what ' +
      'waits for a person, those are told who may do something about it.',
    effect: 'read',
    data: PreferencesShape,
    handle: ({ principal }) => preferencesOf(db, principal),
  }),
  endpoint({
    ...common,
    method: 'PUT',
    operation_id: 'putNotificationPreferences',
    path: '/notifications/preferences',
    summary: 'Choose how the caller is told',
    description: 'It counts for what happens from now on.',
    effect: 'transaction',
    body: PutPreferences,
    example: {
      kinds: [{ kind: 'outcome_unknown', way: 'MAIL' }],
      language: 'de',
      time_zone: 'Europe/Berlin',
    },
    data: PreferencesShape,
    handle: ({ principal, body }, tx) => putPreferences(tx, principal, body),
  }),
]
