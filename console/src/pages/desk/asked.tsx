/** What was asked for, as it was sent: each field of the request, and what is in it. */
import type { DataOf } from '@kontor/client'
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { FieldValue, namedKind } from '../../parts/field-value.tsx'
import { inWords } from '../../parts/status.tsx'
import { Id, isUser } from '../../parts/values.tsx'
import type { Section } from '../../record/record.tsx'

type Approval = DataOf<'get', '/approvals/{approval_id}'>

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The list inside a list is one of fields, or of things of one kind. */
function Asked({ name, value }: { name: string; value: unknown }): ReactNode {
  if (Array.isArray(value) && value.length > 0)
    return (
      <ul className="plain">
        {value.map((one, place) => (
          <li key={place}>
            <Asked name={name} value={one} />
          </li>
        ))}
      </ul>
    )
  if (isObject(value))
    return (
      <ul className="plain">
        {Object.entries(value).map(([inner, one]) => (
          <li key={inner}>
            {inWords(inner)}: <Asked name={inner} value={one} />
          </li>
        ))}
      </ul>
    )
  if (typeof value === 'string' && isUser(value) && namedKind(name) === undefined)
    return <Id value={value} />
  return <FieldValue name={name} value={value} />
}

/** Undefined where there is no request: a withdrawal has a record of its own. */
export function askedSection({ request, record_id }: Approval): Section<Approval> | undefined {
  if (request === null) return undefined
  const { params, body } = request as { params: object; body: unknown }
  const fields = Object.entries({ ...params, ...(isObject(body) ? body : {}) })
  return {
    title: t('What was asked for'),
    fields: fields
      .filter(([, value]) => value !== record_id)
      .map(([name, value]) => ({
        key: name,
        title: inWords(name),
        render: () => <Asked name={name} value={value} />,
      })),
  }
}
