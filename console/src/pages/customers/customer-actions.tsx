/** Creating, changing and deleting customers. */
import { Form } from 'antd'
import type { FormInstance } from 'antd'
import type { ReactNode } from 'react'
import type { DataOf, RequestOf } from '@kontor/client'
import type { ActionPlan, Values } from '../../action/action.tsx'
import { InputItem } from '../../action/inputs.tsx'

type Customer = DataOf<'get', '/customers/{customer_id}'>
type Body = NonNullable<RequestOf<'post', '/customers'>['body']>

const NAMES: Readonly<
  Record<
    Customer['type'],
    readonly { name: 'first_name' | 'last_name' | 'company_name' | 'joint_name'; label: string }[]
  >
> = {
  RETAIL: [
    { name: 'first_name', label: 'First name' },
    { name: 'last_name', label: 'Last name' },
  ],
  INSTITUTION: [{ name: 'company_name', label: 'Company' }],
  JOINT: [{ name: 'joint_name', label: 'Joint name' }],
}

function CustomerForm({ form }: { form: FormInstance<Values> }): ReactNode {
  const type = (Form.useWatch('type', form) ?? form.getFieldValue('type')) as Customer['type']
  return (
    <div className="two-columns">
      <InputItem
        field={{
          name: 'type',
          label: 'Type',
          kind: 'words',
          required: true,
          options: ['RETAIL', 'INSTITUTION', 'JOINT'],
        }}
      />
      <InputItem
        field={{
          name: 'foreign_id',
          label: 'Your reference',
          kind: 'text',
          maxLength: 200,
          help: 'Its id in your other systems',
        }}
      />
      {NAMES[type].map(({ name, label }) => (
        <InputItem
          key={name}
          field={{ name, label, kind: 'text', required: true, maxLength: 200 }}
        />
      ))}
      <InputItem
        field={{
          name: 'label',
          label: 'Shown as',
          kind: 'text',
          maxLength: 200,
          help: 'The name itself when empty',
        }}
      />
      <InputItem
        field={{
          name: 'notification_recipients',
          label: 'Mails go to',
          kind: 'texts',
          placeholder: 'name@example.com',
        }}
      />
      <InputItem
        field={{ name: 'investment_entity_ids', label: 'Investment entities', kind: 'texts' }}
      />
      <InputItem
        field={{
          name: 'margin',
          label: 'Margin',
          kind: 'text',
          required: true,
          help: 'A category of the workspace settings: DEFAULT, PREMIUM',
        }}
      />
      <InputItem
        field={{
          name: 'booking_schema',
          label: 'Trades are booked',
          kind: 'words',
          required: true,
          options: [
            { value: 'ADVANCED', label: 'Advanced: margin and fees apart' },
            { value: 'SIMPLE', label: 'Simple: one net amount' },
          ],
        }}
      />
      <InputItem field={{ name: 'ignore_margin', label: 'No margin is charged', kind: 'flag' }} />
      <InputItem
        field={{ name: 'ignore_balance_check', label: 'The account may go below 0', kind: 'flag' }}
      />
    </div>
  )
}

const NAME_FIELDS = ['first_name', 'last_name', 'company_name', 'joint_name'] as const

/** Only the names of its type; what is empty is left out. */
function bodyOf(values: Values): Body {
  const type = values['type'] as Customer['type']
  const names = Object.fromEntries(
    NAMES[type].map(({ name }) => [name, String(values[name] ?? '').trim()]),
  ) as Partial<Record<(typeof NAME_FIELDS)[number], string>>
  const label = String(values['label'] ?? '').trim()
  const foreign_id = String(values['foreign_id'] ?? '').trim()
  return {
    type,
    ...names,
    label: label === '' ? Object.values(names).join(' ') : label,
    ...(foreign_id === '' ? {} : { foreign_id }),
    margin: String(values['margin']),
    booking_schema: values['booking_schema'] as Customer['booking_schema'],
    ignore_margin: values['ignore_margin'] === true,
    ignore_balance_check: values['ignore_balance_check'] === true,
    notification_recipients: (values['notification_recipients'] as string[] | undefined) ?? [],
    investment_entity_ids: (values['investment_entity_ids'] as string[] | undefined) ?? [],
  }
}

const listField = (path: string): string => path.replace(/\[\d+\]$/, '')

export const create: ActionPlan<'post', '/customers'> = {
  label: 'Create customer',
  permission: 'customers.write',
  width: 680,
  initial: () => ({ type: 'RETAIL', margin: 'DEFAULT', booking_schema: 'ADVANCED' }),
  form: (_row, form) => <CustomerForm form={form} />,
  method: 'post',
  path: '/customers',
  request: (_row, values) => ({ body: bodyOf(values) }),
  fieldOf: listField,
  done: ({ label }) => `${label} is a customer now`,
}

const gone = (customer: Customer): string | undefined =>
  customer.state === 'ACTIVE' ? undefined : 'It was deleted'

export const change: ActionPlan<'put', '/customers', Customer> = {
  label: 'Change',
  permission: 'customers.write',
  width: 680,
  why: gone,
  initial: (customer) => ({
    ...customer,
    ...Object.fromEntries(
      [...NAME_FIELDS, 'foreign_id' as const].map((name) => [name, customer[name] ?? '']),
    ),
  }),
  form: (_row, form) => <CustomerForm form={form} />,
  method: 'put',
  path: '/customers',
  request: ({ id, version }, values) => ({ body: { id, version, ...bodyOf(values) } }),
  fieldOf: listField,
  done: ({ label }) => `${label} is changed`,
}

export const remove: ActionPlan<'delete', '/customers/{customer_id}', Customer> = {
  label: 'Delete',
  permission: 'customers.write',
  danger: true,
  why: gone,
  explain: ({ label }) => (
    <>
      {label} can do nothing any more and leaves the list; its record and its bookings stay. It is
      refused while its account holds something or something of it is open.
    </>
  ),
  method: 'delete',
  path: '/customers/{customer_id}',
  request: ({ id }) => ({ params: { customer_id: id } }),
  done: (_data, { label }) => `${label} is deleted`,
}
