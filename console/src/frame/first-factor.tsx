/** The whole page, for who must set up a second factor before anything else. */
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { logOut } from '../api/session.ts'
import { t } from '../language/index.ts'
import { SetUpFactor } from './set-up-factor.tsx'

export default function FirstFactor(): ReactNode {
  return (
    <main className="login">
      <div className="login-box wide">
        <h1>{t('Set up your second factor')}</h1>
        <p>
          {t(
            'Your organisation demands a second factor beside your password. It takes a minute, ' +
              'and then you can go on.',
          )}
        </p>
        <SetUpFactor
          done={() => {
            location.reload()
          }}
        />
        <p>
          <Button
            type="link"
            size="small"
            onClick={() => {
              logOut().catch(() => undefined)
            }}
          >
            {t('Log out')}
          </Button>
        </p>
      </div>
    </main>
  )
}
