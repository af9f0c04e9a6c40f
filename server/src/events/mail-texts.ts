/** Which events are mailed to the customers they concern, and in which words. */
import { decimal, format } from '../core/decimal.ts'
import type { Json } from '../core/json.ts'
import { EVENT_TYPES } from '../ledger/index.ts'
import type { Event, EventType } from '../ledger/index.ts'

type Data = Readonly<Record<string, Json>>
/** What an event says of one of its customers. */
type ConcernedCustomer = { customer_id: string; data: Data }

type MailWords = { subject(data: Data): string; body(data: Data): string }

const textIn = (value: Json | undefined) =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
const amountOf = (data: Data) => `${textIn(data['quantity'])} ${textIn(data['asset'])}`
/** ` Reason: no liquidity.`; nothing where the event says none. */
const sentenceOf = (data: Data, name: 'reason' | 'purpose', title: string) =>
  textIn(data[name]) === '' ? '' : ` ${title}: ${textIn(data[name]).replace(/\.+$/, '')}.`
const reasonOf = (data: Data) => sentenceOf(data, 'reason', 'Reason')
const purposeOf = (data: Data) => sentenceOf(data, 'purpose', 'Purpose')
const orderOf = (data: Data) =>
  `${textIn(data['side'])} ${textIn(data['amount'])} ${textIn(data['symbol'])}`
const fillOf = (data: Data) =>
  `Filled: ${textIn(data['filled_amount'])} of ${textIn(data['amount'])}, ` +
  `for ${textIn(data['filled_volume'])} in total.`

const isReturn = (data: Data) => textIn(data['returns_deposit_id']) !== ''

/** A return is nothing that the customer has asked for. */
const paymentOf = (data: Data) => {
  const [amount, to] = [amountOf(data), textIn(data['destination_address'])]
  return isReturn(data)
    ? `The return of ${amount} to the sender of your deposit (${to})`
    : `Your withdrawal of ${amount} to ${to}`
}

const withdrawalWords = (end: string, consequence: string): MailWords => ({
  subject: (data) => `${isReturn(data) ? 'Return' : 'Withdrawal'} of ${amountOf(data)} ${end}`,
  body: (data) => `${paymentOf(data)} ${end}.${purposeOf(data)} ${consequence}${reasonOf(data)}`,
})
const executionWords = (end: string): MailWords => ({
  subject: (data) => `Order ${orderOf(data)} ${end}`,
  body: (data) => `Your order ${orderOf(data)} ${end}. ${fillOf(data)}${reasonOf(data)}`,
})
const RELEASED = 'The blocked amount is available again.'

const WORDS: Partial<Record<EventType, MailWords>> = {
  'deposit.assigned': {
    subject: (data) => `Deposit of ${amountOf(data)}`,
    body: (data) => `A deposit of ${amountOf(data)} was booked to your account.`,
  },
  'book_transfer.done': {
    subject: (data) => `Transfer of ${amountOf(data)}`,
    body: (data) =>
      `A transfer of ${amountOf(data)} ` +
      (data['gives'] === true
        ? 'to another customer was booked from your account.'
        : 'from another customer was booked to your account.') +
      reasonOf(data),
  },
  'withdrawal.succeeded': withdrawalWords('has been sent', ''),
  'withdrawal.failed': withdrawalWords('has failed', RELEASED),
  'withdrawal.rejected': withdrawalWords('was rejected', RELEASED),
  'execution.done': executionWords('is done'),
  'execution.canceled': executionWords('was canceled'),
  'execution.expired': executionWords('has expired'),
  'execution.failed': executionWords('has failed'),
}

export const MAILED_TYPES: readonly EventType[] = EVENT_TYPES.filter((type) => type in WORDS)

/**
 * The customers whom the event names, each once: one in `customer_id`, or those in `customers`,
 * each with its own part.
 */
export function concernedCustomers({ data }: Pick<Event, 'data'>): ConcernedCustomer[] {
  const { customers, customer_id } = data
  if (!Array.isArray(customers))
    return typeof customer_id === 'string' ? [{ customer_id, data }] : []
  const parts = new Map<string, Data>()
  for (const customer of customers) {
    const part = customer as Data
    const id = textIn(part['customer_id'])
    if (id === '') continue
    const earlier = parts.get(id)
    parts.set(id, earlier === undefined ? part : mergeParts(earlier, part))
  }
  return [...parts].map(([id, part]) => ({ customer_id: id, data: { ...data, ...part } }))
}

/** Several payments of one customer leave together: the customer reads their sum. */
function mergeParts(earlier: Data, part: Data): Data {
  const [sum, quantity] = [textIn(earlier['quantity']), textIn(part['quantity'])]
  if (sum === '' || quantity === '') return earlier
  return { ...earlier, quantity: format(decimal(sum) + decimal(quantity)) }
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
    ...(textIn(data['transaction_hash']) === ''
      ? []
      : [`Transaction: ${textIn(data['transaction_hash'])}`]),
  ]
  return { subject: words.subject(data), body: `${lines.join('\n')}\n` }
}
