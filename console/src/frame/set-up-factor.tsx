/** Sets up an authenticator app: password, QR code with a first code, and the recovery codes. */
import type { DataOf } from '@kontor/client'
import { Alert, Button, Form, Input, QRCode } from 'antd'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { Failure } from '../parts/states.tsx'
import { CodeField } from './code-field.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import './second-factor.css'

type Begun = DataOf<'post', '/auth/factors/totp'>
export type Typed = { password?: string; label?: string; code?: string }

const QR_PIXELS = 200

export function SetUpFactor({ done }: { done(): void }): ReactNode {
  const [begun, setBegun] = useState<Begun>()
  const [codes, setCodes] = useState<readonly string[] | null>()
  const begin = async (typed: Typed): Promise<void> => {
    const { password = '', label } = typed
    const name = label?.trim()
    const body = { password, ...(name ? { label: name } : {}) }
    const made = await client().post('/auth/factors/totp', { body })
    // The answer that showed it was lost on its way: once more from the beginning.
    if (made.secret === null) await begin(typed)
    else setBegun(made)
  }
  const confirm = async ({ code = '' }: Typed): Promise<void> => {
    if (begun === undefined) return
    const { recovery_codes } = await client().post('/auth/factors/{factor_id}/confirm', {
      params: { factor_id: begun.id },
      body: { code: code.trim() },
    })
    if (recovery_codes === null) done()
    else setCodes(recovery_codes)
  }
  if (codes !== undefined && codes !== null) return <RecoveryCodes codes={codes} done={done} />
  if (begun === undefined)
    return <Step key="begin" go={t('Continue')} work={begin} fields={<Begin />} />
  return (
    <Step
      key="confirm"
      go={t('Confirm')}
      work={confirm}
      fields={
        <>
          <Secret begun={begun} />
          <CodeField recovery={false} />
        </>
      }
    />
  )
}

export function Step({
  go,
  work,
  fields,
}: {
  go: string
  work(values: Typed): Promise<void>
  fields: ReactNode
}): ReactNode {
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<unknown>()
  const submit = async (values: Typed): Promise<void> => {
    setBusy(true)
    setError(undefined)
    try {
      await work(values)
    } catch (thrown) {
      setError(thrown)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Form<Typed>
      name="factor"
      layout="vertical"
      requiredMark="optional"
      onFinish={(values) => {
        submit(values).catch(() => undefined)
      }}
    >
      {error !== undefined && <Failure error={error} />}
      {fields}
      <Button type="primary" htmlType="submit" loading={busy}>
        {go}
      </Button>
    </Form>
  )
}

function Begin(): ReactNode {
  return (
    <>
      <p>
        {t(
          'You need an authenticator app on your telephone or computer, such as the one that ' +
            'your organisation uses. It shows a code that changes every 30 seconds.',
        )}
      </p>
      <OwnPasswordAndName name={t('Authenticator app')} />
    </>
  )
}

/** `name`: what it is called where nobody says otherwise. */
export function OwnPasswordAndName({ name }: { name: string }): ReactNode {
  return (
    <>
      <Form.Item
        label={t('Current password')}
        name="password"
        required
        rules={[{ required: true, message: t('Enter your current password') }]}
      >
        <Input.Password autoComplete="current-password" autoFocus />
      </Form.Item>
      <Form.Item label={t('Name of the device')} name="label">
        <Input autoComplete="off" maxLength={200} placeholder={name} />
      </Form.Item>
    </>
  )
}

function Secret({ begun: { address, secret } }: { begun: Begun }): ReactNode {
  return (
    <>
      <p>{t('Scan this code with the app, and enter what it shows.')}</p>
      <div className="factor-code" role="img" aria-label={t('QR code for the authenticator app')}>
        <div aria-hidden>
          <QRCode
            type="svg"
            value={address ?? ''}
            size={QR_PIXELS}
            bordered={false}
            bgColor="#ffffff"
            color="#000000"
          />
        </div>
      </div>
      <details className="factor-secret">
        <summary>{t('The code cannot be scanned')}</summary>
        <p>{t('Enter this key in the app:')}</p>
        <code>{secret?.match(/.{1,4}/g)?.join(' ')}</code>
      </details>
      <Alert type="info" title={t('Nobody else should see this.')} />
    </>
  )
}
