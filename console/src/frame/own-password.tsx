/** One's own password: changing it needs the current one. */
import { Form, Input } from 'antd'
import type { ReactNode } from 'react'
import type { ActionPlan } from '../action/plan.ts'
import { t } from '../language/index.ts'

export const changeOwnPassword: ActionPlan<'post', '/auth/password'> = {
  label: t('Change password'),
  explain: () => t('This session goes on. All your other sessions end.'),
  form: () => (
    <>
      <Form.Item
        label={t('Current password')}
        name="old_password"
        rules={[{ required: true, message: t('Enter your current password') }]}
      >
        <Input.Password autoComplete="current-password" autoFocus />
      </Form.Item>
      <NewPasswordFields focus={false} />
    </>
  ),
  method: 'post',
  path: '/auth/password',
  request: (_row, { old_password, new_password }) => ({
    body: { old_password: String(old_password), new_password: String(new_password) },
  }),
  done: () => t('Your password is changed. All your other sessions have ended'),
}

/** A new password, twice. */
export function NewPasswordFields({ focus = true }: { focus?: boolean }): ReactNode {
  return (
    <>
      <Form.Item
        label={t('New password')}
        name="new_password"
        rules={[{ required: true, message: t('Enter a new password') }]}
      >
        <Input.Password autoComplete="new-password" autoFocus={focus} />
      </Form.Item>
      <Form.Item
        label={t('Repeat new password')}
        name="repeated"
        required
        dependencies={['new_password']}
        rules={[
          ({ getFieldValue }) => ({
            validator: (_rule, value) =>
              value === getFieldValue('new_password')
                ? Promise.resolve()
                : Promise.reject(new Error(t('The passwords do not match'))),
          }),
        ]}
      >
        <Input.Password autoComplete="new-password" />
      </Form.Item>
    </>
  )
}
