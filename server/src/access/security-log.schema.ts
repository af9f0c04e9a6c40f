import type { ApiKeyId, UserId, WorkspaceId } from '../core/ids.ts'
import { closed, id, MAXIMUM_EMAIL, nullable, oneOf, text, time, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'

export const SECURITY_KINDS = [
  'SIGNED_IN',
  'SIGN_IN_FAILED',
  'SESSION_ENDED',
  'REFRESH_REFUSED',
  'TOKEN_REFUSED',
  'PERMISSION_DENIED',
  'USER_CREATED',
  'USER_CHANGED',
  'ROLES_CHANGED',
  'PASSWORD_CHANGED',
  'API_KEY_CREATED',
  'API_KEY_CHANGED',
  'API_KEY_ROTATED',
  'API_KEY_REVOKED',
  'SETTINGS_CHANGED',
  'DECLARATION_CHANGED',
  'VENUE_SECRET_WRITTEN',
  'CONFIGURATION_APPLIED',
  'SIGNING_KEY_ROTATED',
  'WRAPPING_KEY_REPLACED',
  'HEAD_KEY_REPLACED',
  'WEBHOOK_CHANGED',
] as const

export const MAXIMUM_ADDRESS = 100
export const MAXIMUM_AGENT = 200

export const SecurityEntry = closed(
  {
    id: id(),
    workspace: id<WorkspaceId>(),
    kind: oneOf(SECURITY_KINDS),
    occurred_at: time('The first time; Unix milliseconds, UTC'),
    user_id: nullable(id<UserId | ApiKeyId>('Whose account it is about: of a user or an API key')),
    email: nullable(text(MAXIMUM_EMAIL, 'Of the user; where the user changed, as it was then')),
    actor: nullable(text(100, 'Who did it: a user, an API key, or a part of the service')),
    session_id: nullable(id()),
    address: nullable(text(MAXIMUM_ADDRESS, 'The network address it came from')),
    agent: nullable(text(MAXIMUM_AGENT, 'What the program called itself')),
    count: Type.Integer({ minimum: 1, description: 'How often, within about a minute' }),
    details: Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'The reason, what was asked for, or what was changed: by kind',
      },
    ),
  },
  { title: 'SecurityEntry' },
)
export type SecurityEntry = Static<typeof SecurityEntry>
