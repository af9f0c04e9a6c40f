import { refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import type { UserId } from '../core/ids.ts'
import {
  closed,
  CONFIRMED_MILLISECONDS,
  endpoint,
  id,
  listEndpoint,
  onceShowing,
} from '../http/index.ts'
import type { Call, Endpoint, Principal } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import type { AccessApp } from './access.ts'
import { checkPassword, emailOf } from './auth.ts'
import { beginTotp } from './begun-factors.ts'
import { FACTOR_COLUMNS } from './factor-rows.ts'
import {
  confirmFactor,
  removeFactor,
  renameFactor,
  renewRecoveryCodes,
  resetFactors,
} from './factors.ts'
import {
  BeginTotp,
  Confirmation,
  Confirmed,
  ConfirmedFactor,
  ConfirmFactor,
  FactorRecord,
  RecoveryCodes,
  RenameFactor,
  TotpSecret,
} from './factors.schema.ts'
import { proveFactor } from './proving.ts'
import { confirmSession } from './sessions.ts'

const common = { tag: 'Authentication', permission: 'authenticated', enrolling: true } as const
const of = { params: closed({ factor_id: id() }) }

export function factorsEndpoints(app: AccessApp): Endpoint[] {
  return [
    ...settingUpEndpoints(app),
    ...keepingEndpoints(app),
    renameEndpoint(app),
    confirmationEndpoint(app),
    resetEndpoint(app),
  ]
}

/** A program has no second factor. */
export function assertPerson({ api_key }: Principal): void {
  if (api_key !== undefined)
    throw refuse('STATE_NOT_ALLOWED', '', 'an API key has no second factor')
}

export async function checkedOwner(
  app: AccessApp,
  { principal, source }: Pick<Call<unknown, unknown, unknown>, 'principal' | 'source'>,
  password: string,
) {
  assertPerson(principal)
  const email = await emailOf(app, principal)
  const { session_id } = principal
  return checkPassword(app, { email, password }, { ...source, session_id })
}

function settingUpEndpoints(app: AccessApp): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'beginAuthenticator',
      errors: ['WrongUserNamePassword'],
      path: '/auth/factors/totp',
      origin: { ours: 'people sign in with more than a password' },
      summary: 'Begin to set up an authenticator app',
      description:
        'Takes the own password. The answer shows the secret, this once. The factor counts once ' +
        'its first code was sent to POST /auth/factors/:factor_id/confirm.',
      confirmed: true,
      body: BeginTotp,
      example: { password: 'correct horse battery staple', label: 'Telephone' },
      data: TotpSecret,
      effect: 'own',
      async handle({ body: { password, label }, caller, principal, source }) {
        const { email } = await checkedOwner(app, { principal, source }, password)
        const { kept, shown } = await onceShowing(app, caller, (tx) =>
          beginTotp(app, tx, { principal, source }, { email, label }),
        )
        return { ...kept, ...(shown ?? { secret: null, address: null }) }
      },
    }),
    endpoint({
      ...common,
      ...of,
      method: 'POST',
      operation_id: 'confirmFactor',
      errors: ['SecondFactorRequired'],
      path: '/auth/factors/:factor_id/confirm',
      origin: { ours: 'a factor counts only once it has been shown to work' },
      summary: 'Confirm a factor by its first code',
      description:
        'From then on each login asks for a code. All other sessions of the user end. With the ' +
        'first factor come recovery codes.',
      confirmed: true,
      body: ConfirmFactor,
      example: { code: '287082' },
      data: ConfirmedFactor,
      effect: 'own',
      async handle({ body: { code }, params: { factor_id }, caller, principal, source }) {
        assertPerson(principal)
        const { kept, shown } = await withFailpoints('factor.confirm', factor_id, () =>
          onceShowing(app, caller, (tx) =>
            confirmFactor(app, tx, { principal, source }, { factor_id, code }),
          ),
        )
        return { factor: kept, recovery_codes: shown }
      },
    }),
  ]
}

