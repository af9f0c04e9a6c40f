/**
 * Addresses of the console: each page of the table with its code, which is loaded when the page is
 * first opened.
 */
import { useEffect, useRef } from 'react'
import type { ComponentType, ReactNode } from 'react'
import { createBrowserRouter, Link, Navigate, useRouteError } from 'react-router'
import type { RouteObject } from 'react-router'
import { useLiveness } from './api/events.ts'
import { useMe } from './api/query.ts'
import { Layout } from './frame/layout.tsx'
import { Trans, t } from './language/index.ts'
import { PAGES } from './pages/index.ts'
import type { Page } from './pages/index.ts'
import { Empty, Failure, Loading } from './parts/states.tsx'

/** A module of pages/: `Page` at the address, `Record` at `<address>/:id` over it. */
type PageModule = { Page: ComponentType; Record?: ComponentType }

/**
 * One line per page: the build reads this table to send a page's files along with it
 * (vite.config.ts).
 */
const MODULES: Readonly<Record<Page['path'], () => Promise<PageModule>>> = {
  '/overview': () => import('./pages/overview.tsx'),
  '/treasury/deposits': () => import('./pages/treasury/deposits.tsx'),
  '/treasury/withdrawals': () => import('./pages/treasury/withdrawals.tsx'),
  '/treasury/payments': () => import('./pages/treasury/payments.tsx'),
  '/treasury/set-aside-items': () => import('./pages/treasury/set-aside.tsx'),
  '/treasury/assignments': () => import('./pages/treasury/assignments.tsx'),
  '/treasury/batches': () => import('./pages/treasury/batches.tsx'),
  '/treasury/jobs': () => import('./pages/treasury/jobs.tsx'),
  '/treasury/routes': () => import('./pages/treasury/routes.tsx'),
  '/treasury/wallets': () => import('./pages/treasury/wallets.tsx'),
  '/treasury/matchings': () => import('./pages/treasury/matchings.tsx'),
  '/trading/ticket': () => import('./pages/trading/ticket.tsx'),
  '/trading/executions': () => import('./pages/trading/executions.tsx'),
  '/trading/quotes': () => import('./pages/trading/quotes.tsx'),
  '/trading/fills': () => import('./pages/trading/fills.tsx'),
  '/trading/quality': () => import('./pages/trading/quality.tsx'),
  '/trading/settlements': () => import('./pages/trading/settlements.tsx'),
  '/trading/routes': () => import('./pages/trading/price-routes.tsx'),
  '/trading/market': () => import('./pages/trading/market.tsx'),
  '/books/bookings': () => import('./pages/books/bookings.tsx'),
  '/books/accounts': () => import('./pages/books/accounts.tsx'),
  '/books/statements': () => import('./pages/books/statements.tsx'),
  '/books/periods': () => import('./pages/books/periods.tsx'),
  '/books/trial-balance': () => import('./pages/books/trial-balance.tsx'),
  '/books/valued-positions': () => import('./pages/books/valued-positions.tsx'),
  '/books/daily-prices': () => import('./pages/books/daily-prices.tsx'),
  '/books/general-ledger': () => import('./pages/books/general-ledger.tsx'),
  '/books/order-records': () => import('./pages/books/order-records.tsx'),
  '/books/transaction-records': () => import('./pages/books/transaction-records.tsx'),
  '/books/proofs': () => import('./pages/books/proofs.tsx'),
  '/customers': () => import('./pages/customers/customers.tsx'),
  '/book-transfers': () => import('./pages/customers/book-transfers.tsx'),
  '/customer-mails': () => import('./pages/customers/mails.tsx'),
  '/venues': () => import('./pages/desk/venues.tsx'),
  '/desk/charts': () => import('./pages/desk/charts.tsx'),
  '/desk/reconciliation': () => import('./pages/desk/reconciliation.tsx'),
  '/desk/reconciled-days': () => import('./pages/desk/reconciled-days.tsx'),
  '/desk/customer-wallets': () => import('./pages/desk/customer-wallets.tsx'),
  '/desk/breaks': () => import('./pages/desk/breaks.tsx'),
  '/desk/approvals': () => import('./pages/desk/approvals.tsx'),
  '/desk/screening-cases': () => import('./pages/desk/screening-cases.tsx'),
  '/desk/halts': () => import('./pages/desk/halts.tsx'),
  '/desk/events': () => import('./pages/desk/events.tsx'),
  '/administration/first-hour': () => import('./pages/administration/first-hour.tsx'),
  '/administration/settings': () => import('./pages/administration/settings.tsx'),
  '/administration/policy': () => import('./pages/administration/policy.tsx'),
  '/administration/declarations': () => import('./pages/administration/declarations.tsx'),
  '/administration/users': () => import('./pages/administration/users.tsx'),
  '/administration/api-keys': () => import('./pages/administration/api-keys.tsx'),
  '/administration/security-log': () => import('./pages/administration/security-log.tsx'),
  '/administration/audit-trail': () => import('./pages/administration/audit-trail.tsx'),
  '/administration/signed-heads': () => import('./pages/administration/signed-heads.tsx'),
  '/administration/webhooks': () => import('./pages/administration/webhooks.tsx'),
  '/administration/webhook-deliveries': () =>
    import('./pages/administration/webhook-deliveries.tsx'),
}

function routeOf(path: string, load: () => Promise<PageModule>): RouteObject {
  return {
    path,
    lazy: async () => ({ Component: (await load()).Page }),
    children: [
      { path: ':id', lazy: async () => ({ Component: (await load()).Record ?? NotFound }) },
    ],
  }
}

export const router = createBrowserRouter([
  {
    Component: Layout,
    ErrorBoundary: Broken,
    HydrateFallback: Loading,
    children: [
      { index: true, Component: Home },
      {
        errorElement: <Broken />,
        children: [
          ...PAGES.map(({ path }) => routeOf(path, MODULES[path])),
          {
            path: '/search',
            lazy: async () => ({ Component: (await import('./pages/search.tsx')).Page }),
          },
          {
            path: '/help',
            lazy: async () => ({ Component: (await import('./pages/help.tsx')).Page }),
          },
          {
            path: '/sessions',
            lazy: async () => ({ Component: (await import('./pages/sessions.tsx')).Page }),
          },
          {
            path: '/second-factor',
            lazy: async () => ({ Component: (await import('./pages/second-factor.tsx')).Page }),
          },
        ],
      },
      { path: '*', Component: NotFound },
    ],
  },
])

/** Leads to the first page that the caller may see. */
function Home(): ReactNode {
  const permissions = useMe()?.permissions ?? []
  const first = PAGES.find((page) => permissions.includes(page.permission))
  return first === undefined ? (
    <Empty title={t('You have no access yet')}>
      {t('None of your roles can open a page. Ask an administrator for a role.')}
    </Empty>
  ) : (
    <Navigate to={first.path} replace />
  )
}

function NotFound(): ReactNode {
  return (
    <Empty title={t('Page not found')}>
      <Trans
        i18nKey="The address is wrong or incomplete. <a>Go to the first page</a>"
        components={{ a: <Link to="/" /> }}
      />
    </Empty>
  )
}

/**
 * The code of a page could not be loaded. Reloading helps when the service is back or was updated.
 */
function Broken(): ReactNode {
  const liveness = useLiveness()
  const away = useRef(false)
  useEffect(() => {
    if (liveness === 'live' && away.current) location.reload()
    away.current = liveness === 'away'
  }, [liveness])
  return (
    <div className="middle">
      <Failure
        error={useRouteError()}
        again={() => {
          location.reload()
        }}
      />
    </div>
  )
}
