import type { ApiKeyId, UserId, WorkspaceId } from '../core/ids.ts'
import { closed, id, MAXIMUM_EMAIL, nullable, oneOf, text, time, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { MAXIMUM_ADDRESS, MAXIMUM_AGENT } from '../store/calls.ts'

/** Of calls: what they did, that they were refused or failed, and what they read of people. */
const CALL_KINDS = ['CALLED', 'CALL_REFUSED', 'CALL_FAILED', 'READ'] as const

/** Of who got in, who was refused, and who changed users, roles, keys and configuration. */
export const SECURITY_KINDS = [
  'SIGNED_IN',
  'SIGN_IN_FAILED',
  'SESSION_ENDED',
  'REFRESH_REFUSED',
  'TOKEN_REFUSED',
  'PERMISSION_DENIED',
  'USER_CREATED',
  'USER_INVITED',
  'USER_CHANGED',
  'ROLES_CHANGED',
  'PASSWORD_CHANGED',
  'FACTOR_ADDED',
  'FACTOR_REMOVED',
  'RECOVERY_CODES_MADE',
  'RECOVERY_CODE_USED',
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
  'SIGN_IN_PROVIDER_CHANGED',
  'IDENTITY_LINKED',
  'IDENTITY_UNLINKED',
] as const

export const REFUSED_KINDS = [
  'SIGN_IN_FAILED',
  'REFRESH_REFUSED',
  'TOKEN_REFUSED',
  'PERMISSION_DENIED',
  'CALL_REFUSED',
] as const

const AUDIT_KINDS = [...SECURITY_KINDS, ...CALL_KINDS] as const

const fieldsOf = <Kinds extends readonly string[]>(kinds: Kinds) => ({
  id: id(),
  workspace: id<WorkspaceId>(),
  kind: oneOf(kinds),
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
})

const OF_CALLS = {
  operation: nullable(text(100, 'Of the API; null for what was no call')),
  request_id: nullable(
    id('Of the call, as its answer names it; several entries may have the same'),
  ),
  record_id: nullable(id('The record that it is about')),
}

export const SecurityEntry = closed(fieldsOf(SECURITY_KINDS), { title: 'SecurityEntry' })
export type SecurityEntry = Static<typeof SecurityEntry>

/** An entry as it is stored. */
export const StoredEntry = closed({ ...fieldsOf(AUDIT_KINDS), ...OF_CALLS })
export type StoredEntry = Static<typeof StoredEntry>

export const OUTCOMES = ['DONE', 'REFUSED', 'FAILED'] as const

export const AuditEntry = closed(
  { ...fieldsOf(AUDIT_KINDS), ...OF_CALLS, outcome: oneOf(OUTCOMES) },
  { title: 'AuditEntry' },
)
export type AuditEntry = Static<typeof AuditEntry>
