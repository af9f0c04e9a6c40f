/** Sets up a passkey: password, what the browser asks for, and the recovery codes. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import { canUsePasskeys, makePasskey } from '../api/passkeys.ts'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { RecoveryCodes } from './recovery-codes.tsx'
import { OwnPasswordAndName, Step } from './set-up-factor.tsx'
import type { Typed } from './set-up-factor.tsx'

export function SetUpPasskey({ done }: { done(): void }): ReactNode {
  const [codes, setCodes] = useState<readonly string[]>()
  const make = async ({ password = '', label }: Typed): Promise<void> => {
    const name = label?.trim()
    const body = { password, ...(name ? { label: name } : {}) }
    const { id, options } = await client().post('/auth/factors/passkeys', { body })
    const { recovery_codes } = await client().post('/auth/factors/{factor_id}/passkey', {
      params: { factor_id: id },
      body: { credential: await makePasskey(options) },
    })
    if (recovery_codes === null) done()
    else setCodes(recovery_codes)
  }
  if (codes !== undefined) return <RecoveryCodes codes={codes} done={done} />
  if (!canUsePasskeys())
    return <p>{t('This browser knows no passkeys. Set up an authenticator app.')}</p>
  return (
    <Step
      go={t('Continue')}
      work={make}
      fields={
        <>
          <p>
            {t(
              'A passkey is kept by your computer, your telephone or a security key, and works ' +
                'on this page alone. Your browser asks for it next.',
            )}
          </p>
          <OwnPasswordAndName name={t('Passkey')} />
        </>
      }
    />
  )
}
