/** What a person is told, and how each wants it. */
import { MAIL_LANGUAGES, timeZoneText } from '../../access/index.ts'
import type {
  CommentId,
  NotificationId,
  NotificationMailId,
  UserId,
  WorkspaceId,
} from '../../core/ids.ts'
import type { Moves } from '../../core/moves.ts'
import {
  closed,
  flag,
  id,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { EVENT_TYPES } from '../../ledger/index.ts'
import { NOTIFICATION_KINDS, TOLD_RECORDS, WAYS } from './kinds.ts'
import type { NotificationKind, Way } from './kinds.ts'

export const MAXIMUM_COUNTED = 1_000
const MAXIMUM_NAMED = 100

export const NotificationRecord = record('Notification', {
  id: id<NotificationId>(),
  kind: oneOf(NOTIFICATION_KINDS),
  record_kind: oneOf(TOLD_RECORDS, 'As search names it'),
  record_id: id('Of the record; of the last one, where `count` is more than one'),
  record_title: nullable(text(500, 'As search shows it; null where search does not know it')),
  event_type: oneOf(EVENT_TYPES),
  event_sequence: integer(1, Number.MAX_SAFE_INTEGER, 'Of the event, or of the last one'),
  count: integer(1, 2_147_483_647, 'What waits for a person is counted until it is read'),
  waiting: nullable(
    integer(
      0,
      2_147_483_647,
      'How much still waits, as the overview counts it; of one, 1 or 0. Null once it is read, ' +
        'and for what waits for nobody',
    ),
  ),
  comment_id: nullable(id<CommentId>()),
  author_id: nullable(id<UserId>('Who wrote the comment')),
  author_name: nullable(text(500)),
  read_at: nullable(time()),
})
export type Notification = Static<typeof NotificationRecord>

/** `to_mail`: it waits to be mailed. `mail_id`: the mail in which it stands. */
export const INSIDE = {
  user_id: id<UserId>(),
  to_mail: flag(),
  mail_id: nullable(id<NotificationMailId>()),
}

export const UnreadShape = closed(
  {
    unread: integer(0, MAXIMUM_COUNTED, `Up to ${MAXIMUM_COUNTED}`),
    complete: flag('False: there may be more'),
  },
  { title: 'UnreadNotifications' },
)

export const ReadNotifications = closed(
  {
    ids: optional(
      Type.Array(id<NotificationId>(), {
        minItems: 1,
        maxItems: MAXIMUM_NAMED,
        uniqueItems: true,
        description: 'All that are not read, when absent',
      }),
    ),
  },
  { title: 'NotificationsRead' },
)

const wish = closed({ kind: oneOf(NOTIFICATION_KINDS), way: oneOf(WAYS) })
const language = nullable(oneOf(MAIL_LANGUAGES, 'Of mails; null: as the workspace has it'))
const time_zone = nullable(timeZoneText('Of mails; null: as the workspace has it'))

export const PreferencesShape = closed(
  {
    kinds: Type.Array(wish, { description: 'All that this user can be told' }),
    language,
    time_zone,
  },
  { title: 'NotificationPreferences' },
)
export type Preferences = Static<typeof PreferencesShape>

export const PutPreferences = closed(
  {
    kinds: optional(
      Type.Array(wish, {
        maxItems: NOTIFICATION_KINDS.length,
        description: 'One that is left out stays as it is',
      }),
    ),
    language: optional(oneOf(MAIL_LANGUAGES, 'Of mails; as the workspace has it, when absent')),
    time_zone: optional(timeZoneText('Of mails; as the workspace has it, when absent')),
  },
  { title: 'NewNotificationPreferences' },
)
export type PutPreferencesBody = Static<typeof PutPreferences>

/** Kind → way, as it is stored. */
export const PreferencesRow = closed({
  workspace: id<WorkspaceId>(),
  user_id: id<UserId>(),
  ways: Type.Unsafe<Partial<Record<NotificationKind, Way>>>({ type: 'object' }),
  language,
  time_zone,
})

/** How far the events of a workspace have been read. */
export const CursorRow = closed({ workspace: id<WorkspaceId>(), sequence: Type.Integer() })

const NOTIFICATION_MAIL_STATES = ['PENDING', 'SENT', 'FAILED', 'CANCELED'] as const
type MailState = (typeof NOTIFICATION_MAIL_STATES)[number]

/** CANCELED: there was nothing left to tell, or nobody to be told. */
export const NOTIFICATION_MAIL_MOVES: Moves<MailState> = {
  PENDING: ['SENT', 'FAILED', 'CANCELED'],
  SENT: [],
  FAILED: [],
  CANCELED: [],
}

/** Its words are made when it is handed over, and stored nowhere. */
export const NotificationMail = record('NotificationMail', {
  id: id<NotificationMailId>(),
  user_id: id<UserId>(),
  state: oneOf(NOTIFICATION_MAIL_STATES),
  attempts: integer(0, 1_000_000),
  reason: nullable(text(500)),
  sent_at: nullable(time()),
})
