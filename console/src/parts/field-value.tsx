/** The value of any field of a form, a record or a request, as a person reads it. */
import type { ReactNode } from 'react'
import type { NamedKind } from '../api/names.ts'
import { lowered, t } from '../language/index.ts'
import { inWords, wordsOf } from './code-words.ts'
import { Name, NOTHING, Time, ValueDate } from './values.tsx'

const KINDS: readonly (readonly [string, NamedKind])[] = [
  ['wallet', 'wallet'],
  ['venue', 'venue'],
  ['customer', 'customer'],
  ['account', 'account'],
  ['resource', 'account'],
  ['route', 'route'],
  ['user', 'user'],
  ['requester', 'user'],
]
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** What people and venues call something is no code, though it may be in capitals. */
const AS_IT_IS = /asset|protocol|name|label|note|reference|description|reason|evidence|address/

/** Of what an id in this field is the id. */
export const namedKind = (field: string): NamedKind | undefined =>
  KINDS.find(([word]) => field.includes(word))?.[1]

export function FieldValue({ name, value }: { name: string; value: unknown }): ReactNode {
  if (value === undefined || value === null || value === '') return NOTHING
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  if (typeof value === 'number' && name.endsWith('_at')) return <Time at={value} />
  if (typeof value === 'string' && ID.test(value)) {
    const kind = namedKind(name)
    return kind === undefined ? t('another one') : <Name of={kind} id={value} />
  }
  if (typeof value === 'number' && name === 'value_date') return <ValueDate at={value} />
  return typeof value === 'string' && AS_IT_IS.test(name) ? value : textOf(value)
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? t('none') : value.map(textOf).join(', ')
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .filter(([, inner]) => inner !== null && inner !== undefined)
      .map(([name, inner]) => `${lowered(inWords(name))} ${textOf(inner)}`)
      .join(', ')
  return wordsOf(String(value))
}
