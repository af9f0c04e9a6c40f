/** What is asked for an API key, and how its secret is shown, once. */
import { NUMBER_FORMATS, readAmount } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { Button, Modal } from 'antd'
import type { ReactNode } from 'react'
import { openDialog } from '../../action/dialogs.tsx'
import { Inputs } from '../../action/inputs.tsx'
import type { FormField } from '../../action/inputs.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { useNamedOptions } from '../../api/names.ts'
import { useGet } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { amountWords } from '../../parts/amount-words.ts'
import { told } from '../../parts/refusal-words.ts'
import { useCopy } from '../../parts/values.tsx'

export type ApiKey = DataOf<'get', '/auth/api-keys/{api_key_id}'>
type AssetLimit = NonNullable<ApiKey['limits']['assets']>[number]
type Secret = DataOf<'post', '/auth/api-keys'>

const YEAR = 365 * 86_400_000

/** `EUR`, `EUR=1000`, `EUR=1000/5000`: the most at once and on a day. */
const limitText = ({ asset, per_transaction, per_day }: AssetLimit): string =>
  asset +
  (per_transaction === null ? '' : `=${per_transaction}`) +
  (per_day === null ? '' : `/${per_day}`)

/** The same for people. */
export function limitWords({ asset, per_transaction, per_day }: AssetLimit): string {
  const once = per_transaction === null ? undefined : amountWords(per_transaction, asset)
  const day = per_day === null ? undefined : amountWords(per_day, asset)
  if (once !== undefined && day !== undefined)
    return t('{{once}} per transaction, {{day}} per day', { once, day })
  if (once !== undefined) return t('{{once}} per transaction', { once })
  return day === undefined ? asset : t('{{day}} per day', { day })
}

const LIMIT = /^([A-Za-z0-9._-]+)(?:=([^/]+))?(?:\/(.+))?$/

/** One that can be read in two ways is refused, as is what is no amount. */
function limitAmount(text: string): string | undefined {
  const reading = readAmount(text, NUMBER_FORMATS.point, false)
  return 'amount' in reading ? reading.amount : undefined
}

function limitOf(text: string) {
  const [, asset, once, day] = LIMIT.exec(text.trim()) ?? []
  const [per_transaction, per_day] = [once, day].map((amount) =>
    amount === undefined ? undefined : limitAmount(amount),
  )
  if (
    asset === undefined ||
    (once !== undefined && per_transaction === undefined) ||
    (day !== undefined && per_day === undefined)
  )
    throw new Error(t('{{text}} is no limit such as EUR, EUR=1000 or EUR=1000/5000', { text }))
  return {
    asset,
    ...(per_transaction === undefined ? {} : { per_transaction }),
    ...(per_day === undefined ? {} : { per_day }),
  }
}

type Permission = ApiKey['permissions'][number]

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

function bodyOf({ label, permissions, networks, assets, routes, expires_at }: Values) {
  const [limited, allowed] = [listOf(assets), listOf(routes)]
  return {
    label: String(label).trim(),
    permissions: listOf(permissions) as Permission[],
    networks: listOf(networks),
    limits: {
      ...(limited.length === 0 ? {} : { assets: limited.map(limitOf) }),
      ...(allowed.length === 0 ? {} : { routes: allowed }),
    },
    expires_at: Number(expires_at),
  }
}

const fieldOf = (path: string): string => path.replace(/^limits\./, '').replace(/(\[\d+\]).*$/, '')

function KeyForm(): ReactNode {
  const routes = [...useNamedOptions('route'), ...useNamedOptions('price_route')]
  const permissions = useGet('/auth/permissions').data ?? []
  const fields: FormField[] = [
    { name: 'label', label: t('Program'), kind: 'text', required: true, maxLength: 100 },
    {
      name: 'permissions',
      label: t('Permissions'),
      kind: 'words',
      many: true,
      required: true,
      options: permissions.map(({ name, meaning }) => ({
        value: name,
        label: `${told(meaning)} (${name})`,
      })),
    },
    {
      name: 'networks',
      label: t('Networks'),
      kind: 'texts',
      placeholder: '203.0.113.7, 10.0.0.0/8',
      help: t('Accepted only from these networks. Leave empty for any'),
    },
    {
      name: 'assets',
      label: t('Assets'),
      kind: 'texts',
      placeholder: 'EUR=1000/5000',
      help: t(
        'EUR, EUR=1000 (per transaction) or EUR=1000/5000 (per transaction, per day). ' +
          'Leave empty for any asset',
      ),
    },
    {
      name: 'routes',
      label: t('Routes'),
      kind: 'words',
      many: true,
      options: routes,
      help: t('Any route when empty'),
    },
    { name: 'expires_at', label: t('Valid until'), kind: 'time', required: true },
  ]
  return <Inputs fields={fields} />
}

