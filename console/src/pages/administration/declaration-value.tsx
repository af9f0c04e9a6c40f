/** What is declared, as a person reads it. */
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { inWords } from '../../parts/status.tsx'

const MOST_TEXT = 60

/** Nested parts in lines, with the names of the configuration file. */
export function DeclarationValue({ value }: { value: unknown }): ReactNode {
  if (value === null || value === undefined)
    return <span className="nothing">{t('Not declared')}</span>
  return (
    <dl className="setting-group">
      {Object.entries(value).map(([name, part]) => (
        <div key={name}>
          <dt>{inWords(name)}</dt>
          <dd className="setting-lines">{name === 'secrets' ? placesOf(part) : textOf(part)}</dd>
        </div>
      ))}
    </dl>
  )
}

type Reference = { stored?: string; file?: string; env?: string; field?: string }

/** Where each secret lies, in words. */
function placesOf(secrets: unknown): string {
  return Object.entries(secrets as Record<string, Reference>)
    .map(([name, { file, env, field }]) => {
      if (file !== undefined)
        return t('{{name}}: in {{file}}', {
          name,
          file: field === undefined ? file : `${file} (${field})`,
        })
      return env === undefined
        ? t('{{name}}: stored here', { name })
        : t('{{name}}: in the variable {{env}}', { name, env })
    })
    .join('\n')
}

function textOf(part: unknown): string {
  if (typeof part === 'string') return part
  if (typeof part !== 'object' || part === null) return JSON.stringify(part)
  const plain = JSON.stringify(part)
  if (Array.isArray(part) && plain.length <= MOST_TEXT) return part.map(textOf).join(', ')
  return Object.entries(part)
    .map(([name, inner]) => `${name}: ${typeof inner === 'string' ? inner : JSON.stringify(inner)}`)
    .join('\n')
}
