import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { ActionButton } from '../../action/action.tsx'
import { filledTexts } from '../../action/filled.ts'
import type { ActionPlan } from '../../action/plan.ts'
import type { FormField } from '../../action/inputs.tsx'
import { useMe } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { WorkList } from '../../list/work-list.tsx'
import type { RowOf } from '../../list/work-list.tsx'
import { inWords, Status } from '../../parts/status.tsx'
import { COMMON_FIELDS, RecordDrawer } from '../../record/record.tsx'

type User = RowOf<'/users'>
type Role = User['roles'][number]

const EVERYTHING = { query: { limit: '5000' } }
const ROLES: Readonly<Record<Role, string>> = {
  READER: t('can read everything'),
  TRADER: t('can quote and trade'),
  TREASURER: t('can move money'),
  ACCOUNTANT: t('can book, assign and manage customers'),
  COMPLIANCE: t('can decide assignments, freeze and halt'),
  APPROVER: t('can read everything, and approve what the policy asks others about'),
  AUDITOR: t('can read everything and the security log'),
  ADMIN: t('can manage users and API keys and read the security log, cannot move money'),
}

/** What the service takes for an address. */
const EMAIL = {
  pattern: /^\s*[^\s@]+@[^\s@]+\s*$/,
  says: t('Enter a whole address, for example name@bank.com'),
}
const LEAST_PASSWORD = 10

const WHO: readonly FormField[] = [
  { name: 'email', label: t('E-mail'), kind: 'text', required: true, maxLength: 254, form: EMAIL },
  { name: 'name', label: t('Name'), kind: 'text', maxLength: 200 },
]
const roles = (disabled: boolean): FormField => ({
  name: 'roles',
  label: t('Roles'),
  kind: 'words',
  many: true,
  required: true,
  disabled,
  options: Object.entries(ROLES).map(([value, says]) => ({
    value,
    label: `${inWords(value)}: ${says}`,
  })),
  ...(disabled ? { help: t('You cannot change your own roles') } : {}),
})

const create: ActionPlan<'post', '/users'> = {
  label: t('Create user'),
  permission: 'users.write',
  fields: [
    ...WHO,
    roles(false),
    {
      name: 'password',
      label: t('Initial password'),
      kind: 'password',
      least: LEAST_PASSWORD,
      help: t(
        'Leave it empty: the user gets a mail with a link and chooses the password. Or at least ' +
          '10 characters, which the user must change at the first login.',
      ),
    },
  ],
  method: 'post',
  path: '/users',
  request: (_row, { email, name, roles: chosen, password }) => ({
    body: {
      email: String(email).trim(),
      ...filledTexts({ name }),
      roles: chosen as Role[],
      ...filledTexts({ password }),
    },
  }),
  fieldOf: (path) => path.replace(/\[\d+\]$/, ''),
  done: ({ email }) => t('User {{email}} is created', { email }),
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
    label: t('Change'),
    title: ({ email }) => t('Change user {{email}}', { email }),
    explain: () => t('Changing roles ends the sessions of the user at once.'),
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
    done: ({ email }) => t('User {{email}} changed', { email }),
  }
}

const resetPassword = (me: string | undefined): Change => ({
  ...putUser,
  label: t('Set password'),
  why: ({ id }) => (id === me ? t('Yours you change in your own menu') : undefined),
  explain: ({ email }) =>
    t(
      'This ends the sessions of {{email}} at once. The user must change the password ' +
        'at the next login.',
      { email },
    ),
  fields: [
    {
      name: 'password',
      label: t('New password'),
      kind: 'password',
      required: true,
      least: LEAST_PASSWORD,
      help: t('At least 10 characters'),
    },
  ],
  request: (user, { password }) => ({
    body: { ...as(user), password: String(password), must_change_password: true },
  }),
  done: () => t('Password set'),
})

const ofUser = {
  permission: 'users.write',
  request: ({ id }: User) => ({ params: { user_id: id } }),
} as const

