import { ApiError, refuse } from '../core/errors.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  MAXIMUM_TEXT,
  optionalBlank,
  queryText,
  queryOneOf,
  text,
  Type,
  oneOf,
} from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { only } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { changePassword, login, refresh } from './auth.ts'
import type { AccessParts } from './auth.ts'
import { MAXIMUM_PASSWORD } from './passwords.ts'
import { PERMISSIONS } from './permissions.ts'
import type { Permission } from './permissions.ts'
import { endSessions } from './sessions.ts'
import { createUser, normalizeEmail, updateUser, userColumns } from './users.ts'
import { MAXIMUM_EMAIL, newUser, user, USER_STATES, userChange } from './users.schema.ts'
import type { User } from './users.schema.ts'

const MAXIMUM_TOKEN = 4096
/** Requests per minute and address. */
const PASSWORD_RATE = 120
const REFRESH_RATE = 600

const token = (description: string) => Type.String({ maxLength: MAXIMUM_TOKEN, description })
const email = text(MAXIMUM_EMAIL)
const password = text(MAXIMUM_PASSWORD)

export function accessEndpoints(parts: AccessParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      path: '/auth/login',
      origin: 'SPECIFIED',
      tag: 'Authentication',
      summary: 'Log in',
      permission: 'public',
      rate_limit: PASSWORD_RATE,
      description:
        'Repeated failures slow down and then lock the address for 15 minutes (4291 with Retry-After). A user who must change the password gets 1004 and changes it with POST /auth/password.',
      body: closed({ email, password }),
      example: { email: 'trader@example.com', password: 'correct horse battery staple' },
      data: closed(
        {
          id_token: token('Tells who logged in'),
          access_token: token('Authorizes calls for 1 hour'),
          refresh_token: token('Obtains access tokens for 30 days'),
        },
        { title: 'TokenSet' },
      ),
      // By its own steps: no transaction stays open while the password is checked.
      effect: 'venue',
      handle: ({ body }) => login(parts, body),
    }),
    endpoint({
      method: 'POST',
      path: '/auth/refresh',
      origin: 'SPECIFIED',
      tag: 'Authentication',
      summary: 'Obtain a new access token',
      permission: 'public',
      rate_limit: REFRESH_RATE,
      description:
        'Takes the access token used before, expired or not, and the refresh token of the same login. May be repeated and may run concurrently.',
      body: closed({
        access_token: token('The one used before, may be expired'),
        refresh_token: token('From login'),
      }),
      example: { access_token: 'eyJhbGciOiJFZERTQSJ9…', refresh_token: 'kSx3v9…' },
      data: closed(
        {
          id_token: token('Tells who logged in'),
          access_token: token('Authorizes calls for 1 hour'),
        },
        { title: 'RefreshedTokens' },
      ),
      effect: 'read',
      handle: ({ body }) => refresh(parts, body),
    }),
    endpoint({
      method: 'POST',
      path: '/auth/password',
      origin: { ours: 'the way out of error 1004' },
      tag: 'Authentication',
      summary: 'Change the own password',
      permission: 'public',
      rate_limit: PASSWORD_RATE,
      description:
        'Either with `email`, also for who gets 1004 at login, or without it and with a token. Ends all sessions of the user, except that of the token.',
      body: closed({ email: optionalBlank(email), old_password: password, new_password: password }),
      example: {
        email: 'trader@example.com',
        old_password: 'the first password',
        new_password: 'correct horse battery staple',
      },
      data: user,
      effect: 'venue',
      async handle({ body, headers }) {
        const { authorization } = headers
        if (body.email !== undefined)
          return changePassword(parts, {
            email: body.email,
            password: body.old_password,
            new_password: body.new_password,
          })
        if (authorization === undefined)
          throw refuse('REQUIRED', 'email', 'email is required without a token')
        const caller = await parts.access.authenticate(String(authorization))
        const owner = only(
          await parts.db.query<{ email: string }>(
            sql`select email from users where workspace = ${caller.workspace} and id = ${caller.user_id}`,
          ),
        )
        if (owner === undefined) throw new ApiError('MissingToken')
        return changePassword(
          parts,
          { email: owner.email, password: body.old_password, new_password: body.new_password },
          caller,
        )
      },
    }),
    endpoint({
      method: 'POST',
      path: '/auth/logout',
      origin: { ours: 'a session can end before its time' },
      tag: 'Authentication',
      summary: 'End the session',
      permission: 'authenticated',
      description: 'Its access tokens and its refresh token open nothing any more.',
      data: closed({ id: id('The session') }, { title: 'EndedSession' }),
      effect: 'transaction',
      async handle({ principal: { workspace, user_id, session_id } }, tx) {
        await endSessions(parts.access, tx, parts.clock, { workspace, user_id, session_id })
        return { id: session_id }
      },
    }),
    endpoint({
      method: 'GET',
      path: '/auth/me',
      origin: { ours: 'a program must know what it can offer to its user' },
      tag: 'Authentication',
      summary: 'Who calls, and what the caller may do',
      permission: 'authenticated',
      data: closed(
        {
          user,
          workspace: closed({ id: id(), name: text() }),
          permissions: Type.Array(
            oneOf(Object.keys(PERMISSIONS) as [Permission, ...Permission[]]),
            {
              description: 'In alphabetical order',
            },
          ),
        },
        { title: 'Caller' },
      ),
      effect: 'read',
      async handle({ principal: { workspace, user_id, permissions } }) {
        const owner = only(
          await parts.db.query<User>(
            sql`select ${userColumns} from users where workspace = ${workspace} and id = ${user_id}`,
          ),
        )
        const home = only(
          await parts.db.query<{ id: string; name: string }>(
            sql`select id, name from workspaces where id = ${workspace}`,
          ),
        )
        if (owner === undefined || home === undefined) throw new ApiError('MissingToken')
        return {
          user: owner,
          workspace: home,
          permissions: [...permissions].toSorted() as Permission[],
        }
      },
    }),
    listEndpoint({
      path: '/users',
      origin: { ours: 'an administrator sees who may log in, with which roles' },
      tag: 'Users',
      summary: 'List users',
      permission: 'users.write',
      query: closed({ email: queryText(MAXIMUM_TEXT), state: queryOneOf(USER_STATES) }),
      data: user,
      list: ({ principal, query }) => ({
        select: sql`select ${userColumns} from users`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          ...(query.email === undefined ? [] : [sql`email = ${normalizeEmail(query.email)}`]),
          ...(query.state === undefined ? [] : [sql`state = any(${query.state})`]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'POST',
      path: '/users',
      origin: { ours: 'an administrator adds somebody who may log in' },
      tag: 'Users',
      summary: 'Create a user',
      permission: 'users.write',
      body: newUser,
      example: {
        email: 'trader@example.com',
        name: 'Tara Trader',
        roles: ['TRADER'],
        password: 'the first password',
      },
      data: user,
      effect: 'transaction',
      handle: ({ body, principal }, tx) =>
        createUser(tx, parts.clock, {
          ...body,
          workspace: principal.workspace,
          by: principal.user_id,
        }),
    }),
    endpoint({
      method: 'PUT',
      path: '/users',
      origin: { ours: 'an administrator changes or disables somebody who may log in' },
      tag: 'Users',
      summary: 'Change a user',
      permission: 'users.write',
      description:
        'Other roles, a new password, the demand to change it, and DISABLED end the sessions of the user at once. Nobody changes their own roles or state.',
      body: userChange,
      example: {
        id: '01a1fc75-ea2a-7589-aa8f-000000000007',
        email: 'trader@example.com',
        roles: ['TRADER', 'READER'],
        state: 'ACTIVE',
        version: 1,
      },
      data: user,
      effect: 'transaction',
      handle: ({ body, principal }, tx) =>
        updateUser(parts.access, tx, parts.clock, principal, body),
    }),
  ]
}
