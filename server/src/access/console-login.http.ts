/**
 * The console's own way to log in. The refresh token is in a cookie that no script can read, and
 * that the browser sends to this one address, from our own pages alone. Programs take the ways of
 * the interface specification (auth.http.ts).
 */
import { closed, endpoint, id, integer, MAXIMUM_EMAIL, optionalBlank, text } from '../http/index.ts'
import type { Call, Endpoint, Static } from '../http/index.ts'
import type { AccessApp } from './access.ts'
import { accessTokens, Login, tag, token } from './auth.http.ts'
import { isId } from '../core/ids.ts'
import { loginToConsole, refreshConsole } from './auth.ts'
import type { ConsoleTokens as TokensOfConsole } from './console-tokens.ts'

const COOKIE = 'kontor_session'
const COOKIE_PATH = '/api/auth/console'
const SENT = new RegExp(`(?:^|;\\s*)${COOKIE}=([0-9a-f-]{36})\\.([A-Za-z0-9_-]{1,100})(?:;|$)`)

export const ConsoleTokens = closed(
  {
    ...accessTokens,
    email: text(MAXIMUM_EMAIL),
    session_id: id(),
    idle_ms: integer(1, Number.MAX_SAFE_INTEGER, 'After so long without use the session ends'),
  },
  { title: 'ConsoleTokens' },
)

export type Sent = Pick<Call<unknown, unknown, unknown>, 'https' | 'headers'>

/** The console may be read over plain HTTP on the machine itself, and where that was asked for. */
export function cookieOf(name: string, value: string, { https, headers }: Sent): string {
  const isPlain = !https && String(headers['origin'] ?? '').startsWith('http://')
  const secure = isPlain ? '' : '; Secure'
  return `${name}=${value}; Path=${COOKIE_PATH}; HttpOnly; SameSite=Strict${secure}`
}

const sessionCookie = (session_id: string, refresh_token: string, sent: Sent): string =>
  cookieOf(COOKIE, `${session_id}.${refresh_token}`, sent)

/** The browser keeps the refresh token of a session that begins; its page is answered the rest. */
export function keptInBrowser(
  { access }: AccessApp,
  { refresh_token, ...tokens }: TokensOfConsole & { refresh_token: string },
  { setCookie, ...sent }: Sent & Pick<Call<unknown, unknown, unknown>, 'setCookie'>,
): Static<typeof ConsoleTokens> {
  setCookie(sessionCookie(tokens.session_id, refresh_token, sent))
  return { ...tokens, idle_ms: access.limits.idle_ms }
}

function sessionIn({
  cookie,
}: Sent['headers']): { session_id: string; refresh_token: string } | undefined {
  const [, session_id, refresh_token] = SENT.exec(String(cookie ?? '')) ?? []
  return session_id === undefined || refresh_token === undefined || !isId(session_id)
    ? undefined
    : { session_id, refresh_token }
}

export function consoleLoginEndpoints(app: AccessApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'loginToConsole',
      errors: ['WrongUserNamePassword', 'RequirePasswordChange', 'SecondFactorRequired'],
      path: '/auth/console/login',
      origin: { ours: 'the refresh token of a browser is out of reach of scripts' },
      tag,
      summary: 'Log in from the console',
      permission: 'public',
      description:
        'As POST /auth/login, but the refresh token is in a cookie that scripts cannot read. The ' +
        'session ends when it is not used for a while.',
      body: Login,
      example: { email: 'trader@example.com', password: 'correct horse battery staple' },
      data: ConsoleTokens,
      effect: 'venue',
      async handle({ body: { id_token, ...credentials }, source, https, headers, setCookie }) {
        const begun = await loginToConsole(app, credentials, { ...source, id_token })
        return keptInBrowser(app, begun, { https, headers, setCookie })
      },
    }),
    endpoint({
      method: 'POST',
      operation_id: 'refreshConsole',
      errors: ['RefreshTokenInvalid'],
      path: '/auth/console/refresh',
      origin: { ours: 'a page of the console goes on with the session of its browser' },
      tag,
      summary: 'Obtain a new access token in the console',
      permission: 'public',
      description:
        'Takes the cookie of POST /auth/console/login. With the access token used before, 1006 ' +
        'unless the cookie is the same user’s. May be repeated and may run concurrently.',
      body: closed(
        { access_token: optionalBlank(token('The one used before, expired or not')) },
        { title: 'RefreshConsole' },
      ),
      example: {},
      data: ConsoleTokens,
      effect: 'read',
      async handle({ body: { access_token }, source, headers }) {
        const tokens = await refreshConsole(app, { access_token, ...sessionIn(headers) }, source)
        return { ...tokens, idle_ms: app.access.limits.idle_ms }
      },
    }),
  ]
}
