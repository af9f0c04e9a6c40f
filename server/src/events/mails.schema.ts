import type { CustomerId } from '../core/ids.ts'
import type { Moves } from '../core/moves.ts'
import { id, integer, nullable, record, text, time, oneOf } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import { EVENT_TYPES } from '../ledger/index.ts'

export const MAIL_STATES = ['PENDING', 'SENT', 'FAILED', 'CANCELED'] as const
type MailState = (typeof MAIL_STATES)[number]

/**
 * SENT: the mail server has taken it. FAILED: it refused the recipient for good, or nothing took it
 * for three days. CANCELED: what it says was corrected before it was handed to the server.
 */
export const MAIL_MOVES: Moves<MailState> = {
  PENDING: ['SENT', 'FAILED', 'CANCELED'],
  SENT: [],
  FAILED: [],
  CANCELED: [],
}

export const MailRecord = record('Mail', {
  state: oneOf(MAIL_STATES),
  event_sequence: integer(1, Number.MAX_SAFE_INTEGER, 'Of the event that caused it'),
  event_type: oneOf(EVENT_TYPES),
  resource_id: id(),
  customer_id: id<CustomerId>(),
  assignment_id: nullable(id('Of a deposit, or of a withdrawal that was rectified')),
  corrects: nullable(id('The mail that this one corrects')),
  waits_until: nullable(time('It is not sent before; null: at once')),
  recipient: text(),
  subject: text(),
  body: text(10_000),
  attempts: integer(0, 1_000_000, 'Begun attempts: with one, the mail may have arrived'),
  reason: nullable(text(500, 'Why it has not been sent yet')),
  sent_at: nullable(time()),
})
export type Mail = Static<typeof MailRecord>
