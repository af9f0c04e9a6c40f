import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { filledTexts } from '../../action/filled.ts'
import type { ActionPlan } from '../../action/plan.ts'
import type { FormField } from '../../action/inputs.tsx'
import { useMe } from '../../api/query.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'

type User = RowOf<'/users'>
type Role = User['roles'][number]

const EVERYTHING = { query: { limit: '5000' } }
const ROLES: Readonly<Record<Role, string>> = {
  READER: 'can read everything',
  TRADER: 'can quote and trade',
  TREASURER: 'can move money',
  ACCOUNTANT: 'can book, assign and manage customers',
  COMPLIANCE: 'can decide assignments, freeze and halt',
  AUDITOR: 'can read everything and the security log',
  ADMIN: 'can manage users and API keys and read the security log, cannot move money',
}

const WHO: readonly FormField[] = [
  { name: 'email', label: 'E-mail', kind: 'text', required: true, maxLength: 254 },
  { name: 'name', label: 'Name', kind: 'text', maxLength: 200 },
]
const roles = (disabled: boolean): FormField => ({
  name: 'roles',
  label: 'Roles',
  kind: 'words',
  many: true,
  required: true,
  disabled,
  options: Object.entries(ROLES).map(([value, says]) => ({
    value,
    label: `${inWords(value)}: ${says}`,
  })),
  ...(disabled ? { help: 'You cannot change your own roles' } : {}),
})

const create: ActionPlan<'post', '/users'> = {
  label: 'Create user',
  permission: 'users.write',
  fields: [
    ...WHO,
    roles(false),
    {
      name: 'password',
      label: 'Initial password',
      kind: 'password',
      required: true,
      help: 'At least 10 characters. The user must change it at the first login.',
    },
  ],
  method: 'post',
  path: '/users',
  request: (_row, { email, name, roles: chosen, password }) => ({
    body: {
      email: String(email).trim(),
      ...filledTexts({ name }),
      roles: chosen as Role[],
      password: String(password),
      must_change_password: true,
    },
  }),
  fieldOf: (path) => path.replace(/\[\d+\]$/, ''),
  done: ({ email }) => `${email} can log in`,
}

type Change = ActionPlan<'put', '/users', User>
const putUser = { permission: 'users.write', method: 'put', path: '/users' } as const
const as = ({ id, email, name, roles: held, state, version }: User) => ({
  id,
  email,
  ...filledTexts({ name }),
  roles: held,
  state,
  version,
})

/** `me`: users cannot change their own roles. */
function changeOf(me: string | undefined): Change {
  return {
    ...putUser,
    label: 'Change',
    explain: () => 'Changing roles ends the sessions of the user at once.',
    fields: ({ id }) => [...WHO, roles(id === me)],
    initial: ({ email, name, roles: held }) => ({ email, name: name ?? '', roles: held }),
    request: (user, { email, name, roles: chosen }) => {
      const { name: _old, ...kept } = as(user)
      return {
        body: {
          ...kept,
          email: String(email).trim(),
          ...filledTexts({ name }),
          roles: chosen as Role[],
        },
      }
    },
    fieldOf: (path) => path.replace(/\[\d+\]$/, ''),
    done: ({ email }) => `User ${email} changed`,
  }
}

const resetPassword: Change = {
  ...putUser,
  label: 'Set password',
  explain: ({ email }) => (
    <>
      This ends the sessions of {email} at once. The user must change the password at the next
      login.
    </>
  ),
  fields: [
    {
      name: 'password',
      label: 'New password',
      kind: 'password',
      required: true,
      help: 'At least 10 characters',
    },
  ],
  request: (user, { password }) => ({
    body: { ...as(user), password: String(password), must_change_password: true },
  }),
  done: () => 'Password set',
}

const switching = (me: string | undefined, state: User['state']): Change => ({
  ...putUser,
  label: state === 'DISABLED' ? 'Disable' : 'Enable',
  danger: state === 'DISABLED',
  why: (user) => (user.id === me ? 'You cannot disable yourself' : undefined),
  explain: ({ email }) =>
    state === 'DISABLED' ? (
      <>{email} can no longer log in. All sessions end at once.</>
    ) : (
      <>{email} can log in again.</>
    ),
  request: (user) => ({ body: { ...as(user), state } }),
  done: ({ email }) => `${email} is ${state === 'DISABLED' ? 'disabled' : 'enabled'}`,
})

export function Page(): ReactNode {
  return (
    <WorkList
      title="Users"
      path="/users"
      every={15_000}
      columns={[
        { key: 'email', title: 'E-mail', width: 230 },
        { key: 'name', title: 'Name', width: 180 },
        { key: 'state', title: 'State', kind: 'status', width: 110 },
        {
          key: 'roles',
          title: 'Roles',
          value: (row) => row.roles.map(inWords).join(', '),
          width: 360,
        },
        { key: 'last_login_at', title: 'Last login', kind: 'time' },
        { key: 'must_change_password', title: 'Must change password', kind: 'flag', width: 150 },
        { key: 'system_created_at', title: 'Since', kind: 'time' },
        { key: 'id', title: 'Id', kind: 'id', extra: true },
      ]}
      filters={[
        {
          name: 'state',
          label: 'State',
          kind: 'words',
          options: ['ACTIVE', 'DISABLED'],
          many: true,
        },
        { name: 'email', label: 'E-mail', kind: 'text' },
      ]}
      empty={{ title: 'No users', text: 'Create the first user.' }}
      actions={<ActionButton plan={create} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  const me = useMe()?.user.id
  return (
    <RecordDrawer
      what="User"
      path="/users"
      request={EVERYTHING}
      pick={(users) => users.find((user) => user.id === id)}
      timeline={false}
      title={(row) => (
        <>
          {row.name ?? row.email} <Status state={row.state} />
        </>
      )}
      actions={(row) => (
        <>
          <ActionButton plan={changeOf(me)} row={row} />
          <ActionButton plan={resetPassword} row={row} />
          <ActionButton
            plan={switching(me, row.state === 'ACTIVE' ? 'DISABLED' : 'ACTIVE')}
            row={row}
          />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'email', title: 'E-mail' },
            { key: 'name', title: 'Name' },
            { key: 'state', title: 'State', kind: 'status' },
            { key: 'last_login_at', title: 'Last login', kind: 'time' },
            { key: 'must_change_password', title: 'Must change password', kind: 'flag' },
          ],
        },
        {
          title: 'Roles',
          fields: [
            {
              key: 'roles',
              title: 'Roles',
              render: (row) => (
                <ul className="plain">
                  {row.roles.map((role) => (
                    <li key={role}>
                      {inWords(role)}: <span className="soft">{ROLES[role]}</span>
                    </li>
                  ))}
                </ul>
              ),
            },
          ],
        },
        COMMON_FIELDS,
      ]}
    />
  )
}
