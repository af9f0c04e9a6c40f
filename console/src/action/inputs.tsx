/** Form fields as data. Values are those of the API: exact strings for amounts, ids for names. */
import { Checkbox, Form, Input, Select } from 'antd'
import type { Rule } from 'antd/es/form'
import type { ReactNode } from 'react'
import { isSought } from '../api/named.ts'
import { useNamedOptions } from '../api/names.ts'
import type { NamedKind, NamedOption } from '../api/names.ts'
import { t } from '../language/index.ts'
import { inWords } from '../parts/status.tsx'
import { TimeInput } from '../parts/time-input.tsx'
import { UNREAD_WORDS } from '../parts/typed-time.ts'
import { AmountInput, useAmountRule } from '../parts/amount-input.tsx'
import type { AmountAsked } from '../parts/amount-input.tsx'

export type FormField = {
  /** The name in the request; dots and indexes lead inside (`details.asset`). */
  name: string | (string | number)[]
  label: string
  required?: boolean
  /** Explains the field, below it. */
  help?: ReactNode
  disabled?: boolean
} & (
  | {
      kind: 'text' | 'password'
      placeholder?: string
      /** Cuts what is longer. */
      maxLength?: number
      /** Refuses what is longer, with a message. */
      limit?: number | undefined
      /** Refuses what is shorter, with a message. */
      least?: number
      /** Refuses what is not of this form, with these words. */
      form?: { pattern: RegExp; says: string }
    }
  | { kind: 'lines' }
  /** An exact amount, greater than 0 unless `zero`; `asset` stands behind it. */
  | ({ kind: 'amount' } & AmountAsked)
  | {
      kind: 'words'
      options: readonly string[] | readonly { value: string; label: string }[]
      many?: boolean
    }
  /** Several texts, such as e-mail addresses or ids. */
  | { kind: 'texts'; placeholder?: string }
  | { kind: 'flag' }
  /** A local date and time; its value is Unix milliseconds. */
  | { kind: 'time' }
  /** `only`: of these ids. */
  | { kind: NamedKind; only?: (id: string) => boolean }
)

const nameOf = (name: FormField['name']): (string | number)[] =>
  typeof name === 'string' ? name.split('.') : name

const CHOOSE: Readonly<Record<NamedKind, string>> = {
  account: t('Choose an account'),
  venue: t('Choose a venue'),
  wallet: t('Choose a wallet'),
  customer: t('Choose a customer'),
  user: t('Choose a user'),
  route: t('Choose a route'),
  price_route: t('Choose a price route'),
}

export function Inputs({ fields }: { fields: readonly FormField[] }): ReactNode {
  return fields.map((field) => <InputItem key={String(field.name)} field={field} />)
}

export function InputItem({ field }: { field: FormField }): ReactNode {
  const { name, label, required = false, help, kind } = field
  if (kind === 'amount') return <AmountItem field={field} />
  if (kind === 'flag')
    return (
      <Form.Item name={nameOf(name)} valuePropName="checked" extra={help}>
        <Checkbox disabled={field.disabled === true}>{label}</Checkbox>
      </Form.Item>
    )
  return (
    <Form.Item
      name={nameOf(name)}
      label={label}
      required={required}
      extra={help}
      rules={rulesOf(field)}
      validateFirst={kind === 'time'}
      validateTrigger="onSubmit"
    >
      {control(field)}
    </Form.Item>
  )
}

