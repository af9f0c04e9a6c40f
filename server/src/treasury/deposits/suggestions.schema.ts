import type { AccountId, CustomerId, WithdrawalId } from '../../core/ids.ts'
import { closed, decimalText, id, integer, nullable, oneOf, text, Type } from '../../http/index.ts'
import type { Static } from '../../http/index.ts'

/** How much each reason says by itself, in percent; what says the same twice counts once. */
export const SUGGESTION_WEIGHTS = {
  ITS_WITHDRAWAL: 95,
  CUSTOMERS_WALLET: 80,
  FOREIGN_ID: 80,
  SAME_SOURCE: 70,
  MATCHING_REFERENCE: 60,
  MATCHING_ADDRESS: 50,
  NAME: 60,
  PAID_BEFORE: 50,
  PART_OF_NAME: 20,
  SAME_AMOUNT: 15,
} as const
type SuggestionReason = keyof typeof SUGGESTION_WEIGHTS
const REASONS = Object.keys(SUGGESTION_WEIGHTS) as [SuggestionReason, ...SuggestionReason[]]

/** What points to an account, and the withdrawal of it that arrives. */
export type Clue = {
  account_id: AccountId
  withdrawal_id?: WithdrawalId
  code: SuggestionReason
  explanation: string
}

export const DepositSuggestion = closed(
  {
    account_id: id<AccountId>(),
    account_label: text(),
    customer_id: id<CustomerId>(),
    withdrawal_id: nullable(
      id<WithdrawalId>('The withdrawal of this account that arrives with the deposit'),
    ),
    score: integer(1, 99, 'How likely it is; the list is in this order'),
    quantity: decimalText('The unassigned part of the deposit'),
    reasons: Type.Array(closed({ code: oneOf(REASONS), explanation: text(1000) }), {
      description: 'The strongest reason first',
    }),
  },
  { title: 'DepositSuggestion' },
)
export type DepositSuggestion = Static<typeof DepositSuggestion>
