import type { SignInProviderId, UserId, UserIdentityId } from '../../core/ids.ts'
import type { Moves } from '../../core/moves.ts'
import {
  closed,
  currentVersion,
  flag,
  id,
  integer,
  nullable,
  oneOf,
  optional,
  record,
  requiredText,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { ROLES } from '../permissions.ts'

export const PROVIDER_STATES = ['ACTIVE', 'REMOVED'] as const
type ProviderState = (typeof PROVIDER_STATES)[number]
export const PROVIDER_MOVES: Moves<ProviderState> = { ACTIVE: ['REMOVED'], REMOVED: [] }

const MAXIMUM_LABEL = 100
const MAXIMUM_ISSUER = 500
const MAXIMUM_CLIENT = 500
const MAXIMUM_SECRET = 2_000
const MAXIMUM_CLAIM = 200
const MAXIMUM_MAPPED = 100
/** OpenID Connect Core 1.0, 2: at most 255 ASCII characters. */
const MAXIMUM_SUBJECT = 255
const MAXIMUM_ANSWER = 8_000

const label = requiredText(MAXIMUM_LABEL, 'What the button on the sign-in page says')
const issuer = Type.String({
  minLength: 1,
  maxLength: MAXIMUM_ISSUER,
  pattern: '^https?://[^\\s?#]+$',
  'x-form': 'must be an address that begins with https://',
  description:
    'As the provider writes it, character by character; its configuration lies at ' +
    '/.well-known/openid-configuration below it',
})
const client_id = requiredText(MAXIMUM_CLIENT, 'What the provider calls Kontor')
const client_authentication = oneOf(
  ['BASIC', 'POST'] as const,
  'How the secret is sent: in the header (client_secret_basic) or in the body (client_secret_post)',
)
const scopes = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[!#-\\[\\]-~]+$',
    'x-form': 'must be a scope, without blanks',
  }),
  { maxItems: 20, uniqueItems: true, description: 'Asked for beside openid, email and profile' },
)
const roles_claim = requiredText(
  MAXIMUM_CLAIM,
  'The claim of the ID token with roles or groups; a dot leads into an object',
)
const mapped = closed(
  {
    value: requiredText(MAXIMUM_CLAIM, 'What the claim has, or has among others'),
    role: oneOf(ROLES),
  },
  { title: 'MappedRole' },
)
const role_mapping = Type.Array(mapped, {
  minItems: 1,
  maxItems: MAXIMUM_MAPPED,
  description: 'Who has none of these values is refused. Taken anew at each sign-in',
})
const listed = flag('A button on the sign-in page, which everybody sees')
const creates_users = flag('Makes a user of a person who is not known')
const links_by_email = flag(
  'Lets a person in as the user with the same e-mail address, where the provider says that it ' +
    'has verified the address; else an administrator links the two',
)
const proves_second_factor = flag(
  'The provider demands a second factor of each of these people: a sign-in counts as one',
)

const declared = {
  label,
  issuer,
  client_id,
  client_authentication,
  scopes,
  roles_claim,
  role_mapping,
  listed,
  creates_users,
  links_by_email,
  proves_second_factor,
}

export const ProviderRecord = record('SignInProvider', {
  id: id<SignInProviderId>(),
  ...declared,
  state: oneOf(PROVIDER_STATES),
  redirect_uri: nullable(text(1_000, 'To be entered at the provider')),
  sign_in_address: nullable(text(1_000, 'Where people begin, listed or not')),
})
export type Provider = Static<typeof ProviderRecord>

const client_secret = Type.String({ minLength: 1, maxLength: MAXIMUM_SECRET })

export const CreateProvider = closed(
  {
    label,
    issuer,
    client_id,
    client_secret,
    client_authentication: optional(client_authentication),
    scopes: optional(scopes),
    roles_claim,
    role_mapping,
    listed: optional(listed),
    creates_users: optional(creates_users),
    links_by_email: optional(links_by_email),
    proves_second_factor: optional(proves_second_factor),
  },
  { title: 'NewSignInProvider' },
)
export type CreateProviderBody = Static<typeof CreateProvider>

export const ChangeProvider = closed(
  {
    id: id<SignInProviderId>(),
    ...declared,
    client_secret: optional(client_secret),
    version: optional(currentVersion()),
  },
  { title: 'SignInProviderChange' },
)
export type ChangeProviderBody = Static<typeof ChangeProvider>

export const ListedProviders = Type.Array(
  closed({ id: id<SignInProviderId>(), label: text(MAXIMUM_LABEL) }, { title: 'ListedProvider' }),
)

export const BegunSignIn = closed(
  { address: text(MAXIMUM_ANSWER, 'Of the provider, where the browser goes next') },
  { title: 'BegunSignIn' },
)

export const FinishSignIn = closed(
  {
    provider_id: id<SignInProviderId>('Whose address the browser was sent back to'),
    answer: requiredText(MAXIMUM_ANSWER, 'The query with which the provider sent the browser back'),
  },
  { title: 'FinishSignIn' },
)

export const LogoutToken = closed(
  { logout_token: requiredText(MAXIMUM_ANSWER, 'Signed by the provider') },
  { title: 'LogoutToken' },
)
export const LoggedOutSessions = closed(
  { ended: integer(0, Number.MAX_SAFE_INTEGER, 'How many sessions have ended') },
  { title: 'LoggedOutSessions' },
)

export const ProviderTest = closed(
  {
    reached: flag('The configuration was read, and is of this issuer'),
    reason: nullable(text(1_000, 'Why not')),
    back_channel_logout: flag('The provider says that it tells when people log out there'),
  },
  { title: 'SignInProviderTest' },
)

export const IdentityRecord = record('UserIdentity', {
  id: id<UserIdentityId>(),
  user_id: id<UserId>(),
  issuer: text(MAXIMUM_ISSUER),
  subject: text(MAXIMUM_SUBJECT, 'What the issuer calls the person (`sub`)'),
  linked: oneOf(
    ['CREATED', 'EMAIL', 'BY_HAND'] as const,
    'CREATED: with the user. EMAIL: by a verified address. BY_HAND: by an administrator',
  ),
  last_login_at: nullable(time()),
})
export type UserIdentity = Static<typeof IdentityRecord>

export const LinkIdentity = closed(
  {
    provider_id: id<SignInProviderId>(),
    subject: Type.String({
      minLength: 1,
      maxLength: MAXIMUM_SUBJECT,
      pattern: '^[\\x20-\\x7e]+$',
      'x-form': 'must be plain ASCII',
      description: 'As the security log names who was refused',
    }),
  },
  { title: 'LinkIdentity' },
)
