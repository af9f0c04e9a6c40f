import type { UserId, WorkspaceId } from '../core/ids.ts'
import {
  closed,
  id,
  MAXIMUM_TEXT,
  nullable,
  oneOf,
  optional,
  optionalBlank,
  requiredText,
  text,
  time,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { PasskeyProof } from './passkeys.schema.ts'
import { MAXIMUM_PASSWORD } from './passwords.ts'

const FACTOR_KINDS = ['TOTP', 'PASSKEY'] as const

const MAXIMUM_CODE = 60

export const FactorRecord = closed(
  {
    id: id(),
    kind: oneOf(FACTOR_KINDS, 'TOTP: codes of an authenticator app; PASSKEY: WebAuthn'),
    label: text(MAXIMUM_TEXT, 'What its owner calls it'),
    confirmed_at: nullable(time('Since when it counts; null: it was not shown yet')),
    last_used_at: nullable(time()),
  },
  { title: 'Factor' },
)
export type Factor = Static<typeof FactorRecord>

export const StoredFactor = closed({
  ...FactorRecord.properties,
  workspace: id<WorkspaceId>(),
  user_id: id<UserId>(),
  secret: nullable(Type.Unsafe<Buffer>({ 'x-column': 'bytea' })),
  wrapped_by: nullable(text()),
  last_step: nullable(Type.Integer()),
  credential_id: nullable(text()),
  public_key: nullable(Type.Unsafe<Buffer>({ 'x-column': 'bytea' })),
  counter: nullable(Type.Integer()),
  transports: Type.Unsafe<string[]>({ 'x-column': 'text[]' }),
})
export type StoredFactor = Static<typeof StoredFactor>

const factorCode = () =>
  text(MAXIMUM_CODE, 'Of the authenticator app, or a recovery code; each works once')

const password = text(MAXIMUM_PASSWORD)

export const BeginTotp = closed(
  { password, label: optional(requiredText(MAXIMUM_TEXT)) },
  { title: 'NewAuthenticator' },
)
export const TotpSecret = closed(
  {
    id: id('Of the factor'),
    secret: nullable(
      text(100, 'In base 32, to be typed into the app; shown this once, and null in a repeat'),
    ),
    address: nullable(text(1000, 'The same, for a QR code; null in a repeat')),
  },
  { title: 'AuthenticatorSecret' },
)

export const ConfirmFactor = closed({ code: factorCode() }, { title: 'FactorConfirmation' })

const codes = Type.Array(text(MAXIMUM_CODE), {
  description: 'Each lets its owner in once where the factor is not at hand; shown this once',
})
export const ConfirmedFactor = closed(
  { factor: FactorRecord, recovery_codes: nullable(codes) },
  {
    title: 'ConfirmedFactor',
    description: 'With recovery codes where there were none; not in a repeat',
  },
)
export const RecoveryCodes = closed(
  { recovery_codes: nullable(codes) },
  { title: 'RecoveryCodes', description: 'A repeat shows none' },
)

/** By what a second factor is shown: one of both. */
export const factorProof = () => ({
  code: optionalBlank(factorCode()),
  passkey: optional(PasskeyProof),
})

export const Confirmation = closed({ password, ...factorProof() }, { title: 'Confirmation' })
export const RenameFactor = closed(
  { label: requiredText(MAXIMUM_TEXT, 'What its owner calls it') },
  { title: 'FactorName' },
)
export const Confirmed = closed(
  { confirmed_until: time('Until then dangerous commands do not ask again') },
  { title: 'Confirmed' },
)
