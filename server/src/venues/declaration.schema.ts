/** Venues as the configuration file declares them, and what each kind of venue takes. */
import type { ErrorDetail } from '../core/errors.ts'
import { closed, optional, requiredText, text, Type, oneOf } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { checkIban } from './addresses.ts'
import { FOLDERS, hasOwnFolder, isFolderName, namedFolders } from './bank-folders.ts'
import type { VenueKind } from './contract.ts'
import { TermDeclaration } from './declared-terms.ts'
import type { SecretReference, VenueSecretReference } from './secrets.ts'
import { SERVICE_TYPES, SETTLEMENTS } from './venues.schema.ts'
import type { ServiceType } from './venues.schema.ts'

const MAXIMUM_KEY = 100
const MAXIMUM_PATH = 1_000
const MAXIMUM_IBANS = 100
const MAXIMUM_TERMS = 1_000
/** 34 characters, and the spaces between groups of four. */
const MAXIMUM_IBAN = 42
export const DEFAULT_SETTLEMENT = 'PREFUNDED'

/** A name within the configuration file, by which its entry is found again. */
export const keyText = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: MAXIMUM_KEY,
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]*$',
    'x-form':
      'must be letters, digits, dots, hyphens and underscores, and begin with a letter or a digit',
    description,
  })

const PLACES = [
  closed({
    file: requiredText(MAXIMUM_PATH, 'Path, relative to the configuration file'),
    field: optional(requiredText(MAXIMUM_KEY, 'One text of a JSON file')),
  }),
  closed({ env: requiredText(MAXIMUM_KEY, 'Name of an environment variable') }),
]

/** A secret in the configuration file. */
export const SecretReferenceShape = Type.Unsafe<SecretReference>({
  description: 'Where the secret is stored; read when the adapter is opened',
  anyOf: PLACES,
})

/** A secret of a venue. */
const VenueSecretShape = Type.Unsafe<VenueSecretReference>({
  description: 'Where the secret is stored; read when the adapter is opened',
  anyOf: [
    ...PLACES,
    closed({ stored: requiredText(MAXIMUM_KEY, 'Name of a secret that is written over the API') }),
  ],
})

/** All of them, or none of SFTP. */
const SFTP_REQUIRED = [
  'sftp_host',
  'sftp_user',
  'sftp_host_key',
  'sftp_outbox_dir',
  'sftp_inbox_dir',
] as const

/** What each kind of adapter takes: its options, and what may only be given by reference. */
const ADAPTERS = {
  EXCHANGE: {
    required: ['exchange'],
    one_of: [],
    optional: [
      'base_url',
      'websocket_url',
      'request_timeout_ms',
      'listing_grace_ms',
      'request_window_ms',
      'keep_alive_ms',
      'private_websocket_url',
      'tier',
      'quiet_poll_ms',
    ],
    secrets: ['api_key', 'api_secret'],
    optional_secrets: ['passphrase'],
    services: ['TOMS', 'WOMS', 'PRICE_STREAM'],
  },
  CUSTODY_VAULT: {
    required: ['base_url'],
    one_of: [],
    optional: ['request_timeout_ms'],
    secrets: ['api_key', 'secret_pem'],
    optional_secrets: ['webhook_public_key_pem'],
    services: ['WOMS'],
  },
  MANAGED_WALLET: {
    required: ['base_url'],
    one_of: [],
    optional: ['request_timeout_ms'],
    secrets: ['api_key', 'api_secret'],
    optional_secrets: [],
    services: ['WOMS'],
  },
  BANK: {
    required: ['name', 'currency'],
    one_of: [
      ['iban', 'account_number'],
      ['bic', 'aba'],
    ],
    optional: [
      ...FOLDERS,
      'foreign_fee',
      'instant',
      'instant_fee',
      'instant_maximum',
      'payments_per_file',
      'collect_ms',
      'foreign_message',
      'account_id',
      'books',
      'holder_street',
      'holder_building_number',
      'holder_post_code',
      'holder_town',
      'holder_country',
      'calendar',
      'weekend_days',
      'holidays',
      'cut_off',
      'time_zone',
      ...SFTP_REQUIRED,
      'sftp_port',
      'sftp_part_suffix',
      'sftp_poll_ms',
      'sftp_timeout_ms',
    ],
    secrets: [],
    optional_secrets: ['sftp_private_key', 'sftp_passphrase', 'sftp_password'],
    services: ['WOMS'],
  },
} as const satisfies Partial<
  Record<
    VenueKind,
    {
      required: readonly string[]
      /** Of each group at least one is required. */
      one_of: readonly (readonly string[])[]
      optional: readonly string[]
      secrets: readonly string[]
      optional_secrets: readonly string[]
      services: readonly ServiceType[]
    }
  >
>

/** What a venue of this kind offers, unless its declaration says less. */
export const servicesOf = (kind: keyof typeof ADAPTERS): readonly ServiceType[] =>
  ADAPTERS[kind].services

const KINDS = Object.keys(ADAPTERS) as (keyof typeof ADAPTERS)[]

