/**
 * Every page of the console as data: area, address, name, shortcut and the permission it needs.
 * Navigation, addresses, command palette, shortcuts and the links to records are made from this
 * table. It imports no page: routes.tsx knows where the code of each page lies.
 */
import type { DataOf } from '@kontor/client'

type Entry = {
  path: string
  label: string
  /** After `g`. */
  keys?: string
  permission: DataOf<'get', '/auth/me'>['permissions'][number]
  /** What search and timelines call the records of this page: links to them lead here. */
  kind?: DataOf<'get', '/search'>[number]['kind']
}

const TABLE = [
  {
    key: 'overview',
    label: 'Overview',
    pages: [{ path: '/overview', label: 'Overview', keys: 'o', permission: 'accounts.read' }],
  },
  {
    key: 'treasury',
    label: 'Treasury',
    pages: [
      {
        path: '/treasury/deposits',
        label: 'Deposits',
        keys: 'd',
        permission: 'treasury.deposits.read',
        kind: 'deposit',
      },
      {
        path: '/treasury/withdrawals',
        label: 'Withdrawals',
        keys: 'w',
        permission: 'treasury.withdrawals.read',
        kind: 'withdrawal',
      },
      {
        path: '/treasury/payments',
        label: 'Payments',
        keys: 'p',
        permission: 'treasury.withdrawals.read',
      },
      {
        path: '/treasury/set-aside-items',
        label: 'Set aside',
        permission: 'treasury.deposits.read',
        kind: 'set_aside_item',
      },
      {
        path: '/treasury/assignments',
        label: 'Assignments',
        permission: 'assignments.read',
      },
      {
        path: '/treasury/batches',
        label: 'Batches',
        permission: 'treasury.withdrawals.read',
      },
      {
        path: '/treasury/jobs',
        label: 'Transfer jobs',
        keys: 'j',
        permission: 'treasury.jobs.read',
        kind: 'job',
      },
      {
        path: '/treasury/routes',
        label: 'Treasury routes',
        permission: 'treasury.routes.read',
        kind: 'route',
      },
      {
        path: '/treasury/wallets',
        label: 'Wallets',
        permission: 'treasury.wallets.read',
        kind: 'wallet',
      },
      {
        path: '/treasury/matchings',
        label: 'Matchings',
        permission: 'matchings.read',
        kind: 'matching',
      },
    ],
  },
  {
    key: 'trading',
    label: 'Trading',
    pages: [
      {
        path: '/trading/ticket',
        label: 'Trade',
        keys: 't',
        permission: 'trading.quotes.create',
      },
      {
        path: '/trading/executions',
        label: 'Executions',
        keys: 'x',
        permission: 'trading.executions.read',
        kind: 'execution',
      },
      {
        path: '/trading/quotes',
        label: 'Quotes',
        keys: 'q',
        permission: 'trading.quotes.read',
        kind: 'quote',
      },
      {
        path: '/trading/fills',
        label: 'Account trades',
        permission: 'trading.executions.read',
        kind: 'fill',
      },
      {
        path: '/trading/settlements',
        label: 'Settlements',
        keys: 's',
        permission: 'settlements.read',
        kind: 'settlement',
      },
      {
        path: '/trading/routes',
        label: 'Price-stream routes',
        permission: 'trading.routes.read',
        kind: 'price_route',
      },
      {
        path: '/trading/market',
        label: 'Market data',
        keys: 'm',
        permission: 'market-data.read',
      },
    ],
  },
  {
    key: 'books',
    label: 'Books',
    pages: [
      {
        path: '/books/bookings',
        label: 'Bookings',
        keys: 'b',
        permission: 'bookings.read',
        kind: 'booking',
      },
      {
        path: '/books/accounts',
        label: 'Accounts',
        keys: 'a',
        permission: 'accounts.read',
        kind: 'account',
      },
      {
        path: '/books/statements',
        label: 'Statements',
        permission: 'bookings.read',
      },
      {
        path: '/books/trial-balance',
        label: 'Trial balance',
        keys: 'l',
        permission: 'bookings.read',
      },
    ],
  },
  {
    key: 'customers',
    label: 'Customers',
    pages: [
      {
        path: '/customers',
        label: 'Customers',
        keys: 'c',
        permission: 'customers.read',
        kind: 'customer',
      },
      {
        path: '/book-transfers',
        label: 'Book transfers',
        permission: 'bookings.read',
        kind: 'book_transfer',
      },
      {
        path: '/customer-mails',
        label: 'Customer mail',
        permission: 'customers.read',
      },
    ],
  },
  {
    key: 'desk',
    label: 'Desk',
    pages: [
      {
        path: '/venues',
        label: 'Venues',
        keys: 'v',
        permission: 'venues.read',
        kind: 'venue',
      },
      { path: '/desk/charts', label: 'Charts', keys: 'h', permission: 'accounts.read' },
      {
        path: '/desk/reconciliation',
        label: 'Reconciliation',
        keys: 'r',
        permission: 'desk.read',
      },
      {
        path: '/desk/customer-wallets',
        label: 'Customer wallets',
        permission: 'desk.read',
      },
      {
        path: '/desk/breaks',
        label: 'Breaks',
        permission: 'desk.read',
        kind: 'break',
      },
      {
        path: '/desk/halts',
        label: 'Halts',
        permission: 'desk.read',
      },
      {
        path: '/desk/events',
        label: 'Events',
        keys: 'e',
        permission: 'events.read',
      },
    ],
  },
  {
    key: 'administration',
    label: 'Administration',
    pages: [
      {
        path: '/administration/settings',
        label: 'Settings',
        permission: 'settings.read',
      },
      {
        path: '/administration/declarations',
        label: 'Connections',
        permission: 'declarations.read',
      },
      {
        path: '/administration/users',
        label: 'Users',
        keys: 'u',
        permission: 'users.write',
        kind: 'user',
      },
      {
        path: '/administration/api-keys',
        label: 'API keys',
        permission: 'api-keys.write',
      },
      {
        path: '/administration/security-log',
        label: 'Security log',
        permission: 'audit.read',
      },
      {
        path: '/administration/signed-heads',
        label: 'Signed heads',
        permission: 'audit.read',
      },
      {
        path: '/administration/webhooks',
        label: 'Webhooks',
        permission: 'webhooks.read',
      },
      {
        path: '/administration/webhook-deliveries',
        label: 'Webhook deliveries',
        permission: 'webhooks.read',
      },
    ],
  },
] as const satisfies readonly { key: string; label: string; pages: readonly Entry[] }[]

export type AreaKey = (typeof TABLE)[number]['key']
export type Page = Entry & { path: (typeof TABLE)[number]['pages'][number]['path'] }
type Area = { key: AreaKey; label: string; pages: readonly Page[] }

export const AREAS: readonly Area[] = TABLE
export const PAGES: readonly Page[] = AREAS.flatMap((area) => area.pages)
