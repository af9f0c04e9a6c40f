/**
 * Every page of the console as data: area, address, name, shortcut, the permission it needs, and where its code lies.
 * Navigation, routes, command palette and shortcuts are made from this table.
 */
import { AuditOutlined, BankOutlined, BookOutlined, DashboardOutlined, LineChartOutlined, SettingOutlined, TeamOutlined } from '@ant-design/icons'
import type { ComponentType, ReactNode } from 'react'
import type { Permission } from '../api/query.ts'

/** A module of pages/: `Page` at the address, `Record` at `<address>/:id` over it. */
export type PageModule = { Page: ComponentType; Record?: ComponentType }

export type PageEntry = {
  path: string
  label: string
  /** After `g`. */
  keys?: string
  permission: Permission
  load(): Promise<PageModule>
}

export type Area = { key: string; label: string; icon: ReactNode; pages: readonly PageEntry[] }

export const AREAS: readonly Area[] = [
  { key: 'overview', label: 'Overview', icon: <DashboardOutlined />, pages: [] },
  {
    key: 'treasury', label: 'Treasury', icon: <BankOutlined />, pages: [
      { path: '/treasury/deposits', label: 'Deposits', keys: 'd', permission: 'treasury.deposits.read', load: () => import('../pages/treasury/deposits.tsx') },
      { path: '/treasury/withdrawals', label: 'Withdrawals', keys: 'w', permission: 'treasury.withdrawals.read', load: () => import('../pages/treasury/withdrawals.tsx') },
      { path: '/treasury/assignments', label: 'Assignments', permission: 'assignments.read', load: () => import('../pages/treasury/assignments.tsx') },
    ],
  },
  { key: 'trading', label: 'Trading', icon: <LineChartOutlined />, pages: [] },
  {
    key: 'books', label: 'Books', icon: <BookOutlined />, pages: [
      { path: '/books/accounts', label: 'Accounts', keys: 'a', permission: 'accounts.read', load: () => import('../pages/accounts.tsx') },
    ],
  },
  { key: 'customers', label: 'Customers', icon: <TeamOutlined />, pages: [] },
  { key: 'desk', label: 'Desk', icon: <AuditOutlined />, pages: [] },
  { key: 'administration', label: 'Administration', icon: <SettingOutlined />, pages: [] },
]

export const PAGES: readonly PageEntry[] = AREAS.flatMap((area) => area.pages)
