/** Where the console shows the records of a kind: the address of their list. */
import type { ToldRecord } from './kinds.ts'

export const PAGE_OF: Readonly<Record<ToldRecord, string>> = {
  customer: '/customers',
  account: '/books/accounts',
  deposit: '/treasury/deposits',
  withdrawal: '/treasury/withdrawals',
  payment: '/treasury/payments',
  batch: '/treasury/batches',
  set_aside_item: '/treasury/set-aside-items',
  execution: '/trading/executions',
  quote: '/trading/quotes',
  fill: '/trading/fills',
  settlement: '/trading/settlements',
  booking: '/books/bookings',
  book_transfer: '/book-transfers',
  job: '/treasury/jobs',
  wallet: '/treasury/wallets',
  route: '/treasury/routes',
  matching: '/treasury/matchings',
  price_route: '/trading/routes',
  venue: '/venues',
  break: '/desk/breaks',
  halt: '/desk/halts',
  screening_case: '/desk/screening-cases',
  user: '/administration/users',
  api_key: '/administration/api-keys',
  webhook: '/administration/webhooks',
  approval: '/desk/approvals',
  setting: '/administration/settings',
  declaration: '/administration/declarations',
}

/** What stands in its list alone has no page of its own. */
export const isListedOnly = (kind: ToldRecord): kind is 'setting' | 'declaration' =>
  kind === 'setting' || kind === 'declaration'
