/**
 * What is asked of a provider: its configuration, and who has just signed in there. `openid-client`
 * checks what comes back; it is loaded when the first person signs in by a provider.
 *
 * Its checks of ID tokens in the code flow leave out the signature, and for some hosts the issuer
 * (its README, and discovery() in its source): both are demanded here.
 */
import type { Configuration, CustomFetch } from 'openid-client'
import { callReceiver } from '../../core/calling.ts'
import { storableText } from '../../core/storable.ts'
import type { TargetRules } from '../../core/targets.ts'
import { VERSION } from '../../core/version.ts'
import type { AccessApp } from '../access.ts'
import { putBounded } from '../session-cache.ts'
import { openClientSecret, redirectUriOf } from './rows.ts'
import type { ProviderRow } from './rows.ts'
import type { Secrets } from './begun.ts'

/** Of a configuration or its keys. */
const LONGEST_ANSWER = 512 * 1024
/** Real time. So long a provider is not asked again for its configuration. */
const KNOWN_MILLISECONDS = 10 * 60_000
const MAXIMUM_KNOWN = 100
const MAXIMUM_WHY = 300
const NO_BODY: readonly number[] = [204, 205, 304]
const SCOPES = ['openid', 'email', 'profile']

type Known = { configuration: Promise<Configuration>; until: number }
const known = new WeakMap<AccessApp['access'], Map<string, Known>>()

export type Claims = Readonly<Record<string, unknown>> & { iss: string; sub: string }

/** Throws an Error that says why not. */
export function configurationOf(app: AccessApp, provider: ProviderRow): Promise<Configuration> {
  const all = known.get(app.access) ?? new Map<string, Known>()
  known.set(app.access, all)
  const key = `${provider.id} ${provider.version}`
  const now = performance.now()
  const found = all.get(key)
  if (found !== undefined && found.until > now) return found.configuration
  const configuration = readConfiguration(app, provider)
  putBounded(all, key, { configuration, until: now + KNOWN_MILLISECONDS }, MAXIMUM_KNOWN)
  // What has failed is asked for again by the next one.
  configuration.catch(() => all.delete(key))
  return configuration
}

export async function readConfiguration(
  app: AccessApp,
  provider: ProviderRow,
): Promise<Configuration> {
  const rules = app.signInTargets
  const secret = openClientSecret(app.access.tokens.wrapping, provider)
  // A tenth of a second, for those alone who sign in by a provider.
  const client = await import('openid-client')
  const configuration = await client.discovery(
    new URL(provider.issuer),
    provider.client_id,
    {},
    provider.client_authentication === 'BASIC'
      ? client.ClientSecretBasic(secret)
      : client.ClientSecretPost(secret),
    {
      [client.customFetch]: fetchWithin(rules),
      execute: [
        client.enableNonRepudiationChecks,
        ...(rules.plain ? [client.allowInsecureRequests] : []),
      ],
    },
  )
  const { issuer } = configuration.serverMetadata()
  if (issuer !== provider.issuer)
    throw new Error(`the provider calls itself ${issuer}: declare the issuer exactly so`)
  return configuration
}

/** Within the networks that may be called, without following where an answer leads. */
export const fetchWithin =
  (rules: TargetRules): CustomFetch =>
  async (url, { method, headers, body }) => {
    const outcome = await callReceiver(
      {
        url,
        method,
        headers: { ...headers, 'user-agent': `Kontor/${VERSION}` },
        body: body instanceof URLSearchParams || typeof body === 'string' ? String(body) : '',
      },
      { rules, longest: LONGEST_ANSWER, whole: true },
    )
    if (outcome.answer === undefined) throw new Error(outcome.reason)
    const { status, headers: answered, body: text } = outcome.answer
    return new Response(NO_BODY.includes(status) ? null : text, { status, headers: answered })
  }

/** Where the browser goes. `again`: the person has to sign in there, whoever is signed in. */
export async function addressAt(
  app: AccessApp,
  provider: ProviderRow,
  { state, nonce, verifier }: Secrets,
  { again }: { again: boolean },
): Promise<string> {
  const configuration = await configurationOf(app, provider)
  const client = await import('openid-client')
  return client.buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUriOf(app, provider.id),
    scope: [...new Set([...SCOPES, ...provider.scopes])].join(' '),
    state,
    nonce,
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(again ? { prompt: 'login', max_age: '0' } : {}),
  }).href
}

/** Who has signed in there, checked. Throws an Error that says what is wrong with the answer. */
export async function claimsFrom(
  app: AccessApp,
  provider: ProviderRow,
  { state, nonce, verifier }: Secrets,
  answer: string,
): Promise<Claims> {
  const configuration = await configurationOf(app, provider)
  const client = await import('openid-client')
  const back = new URL(redirectUriOf(app, provider.id))
  back.search = answer
  const tokens = await client.authorizationCodeGrant(configuration, back, {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  })
  const claims = tokens.claims()
  if (claims === undefined) throw new Error('there is no ID token in the answer')
  if (claims.iss !== provider.issuer) throw new Error(`the ID token is of ${claims.iss}`)
  return claims
}

/** What stood in the browser's own address; the rest of what can go wrong is not for everybody. */
export const isSaidByBrowser = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'OAUTH_AUTHORIZATION_RESPONSE_ERROR'

/** What an error of the provider, of its library or of the network says. */
export function whyOf(thrown: unknown): string {
  const words: string[] = []
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { error: code, error_description: description } = error as {
      error?: unknown
      error_description?: unknown
    }
    const said = [code, description].filter((part) => typeof part === 'string')
    words.push(said.length > 0 ? said.join(': ') : error.message)
  }
  const text = words.length === 0 ? String(thrown) : [...new Set(words)].join(': ')
  return storableText(text).slice(0, MAXIMUM_WHY)
}
