/** Addresses of the console, made from the table of pages; each page's code comes when it is first seen. */
import { useEffect, useRef } from 'react'
import type { ReactNode } from 'react'
import { createBrowserRouter, Link, Navigate, useRouteError } from 'react-router'
import type { RouteObject } from 'react-router'
import { useLiveness } from './api/events.ts'
import { useMe } from './api/query.ts'
import { AREAS } from './frame/areas.tsx'
import type { PageEntry } from './frame/areas.tsx'
import { Layout } from './frame/layout.tsx'
import { Empty, Failure, Loading } from './parts/states.tsx'

function routeOf({ path, load }: PageEntry): RouteObject {
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
          ...AREAS.flatMap((area) => area.pages.map(routeOf)),
          {
            path: '/search',
            lazy: async () => ({ Component: (await import('./pages/search.tsx')).Page }),
          },
        ],
      },
      { path: '*', Component: NotFound },
    ],
  },
])

/** The first page that one may see. */
function Home(): ReactNode {
  const permissions = useMe()?.permissions ?? []
  const first = AREAS.flatMap((area) => area.pages).find((page) =>
    permissions.includes(page.permission),
  )
  return first === undefined ? (
    <Empty title="There is nothing here for you yet">
      Your roles open no page. Ask an administrator for a role.
    </Empty>
  ) : (
    <Navigate to={first.path} replace />
  )
}

function NotFound(): ReactNode {
  return (
    <Empty title="There is no such page">
      The address is wrong or incomplete. <Link to="/">To the first page</Link>
    </Empty>
  )
}

/** The code of a page did not come. When the service is back, and after an update of it, reading again brings the page. */
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
