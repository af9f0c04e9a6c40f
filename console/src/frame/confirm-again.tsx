/** Stands over the page: a dangerous command waits until it is confirmed who is there. */
import { Form, Input, Modal } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { canUsePasskeys, showPasskey } from '../api/passkeys.ts'
import type { AskedOptions, PasskeyProof } from '../api/passkeys.ts'
import { answerAsked, client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { Failure } from '../parts/states.tsx'
import { CodeField } from './code-field.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import './second-factor.css'

type Confirming = { password: string; code: string }

/** What a passkey must sign; null without one. `again`: what was asked for is used up. */
function useAsked(): { asked: AskedOptions | null; again(): void } {
  const [asked, setAsked] = useState<AskedOptions | null>(null)
  const again = (): void => {
    if (!canUsePasskeys()) return
    client()
      .post('/auth/confirm/passkey')
      .then(({ options }) => {
        setAsked(options)
      })
      // A code does it too.
      .catch(() => {
        setAsked(null)
      })
  }
  useEffect(again, [])
  return { asked, again }
}

export default function ConfirmAgain(): ReactNode {
  const [form] = Form.useForm<Confirming>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  const { asked, again } = useAsked()

  async function confirm(
    password: string,
    show: () => Promise<{ code: string } | { passkey: PasskeyProof }>,
  ): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      await client().post('/auth/confirm', { body: { password, ...(await show()) } })
      answerAsked(true)
    } catch (thrown) {
      setError(thrown)
      again()
    } finally {
      setBusy(false)
    }
  }
  const byPasskey = (options: AskedOptions) => (): void => {
    form
      .validateFields(['password'])
      .then(({ password }) =>
        confirm(password, async () => ({ passkey: await showPasskey(options) })),
      )
      // What is missing stands at its field.
      .catch(() => undefined)
  }
  return (
    <Modal
      open
      title={t('Confirm that it is you')}
      okText={t('Confirm')}
      cancelText={t('Cancel')}
      confirmLoading={busy}
      mask={{ closable: false }}
      width={420}
      zIndex={3000}
      onOk={form.submit}
      onCancel={() => {
        answerAsked(false)
      }}
    >
      <p>{t('This is a dangerous command. For the next ten minutes you are not asked again.')}</p>
      {error !== undefined && <Failure error={error} />}
      <Form<Confirming>
        name="confirm"
        form={form}
        layout="vertical"
        requiredMark={false}
        onValuesChange={() => {
          setError(undefined)
        }}
        onFinish={({ password, code }) => {
          confirm(password, async () => ({ code: code.trim() })).catch(() => undefined)
        }}
      >
        <PasswordField />
        <CodeField />
        {asked !== null && <PasskeyButton busy={busy} use={byPasskey(asked)} />}
        <button type="submit" hidden />
      </Form>
    </Modal>
  )
}

function PasswordField(): ReactNode {
  return (
    <Form.Item
      label={t('Password')}
      name="password"
      rules={[{ required: true, message: t('Enter your password') }]}
    >
      <Input.Password autoComplete="current-password" autoFocus />
    </Form.Item>
  )
}
