/** The provider says that somebody has logged out there: OpenID Connect Back-Channel Logout 1.0. */
import { notFound, refuse } from '../../core/errors.ts'
import type { SignInProviderId } from '../../core/ids.ts'
import type { Source } from '../../http/index.ts'
import type { Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { AccessApp } from '../access.ts'
import { securityEntries } from '../security-log.ts'
import { whyOf } from './calls.ts'
import { endSessionsWhere } from './ending.ts'
import { loggedOutBy } from './logout-token.ts'
import type { LoggedOut } from './logout-token.ts'
import { activeProvider, SINGLE_SIGN_ON } from './rows.ts'
import type { ProviderRow } from './rows.ts'

/**
 * Ends the sessions that were begun by this provider: the one that the token names by `sid`, else
 * all of the person. Sent again it ends nothing that was begun later. Throws 4004, 3001 FORMAT.
 */
export async function endByProvider(
  app: AccessApp,
  { provider_id, logout_token }: { provider_id: SignInProviderId; logout_token: string },
  source: Source,
): Promise<number> {
  const provider = await activeProvider(app.db, provider_id)
  if (provider === undefined) throw notFound('sign-in provider', provider_id, 'provider_id')
  const told = await loggedOutBy(app, provider, logout_token).catch((error: unknown) => {
    const { workspace } = provider
    const details = { reason: 'LOGOUT_TOKEN', provider_id, why: whyOf(error) }
    app.access.security.note({ kind: 'SIGN_IN_FAILED', workspace, source, details })
    const message = 'it is no logout token of this provider, or the provider cannot be asked'
    throw Object.assign(refuse('FORMAT', 'logout_token', message), { cause: error })
  })
  return app.db.tx((tx) => endTold({ app, tx, provider, source }, told))
}

type Ending = { app: AccessApp; tx: Tx; provider: ProviderRow; source: Source }

async function endTold({ app, tx, provider, source }: Ending, told: LoggedOut): Promise<number> {
  const { workspace, id: provider_id } = provider
  const sessions = await endSessionsWhere(app, tx, { workspace, chosen: toldOf(provider, told) })
  if (sessions.length === 0) return 0
  await tx.query(
    securityEntries(
      workspace,
      app.clock.now(),
      sessions.map(({ id, user_id }) => ({
        kind: 'SESSION_ENDED' as const,
        user: { id: user_id },
        actor: SINGLE_SIGN_ON,
        source,
        details: { ended_session_id: id, provider_id, reason: 'LOGGED_OUT_THERE' },
      })),
    ),
  )
  return sessions.length
}

/** A session whose `sid` the provider did not say ends with any of the person. */
const toldOf = (
  { workspace, id, issuer }: ProviderRow,
  { sub, sid, told_at }: LoggedOut,
): Query => sql`
  provider_id = ${id}
  and created_at < ${told_at + 1_000}
  and (
    provider_session = ${sid}::text
    or (${sid}::text is null or provider_session is null)
      and user_id in (
        select user_id
        from user_identities
        where workspace = ${workspace}
          and issuer = ${issuer}
          and subject = ${sub}::text
      )
  )`
