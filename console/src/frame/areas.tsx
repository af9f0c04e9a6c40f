/**
 * Every page of the console as data: area, address, name, shortcut, the permission it needs, and where its code lies.
 * Navigation, routes, command palette and shortcuts are made from this table.
 */
import {
  AuditOutlined,
  BankOutlined,
  BookOutlined,
  DashboardOutlined,
  LineChartOutlined,
  SettingOutlined,
  TeamOutlined,
} from '@ant-design/icons'
import type { ComponentType, ReactNode } from 'react'
import type { DataOf } from '@kontor/client'
import type { Permission } from '../api/query.ts'

export type FoundKind = DataOf<'get', '/search'>[number]['kind']

/** A module of pages/: `Page` at the address, `Record` at `<address>/:id` over it. */
export type PageModule = { Page: ComponentType; Record?: ComponentType }

export type PageEntry = {
  path: string
  label: string
  /** After `g`. */
  keys?: string
  permission: Permission
  /** What its records are called by search and timelines: from there they lead here. */
  kind?: FoundKind
  load(): Promise<PageModule>
}

export type Area = { key: string; label: string; icon: ReactNode; pages: readonly PageEntry[] }

export const AREAS: readonly Area[] = [
  {
    key: 'overview',
    label: 'Overview',
    icon: <DashboardOutlined />,
    pages: [
      {
        path: '/overview',
        label: 'Overview',
        keys: 'o',
        permission: 'accounts.read',
        load: () => import('../pages/overview.tsx'),
      },
    ],
  },
  {
    key: 'treasury',
    label: 'Treasury',
    icon: <BankOutlined />,
    pages: [
      {
        path: '/treasury/deposits',
        label: 'Deposits',
        keys: 'd',
        permission: 'treasury.deposits.read',
        kind: 'deposit',
        load: () => import('../pages/treasury/deposits.tsx'),
      },
      {
        path: '/treasury/withdrawals',
        label: 'Withdrawals',
        keys: 'w',
        permission: 'treasury.withdrawals.read',
        kind: 'withdrawal',
        load: () => import('../pages/treasury/withdrawals.tsx'),
      },
      {
        path: '/treasury/assignments',
        label: 'Assignments',
        permission: 'assignments.read',
        load: () => import('../pages/treasury/assignments.tsx'),
      },
      {
        path: '/treasury/batches',
        label: 'Batches',
        permission: 'treasury.withdrawals.create',
        load: () => import('../pages/treasury/batches.tsx'),
      },
      {
        path: '/treasury/jobs',
        label: 'Transfer jobs',
        keys: 'j',
        permission: 'treasury.jobs.read',
        kind: 'job',
        load: () => import('../pages/treasury/jobs.tsx'),
      },
      {
        path: '/treasury/routes',
        label: 'Routes',
        permission: 'treasury.routes.read',
        kind: 'route',
        load: () => import('../pages/treasury/routes.tsx'),
      },
      {
        path: '/treasury/wallets',
        label: 'Wallets',
        permission: 'treasury.wallets.read',
        kind: 'wallet',
        load: () => import('../pages/treasury/wallets.tsx'),
      },
      {
        path: '/treasury/matchings',
        label: 'Matchings',
        permission: 'matchings.read',
        kind: 'matching',
        load: () => import('../pages/treasury/matchings.tsx'),
      },
    ],
  },
  {
    key: 'trading',
    label: 'Trading',
    icon: <LineChartOutlined />,
    pages: [
      {
        path: '/trading/ticket',
        label: 'Trade',
        keys: 't',
        permission: 'trading.quotes.create',
        load: () => import('../pages/trading/ticket.tsx'),
      },
      {
        path: '/trading/executions',
        label: 'Executions',
        keys: 'x',
        permission: 'trading.executions.read',
        kind: 'execution',
        load: () => import('../pages/trading/executions.tsx'),
      },
      {
        path: '/trading/quotes',
        label: 'Quotes',
        keys: 'q',
        permission: 'trading.quotes.read',
        kind: 'quote',
        load: () => import('../pages/trading/quotes.tsx'),
      },
      {
        path: '/trading/fills',
        label: 'Trades at venues',
        permission: 'trading.executions.read',
        kind: 'fill',
        load: () => import('../pages/trading/fills.tsx'),
      },
      {
        path: '/trading/settlements',
        label: 'Settlements',
        keys: 's',
        permission: 'settlements.read',
        kind: 'settlement',
        load: () => import('../pages/trading/settlements.tsx'),
      },
      {
        path: '/trading/routes',
        label: 'Price routes',
        permission: 'trading.routes.read',
        kind: 'price_route',
        load: () => import('../pages/trading/price-routes.tsx'),
      },
      {
        path: '/trading/market',
        label: 'Market data',
        keys: 'm',
        permission: 'market-data.read',
        load: () => import('../pages/trading/market.tsx'),
      },
    ],
  },
  {
    key: 'books',
    label: 'Books',
    icon: <BookOutlined />,
    pages: [
      {
        path: '/books/bookings',
        label: 'Bookings',
        keys: 'b',
        permission: 'bookings.read',
        kind: 'booking',
        load: () => import('../pages/books/bookings.tsx'),
      },
      {
        path: '/books/accounts',
        label: 'Accounts',
        keys: 'a',
        permission: 'accounts.read',
        kind: 'account',
        load: () => import('../pages/books/accounts.tsx'),
      },
      {
        path: '/books/statements',
        label: 'Statements',
        permission: 'bookings.read',
        load: () => import('../pages/books/statements.tsx'),
      },
      {
        path: '/books/trial-balance',
        label: 'Trial balance',
        keys: 'l',
        permission: 'bookings.read',
        load: () => import('../pages/books/trial-balance.tsx'),
      },
    ],
  },
  {
    key: 'customers',
    label: 'Customers',
    icon: <TeamOutlined />,
    pages: [
      {
        path: '/customers',
        label: 'Customers',
        keys: 'c',
        permission: 'customers.read',
        kind: 'customer',
        load: () => import('../pages/customers/customers.tsx'),
      },
      {
        path: '/customer-mails',
        label: 'Mails',
        permission: 'customers.read',
        load: () => import('../pages/customers/mails.tsx'),
      },
    ],
  },
  {
    key: 'desk',
    label: 'Desk',
    icon: <AuditOutlined />,
    pages: [
      {
        path: '/venues',
        label: 'Venues',
        keys: 'v',
        permission: 'venues.read',
        kind: 'venue',
        load: () => import('../pages/desk/venues.tsx'),
      },
      {
        path: '/desk/reconciliation',
        label: 'Reconciliation',
        keys: 'r',
        permission: 'desk.read',
        load: () => import('../pages/desk/reconciliation.tsx'),
      },
      {
        path: '/desk/breaks',
        label: 'Breaks',
        permission: 'desk.read',
        kind: 'break',
        load: () => import('../pages/desk/breaks.tsx'),
      },
      {
        path: '/desk/brakes',
        label: 'Brakes',
        permission: 'desk.read',
        load: () => import('../pages/desk/brakes.tsx'),
      },
      {
        path: '/desk/events',
        label: 'Events',
        keys: 'e',
        permission: 'events.read',
        load: () => import('../pages/desk/events.tsx'),
      },
    ],
  },
  {
    key: 'administration',
    label: 'Administration',
    icon: <SettingOutlined />,
    pages: [
      {
        path: '/administration/users',
        label: 'Users',
        keys: 'u',
        permission: 'users.write',
        kind: 'user',
        load: () => import('../pages/administration/users.tsx'),
      },
    ],
  },
]

export const PAGES: readonly PageEntry[] = AREAS.flatMap((area) => area.pages)
