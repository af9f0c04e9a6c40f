/** The login page, and the same form over the current page when the session is over. */
import { KontorError } from '@kontor/client'
import type { Credentials } from '@kontor/client'
import { Alert, Button, Form, Input, Modal } from 'antd'
import type { FormInstance } from 'antd'
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { LOGIN_LOGO, readLoginBrand, useBrand } from '../api/brand.ts'
import { canUsePasskeys, showPasskey } from '../api/passkeys.ts'
import type { AskedOptions } from '../api/passkeys.ts'
import {
  askPasskey,
  forgetSession,
  logIn,
  renewPassword,
  wasEndedElsewhere,
} from '../api/session.ts'
import { Trans, t } from '../language/index.ts'
import { Failure } from '../parts/states.tsx'
import { pageFacts } from './facts.ts'
import { BrandName } from './brand-name.tsx'
import { CodeField } from './code-field.tsx'
import { PasskeyButton } from './passkey-button.tsx'
import { ProviderButtons } from './provider-buttons.tsx'
import { NewPasswordFields } from './own-password.tsx'

const WRONG_PASSWORD = 3002
const PASSWORD_CHANGE_NEEDED = 1004
const CODE_NEEDED = 1007

export function LoginPage(): ReactNode {
  const { version, environment, documents } = pageFacts()
  const { name, logo } = useBrand()
  useEffect(() => {
    readLoginBrand().catch(() => undefined)
  }, [])
  return (
    <main className="login">
      <div className="login-box">
        <h1>
          <BrandName logo={logo === null ? undefined : LOGIN_LOGO} />
        </h1>
        <p>
          {name === null ? '' : 'Kontor: '}
          {t('Trading and treasury back office')}
        </p>
        {wasEndedElsewhere() && (
          <Alert
            type="info"
            showIcon
            role="status"
            className="failure"
            title={t(
              'You were logged out in another tab or window. The session ends in all of them.',
            )}
          />
        )}
        <LoginForm />
        <ProviderButtons />
        {environment === 'sandbox' && (
          <p className="login-note">
            <Trans
              i18nKey={
                '<span>Sandbox</span> Exchange, vault, bank and chain are simulated. No real ' +
                'money moves. The first start printed the e-mail and password.'
              }
              components={{ span: <span className="status wait" /> }}
            />
          </p>
        )}
      </div>
      <footer>
        {version !== undefined && <span>{t('Version {{version}}', { version })}</span>}{' '}
        {documents === true && (
          <>
            <a href="/docs/">{t('Documentation')}</a>{' '}
            <a href="/api/docs/">{t('API reference')}</a>{' '}
          </>
        )}
        <a href="/readyz">{t('Status')}</a>
      </footer>
    </main>
  )
}

/** Stands over the page, which stays as it is: the calls that wait are repeated after the login. */
export function LoginAgain({ email }: { email: string }): ReactNode {
  return (
    <Modal
      open
      title={t('Your session is over')}
      closable={false}
      footer={null}
      width={400}
      keyboard={false}
      zIndex={3000}
    >
      <p>{t('Log in again to continue. Nothing you typed is lost.')}</p>
      <LoginForm email={email} />
      <Button type="link" size="small" onClick={forgetSession}>
        {t('Log out')}
      </Button>
    </Modal>
  )
}

type LoginValues = Credentials & { new_password?: string; repeated?: string }

type Step = 'password' | 'code' | 'new password'

type LoginState = {
  busy: boolean
  error: unknown
  /** What is asked for beside e-mail and password. */
  steps: ReadonlySet<Step>
  submit(values: LoginValues): Promise<void>
  /** Where the user has a passkey: by it, in place of a code. */
  byPasskey: ((values: LoginValues) => Promise<void>) | undefined
  /** What was refused is being typed anew. */
  forget(): void
}

/**
 * A user who must change their password does so in the same form, and is logged in with the new
 * one; a second factor is asked for once the password is right.
 */
