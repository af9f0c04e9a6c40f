import type { CustomerId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import { id, integer, nullable, record, text, time, oneOf } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { EVENT_TYPES } from '../ledger/index.ts'

export const MAIL_STATES = ['PENDING', 'SENT', 'FAILED'] as const
type MailState = (typeof MAIL_STATES)[number]

/**
 * SENT: the mail server has taken it. FAILED: it refused the recipient for good, or nothing took it
 * for three days.
 */
export const MAIL_MOVES: Moves<MailState> = {
  PENDING: ['SENT', 'FAILED'],
  SENT: [],
  FAILED: [],
}

export const MailRecord = record('Mail', {
  state: oneOf(MAIL_STATES),
  event_sequence: integer(1, Number.MAX_SAFE_INTEGER, 'Of the event that caused it'),
  event_type: oneOf(EVENT_TYPES),
  resource_id: id(),
  customer_id: id<CustomerId>(),
  recipient: text(),
  subject: text(),
  body: text(10_000),
  attempts: integer(0, 1_000_000),
  reason: nullable(text(500, 'Why it has not been sent yet')),
  sent_at: nullable(time()),
})
export type Mail = Static<typeof MailRecord>
