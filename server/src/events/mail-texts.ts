/** Which events are mailed to the customers they concern, and which facts a mail has of them. */
import type { MailKind } from '../access/index.ts'
import { decimal, format } from '../core/decimal.ts'
import type { Json } from '../core/json.ts'
import { EVENT_TYPES } from '../ledger/index.ts'
import type { Event, EventType } from '../ledger/index.ts'
import { amountText, shortReference, timeText } from './mail-words.ts'
import type { MailValues, Reader } from './mail-words.ts'

type Data = Readonly<Record<string, Json>>
/** What an event says of one of its customers. */
type ConcernedCustomer = { customer_id: string; data: Data }

type MailFacts = {
  /** Undefined: this event is not mailed. */
  kind(data: Data): MailKind | undefined
  values(data: Data, reader: Reader): MailValues
  /** What was told may soon be corrected by a person: the mail waits as the setting says. */
  waits?: true
}

/** What makes an earlier mail wrong, and how that is said. */
type Correction = {
  kind: MailKind
  /** Of which events of the same record the mails are wrong. */
  of: readonly EventType[]
}

export const textIn = (value: Json | undefined): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** Texts of venues and of staff may name our records, which tells a customer nothing. */
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i
const sayable = (value: Json | undefined): string =>
  UUID.test(textIn(value)) ? '' : textIn(value).replace(/\.+$/, '')

const amountOf = (data: Data, reader: Reader): string =>
  amountText(textIn(data['quantity']), textIn(data['asset']), reader)

const isReturn = (data: Data): boolean => textIn(data['returns_deposit_id']) !== ''

const CAME_BACK = {
  en: 'It is an earlier payment that has come back.',
  de: 'Es ist eine frühere Zahlung, die zurückgekommen ist.',
} as const

/** A return is nothing that the customer has asked for. */
const payment = (end: 'sent' | 'failed' | 'rejected'): MailFacts => ({
  kind: (data) => (isReturn(data) ? `return_${end}` : `withdrawal_${end}`),
  values: (data, reader) => ({
    amount: amountOf(data, reader),
    destination: sayable(data['destination_address']),
    purpose: sayable(data['purpose']),
    transaction: sayable(data['transaction_hash']),
    reason: sayable(data['reason']),
  }),
})

const SIDES = { en: { BUY: 'buy', SELL: 'sell' }, de: { BUY: 'Kauf', SELL: 'Verkauf' } } as const

const order = (kind: MailKind): MailFacts => ({
  kind: () => kind,
  values(data, reader) {
    const [base = '', quote = ''] = textIn(data['symbol']).split('/')
    const side = textIn(data['side']) === 'SELL' ? 'SELL' : 'BUY'
    const filled = textIn(data['filled_amount'])
    const none = filled === '' || decimal(filled) === 0n
    return {
      side: SIDES[reader.language][side],
      amount: amountText(textIn(data['amount']), base, reader),
      against: quote,
      filled: none ? '' : amountText(filled, base, reader),
      volume: none ? '' : amountText(textIn(data['filled_volume']), quote, reader),
      reason: sayable(data['reason']),
    }
  },
})

const MAILED: Partial<Record<EventType, MailFacts>> = {
  'deposit.assigned': {
    kind: () => 'deposit_booked',
    values: (data, reader) => ({
      amount: amountOf(data, reader),
      came_back: data['came_back'] === true ? CAME_BACK[reader.language] : '',
      transaction: sayable(data['transaction_hash']),
    }),
    waits: true,
  },
  'book_transfer.done': {
    kind: (data) => (data['gives'] === true ? 'transfer_given' : 'transfer_received'),
    values: (data, reader) => ({
      amount: amountOf(data, reader),
      reason: sayable(data['reason']),
    }),
  },
  'withdrawal.succeeded': payment('sent'),
  'withdrawal.failed': payment('failed'),
  'withdrawal.rejected': payment('rejected'),
  // Who bears it after a rectification has not been told that it was sent.
  'withdrawal.assigned': {
    ...payment('sent'),
    kind: (data) =>
      textIn(data['rectification_id']) === '' ? undefined : payment('sent').kind(data),
  },
  'execution.done': order('order_filled'),
  'execution.canceled': order('order_canceled'),
  'execution.expired': order('order_expired'),
  'execution.failed': order('order_failed'),
}

const SENT: readonly EventType[] = ['withdrawal.succeeded', 'withdrawal.assigned']

export const CORRECTIONS: Partial<Record<EventType, Correction>> = {
  'deposit.rectified': { kind: 'correction_not_yours', of: ['deposit.assigned'] },
  'deposit.reversed': { kind: 'correction_taken_back', of: ['deposit.assigned'] },
  'withdrawal.rectified': { kind: 'correction_not_yours', of: SENT },
  'withdrawal.failed_after_success': { kind: 'correction_not_sent', of: SENT },
  'withdrawal.sent_after_end': {
    kind: 'correction_sent',
    of: ['withdrawal.failed', 'withdrawal.rejected'],
  },
  'execution.resolution_corrected': {
    kind: 'correction_order',
    of: ['execution.done', 'execution.canceled', 'execution.expired', 'execution.failed'],
  },
}

/** In the order of `EVENT_TYPES`. */
export const MAILED_TYPES: readonly EventType[] = EVENT_TYPES.filter(
  (type) => type in MAILED || type in CORRECTIONS,
)

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

/** Undefined for an event of which its customers are not told. */
export function mailOf(
  event: Event,
  { data }: ConcernedCustomer,
  reader: Reader,
): { kind: MailKind; values: MailValues; waits: boolean } | undefined {
  const facts = MAILED[event.type]
  const kind = facts?.kind(data)
  if (facts === undefined || kind === undefined) return undefined
  const values = { ...facts.values(data, reader), ...frameOf(event, reader) }
  return { kind, values, waits: facts.waits === true }
}

/** The facts that every mail about this event has. */
export const frameOf = (event: Event, reader: Reader): MailValues => ({
  time: timeText(event.occurred_at, reader),
  reference: shortReference(event.type, event.resource_id),
})
