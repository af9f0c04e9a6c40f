import { refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { closed, endpoint, id, MAXIMUM_EMAIL, onceShowing, text } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { AccessApp } from './access.ts'
import { knownBy, tag } from './auth.http.ts'
import { checkPassword } from './auth.ts'
import { ConfirmedFactor } from './factors.schema.ts'
import { assertPerson, checkedOwner } from './factors.http.ts'
import { askForPasskey } from './passkey-proof.ts'
import { beginPasskey, confirmPasskey } from './passkeys.ts'
import { AskedPasskey, BeginPasskey, BegunPasskey, ConfirmPasskey } from './passkeys.schema.ts'
import { MAXIMUM_PASSWORD } from './passwords.ts'

const common = { tag, permission: 'authenticated', enrolling: true } as const
const ASKED = 'Not stored as a change: what an authenticator must sign opens nothing by itself'

export function passkeysEndpoints(app: AccessApp): Endpoint[] {
  return [...settingUpEndpoints(app), ...askingEndpoints(app)]
}

function settingUpEndpoints(app: AccessApp): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'beginPasskey',
      errors: ['WrongUserNamePassword'],
      path: '/auth/factors/passkeys',
      origin: { ours: 'a passkey cannot be given away to a false page' },
      summary: 'Begin to set up a passkey',
      description:
        'Takes the own password. The answer is for parseCreationOptionsFromJSON() of a browser. ' +
        'What its authenticator makes of it goes to POST /auth/factors/:factor_id/passkey, in ' +
        'the same session and within five minutes. Passkeys are bound to KONTOR_CONSOLE_URL.',
      confirmed: true,
      body: BeginPasskey,
      example: { password: 'correct horse battery staple', label: 'Laptop' },
      data: BegunPasskey,
      effect: 'own',
      async handle({ body: { password, label }, caller, principal, source }) {
        const { email } = await checkedOwner(app, { principal, source }, password)
        const { kept } = await onceShowing(app, caller, async (tx) => ({
          kept: await beginPasskey(app, tx, { principal, source }, { email, label }),
          shown: null,
        }))
        return kept
      },
    }),
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'confirmPasskey',
      errors: ['SecondFactorRequired'],
      path: '/auth/factors/:factor_id/passkey',
      origin: { ours: 'a factor counts only once it has been shown to work' },
      summary: 'Confirm a passkey by what its authenticator made',
      description:
        'From then on each login asks for a second factor. All other sessions of the user end. ' +
        'With the first factor come recovery codes.',
      confirmed: true,
      params: closed({ factor_id: id() }),
      body: ConfirmPasskey,
      example: {
        credential: {
          id: 'AYvE0m3w',
          response: { clientDataJSON: 'eyJ0eXBlIjoi', attestationObject: 'o2NmbXRk' },
        },
      },
      data: ConfirmedFactor,
      effect: 'own',
      async handle({ body: { credential }, params: { factor_id }, caller, principal, source }) {
        assertPerson(principal)
        const { kept, shown } = await withFailpoints('passkey.confirm', factor_id, () =>
          onceShowing(app, caller, (tx) =>
            confirmPasskey(app, tx, { principal, source }, { factor_id, credential }),
          ),
        )
        return { factor: kept, recovery_codes: shown }
      },
    }),
  ]
}

function askingEndpoints(app: AccessApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'askForPasskey',
      errors: ['WrongUserNamePassword'],
      path: '/auth/passkeys',
      origin: { ours: 'a login may be answered by a passkey' },
      tag,
      summary: 'What a passkey must sign for a login',
      permission: 'public',
      description:
        'Takes e-mail and password, as the login does. The answer is for ' +
        'parseRequestOptionsFromJSON() of a browser; what its authenticator says goes with the ' +
        'login as `passkey`, once and within five minutes.',
      body: closed(
        {
          email: text(MAXIMUM_EMAIL),
          password: text(MAXIMUM_PASSWORD),
          id_token: knownBy,
        },
        { title: 'AskForPasskey' },
      ),
      example: { email: 'trader@example.com', password: 'correct horse battery staple' },
      data: AskedPasskey,
      effect: 'venue',
      async handle({ body: { id_token, ...credentials }, source }) {
        const user = await checkPassword(app, credentials, { ...source, id_token })
        return { options: await askForPasskey(app, user) }
      },
    }),
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'askForPasskeyAgain',
      path: '/auth/confirm/passkey',
      origin: { ours: 'dangerous commands ask again who is there' },
      summary: 'What a passkey must sign to confirm the session',
      description: 'As POST /auth/passkeys, for POST /auth/confirm of the same session.',
      unrecorded: ASKED,
      data: AskedPasskey,
      effect: 'venue',
      async handle({ principal: { api_key, session_id, user_id, workspace } }) {
        if (api_key !== undefined)
          throw refuse('STATE_NOT_ALLOWED', '', 'an API key has no second factor')
        return { options: await askForPasskey(app, { workspace, id: user_id }, session_id) }
      },
    }),
  ]
}
