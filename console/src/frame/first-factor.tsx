/** The whole page, for who must set up a second factor before anything else. */
import { Button } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { canUsePasskeys } from '../api/passkeys.ts'
import { logOut } from '../api/session.ts'
import { t } from '../language/index.ts'
import { SetUpFactor } from './set-up-factor.tsx'
import { SetUpPasskey } from './set-up-passkey.tsx'

const reload = (): void => {
  location.reload()
}

export default function FirstFactor(): ReactNode {
  const [passkey, setPasskey] = useState(false)
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
        {passkey ? <SetUpPasskey done={reload} /> : <SetUpFactor done={reload} />}
        <p>
          {canUsePasskeys() && (
            <Button
              type="link"
              size="small"
              onClick={() => {
                setPasskey(!passkey)
              }}
            >
              {passkey ? t('Set up an authenticator app instead') : t('Set up a passkey instead')}
            </Button>
          )}
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
