/** The lists whose records have events, and so can tell what is new in them. */
import type { Permission } from '../../access/index.ts'
import { EVENT_TYPES } from '../../ledger/index.ts'
import type { EventType } from '../../ledger/index.ts'

export const NEWS_LISTS = [
  'assignment',
  'batch',
  'book_transfer',
  'break',
  'deposit',
  'execution',
  'halt',
  'job',
  'payment',
  'route',
  'set_aside_item',
  'settlement',
  'wallet',
  'withdrawal',
] as const
export type NewsList = (typeof NEWS_LISTS)[number]

export type NewsPlace = {
  /** Of the list in the API. */
  path: string
  /** The one of the list. */
  permission: Permission
  types: readonly EventType[]
  /** Which record an event is about. */
  record: string
}

/** What was ordered has gone as it was ordered: no news to the person who has ordered it. */
export const AS_ORDERED: readonly EventType[] = [
  'payment.sent',
  'withdrawal.submitted',
  'withdrawal.succeeded',
  'deposit.returned',
  'execution.filled',
  'execution.done',
]

const ITSELF = 'resource_id'
const ASSIGNMENT = "(data ->> 'assignment_id')::uuid"

const eventsOf = (resource: string): EventType[] =>
  EVENT_TYPES.filter((type) => type.startsWith(`${resource}.`))

const place = (resource: string, path: string, permission: Permission): NewsPlace => ({
  path,
  permission,
  types: eventsOf(resource),
  record: ITSELF,
})

export const NEWS_PLACES: Readonly<Record<NewsList, NewsPlace>> = {
  assignment: {
    path: '/treasury/assignments',
    permission: 'assignments.read',
    types: ['deposit', 'withdrawal'].flatMap((movement) =>
      eventsOf(movement).filter((type) => type.startsWith(`${movement}.assign`)),
    ),
    record: ASSIGNMENT,
  },
  batch: place('batch', '/treasury/batches', 'treasury.withdrawals.read'),
  book_transfer: place('book_transfer', '/book-transfers', 'bookings.read'),
  break: place('break', '/desk/breaks', 'desk.read'),
  deposit: place('deposit', '/treasury/deposits', 'treasury.deposits.read'),
  execution: place('execution', '/executions', 'trading.executions.read'),
  halt: place('halt', '/desk/halts', 'desk.read'),
  job: place('job', '/treasury/jobs', 'treasury.jobs.read'),
  payment: place('payment', '/treasury/payments', 'treasury.withdrawals.read'),
  route: place('route', '/treasury/wallets/routes', 'treasury.routes.read'),
  set_aside_item: place('set_aside_item', '/treasury/set-aside-items', 'treasury.deposits.read'),
  settlement: place('settlement', '/settlements', 'settlements.read'),
  wallet: place('wallet', '/treasury/wallets', 'treasury.wallets.read'),
  withdrawal: place('withdrawal', '/treasury/withdrawals', 'treasury.withdrawals.read'),
}
