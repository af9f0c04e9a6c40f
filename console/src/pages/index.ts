/**
 * Every page of the console as data: area, address, name, shortcut and the permission it needs.
 * Navigation, addresses, command palette, shortcuts and the links to records are made from this
 * table. It imports no page: routes.tsx knows where the code of each page lies.
 */
import type { DataOf } from '@kontor/client'
import { t } from '../language/index.ts'

type Entry = {
  path: string
  label: string
  /** After `g`. */
  keys?: string
  permission: DataOf<'get', '/auth/me'>['permissions'][number]
  /** What search, timelines and notes call the records of this page: links lead here. */
  kind?:
    | DataOf<'get', '/search'>[number]['kind']
    | DataOf<'get', '/notes/{kind}/{record_id}'>['kind']
}

const TABLE = [
  {
    key: 'overview',
    label: t('Overview'),
    pages: [{ path: '/overview', label: t('Overview'), keys: 'o', permission: 'accounts.read' }],
  },
  {
    key: 'treasury',
    label: t('Treasury'),
    pages: [
      {
        path: '/treasury/deposits',
        label: t('Deposits'),
        keys: 'd',
        permission: 'treasury.deposits.read',
        kind: 'deposit',
      },
      {
        path: '/treasury/withdrawals',
        label: t('Withdrawals'),
        keys: 'w',
        permission: 'treasury.withdrawals.read',
        kind: 'withdrawal',
      },
      {
        path: '/treasury/payments',
        label: t('Payments'),
        keys: 'p',
        permission: 'treasury.withdrawals.read',
        kind: 'payment',
      },
      {
        path: '/treasury/set-aside-items',
        label: t('Set aside'),
        permission: 'treasury.deposits.read',
        kind: 'set_aside_item',
      },
      { path: '/treasury/assignments', label: t('Assignments'), permission: 'assignments.read' },
      {
        path: '/treasury/batches',
        label: t('Batches'),
        permission: 'treasury.withdrawals.read',
        kind: 'batch',
      },
      {
        path: '/treasury/jobs',
        label: t('Transfer jobs'),
        keys: 'j',
        permission: 'treasury.jobs.read',
        kind: 'job',
      },
      {
        path: '/treasury/routes',
        label: t('Treasury routes'),
        permission: 'treasury.routes.read',
        kind: 'route',
      },
      {
        path: '/treasury/wallets',
        label: t('Wallets'),
        permission: 'treasury.wallets.read',
        kind: 'wallet',
      },
      {
        path: '/treasury/matchings',
        label: t('Matchings'),
        permission: 'matchings.read',
        kind: 'matching',
      },
    ],
  },
  {
    key: 'trading',
    label: t('Trading'),
    pages: [
      {
        path: '/trading/ticket',
        label: t('Trade', { context: 'verb' }),
        keys: 't',
        permission: 'trading.quotes.create',
      },
      {
        path: '/trading/executions',
        label: t('Executions'),
        keys: 'x',
        permission: 'trading.executions.read',
        kind: 'execution',
      },
      {
        path: '/trading/quotes',
        label: t('Quotes'),
        keys: 'q',
        permission: 'trading.quotes.read',
        kind: 'quote',
      },
      {
        path: '/trading/fills',
        label: t('Account trades'),
        permission: 'trading.executions.read',
        kind: 'fill',
      },
      {
        path: '/trading/quality',
        label: t('Execution quality'),
        permission: 'trading.executions.read',
      },
      {
        path: '/trading/settlements',
        label: t('Settlements'),
        keys: 's',
        permission: 'settlements.read',
        kind: 'settlement',
      },
      {
        path: '/trading/routes',
        label: t('Price-stream routes'),
        permission: 'trading.routes.read',
        kind: 'price_route',
      },
      {
        path: '/trading/market',
        label: t('Market data'),
        keys: 'm',
        permission: 'market-data.read',
      },
    ],
  },
  {
    key: 'books',
    label: t('Books'),
    pages: [
      {
        path: '/books/bookings',
        label: t('Bookings'),
        keys: 'b',
        permission: 'bookings.read',
        kind: 'booking',
      },
      {
        path: '/books/accounts',
        label: t('Accounts'),
        keys: 'a',
        permission: 'accounts.read',
        kind: 'account',
      },
      { path: '/books/statements', label: t('Statements'), permission: 'bookings.read' },
      {
        path: '/books/trial-balance',
        label: t('Trial balance'),
        keys: 'l',
        permission: 'bookings.read',
      },
      { path: '/books/periods', label: t('Periods'), permission: 'bookings.read' },
      { path: '/books/general-ledger', label: t('General ledger'), permission: 'bookings.read' },
      {
        path: '/books/valued-positions',
        label: t('Valued positions'),
        permission: 'bookings.read',
      },
      { path: '/books/daily-prices', label: t('Daily prices'), permission: 'market-data.read' },
      { path: '/books/order-records', label: t('Order records'), permission: 'records.read' },
      {
        path: '/books/transaction-records',
        label: t('Transaction records'),
        permission: 'records.read',
      },
      { path: '/books/proofs', label: t('Proofs of segregation'), permission: 'bookings.read' },
    ],
  },
  {
    key: 'customers',
    label: t('Customers'),
    pages: [
      {
        path: '/customers',
        label: t('Customers'),
        keys: 'c',
        permission: 'customers.read',
        kind: 'customer',
      },
      {
        path: '/book-transfers',
        label: t('Book transfers'),
        permission: 'bookings.read',
        kind: 'book_transfer',
      },
      { path: '/customer-mails', label: t('Customer mail'), permission: 'customers.read' },
    ],
  },
  {
    key: 'desk',
    label: t('Desk'),
    pages: [
      { path: '/venues', label: t('Venues'), keys: 'v', permission: 'venues.read', kind: 'venue' },
      { path: '/desk/charts', label: t('Charts'), keys: 'h', permission: 'accounts.read' },
      {
        path: '/desk/reconciliation',
        label: t('Reconciliation'),
        keys: 'r',
        permission: 'desk.read',
      },
      { path: '/desk/reconciled-days', label: t('Reconciled days'), permission: 'desk.read' },
      { path: '/desk/customer-wallets', label: t('Customer wallets'), permission: 'desk.read' },
      { path: '/desk/breaks', label: t('Breaks'), permission: 'desk.read', kind: 'break' },
      { path: '/desk/approvals', label: t('Approvals'), permission: 'approvals.read' },
      {
        path: '/desk/screening-cases',
        label: t('Screening cases'),
        permission: 'screening.cases.read',
        kind: 'screening_case',
      },
      { path: '/desk/halts', label: t('Halts'), permission: 'desk.read', kind: 'halt' },
      { path: '/desk/events', label: t('Events'), keys: 'e', permission: 'events.read' },
    ],
  },
  {
    key: 'administration',
    label: t('Administration'),
    pages: [
      { path: '/administration/first-hour', label: t('First hour'), permission: 'settings.read' },
      { path: '/administration/settings', label: t('Settings'), permission: 'settings.read' },
      { path: '/administration/policy', label: t('Policy'), permission: 'policy.read' },
      {
        path: '/administration/declarations',
        label: t('Connections'),
        permission: 'declarations.read',
      },
      {
        path: '/administration/users',
        label: t('Users'),
        keys: 'u',
        permission: 'users.write',
        kind: 'user',
      },
      {
        path: '/administration/api-keys',
        label: t('API keys'),
        permission: 'api-keys.write',
        kind: 'api_key',
      },
      { path: '/administration/security-log', label: t('Security log'), permission: 'audit.read' },
      { path: '/administration/audit-trail', label: t('Audit trail'), permission: 'audit.read' },
      { path: '/administration/signed-heads', label: t('Signed heads'), permission: 'audit.read' },
      {
        path: '/administration/webhooks',
        label: t('Webhooks'),
        permission: 'webhooks.read',
        kind: 'webhook',
      },
      {
        path: '/administration/webhook-deliveries',
        label: t('Webhook deliveries'),
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
