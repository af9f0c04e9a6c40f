/** Which events are mailed to the customers they concern, and in which words. */
import type { Json } from '../core/json.ts'
import { EVENT_TYPES } from '../ledger/index.ts'
import type { Event, EventType } from '../ledger/index.ts'

type Data = Readonly<Record<string, Json>>
/** What an event says of one of its customers. */
export type ConcernedCustomer = { customer_id: string; data: Data }

type MailWords = { subject(data: Data): string; body(data: Data): string }

const word = (value: Json | undefined) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
const amount = (data: Data) => `${word(data['quantity'])} ${word(data['asset'])}`
const because = (data: Data) =>
  word(data['reason']) === '' ? '' : ` Reason: ${word(data['reason'])}.`
const order = (data: Data) =>
  `${word(data['side'])} ${word(data['amount'])} ${word(data['symbol'])}`
const filled = (data: Data) =>
  `Filled: ${word(data['filled_amount'])} of ${word(data['amount'])}, for ${word(data['filled_volume'])} in total.`

const purposeOf = (data: Data) =>
  word(data['purpose']) === '' ? '' : ` Purpose: ${word(data['purpose'])}.`

const withdrawal = (ended: string, then: string): MailWords => ({
  subject: (data) => `Withdrawal of ${amount(data)} ${ended}`,
  body: (data) =>
    `Your withdrawal of ${amount(data)} to ${word(data['destination_address'])} ${ended}.${purposeOf(data)} ${then}${because(data)}`,
})
const execution = (ended: string): MailWords => ({
  subject: (data) => `Order ${order(data)} ${ended}`,
  body: (data) => `Your order ${order(data)} ${ended}. ${filled(data)}${because(data)}`,
})
const FREE = 'What was blocked for it is available again.'

const WORDS: Partial<Record<EventType, MailWords>> = {
  'deposit.assigned': {
    subject: (data) => `Deposit of ${amount(data)}`,
    body: (data) => `A deposit of ${amount(data)} was booked to your account.`,
  },
  'withdrawal.succeeded': withdrawal('has been sent', ''),
  'withdrawal.failed': withdrawal('has failed', FREE),
  'withdrawal.rejected': withdrawal('was rejected', FREE),
  'execution.done': execution('is done'),
  'execution.canceled': execution('was canceled'),
  'execution.expired': execution('has expired'),
  'execution.failed': execution('has failed'),
}

export const MAILED_TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => type in WORDS)

/**
 * The customers whom the event names: one in `customer_id`, or several in `customers`, each with
 * its own part.
 */
export function concernedCustomers({ data }: Pick<Event, 'data'>): ConcernedCustomer[] {
  const { customers, customer_id } = data
  if (Array.isArray(customers)) {
    return customers.flatMap((customer) => {
      const part = customer as Data
      return typeof part['customer_id'] === 'string'
        ? [{ customer_id: part['customer_id'], data: { ...data, ...part } }]
        : []
    })
  }
  return typeof customer_id === 'string' ? [{ customer_id, data }] : []
}

/** Undefined for an event that is not mailed. */
export function mailText(
  event: Event,
  { data }: ConcernedCustomer,
  customer_label: string,
): { subject: string; body: string } | undefined {
  const words = WORDS[event.type]
  if (words === undefined) return undefined
  const lines = [
    `To ${customer_label}`,
    '',
    words.body(data).trim(),
    '',
    `Time: ${new Date(event.occurred_at).toISOString()}`,
    `Reference: ${event.type.split('.')[0]} ${event.resource_id}`,
    ...(word(data['transaction_hash']) === ''
      ? []
      : [`Transaction: ${word(data['transaction_hash'])}`]),
  ]
  return { subject: words.subject(data), body: `${lines.join('\n')}\n` }
}
