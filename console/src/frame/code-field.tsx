/** The field for a code of the second factor. */
import { Form, Input } from 'antd'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'

export function CodeField({
  focus = false,
  recovery = true,
}: {
  focus?: boolean
  /** A recovery code does it too. */
  recovery?: boolean
}): ReactNode {
  return (
    <Form.Item
      label={t('Code')}
      name="code"
      extra={
        recovery
          ? t('From your authenticator app, or one of your recovery codes. Each works once.')
          : t('The six digits that the app shows')
      }
      rules={[{ required: true, message: t('Enter a code') }]}
    >
      <Input autoComplete="one-time-code" autoFocus={focus} maxLength={60} />
    </Form.Item>
  )
}
