import type { UserId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import {
  closed,
  flag,
  id,
  currentVersion,
  emailText,
  MAXIMUM_TEXT,
  nullable,
  optional,
  READ_ONLY_FIELDS,
  record,
  requiredText,
  text,
  time,
  Type,
  oneOf,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { newPassword } from './passwords.schema.ts'
import { ROLES } from './permissions.ts'

export const USER_STATES = ['ACTIVE', 'DISABLED'] as const
type UserState = (typeof USER_STATES)[number]

/** A user who is disabled cannot log in. */
export const USER_MOVES: Moves<UserState> = { ACTIVE: ['DISABLED'], DISABLED: ['ACTIVE'] }

const email = emailText('Unique over all workspaces; kept in lower case')
const roles = Type.Array(oneOf(ROLES), { minItems: 1, maxItems: ROLES.length, uniqueItems: true })
const password = newPassword()

export const UserRecord = record('User', {
  id: id<UserId>(),
  email,
  name: nullable(text()),
  roles,
  state: oneOf(USER_STATES),
  must_change_password: flag('Login answers 1004 until the password is changed'),
  last_login_at: nullable(time()),
  second_factor: flag('A second factor is set up, and each login asks for it'),
})
export type User = Static<typeof UserRecord>

export const CreateUser = closed(
  {
    email,
    name: optional(requiredText(MAXIMUM_TEXT)),
    roles,
    password: optional(password),
    must_change_password: optional(
      flag('Default true: the user must change this password at the first login'),
    ),
  },
  { title: 'NewUser' },
)
export type CreateUserBody = Static<typeof CreateUser>

export const ChangeUser = closed(
  {
    id: id<UserId>(),
    email,
    name: optional(requiredText(MAXIMUM_TEXT)),
    roles,
    state: oneOf(USER_STATES),
    must_change_password: optional(flag()),
    password: optional(password),
    version: optional(currentVersion()),
  },
  { title: 'UserChange', 'x-read-only': [...READ_ONLY_FIELDS, 'last_login_at', 'second_factor'] },
)
export type ChangeUserBody = Static<typeof ChangeUser>