const invite: ActionPlan<'post', '/users/{user_id}/invitation', User> = {
  ...ofUser,
  label: t('Send invitation'),
  method: 'post',
  path: '/users/{user_id}/invitation',
  why: ({ state }) => (state === 'ACTIVE' ? undefined : t('The user is disabled')),
  explain: ({ email }) =>
    t(
      '{{email}} gets a mail with a link and chooses another password. The link works once, for ' +
        'seven days. A second factor stays.',
      { email },
    ),
  done: ({ email }) => t('The invitation to {{email}} is on its way', { email }),
}

const removeFactors = (
  me: string | undefined,
): ActionPlan<'delete', '/users/{user_id}/factors', User> => ({
  ...ofUser,
  label: t('Remove second factor'),
  danger: true,
  method: 'delete',
  path: '/users/{user_id}/factors',
  why: (user) => {
    if (user.id === me) return t('Yours you change under Your second factor')
    return user.second_factor ? undefined : t('The user has no second factor')
  },
  explain: ({ email }) =>
    t(
      'For a person who has lost the telephone and the recovery codes: make sure that it is ' +
        'them. All sessions of {{email}} end, and a mail tells them.',
      { email },
    ),
  done: () => t('The second factor is removed'),
})

const switching = (me: string | undefined, state: User['state']): Change => ({
  ...putUser,
  label: state === 'DISABLED' ? t('Disable') : t('Enable'),
  danger: state === 'DISABLED',
  why: (user) => (user.id === me ? t('You cannot disable yourself') : undefined),
  explain: ({ email }) =>
    state === 'DISABLED'
      ? t('{{email}} can no longer log in. All sessions end at once.', { email })
      : t('{{email}} can log in again.', { email }),
  request: (user) => ({ body: { ...as(user), state } }),
  done: ({ email }) =>
    t(state === 'DISABLED' ? '{{email}} is disabled' : '{{email}} is enabled', { email }),
})

export function Page(): ReactNode {
  return (
    <WorkList
      title={t('Users')}
      path="/users"
      every={15_000}
      columns={[
        { key: 'email', title: t('E-mail'), width: 230 },
        { key: 'name', title: t('Name'), width: 180 },
        { key: 'state', title: t('State'), kind: 'status', width: 110 },
        {
          key: 'roles',
          title: t('Roles'),
          value: (row) => row.roles.map(inWords).join(', '),
          width: 360,
        },
        { key: 'last_login_at', title: t('Last login'), kind: 'time' },
        { key: 'second_factor', title: t('Second factor'), kind: 'flag', width: 120 },
        { key: 'must_change_password', title: t('Must change password'), kind: 'flag', width: 150 },
        { key: 'system_created_at', title: t('Since'), kind: 'time' },
        { key: 'id', title: t('Id'), kind: 'id', extra: true },
      ]}
      filters={[
        {
          name: 'state',
          label: t('State'),
          kind: 'words',
          options: ['ACTIVE', 'DISABLED'],
          many: true,
        },
        { name: 'email', label: t('E-mail'), kind: 'text' },
      ]}
      empty={{ title: t('No users'), text: t('Create the first user.') }}
      actions={<ActionButton plan={create} primary />}
    />
  )
}

export function Record(): ReactNode {
  const { id = '' } = useParams()
  const me = useMe()?.user.id
  return (
    <RecordDrawer
      what={t('User')}
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
          <ActionButton plan={invite} row={row} />
          <ActionButton plan={resetPassword(me)} row={row} />
          <ActionButton plan={removeFactors(me)} row={row} />
          <ActionButton
            plan={switching(me, row.state === 'ACTIVE' ? 'DISABLED' : 'ACTIVE')}
            row={row}
          />
        </>
      )}
      sections={[
        {
          fields: [
            { key: 'email', title: t('E-mail') },
            { key: 'name', title: t('Name') },
            { key: 'state', title: t('State'), kind: 'status' },
            { key: 'last_login_at', title: t('Last login'), kind: 'time' },
            { key: 'second_factor', title: t('Second factor'), kind: 'flag' },
            { key: 'must_change_password', title: t('Must change password'), kind: 'flag' },
          ],
        },
        {
          title: t('Roles'),
          fields: [
            {
              key: 'roles',
              title: t('Roles'),
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
