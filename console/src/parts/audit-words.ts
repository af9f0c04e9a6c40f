/** What an entry of the audit trail says. */
import type { DataOf } from '@kontor/client'
import { t } from '../language/index.ts'
import { inWords } from './code-words.ts'
import { doerWords } from './record-words.ts'

export type AuditEntry = DataOf<'get', '/audit'>[number]

type Noted = { before: Readonly<Record<string, unknown>>; after: Readonly<Record<string, unknown>> }
type Details = {
  events?: readonly string[]
  changes?: readonly Noted[]
  error?: string
  codes?: readonly string[]
  format?: string
  beyond_budget?: boolean
}

/** Who did it; the e-mail address is that of the account that it is about. */
export function doerOf(
  { actor, user_id, email }: AuditEntry,
  users: { get(id: string): string | undefined },
): string | null {
  if (actor === null) return null
  const isOwn = user_id === null || user_id === actor
  return (isOwn ? email : null) ?? users.get(actor) ?? doerWords(actor)
}

/** Fields with their value before and after; of what tells of a person, that it changed. */
export function changeWords({ details }: AuditEntry): string {
  const { changes = [] } = details as Details
  return changes
    .flatMap(({ before, after }) =>
      [...new Set([...Object.keys(before), ...Object.keys(after)])].map((name) =>
        t('{{field}}: {{before}} → {{after}}', {
          field: inWords(name),
          before: valueWords(before[name]),
          after: valueWords(after[name]),
        }),
      ),
    )
    .join(' · ')
}

/** What it told, or why it was refused. */
export function whatWords({ details }: AuditEntry): string {
  const { events = [], error, codes = [], format, beyond_budget } = details as Details
  if (beyond_budget === true) return t('Further ones, counted only')
  if (error !== undefined) return [error, ...codes.map(inWords)].join(' · ')
  if (format !== undefined) return format.toUpperCase()
  return events.join(' · ')
}

function valueWords(value: unknown): string {
  if (value === undefined || value === null) return t('none')
  if (typeof value === 'boolean') return value ? t('Yes') : t('No')
  if (typeof value === 'string') return inWords(value)
  return JSON.stringify(value)
}