function useLogin(form: FormInstance<LoginValues>): LoginState {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const [steps, setSteps] = useState<ReadonlySet<Step>>(new Set())

  const [asked, setAsked] = useState<AskedOptions | null>(null)

  async function attempt(values: LoginValues, options: AskedOptions | null): Promise<void> {
    const { email, password, new_password } = values
    const typed = options === null ? codeIn(values) : { passkey: await showPasskey(options) }
    if (!steps.has('new password') || new_password === undefined)
      return logIn({ email, password, ...typed })
    await renewPassword({ email, password, new_password, ...typed })
    // A code works once: with a second factor the next one is asked for.
    form.setFieldsValue({ password: new_password, code: '' })
    setSteps(new Set())
    return logIn({ email, password: new_password })
  }

  async function submit(values: LoginValues, options: AskedOptions | null = null): Promise<void> {
    setBusy(true)
    setError(undefined)
    try {
      await attempt(values, options)
    } catch (thrown) {
      const next = stepAfter(thrown)
      if (next === undefined || (next === 'code' && isWrong(thrown))) setError(thrown)
      if (next === 'code') setAsked(await askedOf(values))
      if (next !== undefined) setSteps((before) => new Set([...before, next]))
    } finally {
      setBusy(false)
    }
  }
  const forget = (): void => {
    setError(undefined)
  }
  const byPasskey = asked === null ? undefined : (values: LoginValues) => submit(values, asked)
  return { busy, error, steps, submit, byPasskey, forget }
}

const codeIn = ({ code }: LoginValues): { code?: string } =>
  code?.trim() ? { code: code.trim() } : {}

/** Null without a passkey, and where none can be asked for: a code does it too. */
async function askedOf({ email, password }: LoginValues): Promise<AskedOptions | null> {
  if (!canUsePasskeys()) return null
  return askPasskey({ email, password }).catch(() => null)
}

function stepAfter(thrown: unknown): Step | undefined {
  if (!(thrown instanceof KontorError)) return undefined
  if (thrown.error_code === PASSWORD_CHANGE_NEEDED) return 'new password'
  return thrown.error_code === CODE_NEEDED ? 'code' : undefined
}

const WRONG: readonly string[] = ['WRONG_CODE', 'WRONG_PASSKEY']
const isWrong = (thrown: unknown): boolean =>
  thrown instanceof KontorError && thrown.error_details.some(({ code }) => WRONG.includes(code))

function LoginForm({ email }: { email?: string }): ReactNode {
  const [form] = Form.useForm<LoginValues>()
  const { busy, error, steps, submit, byPasskey, forget } = useLogin(form)
  const mustChange = steps.has('new password')
  const again = email !== undefined
  return (
    <Form<LoginValues>
      form={form}
      layout="vertical"
      size="large"
      requiredMark={false}
      initialValues={{ email }}
      onValuesChange={forget}
      onFinish={(values) => {
        submit(values).catch(() => undefined)
      }}
    >
      <LoginError error={error} />
      {mustChange && (
        <Alert
          type="info"
          showIcon
          role="status"
          className="failure"
          title={t('Choose a new password. The current one cannot be used any longer.')}
        />
      )}
      <Form.Item
        label={t('E-mail')}
        name="email"
        rules={[{ required: true, message: t('Enter your e-mail address') }]}
      >
        <Input autoComplete="username" autoFocus={!again} readOnly={again} />
      </Form.Item>
      <Form.Item
        label={t('Password')}
        name="password"
        rules={[{ required: true, message: t('Enter your password') }]}
      >
        <Input.Password autoComplete="current-password" autoFocus={again} />
      </Form.Item>
      {steps.has('code') && <CodeField focus />}
      {steps.has('code') && byPasskey !== undefined && (
        <PasskeyButton
          busy={busy}
          use={() => {
            byPasskey(form.getFieldsValue()).catch(() => undefined)
          }}
        />
      )}
      {mustChange && <NewPasswordFields focus={!steps.has('code')} />}
      <Button type="primary" htmlType="submit" block loading={busy}>
        {mustChange ? t('Change password and log in') : t('Log in')}
      </Button>
    </Form>
  )
}

function LoginError({ error }: { error: unknown }): ReactNode {
  if (error === undefined) return null
  if (!(error instanceof KontorError) || error.error_code !== WRONG_PASSWORD)
    return <Failure error={error} />
  return (
    <Alert
      type="error"
      showIcon
      role="alert"
      className="failure"
      title={t('Wrong e-mail or password')}
    />
  )
}
