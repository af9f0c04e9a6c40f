/**
 * Table 3 of Section 3 of the Annex: details of transactions. A transaction is a trade at a venue.
 */
import type { ExecutionId, FillId } from '../../core/ids.ts'
import type { Asset } from '../../ledger/index.ts'
import type { Fill } from '../../trading/index.ts'
import { currencyOf, decimalOf, EMPTY, PRICE_FRACTION, timeOf, UNITS_FRACTION } from './fields.ts'
import type { Field } from './fields.ts'

export type TransactionRow = Pick<
  Fill,
  'side' | 'price' | 'quantity' | 'foreign_id' | 'executed_at' | 'busted'
> & {
  fill_id: FillId
  execution_id: ExecutionId | null
  /** Of a person for whom alone it was made, in one step. */
  first_name: string | null
  last_name: string | null
  base: Asset
  quote: Asset
}

/** Who is on this side of the trade, where that is the customer. */
const nameOn =
  (side: Fill['side'], name: 'first_name' | 'last_name') =>
  (row: TransactionRow): string | null =>
    row.side === side ? row[name] : null

const partyFields = (side: Fill['side']): readonly Field<TransactionRow>[] => {
  const [key, name, deciding] =
    side === 'BUY' ? ['buyer', 'Buyer', 'Buy'] : ['seller', 'Seller', 'Sell']
  const decision = `${deciding} decision maker`
  return [
    [`${key}_identification_code`, `${name} identification code`, EMPTY.person],
    [`${key}_branch_country`, `Country of the branch for the ${key}`, EMPTY.country],
    [`${key}_first_names`, `${name} – first name(s)`, nameOn(side, 'first_name')],
    [`${key}_surnames`, `${name} – surname(s)`, nameOn(side, 'last_name')],
    [`${key}_date_of_birth`, `${name} – date of birth`, EMPTY.birth],
    [`${key}_decision_maker_code`, `${name} decision maker code`, EMPTY.decision],
    [`${key}_decision_maker_first_names`, `${decision} – First Name(s)`, EMPTY.decision],
    [`${key}_decision_maker_surnames`, `${decision} – Surname(s)`, EMPTY.decision],
    [`${key}_decision_maker_date_of_birth`, `${decision} – Date of birth`, EMPTY.decision],
  ]
}

export const TRANSACTION_FIELDS: readonly Field<TransactionRow>[] = [
  [
    'transaction_status',
    'Transaction status; CANC: the venue took the trade back',
    ({ busted }) => (busted ? 'CANC' : 'NEWT'),
  ],
  [
    'transaction_record_number',
    'Transaction Record Number',
    ({ fill_id }) => fill_id.replaceAll('-', ''),
  ],
  [
    'platform_transaction_code',
    'Trading platform for crypto-asset transaction identification code',
    ({ foreign_id }) => foreign_id,
  ],
  ['executing_entity', 'Executing entity identification code', EMPTY.provider],
  ['covered_by_mica', 'CASP covered by Regulation (EU) 2023/1114', EMPTY.mica],
  ...partyFields('BUY'),
  ...partyFields('SELL'),
  ['transmission_indicator', 'Transmission of order indicator', EMPTY.transmission],
  [
    'transmitting_firm_buyer',
    'Transmitting firm identification code for the buyer',
    EMPTY.transmission,
  ],
  [
    'transmitting_firm_seller',
    'Transmitting firm identification code for the seller',
    EMPTY.transmission,
  ],
  ['trading_date_time', 'Trading date time', ({ executed_at }) => timeOf(executed_at)],
  ['trading_capacity', 'Trading capacity', EMPTY.capacity],
  ['quantity', 'Quantity', ({ quantity }) => decimalOf(quantity, UNITS_FRACTION)],
  ['quantity_currency', 'Quantity currency', EMPTY.units],
  ['price', 'Price (at the venue, without fee)', ({ price }) => decimalOf(price, PRICE_FRACTION)],
  ['price_currency', 'Price Currency, of a price in a currency', ({ quote }) => currencyOf(quote)],
  ['trading_platform', 'Trading platform for crypto-asset', EMPTY.platform],
  ['branch_membership_country', 'Country of the branch membership', EMPTY.country],
  ['up_front_payment', 'Up-front payment', EMPTY.derivative],
  ['up_front_payment_currency', 'Up-front payment currency', EMPTY.derivative],
  ['complex_trade_component_id', 'Complex trade component id', EMPTY.derivative],
  ['crypto_asset_identification_code', 'Crypto-asset identification code', EMPTY.token],
  ['crypto_asset_full_name', 'Crypto-asset full name', ({ base }) => base.label],
  ['crypto_asset_classification', 'Crypto-asset classification', EMPTY.class],
  ['investment_decision', 'Investment decision within the provider', EMPTY.decision],
  [
    'investment_decision_branch_country',
    'Country of the branch responsible for the person making the investment decision',
    EMPTY.country,
  ],
  ['execution_within_firm', 'Execution within firm', EMPTY.person],
  [
    'execution_branch_country',
    'Country of the branch supervising the person determining the conditions for execution',
    EMPTY.country,
  ],
  [
    'short_selling',
    'Short selling indicator',
    'what the seller owned at that moment is not stored.',
  ],
]
