/** Recovery codes, shown once. */
import { Alert, Button, Checkbox } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import './second-factor.css'

export function RecoveryCodes({
  codes,
  done,
}: {
  codes: readonly string[]
  done(): void
}): ReactNode {
  const [kept, setKept] = useState(false)
  const text = codes.join('\n')
  return (
    <section aria-label={t('Recovery codes')}>
      <Alert
        type="warning"
        showIcon
        title={t(
          'Keep these codes where only you find them, not on the device with the app. Each lets ' +
            'you in once when the app is not at hand. They are shown only now.',
        )}
      />
      <ul className="recovery-codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <p className="recovery-ways">
        <Button
          onClick={() => {
            navigator.clipboard.writeText(text).catch(() => undefined)
          }}
        >
          {t('Copy')}
        </Button>
        <Button
          href={`data:text/plain;charset=utf-8,${encodeURIComponent(text)}`}
          download="kontor-recovery-codes.txt"
        >
          {t('Save as a file')}
        </Button>
      </p>
      <p>
        <Checkbox
          checked={kept}
          onChange={({ target }) => {
            setKept(target.checked)
          }}
        >
          {t('I have kept the codes')}
        </Checkbox>
      </p>
      <Button type="primary" disabled={!kept} onClick={done}>
        {t('Done')}
      </Button>
    </section>
  )
}