export const VenueDeclaration = closed(
  {
    key: keyText(
      "The venue's name in this file; the venue keeps its id as long as it keeps its key",
    ),
    label: requiredText(),
    kind: oneOf(KINDS),
    settlement: optional(
      oneOf(
        SETTLEMENTS,
        `Default ${DEFAULT_SETTLEMENT}; changes only while nothing that was traded there is open`,
      ),
    ),
    services: optional(
      Type.Array(oneOf(SERVICE_TYPES), {
        uniqueItems: true,
        description: 'Default: all that the kind offers',
      }),
    ),
    options: optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: text(MAXIMUM_PATH),
        description: 'Options of the adapter that are not secret',
      }),
    ),
    terms: optional(
      Type.Array(TermDeclaration, {
        maxItems: MAXIMUM_TERMS,
        description: 'What this venue alone calls assets and protocols',
      }),
    ),
    payout_ibans: optional(
      Type.Array(requiredText(MAXIMUM_IBAN), {
        maxItems: MAXIMUM_IBANS,
        description:
          'The IBANs from which the venue pays us. A wire from one of them can be known as the ' +
          'arrival of an own transfer, or as what the venue pays for a settlement',
      }),
    ),
    secrets: optional(
      Type.Unsafe<Record<string, VenueSecretReference>>({
        type: 'object',
        additionalProperties: VenueSecretShape,
        description: 'Secrets of the adapter, by reference only',
      }),
    ),
  },
  { title: 'VenueDeclaration' },
)
export type DeclaredVenue = Static<typeof VenueDeclaration>

/** As banks report them: capitals, no spaces. */
export const payoutIbansOf = ({ payout_ibans = [] }: DeclaredVenue): string[] => [
  ...new Set(payout_ibans.map((iban) => iban.replaceAll(/\s/g, '').toUpperCase())),
]

/** The names of the secrets that a venue of this kind takes. */
export const secretNamesOf = (kind: keyof typeof ADAPTERS): readonly string[] => [
  ...ADAPTERS[kind].secrets,
  ...ADAPTERS[kind].optional_secrets,
]

/** Every way in which a declaration does not fit its kind; `path` is that of the declaration. */
export function problemsOf(declared: DeclaredVenue, path: string): ErrorDetail[] {
  const { kind } = declared
  const { required, one_of, optional, secrets, services } = ADAPTERS[kind]
  const options = Object.keys(declared.options ?? {})
  const references = Object.keys(declared.secrets ?? {})
  const secretNames = secretNamesOf(kind)
  const known: readonly string[] = [...required, ...one_of.flat(), ...optional, ...secretNames]
  const given = new Set([...options, ...references])
  const missing = (names: readonly string[]) => names.filter((name) => !given.has(name))
  const unknown = (names: readonly string[]) => names.filter((name) => !known.includes(name))
  const details = (
    code: ErrorDetail['code'],
    field: 'options' | 'secrets',
    names: readonly string[],
    problem: string,
  ) => names.map((name) => detail(code, `${path}.${field}.${name}`, problem))
  const sftp = [...given].some((name) => name.startsWith('sftp_')) ? SFTP_REQUIRED : []
  const isRequired = `is required for a venue of kind ${kind}`
  const isUnknown = `is not known for a venue of kind ${kind}`
  const isSecret = 'is a secret: give its place in secrets'
  return [
    ...details('REQUIRED', 'options', missing(required), isRequired),
    ...one_of
      .filter((names) => missing(names).length === names.length)
      .map((names) =>
        detail(
          'REQUIRED',
          `${path}.options.${names[0]}`,
          `or ${names.slice(1).join(' or ')} ${isRequired}`,
        ),
      ),
    ...details('REQUIRED', 'options', missing(sftp), 'is required for SFTP'),
    ...problemsOfFolders(declared, path),
    ...details('REQUIRED', 'secrets', missing(secrets), isRequired),
    ...(declared.options?.['exchange'] === 'okx'
      ? details('REQUIRED', 'secrets', missing(['passphrase']), 'is required at okx')
      : []),
    ...details(
      'UNKNOWN_FIELD',
      'options',
      options.filter((name) => secretNames.includes(name)),
      isSecret,
    ),
    ...details('UNKNOWN_FIELD', 'options', unknown(options), isUnknown),
    ...details('UNKNOWN_FIELD', 'secrets', unknown(references), isUnknown),
    ...Object.entries(declared.secrets ?? {}).flatMap(([name, reference]) =>
      'stored' in reference && !secretNames.includes(reference.stored)
        ? [detail('UNKNOWN_FIELD', `${path}.secrets.${name}.stored`, isUnknown)]
        : [],
    ),
    ...(declared.services ?? [])
      .filter((name) => !(services as readonly string[]).includes(name))
      .map((name) =>
        detail(
          'UNSUPPORTED_BY_VENUE',
          `${path}.services`,
          `names ${name}, which a venue of kind ${kind} does not offer`,
        ),
      ),
    ...payoutIbansOf(declared)
      .filter((iban) => checkIban(iban) === 'invalid')
      .map((iban) => detail('INVALID_ADDRESS', `${path}.payout_ibans`, `names ${iban}: no IBAN`)),
  ]
}

/** Both are named or neither; without them the key names a folder. */
function problemsOfFolders(declared: DeclaredVenue, path: string): ErrorDetail[] {
  if (declared.kind !== 'BANK') return []
  const named = namedFolders(declared)
  if (!hasOwnFolder(declared))
    return FOLDERS.filter((name) => !named.includes(name)).map((name) =>
      detail('REQUIRED', `${path}.options.${name}`, 'is required beside the other folder'),
    )
  if (isFolderName(declared.key)) return []
  const objection = 'must have no capitals: folders of the bank are made by it'
  return [detail('FORMAT', `${path}.key`, objection)]
}

const detail = (code: ErrorDetail['code'], path: string, problem: string): ErrorDetail => ({
  code,
  path,
  message: `${path} ${problem}`,
})
