import type { UserId, WebhookId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import {
  closed,
  currentVersion,
  flag,
  id,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  requiredText,
  text,
  time,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { EVENT_TYPES } from '../ledger/index.ts'

export const WEBHOOK_STATES = ['ACTIVE', 'PAUSED', 'DELETED'] as const
type WebhookState = (typeof WEBHOOK_STATES)[number]

export const WEBHOOK_MOVES: Moves<WebhookState> = {
  ACTIVE: ['PAUSED', 'DELETED'],
  PAUSED: ['ACTIVE', 'DELETED'],
  DELETED: [],
}

/**
 * FAILING: the receiver has taken nothing for three days. GONE: it answered 410. OWNER: the owner
 * may no longer read events. SECRET: the secret cannot be opened with the key that is there.
 */
export const PAUSE_CAUSES = ['BY_HAND', 'FAILING', 'GONE', 'OWNER', 'SECRET'] as const
export type PauseCause = (typeof PAUSE_CAUSES)[number]

const MAXIMUM_LABEL = 200
export const MAXIMUM_URL = 1_000
const MAXIMUM_OVERLAP_HOURS = 168

const label = requiredText(MAXIMUM_LABEL, 'What people call it')
/** A name or an address, a port, a path; without a user and without a fragment. */
const URL_PATTERN =
  '^https?://(([A-Za-z0-9]+(-[A-Za-z0-9]+)*\\.)*[A-Za-z][A-Za-z0-9]*(-[A-Za-z0-9]+)*' +
  '|[0-9]{1,3}(\\.[0-9]{1,3}){3}|\\[[0-9A-Fa-f:.]+\\])(:[0-9]{1,5})?([/?][^#\\s]*)?$'

const url = Type.String({
  minLength: 1,
  maxLength: MAXIMUM_URL,
  pattern: '^https?://\\S+$',
  'x-form': 'must be an address that begins with https://',
  'x-means': { type: 'string', format: 'uri', maxLength: MAXIMUM_URL, pattern: URL_PATTERN },
  description: 'Where events go, by POST. HTTPS, unless the operator allows plain HTTP',
})
const types = Type.Array(oneOf(EVENT_TYPES), {
  maxItems: EVENT_TYPES.length,
  uniqueItems: true,
  description: 'Events of these types; of every type that its owner may read when empty',
})
const ordered = flag(
  'Events of one record are delivered one after the other: a later one waits for an earlier one',
)

export const WebhookRecord = record('Webhook', {
  id: id<WebhookId>(),
  label,
  url: text(MAXIMUM_URL),
  types,
  ordered,
  state: oneOf(WEBHOOK_STATES),
  owner_id: id<UserId>('Who made or last changed it: it gets what this user may read'),
  pause_cause: nullable(oneOf(PAUSE_CAUSES)),
  pause_reason: nullable(text(500)),
  paused_at: nullable(time()),
})
export type Webhook = Static<typeof WebhookRecord>

export const CreateWebhook = closed(
  {
    label,
    url,
    types: optional(types),
    ordered: optional(ordered),
    after: optional(
      integer(
        0,
        Number.MAX_SAFE_INTEGER,
        'Begins after the event of this sequence; with what happens from now on when absent',
      ),
    ),
  },
  { title: 'CreateWebhook' },
)
export type CreateWebhookBody = Static<typeof CreateWebhook>

export const ChangeWebhook = closed(
  {
    id: id<WebhookId>(),
    label,
    url,
    types,
    ordered,
    version: optional(currentVersion()),
  },
  { title: 'ChangeWebhook' },
)
export type ChangeWebhookBody = Static<typeof ChangeWebhook>

export const PauseWebhook = closed(
  { reason: optional(requiredText(500)) },
  { title: 'PauseWebhook' },
)

export const ResumeWebhook = closed(
  {
    skip: optional(
      flag('What waits and what has happened meanwhile is not delivered. It is when absent'),
    ),
  },
  { title: 'ResumeWebhook' },
)

export const RotateSecret = closed(
  {
    overlap_hours: optional(
      integer(0, MAXIMUM_OVERLAP_HOURS, 'For how long the former secret signs too; 24 when absent'),
    ),
  },
  { title: 'RotateWebhookSecret' },
)

/** Newest first. */
export const WebhookSecrets = Type.Array(
  closed(
    {
      secret: text(200, 'whsec_ and base64, as libraries of Standard Webhooks take it'),
      until: nullable(time('When it stops to sign; null of the present one')),
    },
    { title: 'WebhookSecret' },
  ),
)
export type WebhookSecrets = Static<typeof WebhookSecrets>
