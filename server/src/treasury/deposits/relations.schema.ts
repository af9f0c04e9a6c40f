import type { PartId, SettlementId, VenueId, WithdrawalId } from '../../core/ids.ts'
import {
  closed,
  decimalText,
  id,
  integer,
  nullable,
  oneOf,
  optionalBlank,
  refusedForm,
  requiredText,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'

export const RelateDeposit = closed(
  {
    withdrawal_id: optionalBlank(id<WithdrawalId>('The own transfer that arrives as it')),
    part_id: optionalBlank(
      id<PartId>('The part of a settlement that the venue pays with it; instead of a withdrawal'),
    ),
  },
  {
    title: 'RelateDeposit',
    'x-refused': [
      refusedForm({ having: ['withdrawal_id', 'part_id'] }),
      refusedForm({ lacking: ['withdrawal_id', 'part_id'] }),
    ],
  },
)
export type RelateDepositBody = Static<typeof RelateDeposit>

export const UnrelateDeposit = closed(
  { reason: requiredText(500, 'Why it is not the arrival') },
  { title: 'UnrelateDeposit' },
)
export type UnrelateDepositBody = Static<typeof UnrelateDeposit>

/** How much each reason says, in percent. */
export const TRANSFER_WEIGHTS = {
  SAME_TRANSACTION: 95,
  OUR_REFERENCE: 95,
  SAME_PAYER: 70,
  SAME_AMOUNT: 30,
} as const
export type TransferReason = keyof typeof TRANSFER_WEIGHTS
const REASONS = Object.keys(TRANSFER_WEIGHTS) as [TransferReason, ...TransferReason[]]

export const TransferSuggestion = closed(
  {
    withdrawal_id: nullable(id<WithdrawalId>('The own transfer; null for a part')),
    part_id: nullable(id<PartId>('The part of a settlement; null for an own transfer')),
    settlement_id: nullable(id<SettlementId>()),
    venue_id: id<VenueId>('Where it comes from'),
    quantity: decimalText(),
    since: time('When it was sent, or from when on it is expected'),
    score: integer(1, 99, 'How likely it is; the list is in this order'),
    reasons: Type.Array(closed({ code: oneOf(REASONS), explanation: text(1000) }), {
      description: 'The strongest reason first',
    }),
  },
  { title: 'TransferSuggestion' },
)
export type TransferSuggestion = Static<typeof TransferSuggestion>