export const create: ActionPlan<'post', '/auth/api-keys'> = {
  label: t('Create API key'),
  permission: 'api-keys.write',
  explain: () => t('The secret is shown once, when the key is made.'),
  form: () => <KeyForm />,
  initial: () => ({ expires_at: Date.now() + YEAR }),
  method: 'post',
  path: '/auth/api-keys',
  request: (_row, values) => ({ body: bodyOf(values) }),
  fieldOf,
  done: ({ label }) => t('API key {{label}} created', { label }),
  after: showSecret,
}

export const change: ActionPlan<'put', '/auth/api-keys/{api_key_id}', ApiKey> = {
  label: t('Change'),
  title: ({ label }) => t('Change API key “{{label}}”', { label }),
  permission: 'api-keys.write',
  why: ({ state }) => (state === 'REVOKED' ? t('It is revoked') : undefined),
  explain: () => t('What you change takes effect at once. The secrets stay.'),
  form: () => <KeyForm />,
  initial: ({ label, permissions, networks, limits, expires_at }) => ({
    label,
    permissions,
    networks,
    assets: limits.assets?.map(limitText),
    routes: limits.routes ?? undefined,
    expires_at,
  }),
  method: 'put',
  path: '/auth/api-keys/{api_key_id}',
  request: ({ id, version }, values) => ({
    params: { api_key_id: id },
    body: { ...bodyOf(values), version },
  }),
  fieldOf,
  done: ({ label }) => t('API key {{label}} changed', { label }),
}

export const rotate: ActionPlan<'post', '/auth/api-keys/{api_key_id}/rotate', ApiKey> = {
  label: t('Rotate'),
  title: ({ label }) => t('Rotate API key “{{label}}”', { label }),
  permission: 'api-keys.write',
  why: ({ state }) => (state === 'REVOKED' ? t('It is revoked') : undefined),
  explain: () =>
    t(
      'Creates a new secret. The old one stays valid for a while, so that the ' +
        'program can be given the new one.',
    ),
  fields: [
    {
      name: 'overlap',
      label: t('The old secret ends'),
      kind: 'words',
      required: true,
      options: [
        { value: '0', label: t('At once') },
        { value: '1', label: t('In an hour') },
        { value: '24', label: t('In a day') },
        { value: '168', label: t('In a week') },
        { value: '720', label: t('In 30 days') },
      ],
    },
  ],
  initial: () => ({ overlap: '24' }),
  method: 'post',
  path: '/auth/api-keys/{api_key_id}/rotate',
  request: ({ id }, { overlap }) => ({
    params: { api_key_id: id },
    body: { overlap_hours: Number(overlap) },
  }),
  fieldOf: () => 'overlap',
  done: ({ label }) => t('API key {{label}} has another secret', { label }),
  after: showSecret,
}

export const revoke: ActionPlan<'delete', '/auth/api-keys/{api_key_id}', ApiKey> = {
  label: t('Revoke'),
  title: ({ label }) => t('Revoke API key “{{label}}”', { label }),
  permission: 'api-keys.write',
  danger: true,
  why: ({ state }) => (state === 'REVOKED' ? t('It is revoked') : undefined),
  explain: ({ label }) =>
    t(
      '{{label}} is locked out at once and for good. What its transfer jobs do goes ' +
        'on within its limits.',
      { label },
    ),
  method: 'delete',
  path: '/auth/api-keys/{api_key_id}',
  request: ({ id }) => ({ params: { api_key_id: id } }),
  done: ({ label }) => t('API key {{label}} revoked', { label }),
}

function SecretText({ secret }: { secret: string }): ReactNode {
  const copy = useCopy()
  return (
    <p>
      <code>{secret}</code>{' '}
      <Button
        size="small"
        onClick={() => {
          copy(secret, t('Secret'))
        }}
      >
        {t('Copy')}
      </Button>
    </p>
  )
}

function showSecret({ label, secret }: Secret): void {
  openDialog((close) => (
    <Modal
      open
      title={t('The secret of {{label}}', { label })}
      onCancel={close}
      mask={{ closable: false }}
      footer={[
        <Button key="close" type="primary" onClick={close}>
          {t('I have stored it')}
        </Button>,
      ]}
    >
      {secret === null ? (
        <p>{t('It was shown when the key was made. Rotate the key to get another one.')}</p>
      ) : (
        <>
          <p>{t('It is shown this once. The program sends it as a bearer token.')}</p>
          <SecretText secret={secret} />
        </>
      )}
    </Modal>
  ))
}