function keepingEndpoints(app: AccessApp): Endpoint[] {
  return [
    listEndpoint({
      ...common,
      operation_id: 'listFactors',
      path: '/auth/factors',
      origin: { ours: 'people see by what they sign in' },
      summary: 'List the own second factors',
      data: FactorRecord,
      list: ({ principal: { workspace, user_id } }) => ({
        select: sql`
          select ${FACTOR_COLUMNS}
          from user_factors`,
        conditions: [sql`workspace = ${workspace}`, sql`user_id = ${user_id}`],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      ...common,
      ...of,
      method: 'DELETE',
      operation_id: 'removeFactor',
      path: '/auth/factors/:factor_id',
      origin: { ours: 'a telephone is replaced' },
      summary: 'Remove a factor of the own',
      description:
        'All other sessions of the user end. The last one stays where the workspace demands one.',
      confirmed: true,
      data: closed({ id: id('The factor') }, { title: 'RemovedFactor' }),
      effect: 'transaction',
      async handle({ params: { factor_id }, principal, source }, tx) {
        await removeFactor(app, tx, { principal, source }, factor_id)
        return { id: factor_id }
      },
    }),
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'renewRecoveryCodes',
      path: '/auth/factors/recovery-codes',
      origin: { ours: 'codes are used up, or seen by others' },
      summary: 'Make new recovery codes',
      description: 'Those of before no longer work. The answer shows them, this once.',
      confirmed: true,
      data: RecoveryCodes,
      effect: 'own',
      async handle({ caller, principal, source }) {
        assertPerson(principal)
        const { shown } = await onceShowing(app, caller, (tx) =>
          renewRecoveryCodes(app, tx, { principal, source }),
        )
        return { recovery_codes: shown }
      },
    }),
  ]
}

function renameEndpoint(app: AccessApp): Endpoint {
  return endpoint({
    ...common,
    ...of,
    method: 'PUT',
    operation_id: 'renameFactor',
    path: '/auth/factors/:factor_id',
    origin: { ours: 'people tell their devices apart' },
    summary: 'Rename a factor of the own',
    confirmed: true,
    body: RenameFactor,
    example: { label: 'Key in the safe' },
    data: FactorRecord,
    effect: 'transaction',
    handle: ({ params: { factor_id }, body: { label }, principal }, tx) =>
      renameFactor(app, tx, principal, { factor_id, label }),
  })
}

function confirmationEndpoint(app: AccessApp): Endpoint {
  return endpoint({
    ...common,
    method: 'POST',
    operation_id: 'confirmSession',
    errors: ['WrongUserNamePassword', 'SecondFactorRequired'],
    path: '/auth/confirm',
    origin: { ours: 'dangerous commands ask again who is there' },
    summary: 'Confirm the session by password and second factor',
    description: 'After 1009. For ten minutes dangerous commands do not ask again.',
    body: Confirmation,
    example: { password: 'correct horse battery staple', code: '287082' },
    data: Confirmed,
    effect: 'own',
    async handle({ body: { password, ...shown }, principal, source }) {
      const user = await checkedOwner(app, { principal, source }, password)
      if (!user.second_factor)
        throw refuse('STATE_NOT_ALLOWED', '', 'a second factor must be set up first')
      await proveFactor(app, user, shown, { ...source, session_id: principal.session_id })
      await withFailpoints('session.confirm', principal.session_id, () =>
        app.db.tx((tx) => confirmSession(tx, principal.session_id, app.clock.now())),
      )
      return { confirmed_until: app.clock.now() + CONFIRMED_MILLISECONDS }
    },
  })
}

function resetEndpoint(app: AccessApp): Endpoint {
  return endpoint({
    tag: 'Users',
    permission: 'users.write',
    method: 'DELETE',
    operation_id: 'resetFactors',
    path: '/users/:user_id/factors',
    origin: { ours: 'somebody has lost the telephone and the recovery codes' },
    summary: 'Remove all second factors of a user',
    description:
      'Ends all sessions of the user. Where the workspace demands a factor, the next login sets ' +
      'up another one. Nobody does it for themselves.',
    confirmed: true,
    params: closed({ user_id: id<UserId>() }),
    data: closed({ id: id('The user') }, { title: 'UserWithoutFactors' }),
    effect: 'transaction',
    async handle({ params: { user_id }, caller }, tx) {
      await resetFactors(caller, app, tx, user_id)
      return { id: user_id }
    },
  })
}
