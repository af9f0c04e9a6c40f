import type { AccountId, BookTransferId, CustomerId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import {
  asset,
  closed,
  decimalText,
  id,
  nullable,
  oneOf,
  optionalBlank,
  positiveText,
  record,
  requiredText,
  text,
  time,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'

export const BOOK_TRANSFER_STATES = ['PENDING', 'DONE', 'CANCELED'] as const
export type BookTransferState = (typeof BOOK_TRANSFER_STATES)[number]

/** PENDING: the amount is held and not booked yet. */
export const BOOK_TRANSFER_MOVES: Moves<BookTransferState> = {
  PENDING: ['DONE', 'CANCELED'],
  DONE: [],
  CANCELED: [],
}

const MAXIMUM_REASON = 140

export const BookTransferRecord = record('BookTransfer', {
  id: id<BookTransferId>(),
  state: oneOf(BOOK_TRANSFER_STATES),
  from_account_id: id<AccountId>(),
  from_customer_id: id<CustomerId>(),
  to_account_id: id<AccountId>(),
  to_customer_id: id<CustomerId>(),
  asset: asset(),
  quantity: decimalText(),
  reason: text(MAXIMUM_REASON, 'Why; both customers read it'),
  waits_for: nullable(text(1000, 'Why it is not booked yet')),
  canceled_reason: nullable(text(500)),
  completed_at: nullable(time('When it was booked or canceled')),
})
export type BookTransfer = Static<typeof BookTransferRecord>

export const CreateBookTransfer = closed(
  {
    from_account_id: id<AccountId>('The account of the customer who gives'),
    to_account_id: id<AccountId>('The account of the customer who gets'),
    asset: asset(),
    quantity: positiveText(),
    reason: requiredText(MAXIMUM_REASON, 'Why; both customers read it'),
  },
  { title: 'CreateBookTransfer' },
)
export type CreateBookTransferBody = Static<typeof CreateBookTransfer>

export const CancelBookTransfer = closed(
  { reason: optionalBlank(requiredText(500, 'Why')) },
  { title: 'CancelBookTransfer' },
)
export type CancelBookTransferBody = Static<typeof CancelBookTransfer>
