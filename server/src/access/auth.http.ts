import { ApiError, refuse } from '../core/errors.ts'
import {
  closed,
  endpoint,
  flag,
  id,
  MAXIMUM_EMAIL,
  nullable,
  oneOf,
  optionalBlank,
  text,
  Type,
} from '../http/index.ts'
import type { Endpoint, Principal, Static } from '../http/index.ts'
import { only } from '../store/db.ts'
import { columnsOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { changePassword, emailOf, login, refresh } from './auth.ts'
import type { AccessApp } from './access.ts'
import { ApiKeyRecord } from './api-keys.schema.ts'
import { ShownBrand } from './brand.schema.ts'
import type { Brand } from './brand.schema.ts'
import { shownBrand } from './brand.ts'
import { factorProof } from './factors.schema.ts'
import { newPassword } from './passwords.schema.ts'
import { MAXIMUM_PASSWORD } from './passwords.ts'
import { PERMISSIONS } from './permissions.ts'
import type { Permission } from './permissions.ts'
import { UserRecord } from './users.schema.ts'
import type { User } from './users.schema.ts'
import { USER_COLUMNS } from './users.ts'

const MAXIMUM_TOKEN = 4096
export const tag = 'Authentication'
export const token = (description: string) => Type.String({ maxLength: MAXIMUM_TOKEN, description })
const email = text(MAXIMUM_EMAIL)
const password = text(MAXIMUM_PASSWORD)
export const knownBy = optionalBlank(token('Of an earlier login on this device, expired or not'))
export const Login = closed(
  { email, password, id_token: knownBy, ...factorProof() },
  { title: 'Login' },
)
/** What a login answers, and each refresh anew. */
export const accessTokens = {
  id_token: token('Identifies the login'),
  access_token: token('Authorizes calls for one hour'),
}

export function authEndpoints(app: AccessApp): Endpoint[] {
  return [loginEndpoint(app), refreshEndpoint(app), passwordEndpoint(app), meEndpoint(app)]
}

function loginEndpoint(app: AccessApp): Endpoint {
  return endpoint({
    method: 'POST',
    operation_id: 'login',
    errors: ['WrongUserNamePassword', 'RequirePasswordChange', 'SecondFactorRequired'],
    path: '/auth/login',
    origin: 'SPECIFIED',
    tag,
    summary: 'Log in',
    permission: 'public',
    description:
      'Repeated failures slow the caller down (4291 with Retry-After), and nobody who is known. ' +
      'A program that sends the id_token of its last login is known for 90 days. A user who must ' +
      'change the password gets 1004 and changes it with POST /auth/password. A user with a ' +
      'second factor gets 1007, and sends the same again with a code, or with the answer of a ' +
      'passkey to POST /auth/passkeys.',
    body: Login,
    example: { email: 'trader@example.com', password: 'correct horse battery staple' },
    data: closed(
      { ...accessTokens, refresh_token: token('Obtains access tokens for 30 days') },
      { title: 'TokenSet' },
    ),
    // By its own steps: no transaction stays open while the password is checked.
    effect: 'venue',
    handle: ({ body: { id_token, ...credentials }, source }) =>
      login(app, credentials, { ...source, id_token }),
  })
}

function refreshEndpoint(app: AccessApp): Endpoint {
  return endpoint({
    method: 'POST',
    operation_id: 'refreshTokens',
    errors: ['RefreshTokenInvalid'],
    path: '/auth/refresh',
    origin: 'SPECIFIED',
    tag,
    summary: 'Obtain a new access token',
    permission: 'public',
    description:
      'Takes the access token used before, expired or not, and the refresh token of the same ' +
      'login. May be repeated and may run concurrently; 4291 when a session does it in a loop.',
    body: closed(
      {
        access_token: token('The access token used before, expired or not'),
        refresh_token: token('From login'),
      },
      { title: 'RefreshTokens' },
    ),
    example: { access_token: 'eyJhbGciOiJFZERTQSJ9…', refresh_token: 'kSx3v9…' },
    data: closed(accessTokens, { title: 'RefreshedTokens' }),
    effect: 'read',
    handle: ({ body, source }) => refresh(app, body, source),
  })
}

function passwordEndpoint(app: AccessApp): Endpoint {
  return endpoint({
    method: 'POST',
    operation_id: 'changePassword',
    errors: ['MissingToken', 'TokenExpired', 'WrongUserNamePassword', 'SecondFactorRequired'],
    path: '/auth/password',
    origin: { ours: 'the way out of error 1004' },
    tag,
    summary: 'Change the own password',
    permission: 'public',
    description:
      'Give either `email`, also after a login was refused with 1004, or a token. ' +
      'Without a token it takes a code or passkey, where the user has a second factor. ' +
      'Ends all sessions of the user, except that of the token.',
    body: closed(
      {
        email: optionalBlank(email),
        old_password: password,
        new_password: newPassword(),
        id_token: knownBy,
        ...factorProof(),
      },
      { title: 'ChangePassword' },
    ),
    example: {
      email: 'trader@example.com',
      old_password: 'the first password',
      new_password: 'correct horse battery staple',
    },
    data: UserRecord,
    effect: 'venue',
    async handle({ body, headers: { authorization }, source }) {
      const passwords = { password: body.old_password, new_password: body.new_password }
      const { email: own, id_token } = body
      if (own !== undefined) {
        const credentials = { email: own, code: body.code, passkey: body.passkey, ...passwords }
        return changePassword(app, credentials, { ...source, id_token })
      }
      if (authorization === undefined)
        throw refuse('REQUIRED', 'email', 'email is required without a token')
      const principal = await app.access.authenticate(String(authorization), {
        ip: source.address,
      })
      const { session_id } = principal
      const credentials = { email: await emailOf(app, principal), ...passwords }
      return changePassword(app, credentials, { ...source, session_id })
    },
  })
}

const { id: keyId, label, limits, expires_at } = ApiKeyRecord.properties
const CallingKey = closed({ id: keyId, label, limits, expires_at }, { title: 'CallingApiKey' })

function meEndpoint(app: AccessApp): Endpoint {
  return endpoint({
    method: 'GET',
    operation_id: 'getCaller',
    path: '/auth/me',
    origin: { ours: 'a program must know what it can offer to its user' },
    tag,
    summary: 'Who calls, and what the caller may do',
    permission: 'authenticated',
    enrolling: true,
    data: closed(
      {
        user: nullable(UserRecord),
        api_key: nullable(CallingKey),
        workspace: closed({ id: id(), name: text(), brand: ShownBrand }),
        permissions: Type.Array(oneOf(Object.keys(PERMISSIONS) as [Permission, ...Permission[]]), {
          description: 'In alphabetical order',
        }),
        must_set_up_second_factor: flag('Nothing else is possible before'),
      },
      { title: 'Caller' },
    ),
    effect: 'read',
    async handle({ principal }) {
      return {
        ...(await profileOf(app, principal)),
        permissions: [...principal.permissions].toSorted() as Permission[],
        must_set_up_second_factor: principal.enrolling === true,
      }
    },
  })
}

async function profileOf(
  { db }: AccessApp,
  { workspace, user_id, api_key }: Principal,
): Promise<{
  user: User | null
  api_key: Static<typeof CallingKey> | null
  workspace: { id: string; name: string; brand: ShownBrand }
}> {
  const user = only(
    await db.query<User>(sql`
      select ${USER_COLUMNS}
      from users
      where workspace = ${workspace}
        and id = ${user_id}`),
  )
  const key = only(
    await db.query<Static<typeof CallingKey>>(sql`
      select ${columnsOf(CallingKey)}
      from api_keys
      where workspace = ${workspace}
        and id = ${api_key?.id ?? null}`),
  )
  const home = only(
    await db.query<{ id: string; name: string; brand: Brand | null }>(sql`
      select id, name, settings -> 'brand' as brand
      from workspaces
      where id = ${workspace}`),
  )
  if ((user === undefined && key === undefined) || home === undefined)
    throw new ApiError('MissingToken')
  return {
    user: user ?? null,
    api_key: key ?? null,
    workspace: { ...home, brand: shownBrand(home.brand ?? {}) },
  }
}
