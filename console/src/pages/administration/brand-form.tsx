/** The fields of the brand, and what it looks like with them. */
import { App, Button, Form, Input } from 'antd'
import type { FormInstance } from 'antd'
import { useRef } from 'react'
import type { ReactNode } from 'react'
import { InputItem } from '../../action/inputs.tsx'
import type { Values } from '../../action/plan.ts'
import { dataUrlOf } from '../../api/brand.ts'
import { t } from '../../language/index.ts'
import { Logo, useLogo } from '../../parts/logo.tsx'
import { BrandShown } from './brand-shown.tsx'
import type { BrandValue } from './brand-shown.tsx'

const NAME_LETTERS = 200
const MAXIMUM_BYTES = 65_536
const COLOUR = /^#[0-9a-f]{6}$/i
const USUAL_COLOUR = '#0b57a4'
/** By the ending of the file's name. */
const TYPES: Readonly<Record<string, string>> = { png: 'image/png', svg: 'image/svg+xml' }

/** Without what is empty. */
export function brandOf(given: unknown): BrandValue {
  const lines = (value: unknown): string[] =>
    (Array.isArray(value) ? value : []).map((line) => String(line).trim()).filter(Boolean)
  const entries = Object.entries((given ?? {}) as Record<string, unknown>)
    .map(([key, value]) => [
      key,
      key === 'address' || key === 'contact' ? lines(value) : String(value ?? '').trim(),
    ])
    .filter(([, value]) => value !== undefined && value.length > 0)
  return Object.fromEntries(entries) as BrandValue
}

export function BrandFields({ form }: { form: FormInstance<Values> }): ReactNode {
  const given: unknown = Form.useWatch('value', form)
  return (
    <>
      <InputItem
        field={{
          name: ['value', 'name'],
          label: t('Name'),
          kind: 'text',
          limit: NAME_LETTERS,
          help: t('In the console and on papers. Mails are signed with it. Empty: the workspace’s'),
        }}
      />
      <InputItem
        field={{
          name: ['value', 'legal_name'],
          label: t('Legal name'),
          kind: 'text',
          limit: NAME_LETTERS,
        }}
      />
      <Form.Item
        name={['value', 'address']}
        label={t('Address')}
        extra={t('On papers. One line below another')}
      >
        <LinesInput />
      </Form.Item>
      <Form.Item
        name={['value', 'contact']}
        label={t('Contact')}
        extra={t('Telephone, mail, … on papers. One line below another')}
      >
        <LinesInput />
      </Form.Item>
      <Form.Item
        name={['value', 'accent']}
        label={t('Accent colour')}
        extra={t('Of links and buttons, made darker or lighter until it can be read')}
        validateTrigger="onSubmit"
        rules={[{ pattern: COLOUR, message: t('Enter a colour such as #0b57a4') }]}
      >
        <ColourInput />
      </Form.Item>
      <Form.Item
        name={['value', 'logo']}
        label={t('Logo')}
        extra={t('PNG or SVG, at most 64 kB. One as SVG is shown in the console, not on papers')}
      >
        <LogoInput />
      </Form.Item>
      <BrandShown brand={brandOf(given)} />
    </>
  )
}

/** What antd's form hands to each of its fields. */
type FieldProps<Value> = { id?: string; value?: Value; onChange?(value: Value | undefined): void }

function LinesInput({ id, value = [], onChange }: FieldProps<readonly string[]>): ReactNode {
  return (
    <Input.TextArea
      id={id}
      autoSize={{ minRows: 2, maxRows: 6 }}
      value={value.join('\n')}
      onChange={({ target }) => onChange?.(target.value === '' ? [] : target.value.split('\n'))}
    />
  )
}

function ColourInput({ id, value = '', onChange }: FieldProps<string>): ReactNode {
  return (
    <span className="brand-colour">
      <input
        type="color"
        aria-label={t('Choose a colour')}
        value={COLOUR.test(value) ? value : USUAL_COLOUR}
        onChange={({ target }) => onChange?.(target.value)}
      />
      <Input
        id={id}
        value={value}
        placeholder={USUAL_COLOUR}
        autoComplete="off"
        allowClear
        onChange={({ target }) => onChange?.(target.value)}
      />
    </span>
  )
}

function LogoInput({ id, value, onChange }: FieldProps<string>): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  const { message } = App.useApp()
  const src = useLogo(value)
  const choose = async (file: File): Promise<void> => {
    const type = TYPES[file.name.split('.').at(-1)?.toLowerCase() ?? '']
    if (type === undefined || file.size > MAXIMUM_BYTES || file.size === 0) {
      message.error(t('A logo is a PNG or SVG of at most 64 kB'))
      return
    }
    onChange?.(await dataUrlOf(file, type))
  }
  return (
    <span className="brand-file">
      {src !== undefined && <Logo src={src} />}
      <input
        ref={input}
        hidden
        type="file"
        aria-label={t('File of the logo')}
        accept=".png,.svg"
        onChange={({ target }) => {
          const [file] = target.files ?? []
          if (file !== undefined)
            choose(file)
              .catch(() => {
                message.error(t('The file could not be read. Was it moved or changed meanwhile?'))
              })
              .finally(() => {
                target.value = ''
              })
        }}
      />
      <Button id={id} onClick={() => input.current?.click()}>
        {t('Choose a file')}
      </Button>
      {value !== undefined && (
        <Button type="link" onClick={() => onChange?.(undefined)}>
          {t('Remove the logo')}
        </Button>
      )}
    </span>
  )
}
