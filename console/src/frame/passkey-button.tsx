/** In place of a code. */
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'

export function PasskeyButton({ busy, use }: { busy: boolean; use(): void }): ReactNode {
  return (
    <Button block disabled={busy} onClick={use} className="use-passkey">
      {t('Use a passkey')}
    </Button>
  )
}
