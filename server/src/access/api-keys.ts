/**
 * API keys: how programs get in. A key is a principal of its own with listed permissions. Its
 * secret is shown once and known here only as a hash; a rotation makes another one, and both are
 * accepted for a while.
 *
 * What takes something from a key takes effect as the end of a session does (session-cache.ts).
 */
import { mustExist } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { notFound, refuse } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { ApiKeyId, WorkspaceId } from '../core/ids.ts'
import { move } from '../core/moves.ts'
import { closed, id, nullable, text, time, Type } from '../http/index.ts'
import type { Caller } from '../http/index.ts'
import { constraintOf, only } from '../store/db.ts'
import type { Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import type { Access } from './access.ts'
import { assertMayGrant, grantedBy } from './api-key-grants.ts'
import type { GrantingApp } from './api-key-grants.ts'
import { hashOf, hintOf, newSecret } from './api-key-secrets.ts'
import { API_KEY_MOVES, ApiKeyRecord } from './api-keys.schema.ts'
import type {
  ApiKey,
  ChangeApiKeyBody,
  CreateApiKeyBody,
  RotateApiKeyBody,
} from './api-keys.schema.ts'
import { MAXIMUM_ADDRESS } from '../store/calls.ts'
import { securityEntries } from './security-log.ts'

const API_KEYS = tableOf('api_keys', ApiKeyRecord, {
  inside: { access_epoch: Type.Integer() },
  computed: ['secrets', 'last_used_at'],
})
const SECRETS = tableOf(
  'api_key_secrets',
  closed({
    id: id(),
    workspace: id<WorkspaceId>(),
    key_id: id<ApiKeyId>(),
    hash: Type.Unsafe<Buffer>({ 'x-column': 'bytea' }),
    hint: text(),
    created_at: time(),
    expires_at: nullable(time()),
    last_used_at: nullable(time()),
    last_used_address: nullable(text(MAXIMUM_ADDRESS)),
  }),
)

const HOUR = 3_600_000
const YEAR = 365 * 24 * HOUR
const USUAL_OVERLAP_HOURS = 24

type KeysApp = { clock: Clock; access: Pick<Access, 'doubt'> }

/** What is selected of a key, with the secrets that are accepted at this time. */
export const apiKeyColumns = (now: number): Query =>
  columnsOf(ApiKeyRecord, {
    of: 'api_keys',
    computed: {
      last_used_at: sql`(
        select max(last_used_at)
        from api_key_secrets
        where api_key_secrets.workspace = api_keys.workspace
          and key_id = api_keys.id
      )`,
      secrets: sql`(
        select coalesce(
          jsonb_agg(
            jsonb_build_object(
              'id', id, 'hint', hint, 'created_at', created_at, 'expires_at', expires_at,
              'last_used_at', last_used_at, 'last_used_address', last_used_address
            )
            order by id
          ),
          '[]'
        )
        from api_key_secrets
        where api_key_secrets.workspace = api_keys.workspace
          and key_id = api_keys.id
          and (expires_at is null or expires_at > ${now})
      )`,
    },
  })

/** Throws 4004. */
export async function apiKeyById(
  reader: Reader,
  workspace: WorkspaceId,
  key_id: ApiKeyId,
  now: number,
): Promise<ApiKey> {
  const key = only(
    await reader.query<ApiKey>(sql`
      select ${apiKeyColumns(now)}
      from api_keys
      where workspace = ${workspace}
        and id = ${key_id}`),
  )
  if (key === undefined) throw notFound('API key', key_id, 'api_key_id')
  return key
}

/** All of a workspace, newest first. */
export const apiKeysOf = (reader: Reader, workspace: WorkspaceId, now: number): Promise<ApiKey[]> =>
  reader.query<ApiKey>(sql`
    select ${apiKeyColumns(now)}
    from api_keys
    where workspace = ${workspace}
    order by id desc`)

/**
 * Refused: 1003 (a program would grant more than it has), 4004 (a route), FORMAT, DUPLICATE (an
 * active key of this label), RANGE (its end), UNKNOWN_FIELD.
 */
export async function createApiKey(
  caller: Caller,
  app: KeysApp & GrantingApp,
  tx: Tx,
  body: CreateApiKeyBody,
): Promise<{ key: ApiKey; secret: string }> {
  const { workspace, by } = caller
  const now = app.clock.now()
  const granted = await grantedBy(caller, app, tx, {
    ...body,
    expires_at: body.expires_at ?? now + YEAR,
  })
  const key_id = newId<ApiKeyId>()
  const row = { workspace, id: key_id, state: 'ACTIVE', ...granted } as const
  await refuseTakenLabel(granted.label, tx.query(insertRow(API_KEYS, row, { by, now })))
  const secret = await insertSecret(tx, { workspace, key_id }, now)
  await tx.query(entry(caller, now, key_id, { kind: 'API_KEY_CREATED', details: granted }))
  return { key: await apiKeyById(tx, workspace, key_id, now), secret }
}

/** At once on every process. Refused as `createApiKey`, 4004, STALE_VERSION, STATE_NOT_ALLOWED. */
export async function changeApiKey(
  caller: Caller,
  app: KeysApp & GrantingApp,
  tx: Tx,
  { id: key_id, ...body }: ChangeApiKeyBody & { id: ApiKeyId },
): Promise<ApiKey> {
  const { workspace, by } = caller
  const now = app.clock.now()
  const before = await lockActive(tx, workspace, key_id, now)
  if (body.version !== undefined && body.version !== before.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `the API key has changed: its version is ${before.version}`,
    )
  // What it has may be more than the caller's, and a change would hand that on.
  assertMayGrant(caller, { permissions: before.permissions, key: before })
  const granted = await grantedBy(caller, app, tx, body)
  app.access.doubt(key_id)
  const update = updateRow(API_KEYS, {
    where: { workspace, id: key_id },
    set: { ...granted, access_epoch: await nextEpoch(tx) },
    by,
    now,
  })
  await refuseTakenLabel(granted.label, tx.query(update))
  const details = { before: termsOf(before), after: granted }
  await tx.query(entry(caller, now, key_id, { kind: 'API_KEY_CHANGED', details }))
  return apiKeyById(tx, workspace, key_id, now)
}

/**
 * Another secret. Those of before are accepted until the overlap ends, at the latest. Refused:
 * 1003, 4004, STATE_NOT_ALLOWED.
 */
export async function rotateApiKey(
  caller: Caller,
  app: KeysApp,
  tx: Tx,
  { id: key_id, overlap_hours = USUAL_OVERLAP_HOURS }: RotateApiKeyBody & { id: ApiKeyId },
): Promise<{ key: ApiKey; secret: string }> {
  const { workspace } = caller
  const now = app.clock.now()
  const before = await lockActive(tx, workspace, key_id, now)
  assertMayGrant(caller, { permissions: before.permissions, key: before })
  const until = now + overlap_hours * HOUR
  await tx.query(sql`
    update api_key_secrets
    set expires_at = least(expires_at, ${until})
    where workspace = ${workspace}
      and key_id = ${key_id}`)
  const secret = await insertSecret(tx, { workspace, key_id }, now)
  await touch(caller, app, tx, { key_id, now })
  const details = { overlap_hours, hint: hintOf(secret) }
  await tx.query(entry(caller, now, key_id, { kind: 'API_KEY_ROTATED', details }))
  return { key: await apiKeyById(tx, workspace, key_id, now), secret }
}

/** For good, and at once on every process. Refused: 4004, STATE_NOT_ALLOWED. */
export async function revokeApiKey(
  caller: Caller,
  app: KeysApp,
  tx: Tx,
  key_id: ApiKeyId,
): Promise<ApiKey> {
  const { workspace } = caller
  const now = app.clock.now()
  await lockActive(tx, workspace, key_id, now)
  await touch(caller, app, tx, { key_id, now, revoked: true })
  await tx.query(entry(caller, now, key_id, { kind: 'API_KEY_REVOKED' }))
  return apiKeyById(tx, workspace, key_id, now)
}

async function refuseTakenLabel(label: string, writing: Promise<unknown>): Promise<void> {
  try {
    await writing
  } catch (error) {
    if (constraintOf(error) !== 'api_keys_label') throw error
    throw refuse('DUPLICATE', 'label', `an active API key is called ${label}`)
  }
}

async function insertSecret(
  tx: Tx,
  of: { workspace: WorkspaceId; key_id: ApiKeyId },
  now: number,
): Promise<string> {
  const secret = newSecret()
  const row = { id: newId(), ...of, hash: hashOf(secret), hint: hintOf(secret), created_at: now }
  await tx.query(insertRow(SECRETS, row, { by: null, now }))
  return secret
}

async function lockActive(
  tx: Tx,
  workspace: WorkspaceId,
  key_id: ApiKeyId,
  now: number,
): Promise<ApiKey> {
  await tx.query(sql`
    select 1
    from api_keys
    where workspace = ${workspace}
      and id = ${key_id}
    for update`)
  const key = await apiKeyById(tx, workspace, key_id, now)
  if (key.state !== 'ACTIVE')
    throw refuse('STATE_NOT_ALLOWED', '', `API key ${key_id} is ${key.state}`)
  return key
}

/** The number of this change among all that must be noticed. */
async function nextEpoch(tx: Tx): Promise<number> {
  const [next] = await tx.query<{ epoch: number }>(sql`
    update access_epoch
    set epoch = epoch + 1
    returning epoch`)
  return mustExist(next, 'there is one row').epoch
}

type Touch = { key_id: ApiKeyId; now: number; revoked?: boolean }

/** Every process forgets what it knows of the key. */
async function touch(
  { workspace, by }: Caller,
  { access }: KeysApp,
  tx: Tx,
  { key_id, now, revoked = false }: Touch,
): Promise<void> {
  access.doubt(key_id)
  await tx.query(
    updateRow(API_KEYS, {
      where: { workspace, id: key_id },
      ...(revoked ? { move: move(API_KEY_MOVES, 'ACTIVE', 'REVOKED') } : {}),
      set: { access_epoch: await nextEpoch(tx) },
      by,
      now,
    }),
  )
}

const termsOf = ({ label, permissions, networks, limits, expires_at }: ApiKey) => ({
  label,
  permissions,
  networks,
  limits,
  expires_at,
})

/** In the security log the key is both whose account it is about and, where it acts, the actor. */
const entry = (
  { workspace, by, source }: Caller,
  now: number,
  key_id: ApiKeyId,
  what: Pick<Parameters<typeof securityEntries>[2][number], 'kind' | 'details'>,
): Query => securityEntries(workspace, now, [{ ...what, user: { id: key_id }, actor: by, source }])

const SECRET_KEPT_MILLISECONDS = 90 * 24 * HOUR

/** Deletes secrets that a rotation ended long ago; answers how many. */
export async function forgetOldSecrets(reader: Reader, clock: Clock): Promise<number> {
  const forgotten = await reader.query(sql`
    delete from api_key_secrets
    where expires_at < ${clock.now() - SECRET_KEPT_MILLISECONDS}
    returning 1`)
  return forgotten.length
}
