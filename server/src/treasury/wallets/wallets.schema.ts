import type { AccountId, CustomerId, ServiceId, VenueId, WalletId } from '../../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  currentVersion,
  nullable,
  optional,
  optionalBlank,
  READ_ONLY_FIELDS,
  record,
  refusedForm,
  requiredText,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import type { Moves } from '../../core/moves.ts'
import {
  MatchingConfigurationRequest,
  MatchingConfigurationShape,
} from '../matchings/matchings.schema.ts'

const WALLET_TYPES = ['VENUE', 'CUSTOMER'] as const
const WALLET_ACCESS_TYPES = ['EXTERNAL', 'INTERNAL'] as const
export const WALLET_STATES = ['CREATING', 'ACTIVE', 'FAILED'] as const
type WalletState = (typeof WALLET_STATES)[number]

/**
 * A wallet that is named with its address is ACTIVE at once; one that its venue makes is CREATING
 * until the venue answered.
 */
export const WALLET_MOVES: Moves<WalletState> = {
  CREATING: ['ACTIVE', 'FAILED'],
  ACTIVE: [],
  FAILED: [],
}

const MAXIMUM_NAME = 100

const WalletConfiguration = closed({
  create_external_wallet: optional(
    flag(
      'Vault and managed wallets: true makes the wallet at the venue, whose new address is ' +
        'stored; then only label, type, customer and account can be changed',
    ),
  ),
  protocol: optionalBlank(text(MAXIMUM_NAME, 'Vault: protocol of the asset at the venue')),
  vault_id: optionalBlank(
    text(
      MAXIMUM_NAME,
      'Vault: the vault that holds the wallet, or shall hold the new one; empty: a new vault ' +
        'is made for it and its id stored',
    ),
  ),
  vault_name: optionalBlank(
    text(MAXIMUM_NAME, 'Vault: name of the new vault; a generated one when empty'),
  ),
  customer_id: optionalBlank(
    text(
      MAXIMUM_NAME,
      "Managed wallets: the venue's customer for whom the wallet is made; required for that",
    ),
  ),
  wallet_id: optionalBlank(
    text(MAXIMUM_NAME, 'Managed wallets: the wallet at the venue; stored when it was made'),
  ),
  customer_number: optionalBlank(text(MAXIMUM_NAME, 'Bank: our customer number')),
  customer_account_number: optionalBlank(
    text(MAXIMUM_NAME, 'Bank: the sub-account; the address where absent'),
  ),
})
export type Configuration = Static<typeof WalletConfiguration>

export const WalletShape = record('Wallet', {
  id: id<WalletId>(),
  type: oneOf(WALLET_TYPES),
  asset: asset(),
  address: text(),
  label: text(),
  service_id: nullable(id<ServiceId>()),
  venue_id: nullable(id<VenueId>()),
  account_id: id<AccountId>(),
  customer_id: nullable(id<CustomerId>()),
  access_type: oneOf(WALLET_ACCESS_TYPES),
  configuration: WalletConfiguration,
  foreign_id: nullable(text(500, 'Where the wallet is inside its venue')),
  reference_text: nullable(text()),
  protocol: nullable(text(100, 'The only protocol of this wallet, where it has only one')),
  integrate_from: nullable(
    time(
      'Movements before this belong to the opening balance; null: those the venue showed ' +
        'when it was connected',
    ),
  ),
  state: oneOf(WALLET_STATES, 'CREATING: the venue is creating it; FAILED: the venue refused'),
  reason: nullable(text(500, 'Why the venue did not create it')),
  matching_configurations: Type.Array(MatchingConfigurationShape, {
    description: 'The live matchings of its account that were made through it',
  }),
})
/**
 * As answered; `venue_wallet` is VenueBalance.wallet of the contract and is shown as foreign_id.
 */
export type Wallet = Static<typeof WalletShape>

const request = {
  type: oneOf(
    WALLET_TYPES,
    "VENUE: our own at a venue (omnibus, settlement). CUSTOMER: a customer's",
  ),
  asset: asset(),
  address: text(
    500,
    'Blockchain address or IBAN; empty when configuration.create_external_wallet is true',
  ),
  label: requiredText(),
  service_id: optionalBlank(
    id<ServiceId>('The wallet service of the venue; with venue_id makes the wallet INTERNAL'),
  ),
  venue_id: optionalBlank(id<VenueId>('Mandatory for VENUE')),
  account_id: id<AccountId>("The customer's account, or an account of the venue"),
  customer_id: optionalBlank(id<CustomerId>('Mandatory for CUSTOMER')),
  access_type: oneOf(WALLET_ACCESS_TYPES),
  configuration: optional(WalletConfiguration),
}

const ofVenue = { type: ['VENUE'] }
const ofCustomer = { type: ['CUSTOMER'] }

/** What `checkVenue` and `checkOwner` refuse. */
const REFUSED = [
  refusedForm({ where: ofVenue, lacking: ['venue_id'] }),
  refusedForm({ where: ofVenue, having: ['customer_id'] }),
  refusedForm({ where: ofCustomer, lacking: ['customer_id'] }),
  refusedForm({ having: ['service_id'], lacking: ['venue_id'] }),
  refusedForm({ having: ['venue_id'], lacking: ['service_id'] }),
  refusedForm({ where: { access_type: ['INTERNAL'] }, lacking: ['venue_id'] }),
  refusedForm({ where: { access_type: ['EXTERNAL'] }, having: ['venue_id'] }),
]

export const CreateWallet = closed(request, { title: 'CreateWallet', 'x-refused': REFUSED })
export type WalletDraft = Static<typeof CreateWallet>

const MAXIMUM_MATCHINGS = 100

export const ChangeWallet = closed(
  {
    ...request,
    matching_configurations: optional(
      Type.Array(MatchingConfigurationRequest, {
        maxItems: MAXIMUM_MATCHINGS,
        description:
          'Replaces the matchings made through this wallet for its account; absent: they ' +
          'stay; []: none. Ignored for a wallet that its venue made',
      }),
    ),
    version: optional(currentVersion()),
  },
  {
    title: 'ChangeWallet',
    'x-refused': REFUSED,
    'x-read-only': [
      ...READ_ONLY_FIELDS,
      'id',
      'foreign_id',
      'reference_text',
      'protocol',
      'integrate_from',
      'state',
      'reason',
    ],
  },
)
export type WalletChange = Static<typeof ChangeWallet>

const figure = () => nullable(decimalText('null: the venue does not report it'))

export const WalletBalanceShape = closed(
  { free: figure(), used: figure(), total: figure(), protocol: nullable(Type.String()) },
  { title: 'WalletBalance' },
)
export type WalletBalance = Static<typeof WalletBalanceShape>
