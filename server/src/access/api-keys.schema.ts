import type { ApiKeyId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import {
  asset,
  assetInAnyCase,
  closed,
  currentVersion,
  id,
  integer,
  nullable,
  oneOf,
  optional,
  positiveText,
  READ_ONLY_FIELDS,
  record,
  requiredText,
  text,
  time,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { NETWORK_PATTERN } from '../core/networks.ts'
import { PERMISSIONS } from './permissions.ts'
import type { Permission } from './permissions.ts'
import { MAXIMUM_ADDRESS } from '../store/calls.ts'

export const API_KEY_STATES = ['ACTIVE', 'REVOKED'] as const

/** A revoked one does not come back. */
export const API_KEY_MOVES: Moves<(typeof API_KEY_STATES)[number]> = {
  ACTIVE: ['REVOKED'],
  REVOKED: [],
}

const MAXIMUM_LABEL = 100
const MAXIMUM_LISTED = 100
/** Of an IPv6 network. */
const MAXIMUM_NETWORK = 43
const MAXIMUM_OVERLAP_HOURS = 30 * 24

const permissions = Type.Array(oneOf(Object.keys(PERMISSIONS) as [Permission, ...Permission[]]), {
  minItems: 1,
  maxItems: Object.keys(PERMISSIONS).length,
  uniqueItems: true,
  description: 'What the program may do',
})

const networks = Type.Array(
  Type.String({
    title: 'Network',
    maxLength: MAXIMUM_NETWORK,
    pattern: '^[0-9A-Fa-f.:]+(/[0-9]{1,3})?$',
    'x-form': 'must be an address or a network, e.g. 203.0.113.7 or 10.0.0.0/8',
    'x-means': { type: 'string', maxLength: MAXIMUM_NETWORK, pattern: NETWORK_PATTERN },
  }),
  {
    maxItems: MAXIMUM_LISTED,
    uniqueItems: true,
    description:
      'Addresses and networks (203.0.113.7, 10.0.0.0/8) from which it is accepted; empty: from ' +
      'everywhere',
  },
)

const AT_ONCE = 'At most this in one transaction; without it no limit'
const A_DAY = 'At most this on one day (UTC); without it no limit'
const ASSETS = 'It moves no other assets, and of these no more; without it any'
const ROUTES = 'The treasury and price-stream routes that it may use; without it any'
const lists = { maxItems: MAXIMUM_LISTED }
const routes = Type.Array(id(), { ...lists, uniqueItems: true, description: ROUTES })

const LimitsRecord = closed(
  {
    assets: nullable(
      Type.Array(
        closed(
          {
            asset: asset(),
            per_transaction: nullable(positiveText(AT_ONCE)),
            per_day: nullable(positiveText(A_DAY)),
          },
          { title: 'AssetLimit' },
        ),
        { ...lists, description: ASSETS },
      ),
    ),
    routes: nullable(routes),
  },
  { title: 'ApiKeyLimits', description: 'What it may move; docs/domain.md says what counts' },
)
export type ApiKeyLimits = Static<typeof LimitsRecord>

const limits = closed(
  {
    assets: optional(
      Type.Array(
        closed(
          {
            asset: assetInAnyCase(),
            per_transaction: optional(positiveText(AT_ONCE)),
            per_day: optional(positiveText(A_DAY)),
          },
          { title: 'NewAssetLimit' },
        ),
        { ...lists, description: ASSETS },
      ),
    ),
    routes: optional(routes),
  },
  { title: 'NewApiKeyLimits' },
)
export type LimitsBody = Static<typeof limits>

const SecretRecord = closed(
  {
    id: id(),
    hint: text(4, 'The last characters of the secret'),
    created_at: time(),
    expires_at: nullable(time('Null: with the key')),
    last_used_at: nullable(time('About; Unix milliseconds, UTC')),
    last_used_address: nullable(text(MAXIMUM_ADDRESS, 'The network address it was last used from')),
  },
  { title: 'ApiKeySecret' },
)

export const ApiKeyRecord = record('ApiKey', {
  id: id<ApiKeyId>(),
  label: text(MAXIMUM_LABEL),
  state: oneOf(API_KEY_STATES),
  permissions,
  networks: Type.Array(text(MAXIMUM_NETWORK), { description: 'Empty: from everywhere' }),
  limits: LimitsRecord,
  expires_at: time('From then on it is refused; Unix milliseconds, UTC'),
  last_used_at: nullable(time('About; Unix milliseconds, UTC')),
  secrets: Type.Array(SecretRecord, { description: 'Those that are accepted; oldest first' }),
})
export type ApiKey = Static<typeof ApiKeyRecord>

const SECRET = nullable(
  text(
    53,
    'Shown this once. Null in the answer to a repeat under the same Idempotency-Key: rotate the ' +
      'key when the first answer is lost',
  ),
)
export const ApiKeyWithSecret = closed(
  { ...ApiKeyRecord.properties, secret: SECRET },
  { title: 'ApiKeyWithSecret' },
)
export type ApiKeyWithSecret = Static<typeof ApiKeyWithSecret>

const granted = {
  label: requiredText(MAXIMUM_LABEL),
  permissions,
  networks: optional(networks),
  limits: optional(limits),
}

export const CreateApiKey = closed(
  {
    ...granted,
    expires_at: optional(time('In a year when absent, at most in five; Unix milliseconds, UTC')),
  },
  { title: 'NewApiKey' },
)
export type CreateApiKeyBody = Static<typeof CreateApiKey>

export const ChangeApiKey = closed(
  { ...granted, expires_at: time(), version: optional(currentVersion()) },
  {
    title: 'ApiKeyChange',
    'x-read-only': [...READ_ONLY_FIELDS, 'id', 'state', 'last_used_at', 'secrets'],
  },
)
export type ChangeApiKeyBody = Static<typeof ChangeApiKey>

export const RotateApiKey = closed(
  {
    overlap_hours: optional(
      integer(
        0,
        MAXIMUM_OVERLAP_HOURS,
        'How long the secret of before is still accepted: 24 when absent; 0 ends it at once',
      ),
    ),
  },
  { title: 'ApiKeyRotation' },
)
export type RotateApiKeyBody = Static<typeof RotateApiKey>
