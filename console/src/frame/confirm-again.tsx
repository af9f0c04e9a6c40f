/** Stands over the page: a dangerous command waits until it is confirmed who is there. */
import { Form, Input, Modal } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { answerAsked, client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { Failure } from '../parts/states.tsx'
import { CodeField } from './code-field.tsx'

type Confirming = { password: string; code: string }

export default function ConfirmAgain(): ReactNode {
  const [form] = Form.useForm<Confirming>()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()

  async function confirm({ password, code }: Confirming): Promise<void> {
    setBusy(true)
    try {
      await client().post('/auth/confirm', { body: { password, code: code.trim() } })
      answerAsked(true)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
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
        onFinish={(values) => {
          confirm(values).catch(() => undefined)
        }}
      >
        <Form.Item
          label={t('Password')}
          name="password"
          rules={[{ required: true, message: t('Enter your password') }]}
        >
          <Input.Password autoComplete="current-password" autoFocus />
        </Form.Item>
        <CodeField />
        <button type="submit" hidden />
      </Form>
    </Modal>
  )
}
