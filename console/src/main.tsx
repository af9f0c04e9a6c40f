import { QueryClientProvider } from '@tanstack/react-query'
import { App, ConfigProvider } from 'antd'
import { lazy, StrictMode, Suspense, useEffect } from 'react'
import type { ReactNode } from 'react'
import { createRoot } from 'react-dom/client'
import { RouterProvider } from 'react-router/dom'
import { queries } from './api/query.ts'
import { start, usePhase } from './api/session.ts'
import { useTheme } from './frame/theme.ts'
import { language } from './language/index.ts'
import { Loading } from './parts/states.tsx'
import './parts/tab-key.ts'
import { router } from './routes.tsx'
import './styles.css'

/** The page's content security policy admits styles that carry this nonce. */
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? ''

// Some of antd's parts (the scroll lock below a dialog) add styles without the nonce.
const createElement = document.createElement.bind(document) as (
  name: string,
  options?: ElementCreationOptions,
) => HTMLElement
document.createElement = ((name: string, options?: ElementCreationOptions) => {
  const element = createElement(name, options)
  if (element instanceof HTMLStyleElement) element.nonce = nonce
  return element
}) as typeof document.createElement

const locale = language === 'de' ? { locale: (await import('antd/locale/de_DE')).default } : {}

function Root(): ReactNode {
  return (
    <ConfigProvider {...locale} theme={useTheme()} csp={{ nonce }} wave={{ disabled: true }}>
      <App component={false}>
        <Console />
      </App>
    </ConfigProvider>
  )
}

const login = () => import('./frame/login.tsx')
const LoginPage = lazy(async () => ({ default: (await login()).LoginPage }))
const LoginAgain = lazy(async () => ({ default: (await login()).LoginAgain }))

const INVITATION = '/invitation'
const InvitationPage = lazy(() => import('./frame/invitation.tsx'))
/** Of a provider of single sign-on: where it sends people back, and where a link to it begins. */
const SIGN_IN = /^\/(signed-in|sign-in)\/[^/]+$/
const SignedInPage = lazy(() => import('./frame/signed-in.tsx'))
const FirstFactor = lazy(() => import('./frame/first-factor.tsx'))
const ConfirmAgain = lazy(() => import('./frame/confirm-again.tsx'))

function Console(): ReactNode {
  const phase = usePhase()
  // Loaded ahead: when a session ends, the form is here even if the service does not answer.
  useEffect(() => {
    login().catch(() => undefined)
  }, [])
  if (location.pathname === INVITATION)
    return (
      <Suspense fallback={<Loading />}>
        <InvitationPage />
      </Suspense>
    )
  if (SIGN_IN.test(location.pathname))
    return (
      <Suspense fallback={<Loading />}>
        <SignedInPage />
      </Suspense>
    )
  if (phase.kind === 'starting') return <Loading />
  if (phase.kind === 'out')
    return (
      <Suspense fallback={<Loading />}>
        <LoginPage />
      </Suspense>
    )
  return (
    <QueryClientProvider client={queries}>
      {phase.enrolling ? (
        <Suspense fallback={<Loading />}>
          <FirstFactor />
        </Suspense>
      ) : (
        <RouterProvider router={router} />
      )}
      {phase.asking && (
        <Suspense>
          <ConfirmAgain />
        </Suspense>
      )}
      {phase.again && (
        <Suspense>
          <LoginAgain email={phase.email} />
        </Suspense>
      )}
    </QueryClientProvider>
  )
}

const root = document.getElementById('root')
if (root === null) throw new Error('index.html has no element #root')
createRoot(root).render(
  <StrictMode>
    <Root />
  </StrictMode>,
)
start()
