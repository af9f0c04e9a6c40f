/** Who has signed in by a provider confirms the session by signing in there again. */
import { refuse } from '../../core/errors.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import type { SignInProviderId } from '../../core/ids.ts'
import { CONFIRMED_MILLISECONDS } from '../../http/index.ts'
import type { Principal, Source } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { AccessApp } from '../access.ts'
import { confirmSession } from '../sessions.ts'
import { begin, endBegun, secretsOf } from './begun.ts'
import { addressAt, claimsFrom } from './calls.ts'
import type { Claims } from './calls.ts'
import { activeProvider } from './rows.ts'
import type { ProviderRow } from './rows.ts'
import { NOT_BEGUN, refusedAnswer, shownAt, signInRefused } from './sign-in.ts'

/** Throws 3001 STATE_NOT_ALLOWED where the session is not by a provider that asks for a factor. */
export async function beginConfirmation(
  app: AccessApp,
  { workspace, session_id }: Principal,
  source: Source,
): Promise<{ address: string; secret: string }> {
  const provider = await providerOf(app, session_id)
  const { id: provider_id } = provider
  const secret = await begin(app.db, app.clock, { workspace, provider_id, session_id })
  try {
    return { address: await addressAt(app, provider, secretsOf(secret), { again: true }), secret }
  } catch (error) {
    throw refusedAnswer({ app, provider, source }, error)
  }
}

async function providerOf(app: AccessApp, session_id: string): Promise<ProviderRow> {
  const session = only(
    await app.db.query<{ provider_id: SignInProviderId | null }>(sql`
      select provider_id
      from sessions
      where id = ${session_id}`),
  )
  const { provider_id = null } = session ?? {}
  const provider = provider_id === null ? undefined : await activeProvider(app.db, provider_id)
  if (provider?.proves_second_factor !== true)
    throw refuse(
      'STATE_NOT_ALLOWED',
      '',
      'the session was not begun by a provider that asks for a second factor',
    )
  return provider
}

/** Throws 3001 SIGN_IN_REFUSED, also where somebody else has signed in there. */
export async function finishConfirmation(
  app: AccessApp,
  { principal, source }: { principal: Principal; source: Source },
  { secret, answer }: { secret: string | undefined; answer: string },
): Promise<number> {
  const { session_id } = principal
  const begun = secret === undefined ? undefined : await endBegun(app.db, app.clock, secret)
  if (secret === undefined || begun?.session_id !== session_id) throw signInRefused(NOT_BEGUN)
  const provider = await providerOf(app, session_id)
  const claims = await claimsFrom(app, provider, secretsOf(secret), { answer, again: true }).catch(
    (error: unknown) => {
      throw refusedAnswer({ app, provider, source }, error)
    },
  )
  if (!(await isOf(app, principal, claims)))
    throw signInRefused('somebody else has signed in at the provider')
  const at = shownAt(claims, app.clock.now())
  await withFailpoints('session.confirm', session_id, () =>
    app.db.tx((tx) => confirmSession(tx, session_id, at)),
  )
  return at + CONFIRMED_MILLISECONDS
}

async function isOf(
  app: AccessApp,
  { workspace, user_id }: Principal,
  { iss, sub }: Claims,
): Promise<boolean> {
  const identities = await app.db.query(sql`
    select 1
    from user_identities
    where workspace = ${workspace}
      and user_id = ${user_id}
      and issuer = ${iss}
      and subject = ${sub}`)
  return identities.length > 0
}
