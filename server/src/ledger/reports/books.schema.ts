/** The shapes of the books as people read them. */
import { asset, closed, decimalText, nullable, text, time, Type, oneOf } from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { ACCOUNT_TYPES, BOOKING_TYPES } from '../ledger.schema.ts'

export const TrialBalanceRecord = closed(
  {
    at: time('What was booked before it'),
    assets: Type.Array(
      closed({
        asset: asset(),
        debit: decimalText('Sum of the column; equal to credit'),
        credit: decimalText('Sum of the column; equal to debit'),
        lines: Type.Array(
          closed({ type: oneOf(ACCOUNT_TYPES), debit: decimalText(), credit: decimalText() }),
          { description: 'One for each type of account that holds or owes something' },
        ),
      }),
    ),
  },
  { title: 'TrialBalance' },
)
export type TrialBalance = Static<typeof TrialBalanceRecord>

export const StatementLineRecord = closed(
  {
    line: oneOf(['OPENING', 'BOOKING', 'CLOSING']),
    asset: asset(),
    booked_at: time(
      'Of OPENING and CLOSING: the edge of the period; without `from`, the opening of the account',
    ),
    value_date: nullable(time()),
    sequence: nullable(Type.Integer()),
    booking_id: nullable(text()),
    type: nullable(oneOf(BOOKING_TYPES)),
    debit: nullable(decimalText()),
    credit: nullable(decimalText()),
    balance: decimalText("After this line, in the account's normal sign"),
    reference_type: nullable(text()),
    reference_id: nullable(text()),
    description: nullable(
      Type.String({
        description:
          'Of the account of a customer: what it is, in the language and the words that this ' +
          'customer reads. Of others the description of the booking, else what it is',
      }),
    ),
  },
  { title: 'StatementLine' },
)
export type StatementLine = Static<typeof StatementLineRecord>