function control(field: FormField): ReactNode {
  const disabled = field.disabled === true
  switch (field.kind) {
    case 'text':
      return (
        <Input
          disabled={disabled}
          maxLength={field.maxLength ?? 500}
          {...(field.placeholder === undefined ? {} : { placeholder: field.placeholder })}
        />
      )
    case 'password':
      return <Input.Password disabled={disabled} autoComplete="new-password" />
    case 'lines':
      return <Input.TextArea disabled={disabled} autoSize={{ minRows: 2, maxRows: 8 }} />
    case 'words': {
      const options = field.options.map((option) =>
        typeof option === 'string' ? { value: option, label: inWords(option) } : option,
      )
      return (
        <Select
          disabled={disabled}
          placeholder={field.many === true ? t('Choose one or more') : t('Choose one')}
          options={options}
          showSearch={{ optionFilterProp: 'label' }}
          {...(field.many === true ? { mode: 'multiple' as const } : {})}
          allowClear={field.required !== true}
        />
      )
    }
    case 'texts':
      return (
        <Select
          disabled={disabled}
          mode="tags"
          open={false}
          suffixIcon={null}
          tokenSeparators={[',', ' ', ';']}
          {...(field.placeholder === undefined ? {} : { placeholder: field.placeholder })}
        />
      )
    case 'amount':
    case 'flag':
      return null
    case 'time':
      return <TimeInput disabled={disabled} />
    default:
      return (
        <NamePicker
          of={field.kind}
          disabled={disabled}
          clear={field.required !== true}
          {...(field.only === undefined ? {} : { only: field.only })}
        />
      )
  }
}

function AmountItem({ field }: { field: FormField & { kind: 'amount' } }): ReactNode {
  const { name, label, required = false, help, disabled = false } = field
  const { asset, price, zero, negative, available, known } = field
  const asked = { asset, price, zero, negative, available, known }
  const rule = useAmountRule(asked)
  return (
    <Form.Item
      name={nameOf(name)}
      label={label}
      required={required}
      extra={help}
      rules={[...rulesOf(field), rule]}
      validateTrigger="onSubmit"
    >
      <AmountInput disabled={disabled} {...asked} />
    </Form.Item>
  )
}

function rulesOf(field: FormField): Rule[] {
  const { label, kind } = field
  const rules: Rule[] = []
  if (kind === 'time')
    rules.push({
      validator: (_rule, at: unknown) =>
        Number.isNaN(at) ? Promise.reject(new Error(UNREAD_WORDS)) : Promise.resolve(),
    })
  if (field.required === true)
    rules.push({
      required: true,
      ...(kind === 'text' ? { whitespace: true } : {}),
      ...(kind === 'time' ? { type: 'number' as const } : {}),
      message:
        kind === 'words' && field.many === true
          ? t('Choose one or more')
          : t('{{label}} is required', { label }),
    })
  if ((kind === 'text' || kind === 'password') && field.form !== undefined)
    rules.push({ pattern: field.form.pattern, message: field.form.says })
  if ((kind === 'text' || kind === 'password') && field.least !== undefined)
    rules.push({
      min: field.least,
      message: t('Enter at least {{least}} characters', { least: field.least }),
    })
  if (kind === 'text' && field.limit !== undefined)
    rules.push({
      max: field.limit,
      message: t('{{label}} must have at most {{limit}} characters', { label, limit: field.limit }),
    })
  return rules
}

const SEARCH = {
  filterOption: (typed: string, option?: NamedOption): boolean =>
    option !== undefined && isSought(typed, option),
}
/** Wide enough for a name, a reference and the end of an id. */
const LIST_PIXELS = 420

/** A select of names whose value is the id; also for forms of your own. */
export function NamePicker({
  of,
  clear = false,
  only,
  ...select
}: {
  of: NamedKind
  value?: string
  onChange?(id: string): void
  id?: string
  disabled?: boolean
  clear?: boolean
  only?: (id: string) => boolean
  'aria-label'?: string
}): ReactNode {
  const options = useNamedOptions(of).filter(({ value }) => only?.(value) ?? true)
  return (
    <Select<string, NamedOption>
      {...select}
      allowClear={clear}
      showSearch={SEARCH}
      options={options}
      {...(of === 'customer' || of === 'account' ? { popupMatchSelectWidth: LIST_PIXELS } : {})}
      placeholder={CHOOSE[of]}
      notFoundContent={t('No matches')}
    />
  )
}
