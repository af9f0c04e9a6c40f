import { QueryClientProvider } from '@tanstack/react-query'
import { App, ConfigProvider } from 'antd'
import { lazy, StrictMode, Suspense, useEffect } from 'react'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { queries } from './api/query.ts'
import { start, usePhase } from './api/session.ts'
import { useTheme } from './frame/theme.ts'
import { Loading } from './parts/states.tsx'
import { router } from './routes.tsx'
import './styles.css'

/** With it styles that components write are let in by the page's content security policy. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

// Some of antd's parts (the scroll lock below a dialog) write styles without asking for the nonce.
const createElement = document.createElement.bind(document) as (
  name: string,
  options?: ElementCreationOptions,
) => HTMLElement
document.createElement = ((name: string, options?: ElementCreationOptions) => {
  const element = createElement(name, options)
  if (element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}) as typeof document.createElement

function Root(): ReactNode {
  return (
    <ConfigProvider theme={useTheme()} csp={{ nonce }} wave={{ disabled: true }}>
      <App component={false}>
        <Console />
      </App>
    </ConfigProvider>
  )
}

const login = () => import('./frame/login.tsx')
const LoginPage = lazy(async () => ({ default: (await login()).LoginPage }))
const LoginAgain = lazy(async () => ({ default: (await login()).LoginAgain }))

function Console(): ReactNode {
  const phase = usePhase()
  // Who is logged in needs no form for the first page, and has it when the session ends, whatever
  // the service does by then.
  useEffect(() => {
    login().catch(() => undefined)
  }, [])
  if (phase.kind === 'starting') return <Loading />
  if (phase.kind === 'out')
    return (
      <Suspense fallback={<Loading />}>
        <LoginPage />
      </Suspense>
    )
  return (
    <QueryClientProvider client={queries}>
      <RouterProvider router={router} />
      {phase.again && (
        <Suspense>
          <LoginAgain email={phase.email} />
        </Suspense>
      )}
    </QueryClientProvider>
  )
}

const place = document.getElementById('root')
if (place === null) throw new Error('the page has no place for the console')
createRoot(place).render(
  <StrictMode>
    <Root />
  </StrictMode>,
)
start()
