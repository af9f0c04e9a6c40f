/**
 * Tokens are JWTs signed with Ed25519. An access token names user, session and workspace; what the
 * user may do is not in it. The id token tells who logged in and opens nothing. Lifetimes run on
 * the domain clock.
 */
import { createPublicKey } from 'node:crypto'
import { createSecretKey } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { createDecoder, createSigner, createVerifier } from 'fast-jwt'
import type { SignerPayload } from 'fast-jwt'
import { compactVerify } from 'jose'
import type { Clock } from '../core/clock.ts'
import { mustExist } from '../core/assert.ts'
import { isId, newId } from '../core/ids.ts'
import type { WorkspaceId } from '../core/ids.ts'
import type { Db } from '../store/db.ts'
import type { WrappingKey } from '../store/wrapping-key.ts'
import { opensUntil, SigningKeys } from './signing-keys.ts'
import type { KeyOptions, OpenKey, SigningKey } from './signing-keys.ts'

const ACCESS_TOKEN_MILLISECONDS = 60 * 60 * 1000
const ISSUER = 'kontor'
const ACCESS_AUDIENCE = 'kontor-api'
const ID_AUDIENCE = 'kontor-console'

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

export type Tokens = {
  /** Another one once the keys have changed: what was verified before no longer counts. */
  readonly generation: number
  /** By which hashes of requests are made; undefined where nothing is wrapped. */
  readonly request_key: KeyObject | undefined
  /** Wraps what others must be able to open again; undefined where nothing is wrapped. */
  readonly wrapping: WrappingKey | undefined
  close(): void
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

/** What tokens are signed and read with until the keys change. */
type Tools = {
  generation: number
  sign(key: OpenKey): Signer
  verify: Tokens['verify']
  readExpired(token: string, audience: string): Promise<Payload | undefined>
}

type Signer = (claims: SignerPayload) => string

export async function openTokens(db: Db, clock: Clock, options: KeyOptions = {}): Promise<Tokens> {
  const keys = await SigningKeys.open(db, clock, options)
  let latest = toolsOf(keys)
  const tools = (): Tools => {
    if (latest.generation !== keys.generation) latest = toolsOf(keys)
    return latest
  }
  const readExpired: Tools['readExpired'] = (token, audience) =>
    tools().readExpired(token, audience)
  const derived = keys.wrapping?.derive('request hashes')
  return {
    get generation() {
      return keys.generation
    },
    request_key: derived && createSecretKey(derived),
    wrapping: keys.wrapping,
    sign: (identity) => signTokens(tools().sign(keys.current()), identity, clock.now()),
    verify: (token) => tools().verify(token),
    verifyExpired: async (token) => claimsOf(await readExpired(token, ACCESS_AUDIENCE)),
    verifyIdentity: async (token) => loginOf(await readExpired(token, ID_AUDIENCE)),
    close: () => {
      keys.close()
    },
  }
}

function toolsOf({ known, generation }: SigningKeys): Tools {
  const signers = new Map<string, Signer>()
  return {
    generation,
    sign({ id, private_key }) {
      const signer =
        signers.get(id) ?? createSigner({ algorithm: 'EdDSA', key: private_key, kid: id })
      signers.set(id, signer)
      return signer
    },
    verify: verifierOf(known),
    readExpired: expiredReaderOf(known),
  }
}

function signTokens(
  signer: Signer,
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

function verifierOf(keys: readonly SigningKey[]): Tokens['verify'] {
  const verifiers = new Map(
    keys.map((key) => [
      key.id,
      {
        opens_until: opensUntil(key, ACCESS_TOKEN_MILLISECONDS),
        verify: createVerifier({
          algorithms: ['EdDSA'],
          key: key.public_key,
          allowedIss: ISSUER,
          allowedAud: ACCESS_AUDIENCE,
          ignoreExpiration: true,
        }),
      },
    ]),
  )
  const decode = createDecoder({ complete: true })
  return (token) => {
    try {
      const { header } = decode(token) as { header: { kid?: string } }
      const key = verifiers.get(header.kid ?? '')
      const claims = claimsOf(key?.verify(token))
      if (key === undefined || claims === undefined) return undefined
      // Whoever has got hold of a retired key signs what he likes.
      return { ...claims, expires_at: Math.min(claims.expires_at, key.opens_until) }
    } catch {
      // Whatever is wrong with a token, its bearer gets the same answer.
      return undefined
    }
  }
}

type Payload = { iss?: unknown; aud?: unknown; iat?: unknown }

/** Reads what we have signed for an audience, expired or not; undefined for anything else. */
function expiredReaderOf(keys: readonly SigningKey[]): Tools['readExpired'] {
  const publicKeys = new Map<string, KeyObject>(
    keys.map((key) => [key.id, createPublicKey(key.public_key)]),
  )
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
