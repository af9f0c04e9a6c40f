/** The value of a setting as a person reads it. */
import { Switch } from 'antd'
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { amountWords, percent } from '../../parts/amount-words.ts'
import { wordsOf } from '../../parts/code-words.ts'
import { zoneName } from '../../parts/periods.ts'
import { told } from '../../parts/refusal-words.ts'
import { Time } from '../../parts/values.tsx'
import { BrandShown } from './brand-shown.tsx'
import type { BrandValue } from './brand-shown.tsx'
import { isBrand, shapeOf } from './setting-shape.ts'
import type { Setting, Shape } from './setting-shape.ts'
import { optionWords } from './setting-words.ts'

/** `value`: another one than counts now, such as the one before. */
export function SettingValue({
  setting,
  value = setting.value,
}: {
  setting: Setting
  value?: unknown
}): ReactNode {
  if (isBrand(setting) && typeof value === 'object' && value !== null)
    return Object.keys(value).length === 0 ? (
      <span className="nothing">{t('Not set')}</span>
    ) : (
      <BrandShown brand={value as BrandValue} />
    )
  return (
    <Value
      shape={shapeOf(setting)}
      value={value}
      title={told(setting.title)}
      unit={setting.unit === null ? null : told(setting.unit)}
    />
  )
}

type Shown = { shape: Shape; value: unknown; title: string; unit?: string | null }

function Value({ shape, value, title, unit = null }: Shown): ReactNode {
  if (value === null || value === undefined) return <span className="nothing">{t('Not set')}</span>
  switch (shape.kind) {
    case 'switch':
      return (
        <span className="setting-switch">
          <Switch size="small" checked={value === true} disabled aria-label={title} />
          {value === true ? t('On') : t('Off')}
        </span>
      )
    case 'choice':
      return optionWords(String(value))
    case 'choices':
    case 'texts':
      return <Several values={value as readonly string[]} />
    case 'percent':
      return <span className="amount">{percent(String(value))}</span>
    case 'number':
      return [amountWords(String(value)), unit].filter((part) => part !== null).join(' ')
    case 'time':
      return (
        <>
          <Time at={Number(value)} /> {zoneName()}
        </>
      )
    case 'lines':
      return <span className="setting-lines">{String(value)}</span>
    case 'table':
      return <Margins shape={shape} value={value as Record<string, string>} title={title} />
    case 'group':
      return <Group shape={shape} value={value as Record<string, unknown>} />
    case 'json':
      return <span className="setting-lines">{JSON.stringify(value, null, 2)}</span>
    case 'decimal':
      return amountWords(String(value))
    default:
      return String(value)
  }
}

function Several({ values }: { values: readonly string[] }): ReactNode {
  return values.length === 0 ? (
    <span className="nothing">{t('None')}</span>
  ) : (
    values.map(optionWords).join(', ')
  )
}

function Margins({
  shape,
  value,
  title,
}: {
  shape: Shape & { kind: 'table' }
  value: Record<string, string>
  title: string
}): ReactNode {
  return (
    <table className="setting-table" aria-label={title}>
      <thead>
        <tr>
          <th scope="col">{t('Category')}</th>
          <th scope="col" className="right">
            {t('Value')}
          </th>
        </tr>
      </thead>
      <tbody>
        {Object.entries(value).map(([name, number]) => (
          <tr key={name}>
            <th scope="row">{wordsOf(name)}</th>
            <td className="right amount">
              {shape.percent ? percent(number) : amountWords(number)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** What is in the group; parts without a value are left out where they may be absent. */
function Group({
  shape,
  value,
}: {
  shape: Shape & { kind: 'group' }
  value: Record<string, unknown>
}): ReactNode {
  const there = shape.parts.filter(({ key, absent }) => !absent || value[key] !== undefined)
  if (there.length === 0) return <span className="nothing">{t('Nothing is set here')}</span>
  return (
    <dl className="setting-group">
      {there.map((part) => (
        <div key={part.key}>
          <dt>{optionWords(part.key)}</dt>
          <dd>
            <Value shape={part.shape} value={value[part.key]} title={optionWords(part.key)} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
