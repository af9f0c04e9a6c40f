/** Where the link of an invitation leads: whoever has it chooses the password. */
import { Alert, Button, Form } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { acceptInvited } from '../api/session.ts'
import { t } from '../language/index.ts'
import { Failure } from '../parts/states.tsx'
import { NewPasswordFields } from './own-password.tsx'

/** Sent to no server, and in no log. */
const token = location.hash.slice(1)

export default function InvitationPage(): ReactNode {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [email, setEmail] = useState<string>()

  async function accept(new_password: string): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      setEmail((await acceptInvited(token, new_password)).email)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <main className="login">
      <div className="login-box">
        <h1>{t('Choose your password')}</h1>
        {email === undefined ? (
          <Form
            layout="vertical"
            size="large"
            requiredMark={false}
            onFinish={({ new_password }: { new_password: string }) => {
              accept(new_password).catch(() => undefined)
            }}
          >
            <p>{t('At least 10 characters. Nobody else knows it.')}</p>
            {error !== undefined && <Failure error={error} />}
            <NewPasswordFields />
            <Button type="primary" htmlType="submit" block loading={busy}>
              {t('Choose password')}
            </Button>
          </Form>
        ) : (
          <>
            <Alert
              type="success"
              showIcon
              role="status"
              title={t('Your password is set. Log in as {{email}}.', { email })}
            />
            <p>
              <Button
                type="primary"
                onClick={() => {
                  location.replace('/')
                }}
              >
                {t('To the login')}
              </Button>
            </p>
          </>
        )}
      </div>
    </main>
  )
}
