/**
 * Tokens are JWTs signed with Ed25519. An access token names user, session and workspace; what the
 * user may do is not in it. The id token tells who logged in and opens nothing. Lifetimes run on
 * the domain clock.
 */
import { createPublicKey, generateKeyPairSync } from 'node:crypto'
import { createDecoder, createSigner, createVerifier } from 'fast-jwt'
import type { SignerPayload } from 'fast-jwt'
import { compactVerify } from 'jose'
import type { Clock } from '../core/clock.ts'
import { assert, mustExist } from '../core/assert.ts'
import { isId, newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import { closed, id, text, time } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { columnsOf, insertRow, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'

const ACCESS_TOKEN_MILLISECONDS = 60 * 60 * 1000
const ISSUER = 'kontor'
const ACCESS_AUDIENCE = 'kontor-api'
const ID_AUDIENCE = 'kontor-console'
const KEY_LOCK = 4_711_000_010

/** `expires_at` in milliseconds of the domain clock. */
export type AccessClaims = {
  user_id: string
  session_id: string
  workspace: WorkspaceId
  expires_at: number
}

export type Identity = {
  user_id: string
  session_id: string
  workspace: WorkspaceId
  email: string
  name: string | null
  roles: readonly string[]
}

const KeyRow = closed({ id: id(), private_key: text(), public_key: text(), created_at: time() })
const SIGNING_KEYS = tableOf('signing_keys', KeyRow)

export type Tokens = {
  sign(identity: Identity): { id_token: string; access_token: string }
  /**
   * The claims of an access token signed by us, undefined for anything else. Does not look at the
   * expiry.
   */
  verify(token: string): AccessClaims | undefined
  /**
   * The same by another library, for the refresh: it must not depend on the cache or on what the
   * hot path skips.
   */
  verifyExpired(token: string): Promise<AccessClaims | undefined>
  /** Which login an id token tells of, however long ago; undefined for anything else. */
  verifyIdentity(token: string): Promise<KnownLogin | undefined>
}

/** `issued_at` in milliseconds of the domain clock. */
type KnownLogin = { user_id: string; session_id: string; issued_at: number }

type Key = Static<typeof KeyRow>

export async function openTokens(db: Db, clock: Clock): Promise<Tokens> {
  const keys = await signingKeys(db, clock)
  const newest = mustExist(keys[0], 'a signing key')
  const readExpired = expiredReaderOf(keys)
  const signer = createSigner({ algorithm: 'EdDSA', key: newest.private_key, kid: newest.id })
  return {
    sign: (identity) => signTokens(signer, identity, clock.now()),
    verify: verifierOf(keys),
    verifyExpired: async (token) => claimsOf(await readExpired(token, ACCESS_AUDIENCE)),
    verifyIdentity: async (token) => loginOf(await readExpired(token, ID_AUDIENCE)),
  }
}

function signTokens(
  signer: (claims: SignerPayload) => string,
  { user_id, session_id, workspace, email, name, roles }: Identity,
  now: number,
): { id_token: string; access_token: string } {
  const iat = Math.floor(now / 1000)
  const common = {
    iss: ISSUER,
    sub: user_id,
    sid: session_id,
    workspace,
    iat,
    exp: iat + ACCESS_TOKEN_MILLISECONDS / 1000,
    jti: newId(),
  }
  return {
    id_token: signer({
      ...common,
      aud: ID_AUDIENCE,
      email,
      ...(name === null ? {} : { name }),
      roles,
    }),
    access_token: signer({ ...common, aud: ACCESS_AUDIENCE }),
  }
}

function verifierOf(keys: readonly Key[]): Tokens['verify'] {
  const verifiers = new Map(
    keys.map((key) => [
      key.id,
      createVerifier({
        algorithms: ['EdDSA'],
        key: key.public_key,
        allowedIss: ISSUER,
        allowedAud: ACCESS_AUDIENCE,
        ignoreExpiration: true,
      }),
    ]),
  )
  const decode = createDecoder({ complete: true })
  return (token) => {
    try {
      const { header } = decode(token) as { header: { kid?: string } }
      return claimsOf(verifiers.get(header.kid ?? '')?.(token))
    } catch {
      // Whatever is wrong with a token, its bearer gets the same answer.
      return undefined
    }
  }
}

type Payload = { iss?: unknown; aud?: unknown; iat?: unknown }

/** Reads what we have signed for an audience, expired or not; undefined for anything else. */
function expiredReaderOf(
  keys: readonly Key[],
): (token: string, audience: string) => Promise<Payload | undefined> {
  const publicKeys = new Map(keys.map((key) => [key.id, createPublicKey(key.public_key)]))
  return async (token, audience) => {
    try {
      const { payload } = await compactVerify(
        token,
        ({ kid }) => mustExist(publicKeys.get(kid ?? ''), 'a known key'),
        { algorithms: ['EdDSA'] },
      )
      const claims = JSON.parse(new TextDecoder().decode(payload)) as Payload
      return claims.iss === ISSUER && claims.aud === audience ? claims : undefined
    } catch {
      return undefined
    }
  }
}

function loginOf(payload: Payload | undefined): KnownLogin | undefined {
  const claims = claimsOf(payload)
  return claims === undefined || typeof payload?.iat !== 'number'
    ? undefined
    : { user_id: claims.user_id, session_id: claims.session_id, issued_at: payload.iat * 1000 }
}

function claimsOf(payload: unknown): AccessClaims | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined
  const { sub, sid, workspace, exp } = payload as Record<string, unknown>
  if (
    typeof sub !== 'string' ||
    typeof sid !== 'string' ||
    !isId(sid) ||
    typeof workspace !== 'string' ||
    typeof exp !== 'number'
  )
    return undefined
  return {
    user_id: sub,
    session_id: sid,
    workspace: workspace as WorkspaceId,
    expires_at: exp * 1000,
  }
}

/** Newest first; the first start makes one, once over all processes. */
async function signingKeys(db: Db, clock: Clock): Promise<Key[]> {
  return db.tx(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${KEY_LOCK})`)
    const read = () =>
      tx.query<Key>(sql`
        select ${columnsOf(KeyRow)}
        from signing_keys
        order by id desc`)
    const stored = await read()
    if (stored.length > 0) return stored
    const { privateKey, publicKey } = generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    })
    const now = clock.now()
    const key = { id: newId(), private_key: privateKey, public_key: publicKey, created_at: now }
    await tx.query(insertRow(SIGNING_KEYS, key, { by: null, now }))
    const keys = await read()
    assert(keys.length === 1, 'one signing key')
    return keys
  })
}
