/** As the browser's JSON methods have it (https://www.w3.org/TR/webauthn-3/), where it is used. */
import {
  closed,
  id,
  integer,
  MAXIMUM_EMAIL,
  MAXIMUM_TEXT,
  nullable,
  oneOf,
  optional,
  requiredText,
  text,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { MAXIMUM_PASSWORD } from './passwords.ts'

const MAXIMUM_CREDENTIAL_ID = 1400
const MAXIMUM_SIGNED = 4096
const MAXIMUM_ATTESTATION = 16_384
const MAXIMUM_TRANSPORTS = 10

const base64 = (maximum: number, description: string) =>
  Type.String({
    minLength: 1,
    maxLength: maximum,
    pattern: '^[A-Za-z0-9_-]+$',
    'x-form': 'must be base64url',
    description,
  })

const credentialId = () => base64(MAXIMUM_CREDENTIAL_ID, 'Of the passkey, in base64url')
const clientData = () => base64(MAXIMUM_SIGNED, 'What the browser says it was asked, in base64url')
const transports = () =>
  Type.Array(text(50), {
    maxItems: MAXIMUM_TRANSPORTS,
    description: 'How the browser reaches the authenticator',
  })

export const PasskeyProof = closed(
  {
    id: credentialId(),
    response: closed({
      clientDataJSON: clientData(),
      authenticatorData: base64(MAXIMUM_SIGNED, 'What the authenticator says, in base64url'),
      signature: base64(MAXIMUM_SIGNED, 'Over both, in base64url'),
    }),
  },
  { title: 'PasskeyProof', description: 'The answer of the browser to the options, from toJSON()' },
)
export type PasskeyProof = Static<typeof PasskeyProof>

export const NewCredential = closed(
  {
    id: credentialId(),
    response: closed({
      clientDataJSON: clientData(),
      attestationObject: base64(MAXIMUM_ATTESTATION, 'With the public key, in base64url'),
      transports: optional(transports()),
    }),
  },
  {
    title: 'NewCredential',
    description: 'The answer of the browser to the options, from toJSON()',
  },
)
export type NewCredential = Static<typeof NewCredential>

const challenge = () => text(100, 'To be signed once, within five minutes; in base64url')
const milliseconds = () => integer(1, 3_600_000, 'Milliseconds')
const credentials = (description: string) =>
  Type.Array(
    closed({ type: oneOf(['public-key']), id: credentialId(), transports: transports() }),
    { description },
  )

export const CreationOptions = closed(
  {
    challenge: challenge(),
    rp: closed({ id: text(300, 'The host of the console'), name: text() }),
    user: closed({ id: text(100), name: text(MAXIMUM_EMAIL), displayName: text() }),
    pubKeyCredParams: Type.Array(
      closed({ type: oneOf(['public-key']), alg: integer(-65_536, 0, 'As COSE numbers it') }),
    ),
    timeout: milliseconds(),
    attestation: oneOf(['none']),
    excludeCredentials: credentials('Those that the user has already'),
    authenticatorSelection: closed({
      residentKey: oneOf(['discouraged']),
      userVerification: oneOf(['preferred']),
    }),
  },
  { title: 'PasskeyCreationOptions', description: 'For parseCreationOptionsFromJSON()' },
)
export type CreationOptions = Static<typeof CreationOptions>

export const RequestOptions = closed(
  {
    challenge: challenge(),
    rpId: text(300, 'The host of the console'),
    timeout: milliseconds(),
    userVerification: oneOf(['preferred']),
    allowCredentials: credentials('Those of the user'),
  },
  { title: 'PasskeyRequestOptions', description: 'For parseRequestOptionsFromJSON()' },
)
export type RequestOptions = Static<typeof RequestOptions>

export const BeginPasskey = closed(
  { password: text(MAXIMUM_PASSWORD), label: optional(requiredText(MAXIMUM_TEXT)) },
  { title: 'NewPasskey' },
)
export const BegunPasskey = closed(
  { id: id('Of the factor'), options: CreationOptions },
  { title: 'BegunPasskey' },
)
export const ConfirmPasskey = closed(
  { credential: NewCredential },
  { title: 'PasskeyConfirmation' },
)
export const AskedPasskey = closed(
  { options: nullable(RequestOptions) },
  { title: 'AskedPasskey', description: 'null: the user has no passkey, or none can be used' },
)
