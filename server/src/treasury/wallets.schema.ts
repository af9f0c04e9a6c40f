import { asset, closed, decimalText, flag, id, integer, nullable, optional, optionalBlank, READ_ONLY_FIELDS, record, requiredText, text, time, Type, word } from '../http/index.ts'
import type { Static } from '../http/index.ts'

export const WALLET_TYPES = ['VENUE', 'CUSTOMER'] as const
export const WALLET_ACCESS_TYPES = ['EXTERNAL', 'INTERNAL'] as const
export const WALLET_STATES = ['ACTIVE'] as const

const MAXIMUM_NAME = 100

export const WalletConfiguration = closed({
  create_external_wallet: optional(flag('Creating wallets at the venue is not supported: false or absent')),
  protocol: optionalBlank(text(MAXIMUM_NAME, 'Vault: protocol of the asset at the venue')),
  vault_id: optionalBlank(text(MAXIMUM_NAME, 'Vault: the vault that holds the wallet')),
  customer_number: optionalBlank(text(MAXIMUM_NAME, 'Bank: our customer number')),
  customer_account_number: optionalBlank(text(MAXIMUM_NAME, 'Bank: the sub-account; the address where absent')),
})
export type Configuration = Static<typeof WalletConfiguration>

export const WalletShape = record('Wallet', {
  type: word(WALLET_TYPES),
  asset: asset(),
  address: text(),
  label: text(),
  service_id: nullable(id()),
  venue_id: nullable(id()),
  account_id: id(),
  customer_id: nullable(id()),
  access_type: word(WALLET_ACCESS_TYPES),
  configuration: WalletConfiguration,
  foreign_id: nullable(text(500, 'Where the wallet is inside its venue')),
  reference_text: nullable(text()),
  protocol: nullable(text(100, 'The only protocol of this wallet, where it has only one')),
  integrate_from: nullable(time('Movements before this belong to the opening balance; null: those the venue showed when it was connected')),
  state: word(WALLET_STATES),
})
/** As answered; `venue_wallet` is VenueBalance.wallet of the contract and is shown as foreign_id. */
export type Wallet = Static<typeof WalletShape>

const request = {
  type: word(WALLET_TYPES, 'VENUE: our own at a venue (omnibus, settlement). CUSTOMER: a customer\'s'),
  asset: asset(),
  address: text(500, 'Blockchain address or IBAN'),
  label: requiredText(),
  service_id: optionalBlank(id('The wallet service of the venue; with venue_id makes the wallet INTERNAL')),
  venue_id: optionalBlank(id('Mandatory for VENUE')),
  account_id: id('The customer\'s account, or an account of the venue'),
  customer_id: optionalBlank(id('Mandatory for CUSTOMER')),
  access_type: word(WALLET_ACCESS_TYPES),
  configuration: optional(WalletConfiguration),
}

export const CreateWallet = closed(request, { title: 'CreateWallet' })
export type WalletDraft = Static<typeof CreateWallet>

export const ChangeWallet = closed({ ...request, version: optional(integer(1, 2_147_483_647, 'Refused when it is not the current one')) },
  { title: 'ChangeWallet', 'x-read-only': [...READ_ONLY_FIELDS, 'id', 'foreign_id', 'reference_text', 'protocol', 'integrate_from', 'state'] })

const figure = () => nullable(decimalText('null: the venue does not say'))

export const WalletBalanceShape = closed({ free: figure(), used: figure(), total: figure(), protocol: nullable(Type.String()) }, { title: 'WalletBalance' })
export type WalletBalance = Static<typeof WalletBalanceShape>
