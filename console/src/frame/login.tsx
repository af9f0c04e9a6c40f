/** Logging in: the page, and the same form over what somebody works at when their session is over. */
import { KontorError } from '@kontor/client'
import { Alert, Button, Form, Input, Modal } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { enterWith, forget, renewPassword } from '../api/session.ts'
import { Failure } from '../parts/states.tsx'
import { Mark } from './mark.tsx'

const WRONG_PASSWORD = 3002
const PASSWORD_CHANGE_NEEDED = 1004

type Facts = { version?: string; sandbox?: boolean }

function facts(): Facts {
  const text = document.querySelector('meta[name=kontor-facts]')?.getAttribute('content') ?? ''
  return text.startsWith('{') ? (JSON.parse(text) as Facts) : {}
}

export function LoginPage(): ReactNode {
  const { version, sandbox } = facts()
  return (
    <main className="login">
      <div className="login-box">
        <h1>
          <Mark /> Kontor
        </h1>
        <p>Trading and treasury back office</p>
        <LoginForm />
        {sandbox === true && (
          <p className="login-note">
            <span className="status wait">Sandbox</span> Exchange, vault, bank and chain are
            simulated: no real money moves. The first start has printed e-mail and password.
          </p>
        )}
      </div>
      <footer>
        {version !== undefined && <span>Version {version}</span>}{' '}
        <a href="/api/docs/">API reference</a> <a href="/readyz">State</a>{' '}
        <a href="/metrics">Metrics</a>
      </footer>
    </main>
  )
}

/** Over everything, which stays as it is below: what was called for is called again afterwards. */
export function LoginAgain({ email }: { email: string }): ReactNode {
  return (
    <Modal
      open
      title="Your session is over"
      closable={false}
      footer={null}
      width={400}
      keyboard={false}
      zIndex={3000}
    >
      <p>Log in again to go on; nothing you typed is lost.</p>
      <LoginForm email={email} />
      <Button type="link" size="small" onClick={forget}>
        Leave instead
      </Button>
    </Modal>
  )
}

function LoginForm({ email }: { email?: string }): ReactNode {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [mustChange, setMustChange] = useState(false)
  const again = email !== undefined

  async function submit(given: {
    email: string
    password: string
    new_password?: string
    repeated?: string
  }): Promise<void> {
    const { email: address, password, new_password } = given
    setBusy(true)
    setError(undefined)
    try {
      if (mustChange && new_password !== undefined)
        await renewPassword({ email: address, password, new_password })
      await enterWith({
        email: address,
        password: mustChange ? (new_password ?? password) : password,
      })
    } catch (thrown) {
      if (thrown instanceof KontorError && thrown.error_code === PASSWORD_CHANGE_NEEDED)
        setMustChange(true)
      else setError(thrown)
    } finally {
      setBusy(false)
    }
  }

  return (
    <Form
      layout="vertical"
      size="large"
      requiredMark={false}
      initialValues={{ email }}
      onFinish={(values) => {
        submit(values as Parameters<typeof submit>[0]).catch(() => undefined)
      }}
    >
      {error !== undefined &&
        (isWrong(error) ? (
          <Alert
            type="error"
            showIcon
            role="alert"
            className="failure"
            title="Wrong e-mail or password"
          />
        ) : (
          <Failure error={error} />
        ))}
      {mustChange && (
        <Alert
          type="info"
          showIcon
          role="status"
          className="failure"
          title="Choose a new password first; the one you have only opens this."
        />
      )}
      <Form.Item
        label="E-mail"
        name="email"
        rules={[{ required: true, message: 'Your e-mail is needed' }]}
      >
        <Input autoComplete="username" autoFocus={!again} readOnly={again} />
      </Form.Item>
      <Form.Item
        label="Password"
        name="password"
        rules={[{ required: true, message: 'Your password is needed' }]}
      >
        <Input.Password autoComplete="current-password" autoFocus={again} />
      </Form.Item>
      {mustChange && (
        <>
          <Form.Item
            label="New password"
            name="new_password"
            rules={[{ required: true, message: 'A new password is needed' }]}
          >
            <Input.Password autoComplete="new-password" autoFocus />
          </Form.Item>
          <Form.Item
            label="New password again"
            name="repeated"
            dependencies={['new_password']}
            rules={[
              ({ getFieldValue }) => ({
                validator: (_rule, value) =>
                  value === getFieldValue('new_password')
                    ? Promise.resolve()
                    : Promise.reject(new Error('The two are not the same')),
              }),
            ]}
          >
            <Input.Password autoComplete="new-password" />
          </Form.Item>
        </>
      )}
      <Button type="primary" htmlType="submit" block loading={busy}>
        {mustChange ? 'Change password and log in' : 'Log in'}
      </Button>
    </Form>
  )
}

function isWrong(error: unknown): boolean {
  return error instanceof KontorError && error.error_code === WRONG_PASSWORD
}
