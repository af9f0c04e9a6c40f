import type { SignInProviderId } from '../../core/ids.ts'
import { closed, endpoint, id, queryFlag } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { AccessApp } from '../access.ts'
import { tag } from '../auth.http.ts'
import { ConsoleTokens, cookieOf, keptInBrowser } from '../console-login.http.ts'
import type { Sent } from '../console-login.http.ts'
import { BEGUN_MILLISECONDS } from './begun.ts'
import { endByProvider } from './logout.ts'
import {
  BegunSignIn,
  FinishSignIn,
  ListedProviders,
  LoggedOutSessions,
  LogoutToken,
  PROVIDER_MOVES,
} from './providers.schema.ts'
import { beginSignIn, finishSignIn } from './sign-in.ts'

const COOKIE = 'kontor_sign_in'
const SENT = new RegExp(`(?:^|;\\s*)${COOKIE}=([A-Za-z0-9_-]{43})(?:;|$)`)
/** Many may open the login page from one address. */
const A_MINUTE = 600
/** Each is stored, and asks the provider. */
const BEGUN_A_MINUTE = 60

export function signInEndpoints(app: AccessApp): Endpoint[] {
  return [listed(app), beginning(app), finishing(app), loggedOut(app)]
}

function listed({ db }: AccessApp): Endpoint {
  return endpoint({
    method: 'GET',
    operation_id: 'listLoginProviders',
    path: '/auth/providers',
    origin: { ours: 'the sign-in page has a button for each' },
    tag,
    summary: 'The providers on the sign-in page',
    description: 'Those that are declared as `listed`, of all workspaces. Without a token.',
    permission: 'public',
    rate_limit: A_MINUTE,
    effect: 'read',
    data: ListedProviders,
    handle: () =>
      db.query<{ id: SignInProviderId; label: string }>(sql`
        select id, label
        from sign_in_providers
        where listed
          and ${stateIn(PROVIDER_MOVES, 'ACTIVE')}
        order by label, id
        limit 100`),
  })
}

const begunCookie = (secret: string, sent: Sent): string =>
  `${cookieOf(COOKIE, secret, sent)}; Max-Age=${BEGUN_MILLISECONDS / 1000}`

const secretIn = ({ cookie }: Sent['headers']): string | undefined =>
  SENT.exec(String(cookie ?? ''))?.[1]

/** Called by the provider itself, for each who logs out there, from few addresses. */
function loggedOut(app: AccessApp): Endpoint {
  return endpoint({
    method: 'POST',
    operation_id: 'logoutByProvider',
    path: '/auth/providers/:provider_id/logout',
    origin: { ours: 'who has logged out at the provider, or was disabled there, is out here too' },
    tag,
    summary: 'A provider says that somebody has logged out there',
    description:
      'OpenID Connect Back-Channel Logout 1.0: the token is signed by the provider. Ends the ' +
      'sessions that were begun by it, of the person or the one that `sid` names.',
    permission: 'public',
    rate_limit: A_MINUTE,
    form: true,
    params: closed({ provider_id: id<SignInProviderId>() }),
    body: LogoutToken,
    example: { logout_token: 'eyJhbGciOiJSUzI1NiIsInR5cCI6ImxvZ291dCtqd3QifQ.eyJpc3Mi.c2ln' },
    data: LoggedOutSessions,
    effect: 'venue',
    async handle({ params: { provider_id }, body: { logout_token }, source }) {
      return { ended: await endByProvider(app, { provider_id, logout_token }, source) }
    },
  })
}

function beginning(app: AccessApp): Endpoint {
  return endpoint({
    method: 'POST',
    operation_id: 'beginProviderSignIn',
    path: '/auth/console/providers/:provider_id',
    origin: { ours: 'people sign in by their company’s own accounts' },
    tag,
    summary: 'Begin to sign in by a provider',
    description:
      'The browser goes to the address in the answer, and keeps a cookie by which it alone can ' +
      'end the sign-in. The provider sends it back to the console, which sends the query on to ' +
      'POST /auth/console/provider within ten minutes. `again`: the person types there who they ' +
      'are, though the provider knows them, so that dangerous commands ask no more.',
    permission: 'public',
    rate_limit: BEGUN_A_MINUTE,
    params: closed({ provider_id: id<SignInProviderId>() }),
    query: closed({ again: queryFlag() }),
    data: BegunSignIn,
    effect: 'venue',
    async handle({ params: { provider_id }, query: { again = false }, source, ...sent }) {
      const { address, secret } = await beginSignIn(app, { provider_id, again }, source)
      sent.setCookie(begunCookie(secret, sent))
      return { address }
    },
  })
}

function finishing(app: AccessApp): Endpoint {
  return endpoint({
    method: 'POST',
    operation_id: 'finishProviderSignIn',
    path: '/auth/console/provider',
    origin: { ours: 'people sign in by their company’s own accounts' },
    tag,
    summary: 'End a sign-in by a provider',
    description:
      'Takes the cookie of its beginning, once. Answers as POST /auth/console/login does; 3001 ' +
      'SIGN_IN_REFUSED says why nobody is let in.',
    permission: 'public',
    rate_limit: BEGUN_A_MINUTE,
    body: FinishSignIn,
    example: {
      provider_id: '01a1fc75-ea2a-7589-aa8f-000000000041',
      answer: 'code=nR0RyG…&state=Yr7c…&iss=https%3A%2F%2Flogin.example.com',
    },
    data: ConsoleTokens,
    effect: 'venue',
    async handle({ body, source, https, headers, setCookie }) {
      const secret = secretIn(headers)
      const begun = await finishSignIn(app, { ...body, secret }, source)
      return keptInBrowser(app, begun, { https, headers, setCookie })
    },
  })
}
