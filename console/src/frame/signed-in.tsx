/** Where a provider of single sign-on sends people back, and where a link to one begins. */
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { finishSignIn, signInBy } from '../api/session.ts'
import { t } from '../language/index.ts'
import { Failure, Loading } from '../parts/states.tsx'

const [, begun, provider_id = ''] = location.pathname.split('/')
/** Once for the page: what the provider has said counts once. */
const work =
  begun === 'sign-in'
    ? signInBy(provider_id, new URLSearchParams(location.search).get('again') === 'true')
    : finishSignIn(provider_id, location.search.slice(1))
work.catch(() => undefined)

export default function SignedInPage(): ReactNode {
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    work.catch(setError)
  }, [])
  if (error === undefined) return <Loading />
  return (
    <main className="login">
      <div className="login-box">
        <h1>{t('You are not signed in')}</h1>
        <Failure error={error} />
        <p>
          <Button
            type="primary"
            onClick={() => {
              location.replace('/')
            }}
          >
            {t('To the login')}
          </Button>
        </p>
      </div>
    </main>
  )
}
