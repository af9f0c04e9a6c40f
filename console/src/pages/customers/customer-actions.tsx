/** Creating, changing, deleting and erasing customers. */
import { Form } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import type { DataOf, RequestOf } from '@kontor/client'
import { filledTexts } from '../../action/filled.ts'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { Inputs } from '../../action/inputs.tsx'
import type { FormField } from '../../action/inputs.tsx'
import { useGet, useMay } from '../../api/query.ts'
import { Trans, t } from '../../language/index.ts'
import { percent } from '../../parts/amount-words.ts'
import { wordsOf } from '../../parts/status.tsx'
import { Name } from '../../parts/values.tsx'
import { SameName } from './same-name.tsx'

type Customer = DataOf<'get', '/customers/{customer_id}'>
type Body = NonNullable<RequestOf<'post', '/customers'>['body']>

const NAMES: Readonly<
  Record<
    Customer['type'],
    readonly { name: 'first_name' | 'last_name' | 'company_name' | 'joint_name'; label: string }[]
  >
> = {
  RETAIL: [
    { name: 'first_name', label: t('First name') },
    { name: 'last_name', label: t('Last name') },
  ],
  INSTITUTION: [{ name: 'company_name', label: t('Company') }],
  JOINT: [{ name: 'joint_name', label: t('Joint name') }],
}

const TYPE: FormField = {
  name: 'type',
  label: t('Type'),
  kind: 'words',
  required: true,
  options: ['RETAIL', 'INSTITUTION', 'JOINT'],
}
const REFERENCE: FormField = {
  name: 'foreign_id',
  label: t('Your reference'),
  kind: 'text',
  maxLength: 200,
  help: t('The id of the customer in your other systems'),
}
const LANGUAGES = [
  { value: 'en', label: t('English') },
  { value: 'de', label: t('German') },
] as const
const furtherFields = (margin: FormField): readonly FormField[] => [
  {
    name: 'label',
    label: t('Display name'),
    kind: 'text',
    maxLength: 200,
    help: t('Leave empty to use the name'),
  },
  {
    name: 'notification_recipients',
    label: t('Mail recipients'),
    kind: 'texts',
    placeholder: 'name@example.com',
  },
  {
    name: 'language',
    label: t('Language of mails'),
    kind: 'words',
    options: LANGUAGES,
    help: t('Leave empty for that of the settings'),
  },
  {
    name: 'time_zone',
    label: t('Time zone of mails'),
    kind: 'text',
    maxLength: 64,
    placeholder: 'Europe/Berlin',
    help: t('Leave empty for that of the settings'),
  },
  { name: 'investment_entity_ids', label: t('Investment entities'), kind: 'texts' },
  margin,
  {
    name: 'booking_schema',
    label: t('Booking schema'),
    kind: 'words',
    required: true,
    options: [
      { value: 'ADVANCED', label: t('Advanced: margin and fees separate') },
      { value: 'SIMPLE', label: t('Simple: one net amount') },
    ],
  },
  { name: 'ignore_margin', label: t('Charge no margin'), kind: 'flag' },
  { name: 'ignore_balance_check', label: t('Allow a negative balance'), kind: 'flag' },
]

const MARGIN = { name: 'margin', label: t('Margin'), required: true } as const

/** A choice among the categories of the settings. Who may not read these types one. */
function useMarginField(): FormField {
  const { data } = useGet(
    '/settings/{key}',
    { params: { key: 'margins' } },
    { enabled: useMay('settings.read') },
  )
  if (data === undefined)
    return { ...MARGIN, kind: 'text', help: t('A category of the settings, for example DEFAULT') }
  const options = Object.entries(data.value as Record<string, string>).map(([value, factor]) => ({
    value,
    label: `${wordsOf(value)}: ${percent(factor)}`,
  }))
  return { ...MARGIN, kind: 'words', options }
}

/** The type decides which names are asked for. */
function CustomerForm({ form }: { form: FormInstance<Values> }): ReactNode {
  const type = (Form.useWatch('type', form) ?? form.getFieldValue('type')) as Customer['type']
  const names = NAMES[type].map((name): FormField => ({
    ...name,
    kind: 'text',
    required: true,
    maxLength: 200,
  }))
  return (
    <>
      <SameName form={form} nameIn={(values) => nameIn(values, type)} />
      <div className="two-columns">
        <Inputs fields={[TYPE, REFERENCE, ...names, ...furtherFields(useMarginField())]} />
      </div>
    </>
  )
}

const nameIn = (values: Values, type: Customer['type']): string =>
  NAMES[type]
    .map(({ name }) => String(values[name] ?? '').trim())
    .filter((name) => name !== '')
    .join(' ')

const NAME_FIELDS = ['first_name', 'last_name', 'company_name', 'joint_name'] as const

