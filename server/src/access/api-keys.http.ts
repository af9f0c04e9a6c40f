import type { ApiKeyId } from '../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  MAXIMUM_TEXT,
  onceShowing,
  queryOneOf,
  queryText,
  text,
  Type,
} from '../http/index.ts'
import type { Caller, Endpoint } from '../http/index.ts'
import type { Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { PERMISSIONS } from './permissions.ts'
import type { AccessApp } from './access.ts'
import {
  API_KEY_STATES,
  ApiKeyRecord,
  ApiKeyWithSecret,
  ChangeApiKey,
  CreateApiKey,
  RotateApiKey,
} from './api-keys.schema.ts'
import type { ApiKey } from './api-keys.schema.ts'
import {
  apiKeyById,
  apiKeyColumns,
  changeApiKey,
  createApiKey,
  revokeApiKey,
  rotateApiKey,
} from './api-keys.ts'
import type { GrantingApp } from './api-key-grants.ts'

const GRANTABLE = Object.entries(PERMISSIONS).map(([name, meaning]) => ({ name, meaning }))

type ApiKeysApp = AccessApp & GrantingApp

const common = { tag: 'API keys', permission: 'api-keys.write' } as const
const path = '/auth/api-keys'
const ofOne = {
  ...common,
  path: `${path}/:api_key_id`,
  params: closed({ api_key_id: id<ApiKeyId>() }),
} as const

const EXAMPLE = {
  label: 'Payout program',
  permissions: ['treasury.routes.read', 'treasury.withdrawals.read', 'treasury.withdrawals.create'],
  networks: ['203.0.113.0/24'],
  limits: {
    assets: [{ asset: 'EUR', per_transaction: '10000', per_day: '50000' }],
    routes: ['01a1fc75-ea2a-7589-aa8f-000000000011'],
  },
} as const
const example = {
  ...EXAMPLE,
  permissions: [...EXAMPLE.permissions],
  networks: [...EXAMPLE.networks],
  limits: { assets: [...EXAMPLE.limits.assets], routes: [...EXAMPLE.limits.routes] },
}

export function apiKeysEndpoints(app: ApiKeysApp): Endpoint[] {
  return [...readingEndpoints(app), ...makingEndpoints(app), ...changingEndpoints(app)]
}

function readingEndpoints({ db, clock }: ApiKeysApp): Endpoint[] {
  return [
    listEndpoint({
      ...common,
      path,
      origin: { ours: 'an administrator sees which programs get in, and when they last did' },
      operation_id: 'listApiKeys',
      tagged: 'api_key',
      summary: 'List API keys',
      query: closed({ label: queryText(MAXIMUM_TEXT), state: queryOneOf(API_KEY_STATES) }),
      data: ApiKeyRecord,
      list: ({ principal, query }) => ({
        select: sql`
          select ${apiKeyColumns(clock.now())}
          from api_keys`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          ...(query.label === undefined ? [] : [sql`label = ${query.label}`]),
          ...(query.state === undefined ? [] : [sql`state = any(${query.state})`]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      ...common,
      method: 'GET',
      path: '/auth/permissions',
      origin: { ours: 'whoever makes a key must know what there is to grant' },
      operation_id: 'listKeyPermissions',
      summary: 'List the permissions that a key can have',
      data: Type.Array(closed({ name: text(), meaning: text() }, { title: 'Permission' })),
      effect: 'read',
      handle: () => GRANTABLE,
    }),
    endpoint({
      ...ofOne,
      method: 'GET',
      origin: { ours: 'an administrator looks at one of them' },
      operation_id: 'getApiKey',
      summary: 'Get an API key',
      data: ApiKeyRecord,
      effect: 'read',
      handle: ({ params: { api_key_id }, principal: { workspace } }) =>
        apiKeyById(db, workspace, api_key_id, clock.now()),
    }),
  ]
}

function makingEndpoints(app: ApiKeysApp): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'POST',
      path,
      origin: { ours: 'a program gets in by a key of its own' },
      operation_id: 'createApiKey',
      confirmed: true,
      summary: 'Create an API key',
      description:
        'The answer shows its secret, this once. The program sends it as ' +
        '`Authorization: Bearer kontor_…`. A program that creates a key cannot give it more than ' +
        'it has itself.',
      body: CreateApiKey,
      example,
      data: ApiKeyWithSecret,
      effect: 'own',
      handle: ({ body, caller }) =>
        showingSecret(app, caller, (tx) => createApiKey(caller, app, tx, body)),
    }),
    endpoint({
      ...ofOne,
      method: 'POST',
      path: `${ofOne.path}/rotate`,
      origin: { ours: 'a secret is replaced while its program runs' },
      operation_id: 'rotateApiKey',
      confirmed: true,
      summary: 'Rotate an API key',
      description:
        'Makes another secret, which the answer shows, this once. Those of before are accepted ' +
        'until the overlap ends. An overlap of 0 ends them at once.',
      body: RotateApiKey,
      example: { overlap_hours: 24 },
      data: ApiKeyWithSecret,
      effect: 'own',
      handle: ({ body, caller, params: { api_key_id } }) =>
        showingSecret(app, caller, (tx) =>
          rotateApiKey(caller, app, tx, { ...body, id: api_key_id }),
        ),
    }),
  ]
}

function changingEndpoints(app: ApiKeysApp): Endpoint[] {
  return [
    endpoint({
      ...ofOne,
      method: 'PUT',
      origin: { ours: 'an administrator changes what a program may do' },
      operation_id: 'changeApiKey',
      confirmed: true,
      summary: 'Change an API key',
      description:
        'Replaces its label, permissions, networks, limits and end; its secrets stay. It takes ' +
        'effect at once, also on open event streams.',
      body: ChangeApiKey,
      example: { ...example, expires_at: 1_800_000_000_000, version: 1 },
      data: ApiKeyRecord,
      effect: 'transaction',
      handle: ({ body, caller, params: { api_key_id } }, tx) =>
        changeApiKey(caller, app, tx, { ...body, id: api_key_id }),
    }),
    endpoint({
      ...ofOne,
      method: 'DELETE',
      origin: { ours: 'a program is locked out' },
      operation_id: 'revokeApiKey',
      summary: 'Revoke an API key',
      description: 'For good, and at once, also on open event streams. Its record stays.',
      data: ApiKeyRecord,
      effect: 'transaction',
      handle: ({ caller, params: { api_key_id } }, tx) => revokeApiKey(caller, app, tx, api_key_id),
    }),
  ]
}

async function showingSecret(
  app: ApiKeysApp,
  caller: Caller,
  make: (tx: Tx) => Promise<{ key: ApiKey; secret: string }>,
): Promise<ApiKeyWithSecret> {
  const { kept, shown } = await onceShowing(app, caller, async (tx) => {
    const { key, secret } = await make(tx)
    return { kept: key, shown: secret }
  })
  return { ...kept, secret: shown }
}
