/** On the login page: a button for each provider of single sign-on that is listed. */
import { Button } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { listedProviders, signInBy } from '../api/session.ts'
import { t } from '../language/index.ts'
import { Failure } from '../parts/states.tsx'

type Listed = Awaited<ReturnType<typeof listedProviders>>

export function ProviderButtons(): ReactNode {
  const [providers, setProviders] = useState<Listed>([])
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    listedProviders()
      .then(setProviders)
      // The password does it too.
      .catch(() => undefined)
  }, [])
  return (
    <>
      {error !== undefined && <Failure error={error} />}
      {providers.map(({ id, label }) => (
        <div key={id} className="login-provider">
          <Button
            size="large"
            block
            onClick={() => {
              setError(undefined)
              signInBy(id).catch(setError)
            }}
          >
            {t('Sign in by {{label}}', { label })}
          </Button>
        </div>
      ))}
    </>
  )
}
