/** People sign in to the console by a provider: begun here, done there, ended here. */
import { notFound, refuse } from '../../core/errors.ts'
import type { SignInProviderId } from '../../core/ids.ts'
import { CONFIRMED_MILLISECONDS } from '../../http/index.ts'
import type { Source } from '../../http/index.ts'
import type { Tx } from '../../store/db.ts'
import { updateRow } from '../../store/rows.ts'
import type { AccessApp } from '../access.ts'
import { consoleTokensOf } from '../console-tokens.ts'
import type { ConsoleTokens } from '../console-tokens.ts'
import { unknownPasswordHash } from '../passwords.ts'
import { beginSession } from '../sessions.ts'
import { begin, endBegun, secretsOf } from './begun.ts'
import { addressAt, claimsFrom, isSaidByBrowser, whyOf } from './calls.ts'
import type { Claims } from './calls.ts'
import { admit } from './people.ts'
import type { Refusal } from './people.ts'
import { activeProvider, USER_IDENTITIES } from './rows.ts'
import type { ProviderRow } from './rows.ts'

const MAXIMUM_SID = 500

const signInRefused = (why: string) => refuse('SIGN_IN_REFUSED', '', why)

const NOT_BEGUN =
  'the sign-in was not begun in this browser, has ended, or is older than ten minutes: begin again'

const wordsOf = ({ label, roles_claim }: ProviderRow): Readonly<Record<Refusal, string>> => ({
  NOT_BEGUN,
  NO_ROLE:
    `${label} gives you no role here: the claim ${roles_claim} has none of the values that are ` +
    'mapped to roles',
  UNKNOWN_PERSON: `nobody here is linked to your account at ${label}: an administrator can link it`,
  DISABLED: 'the user is disabled',
  OTHER_PERSON: `the user with your e-mail address is linked to another account at ${label}`,
  EMAIL_MISSING: `${label} tells no e-mail address of yours, or says that it is not verified`,
  EMAIL_TAKEN:
    'there is a user with your e-mail address: an administrator can link it to your account at ' +
    label,
  SECOND_FACTOR:
    `your role needs a second factor, and ${label} is not declared to demand one: log in with ` +
    'your password',
  LAST_ADMINISTRATOR:
    `${label} would take the last administrator away: log in with your password, which the ` +
    'operator can reset (npm run users), and make another one first',
})

/** Throws 4004, and 3001 SIGN_IN_REFUSED where the provider cannot be asked. */
export async function beginSignIn(
  app: AccessApp,
  { provider_id, again }: { provider_id: SignInProviderId; again: boolean },
  source: Source,
): Promise<{ address: string; secret: string }> {
  const provider = await activeProvider(app.db, provider_id)
  if (provider === undefined) throw notFound('sign-in provider', provider_id, 'provider_id')
  const { workspace } = provider
  const secret = await begin(app.db, app.clock, { workspace, provider_id })
  try {
    return { address: await addressAt(app, provider, secretsOf(secret), { again }), secret }
  } catch (error) {
    throw refusedAnswer({ app, provider, source }, error)
  }
}

type Attempt = { app: AccessApp; provider: ProviderRow; source: Source }

function note(
  { app, provider, source }: Attempt,
  reason: string,
  details: Readonly<Record<string, unknown>>,
  user?: { id: string; email: string },
): void {
  const { workspace, id: provider_id } = provider
  app.access.security.note({
    kind: 'SIGN_IN_FAILED',
    workspace,
    user,
    source,
    details: { reason, provider_id, ...details },
  })
}

function refusedAnswer(attempt: Attempt, error: unknown) {
  const why = whyOf(error)
  note(attempt, 'PROVIDER', { why })
  const { label } = attempt.provider
  const refusal = isSaidByBrowser(error)
    ? signInRefused(`the sign-in at ${label} did not succeed: ${why}`)
    : signInRefused(`the sign-in at ${label} failed: the security log has the reason`)
  return Object.assign(refusal, { cause: error })
}

/** `provider_id`: whose address the browser was sent back to. */
type Finishing = { secret: string | undefined; provider_id: SignInProviderId; answer: string }

/** Throws 3001 SIGN_IN_REFUSED, which says why. */
export async function finishSignIn(
  app: AccessApp,
  { secret, provider_id, answer }: Finishing,
  source: Source,
): Promise<ConsoleTokens & { refresh_token: string }> {
  const begun = secret === undefined ? undefined : await endBegun(app.db, app.clock, secret)
  // A code of one provider is never shown to another (RFC 9700, 4.4).
  const provider =
    begun?.provider_id === provider_id ? await activeProvider(app.db, provider_id) : undefined
  if (secret === undefined || provider === undefined) {
    app.access.security.note({ kind: 'SIGN_IN_FAILED', source, details: { reason: 'NOT_BEGUN' } })
    throw signInRefused(NOT_BEGUN)
  }
  const attempt = { app, provider, source }
  const claims = await claimsFrom(app, provider, secretsOf(secret), answer).catch(
    (error: unknown) => {
      throw refusedAnswer(attempt, error)
    },
  )
  const password_hash = await unknownPasswordHash()
  const outcome = await app.db.tx((tx) => letIn(attempt, tx, { claims, password_hash }))
  if ('refused' in outcome) {
    const { iss: issuer, sub: subject } = claims
    note(attempt, outcome.refused, { issuer, subject }, outcome.user)
    throw signInRefused(wordsOf(provider)[outcome.refused])
  }
  const { identity, refresh_token } = outcome
  return { ...consoleTokensOf(app, identity), refresh_token }
}

async function letIn(
  { app, provider, source }: Attempt,
  tx: Tx,
  { claims, password_hash }: { claims: Claims; password_hash: string },
) {
  const admitted = await admit({ app, tx, provider, claims, source, password_hash })
  if ('refused' in admitted) return admitted
  const { user } = admitted
  const now = app.clock.now()
  const { workspace, id: provider_id } = provider
  await tx.query(
    updateRow(USER_IDENTITIES, {
      where: { workspace, issuer: claims.iss, subject: claims.sub },
      set: { last_login_at: now },
      by: user.id,
      now,
    }),
  )
  const by = {
    provider_id,
    provider_session: sessionIn(claims),
    factor_at: provider.proves_second_factor ? shownAt(claims, now) : null,
  }
  const started = { db: tx, clock: app.clock, access: app.access }
  const session = await beginSession(started, user, { kind: 'CONSOLE', source, by })
  return session ?? { refused: 'DISABLED' as const, user }
}

/** OpenID Connect Back-Channel Logout 1.0, 2.1: what a logout there names. */
const sessionIn = ({ sid }: Claims): string | null =>
  typeof sid === 'string' && sid !== '' && sid.length <= MAXIMUM_SID ? sid : null

/** When the person signed in there; where that is not said, so long ago that commands ask. */
function shownAt({ auth_time }: Claims, now: number): number {
  return typeof auth_time === 'number'
    ? Math.min(now, Math.trunc(auth_time) * 1000)
    : now - CONFIRMED_MILLISECONDS
}
