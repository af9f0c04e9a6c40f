/** What a provider says of who has logged out there, and whether it is from the provider. */
import type { FetchImplementation, JWTPayload, JWTVerifyGetKey } from 'jose'
import type { Configuration } from 'openid-client'
import type { AccessApp } from '../access.ts'
import { configurationOf, fetchWithin } from './calls.ts'
import type { ProviderRow } from './rows.ts'

/** OpenID Connect Back-Channel Logout 1.0, 2.4. */
const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'
const LOGOUT_TYPES: readonly unknown[] = [undefined, 'JWT', 'logout+jwt', 'application/logout+jwt']
/** Whose keys are public: never `none`, never a secret that both sides have. */
const ALGORITHMS = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')
const LOGOUT_AGE_SECONDS = 600
const LOGOUT_SKEW_SECONDS = 60

type Asked = Parameters<FetchImplementation>[1]

export type LoggedOut = { sub: string | null; sid: string | null; told_at: number }

const keySets = new WeakMap<Configuration, JWTVerifyGetKey>()

/** Checked as Back-Channel Logout 1.0, 2.6, demands. Throws an Error that says what is wrong. */
export async function loggedOutBy(
  app: AccessApp,
  provider: ProviderRow,
  token: string,
): Promise<LoggedOut> {
  const configuration = await configurationOf(app, provider)
  const { createRemoteJWKSet, customFetch, jwtVerify } = await import('jose')
  let keys = keySets.get(configuration)
  if (keys === undefined) {
    const { jwks_uri } = configuration.serverMetadata()
    if (jwks_uri === undefined) throw new Error('the provider publishes no keys')
    const fetched = fetchWithin(app.signInTargets)
    keys = createRemoteJWKSet(new URL(jwks_uri), {
      [customFetch]: (url: string, { headers, method, redirect }: Asked) =>
        fetched(url, { headers: Object.fromEntries(headers), method, redirect, body: undefined }),
    })
    keySets.set(configuration, keys)
  }
  const { payload, protectedHeader } = await jwtVerify(token, keys, {
    issuer: provider.issuer,
    audience: provider.client_id,
    algorithms: ALGORITHMS,
    requiredClaims: ['jti', 'iat'],
    maxTokenAge: LOGOUT_AGE_SECONDS,
    clockTolerance: LOGOUT_SKEW_SECONDS,
  })
  if (!LOGOUT_TYPES.includes(protectedHeader.typ))
    throw new Error(`a token of the type ${protectedHeader.typ} is no logout token`)
  return logoutIn(payload)
}

function logoutIn({ iat = 0, sub, sid, events, ...others }: JWTPayload): LoggedOut {
  if (!isObject(events) || !isObject(events[LOGOUT_EVENT]))
    throw new Error('the token is about another event')
  if ('nonce' in others) throw new Error('a logout token has no nonce')
  const told = { sub: sub ?? null, sid: sid ?? null, told_at: iat * 1000 }
  const { sub: person, sid: session } = told
  if (person === null && session === null) throw new Error('the token names nobody')
  if (session !== null && typeof session !== 'string') throw new Error('sid is no text')
  return { ...told, sid: session }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
