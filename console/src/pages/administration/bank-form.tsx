/** A bank is declared by its account: Kontor makes its folders, or collects over SFTP. */
import { Form } from 'antd'
import type { ReactNode } from 'react'
import { filledText, filledTexts } from '../../action/filled.ts'
import { Inputs } from '../../action/inputs.tsx'
import type { FormField } from '../../action/inputs.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { t } from '../../language/index.ts'
import { PREFIXES } from './declaration-fields.ts'
import { optionLabel, secretLabel } from './declaration-parts.ts'
import { DeclarationValue } from './declaration-value.tsx'

const option = (name: string, more: Partial<FormField> = {}): FormField =>
  ({ name: `options.${name}`, label: optionLabel(name), kind: 'text', ...more }) as FormField

const ACCOUNT: readonly FormField[] = [
  { name: 'label', label: t('Name'), kind: 'text', required: true },
  {
    name: 'key',
    label: t('Key'),
    kind: 'text',
    required: true,
    limit: 100,
    help: t('A short name such as house-bank, without capitals: its folders are called by it'),
  },
  option('name', { required: true, help: t('As the bank knows it') }),
  option('currency', { required: true, help: t('Of the account, such as EUR') }),
  option('iban'),
  option('bic'),
  option('account_number', { help: t('Of an account without an IBAN') }),
  option('aba', { help: t('Of an American bank') }),
]

const SFTP: readonly FormField[] = [
  option('sftp_host', { required: true }),
  option('sftp_user', { required: true }),
  option('sftp_host_key', { required: true, help: t('SHA256:…, as the bank tells it') }),
  option('sftp_outbox_dir', { required: true }),
  option('sftp_inbox_dir', { required: true }),
  {
    name: 'secrets',
    label: t('Secrets'),
    kind: 'words',
    many: true,
    required: true,
    options: ['sftp_private_key', 'sftp_passphrase', 'sftp_password'].map((value) => ({
      value,
      label: secretLabel(value),
    })),
    help: t('Each is written after this, once'),
  },
]

function Fields(): ReactNode {
  const isOverSftp = Form.useWatch('sftp') === true
  return (
    <>
      <Inputs fields={ACCOUNT} />
      <Inputs fields={[{ name: 'sftp', label: t('Files are carried over SFTP'), kind: 'flag' }]} />
      {isOverSftp && <Inputs fields={SFTP} />}
    </>
  )
}

/** Codes of currencies are capitals, however they are typed. */
function optionsOf({ currency, ...options }: Record<string, unknown>) {
  return filledTexts({ ...options, currency: filledText(currency)?.toUpperCase() })
}

function declared({ label, options, secrets }: Values) {
  const names = (Array.isArray(secrets) ? secrets : []).map(String)
  return {
    label: filledText(label),
    kind: 'BANK',
    options: optionsOf((options ?? {}) as Record<string, unknown>),
    ...(names.length > 0 && {
      secrets: Object.fromEntries(names.map((name) => [name, { stored: name }])),
    }),
  }
}

const keyIn = ({ key }: Values): string => `${PREFIXES.VENUE}${String(key).trim()}`

export const declareBank: ActionPlan<'put', '/declarations/{key}'> = {
  label: t('Declare a bank'),
  permission: 'venues.write',
  width: 620,
  explain: () =>
    t(
      'Another program carries files between the bank and the folders that Kontor ' +
        'makes, or Kontor carries them over SFTP.',
    ),
  form: () => <Fields />,
  method: 'put',
  path: '/declarations/{key}',
  request: (_row, values) => ({
    params: { key: keyIn(values) },
    body: { declaration: declared(values) },
  }),
  confirm: (_row, values) => [
    { label: t('Declared'), value: keyIn(values) },
    { label: t('Bank'), value: <DeclarationValue value={declared(values)} /> },
  ],
  fieldOf: (path) => path.replace(/^declaration\./, ''),
  done: ({ name }) => t('{{name}} declared', { name }),
}
