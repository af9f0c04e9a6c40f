/** What is declared, as a person reads it. */
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { differingParts, partsOf } from './declaration-parts.ts'
import type { Part } from './declaration-parts.ts'

export function DeclarationValue({ value }: { value: unknown }): ReactNode {
  return isNothing(value) ? (
    <Nothing>{t('Not declared')}</Nothing>
  ) : (
    <Parts parts={partsOf(value)} />
  )
}

/** What of it another declaration says otherwise. */
export function differences(value: unknown, other: unknown): ReactNode {
  if (isNothing(value) || isNothing(other)) return <DeclarationValue value={value} />
  const parts = differingParts(value, other)
  return parts.length === 0 ? <Nothing>{t('The same')}</Nothing> : <Parts parts={parts} />
}

const isNothing = (value: unknown): boolean => value === null || value === undefined

function Parts({ parts }: { parts: readonly Part[] }): ReactNode {
  return (
    <dl className="setting-group">
      {parts.map(({ key, label, says }) => (
        <div key={key}>
          <dt>{label}</dt>
          <dd className="setting-lines">{says}</dd>
        </div>
      ))}
    </dl>
  )
}

const Nothing = ({ children }: { children: ReactNode }): ReactNode => (
  <span className="nothing">{children}</span>
)
