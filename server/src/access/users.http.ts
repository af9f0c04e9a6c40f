import {
  closed,
  endpoint,
  listEndpoint,
  MAXIMUM_TEXT,
  queryOneOf,
  queryText,
} from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import type { InvitingApp } from './account-mails.ts'
import { normalizeEmail } from './emails.ts'
import { createInvitedUser } from './invitations.ts'
import { ChangeUser, CreateUser, USER_STATES, UserRecord } from './users.schema.ts'
import { changeUser, USER_COLUMNS } from './users.ts'

const common = { tag: 'Users', permission: 'users.write' } as const

export function usersEndpoints(app: InvitingApp): Endpoint[] {
  return [
    listing(),
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'createUser',
      confirmed: true,
      path: '/users',
      origin: { ours: 'an administrator adds a user' },
      summary: 'Create a user',
      description:
        'Without a password the user gets a mail with a link by which to choose it. Where the ' +
        'workspace demands a second factor of anybody, nobody else chooses it.',
      body: CreateUser,
      example: {
        email: 'trader@example.com',
        name: 'Tara Trader',
        roles: ['TRADER'],
        password: 'the first password',
      },
      data: UserRecord,
      effect: 'transaction',
      handle: ({ body, caller }, tx) => createInvitedUser(caller, app, tx, body),
    }),
    endpoint({
      ...common,
      method: 'PUT',
      operation_id: 'changeUser',
      confirmed: true,
      path: '/users',
      origin: { ours: 'an administrator changes or disables a user' },
      summary: 'Change a user',
      description:
        'New roles, a new password, a demanded new password, and DISABLED end all sessions of ' +
        'the user at once. Nobody changes their own roles or state, and the own password only by ' +
        'POST /auth/password. Where the workspace demands a second factor of anybody, nobody ' +
        'changes the password of another person, or the e-mail address once they have logged in.',
      body: ChangeUser,
      example: {
        id: '01a1fc75-ea2a-7589-aa8f-000000000007',
        email: 'trader@example.com',
        roles: ['TRADER', 'READER'],
        state: 'ACTIVE',
        version: 1,
      },
      data: UserRecord,
      effect: 'transaction',
      handle: ({ body, caller }, tx) => changeUser(caller, app, tx, body),
    }),
  ]
}

function listing(): Endpoint {
  return listEndpoint({
    ...common,
    operation_id: 'listUsers',
    tagged: 'user',
    path: '/users',
    origin: { ours: 'an administrator sees the users and their roles' },
    summary: 'List users',
    query: closed({ email: queryText(MAXIMUM_TEXT), state: queryOneOf(USER_STATES) }),
    data: UserRecord,
    list: ({ principal, query }) => ({
      select: sql`
        select ${USER_COLUMNS}
        from users`,
      conditions: [
        sql`workspace = ${principal.workspace}`,
        ...(query.email === undefined ? [] : [sql`email = ${normalizeEmail(query.email)}`]),
        ...(query.state === undefined ? [] : [sql`state = any(${query.state})`]),
      ],
      key: { column: 'id', type: 'uuid' },
    }),
  })
}
