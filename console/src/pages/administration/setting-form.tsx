/** How a setting is changed: by fields that follow from its shape. */
import { told } from '../../parts/refusal-words.ts'
import { DeleteOutlined, PlusOutlined } from '@ant-design/icons'
import { Button, Form, Input, Switch } from 'antd'
import type { ReactNode } from 'react'
import { InputItem } from '../../action/inputs.tsx'
import type { FormField } from '../../action/inputs.tsx'
import type { ActionPlan, Values } from '../../action/plan.ts'
import { Trans, t } from '../../language/index.ts'
import { BrandFields, brandOf } from './brand-form.tsx'
import { helpOf, optionWords } from './setting-words.ts'
import { faultIn, fromFields, isBrand, shapeOf, toFields } from './setting-shape.ts'
import type { Setting, Shape } from './setting-shape.ts'
import { SettingValue } from './setting-value.tsx'

const valueOf = (setting: Setting, values: Values): unknown =>
  isBrand(setting) ? brandOf(values['value']) : fromFields(shapeOf(setting), values['value'])

export const change: ActionPlan<'put', '/settings/{key}', Setting> = {
  label: t('Change'),
  title: (setting) => t('Change setting “{{title}}”', { title: told(setting.title) }),
  width: 620,
  explain: (setting) => (
    <Trans
      i18nKey="<strong/> {{setting}}. It counts at once."
      components={{ strong: <strong>{told(setting.title)}.</strong> }}
      values={{ setting: helpOf(setting) }}
    />
  ),
  initial: (setting) => ({ value: toFields(shapeOf(setting), setting.value) }),
  form: (setting, form) =>
    isBrand(setting) ? (
      <BrandFields form={form} />
    ) : (
      <Field
        path={['value']}
        shape={shapeOf(setting)}
        title={told(setting.title)}
        unit={setting.unit === null ? null : told(setting.unit)}
        required
      />
    ),
  method: 'put',
  path: '/settings/{key}',
  request: (setting, values) => ({
    params: { key: setting.key },
    body: { value: valueOf(setting, values), version: setting.version },
  }),
  confirm: (setting, values) => {
    const fault = faultIn(shapeOf(setting), values['value'])
    if (fault !== undefined) throw new Error(fault)
    return [
      { label: t('Setting'), value: told(setting.title) },
      { label: t('Until now'), value: <SettingValue setting={setting} /> },
      {
        label: t('From now on'),
        value: <SettingValue setting={setting} value={valueOf(setting, values)} />,
      },
    ]
  },
  done: ({ title }) => t('{{title}}: changed', { title: told(title) }),
}

type FieldProps = {
  path: (string | number)[]
  shape: Shape
  title: string
  help?: string | undefined
  unit?: string | null
  required: boolean
}

function Field(props: FieldProps): ReactNode {
  const { path, shape, title, help, required } = props
  switch (shape.kind) {
    case 'switch':
      return (
        <Form.Item name={path} label={title} valuePropName="checked" required extra={help}>
          <Switch />
        </Form.Item>
      )
    case 'number':
      return <NumberField {...props} shape={shape} />
    case 'table':
      return <TableFields path={path} shape={shape} />
    case 'group':
      return shape.parts.map((part) => (
        <Part
          key={part.key}
          title={optionWords(part.key)}
          help={part.help}
          folded={part.shape.kind === 'group'}
        >
          <Field
            path={[...path, part.key]}
            shape={part.shape}
            title={optionWords(part.key)}
            help={part.help?.replace(/; null:/, '. Empty:')}
            required={required && !part.absent}
          />
        </Part>
      ))
    default:
      return <InputItem field={inputOf(props)} />
  }
}

function Part({
  title,
  help,
  folded,
  children,
}: {
  title: string
  help: string | undefined
  folded: boolean
  children: ReactNode
}): ReactNode {
  if (!folded) return children
  return (
    <details className="setting-part">
      <summary>{title}</summary>
      {help !== undefined && <p className="explain">{help}</p>}
      {children}
    </details>
  )
}

const optionsOf = (options: readonly string[]) =>
  options.map((value) => ({ value, label: optionWords(value) }))

function inputOf({ path, shape, title, help, required }: FieldProps): FormField {
  const { kind, empty } = shape
  const field = { name: path, label: title, help, required: required && !empty }
  switch (kind) {
    case 'choice':
      return { ...field, kind: 'words', options: optionsOf(shape.options) }
    case 'choices':
      return {
        ...field,
        required: false,
        kind: 'words',
        many: true,
        options: optionsOf(shape.options),
      }
    case 'percent':
      return { ...field, kind: 'amount', asset: '%', zero: true }
    case 'decimal':
      return { ...field, kind: 'amount', zero: true }
    case 'time':
      return { ...field, kind: 'time' }
    case 'texts':
      return { ...field, required: false, kind: 'texts' }
    case 'text':
      return { ...field, kind: 'text', limit: shape.maximum }
    default:
      return { ...field, kind: 'lines' }
  }
}

function NumberField({
  path,
  shape: { minimum, maximum, empty },
  title,
  help,
  unit = null,
  required,
}: FieldProps & { shape: Shape & { kind: 'number' } }): ReactNode {
  const must = required && !empty
  return (
    <Form.Item
      name={path}
      label={title}
      required={must}
      extra={help}
      validateTrigger="onSubmit"
      rules={[
        {
          validator: (_rule, typed: unknown) => {
            const text = String(typed ?? '').trim()
            const isRight = /^\d+$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
            return isRight || (text === '' && !must)
              ? Promise.resolve()
              : Promise.reject(
                  new Error(
                    t('Enter a whole number from {{minimum}} to {{maximum}}', { minimum, maximum }),
                  ),
                )
          },
        },
      ]}
    >
      <Input inputMode="numeric" autoComplete="off" suffix={unit} />
    </Form.Item>
  )
}

/** A name and a number in each row. What must be there cannot be renamed or removed. */
function TableFields({
  path,
  shape,
}: {
  path: (string | number)[]
  shape: Shape & { kind: 'table' }
}): ReactNode {
  return (
    <Form.List name={path}>
      {(rows, { add, remove }) => (
        <>
          {rows.map(({ key, name }) => {
            const fixed = name < shape.required.length
            return (
              <fieldset key={key} className="setting-row">
                <legend className="hidden">{t('Category {{name}}', { name: name + 1 })}</legend>
                <InputItem
                  field={{
                    name: [name, 'name'],
                    label: t('Category {{name}}', { name: name + 1 }),
                    kind: 'text',
                    required: true,
                    limit: 50,
                    disabled: fixed,
                  }}
                />
                <InputItem
                  field={{
                    name: [name, 'number'],
                    label: t('Value {{name}}', { name: name + 1 }),
                    kind: 'amount',
                    required: true,
                    zero: true,
                    ...(shape.percent ? { asset: '%' } : {}),
                  }}
                />
                {!fixed && (
                  <Button
                    type="text"
                    icon={<DeleteOutlined />}
                    aria-label={t('Remove category {{name}}', { name: name + 1 })}
                    onClick={() => {
                      remove(name)
                    }}
                  />
                )}
              </fieldset>
            )
          })}
          <Button
            size="small"
            icon={<PlusOutlined aria-hidden />}
            onClick={() => {
              add({})
            }}
          >
            {t('Add a category')}
          </Button>
        </>
      )}
    </Form.List>
  )
}