/** With the names of the type only; empty fields are left out. */
function bodyOf(values: Values): Body {
  const type = values['type'] as Customer['type']
  const names = Object.fromEntries(
    NAMES[type].map(({ name }) => [name, String(values[name] ?? '').trim()]),
  ) as Partial<Record<(typeof NAME_FIELDS)[number], string>>
  const label = String(values['label'] ?? '').trim()
  return {
    type,
    ...names,
    label: label === '' ? Object.values(names).join(' ') : label,
    ...filledTexts({ foreign_id: values['foreign_id'], time_zone: values['time_zone'] }),
    ...languageOf(values['language']),
    margin: String(values['margin']),
    booking_schema: values['booking_schema'] as Customer['booking_schema'],
    ignore_margin: values['ignore_margin'] === true,
    ignore_balance_check: values['ignore_balance_check'] === true,
    notification_recipients: (values['notification_recipients'] as string[] | undefined) ?? [],
    investment_entity_ids: (values['investment_entity_ids'] as string[] | undefined) ?? [],
  }
}

function languageOf(value: unknown): Pick<Body, 'language'> {
  const found = LANGUAGES.find((language) => language.value === value)
  return found === undefined ? {} : { language: found.value }
}

/** Undefined for a customer who reads as the settings say. */
export const languageName = ({ language }: Customer): string | undefined =>
  LANGUAGES.find(({ value }) => value === language)?.label

const listField = (path: string): string => path.replace(/\[\d+\]$/, '')

export const create: ActionPlan<'post', '/customers'> = {
  label: t('Create customer'),
  permission: 'customers.write',
  width: 680,
  initial: () => ({ type: 'RETAIL', margin: 'DEFAULT', booking_schema: 'ADVANCED' }),
  form: (_row, form) => <CustomerForm form={form} />,
  method: 'post',
  path: '/customers',
  request: (_row, values) => ({ body: bodyOf(values) }),
  fieldOf: listField,
  done: ({ label }) => t('Customer {{label}} created', { label }),
}

const whyNotChange = (customer: Customer): string | undefined =>
  customer.state === 'ACTIVE' ? undefined : t('The customer is deleted')

export const change: ActionPlan<'put', '/customers', Customer> = {
  label: t('Change'),
  title: ({ label }) => t('Change customer “{{label}}”', { label }),
  permission: 'customers.write',
  width: 680,
  why: whyNotChange,
  initial: (customer) => ({
    ...customer,
    ...Object.fromEntries(
      [...NAME_FIELDS, 'foreign_id' as const, 'time_zone' as const].map((name) => [
        name,
        customer[name] ?? '',
      ]),
    ),
    language: customer.language ?? undefined,
  }),
  form: (_row, form) => <CustomerForm form={form} />,
  method: 'put',
  path: '/customers',
  request: ({ id, version }, values) => ({ body: { id, version, ...bodyOf(values) } }),
  fieldOf: listField,
  done: ({ label }) => t('Customer {{label}} changed', { label }),
}

export const remove: ActionPlan<'delete', '/customers/{customer_id}', Customer> = {
  label: t('Delete'),
  title: ({ label }) => t('Delete customer “{{label}}”', { label }),
  permission: 'customers.write',
  danger: true,
  why: whyNotChange,
  explain: ({ id }) => (
    <Trans
      i18nKey={
        '<name/> is removed from the list. The record and its bookings stay. A customer ' +
        'with balances or open records cannot be deleted.'
      }
      components={{ name: <Name of="customer" id={id} /> }}
    />
  ),
  method: 'delete',
  path: '/customers/{customer_id}',
  request: ({ id }) => ({ params: { customer_id: id } }),
  done: (_data, { label }) => t('Customer {{label}} deleted', { label }),
}

export const erase: ActionPlan<'post', '/customers/{customer_id}/erase', Customer> = {
  label: t('Erase personal data'),
  permission: 'customers.erase',
  danger: true,
  why: ({ state }) => (state === 'DELETED' ? undefined : t('Delete the customer first')),
  explain: () => (
    <Trans
      i18nKey={
        'This cannot be undone. <b>Erased:</b> names, mail addresses, bank accounts and ' +
        'addresses of wallets, payer texts, references, purposes and notes, ' +
        'descriptions of bookings, mails, and raw records of venues. <b2>Kept:</b2> ' +
        'bookings, amounts, times and ids, and texts of records that another customer ' +
        'has part in. Backups hold the data until they are deleted.'
      }
      components={{ b: <b />, b2: <b /> }}
    />
  ),
  fields: [
    {
      name: 'reason',
      label: t('Reason'),
      kind: 'text',
      required: true,
      maxLength: 500,
      help: t('It is kept: name no person in it'),
    },
  ],
  method: 'post',
  path: '/customers/{customer_id}/erase',
  request: ({ id }, values) => ({
    params: { customer_id: id },
    body: { reason: String(values['reason']) },
  }),
  done: () => t('The personal data is being erased'),
}
