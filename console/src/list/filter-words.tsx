/** The filters of a list in words, for paper. */
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { PERIODS, zoneName } from '../parts/periods.ts'
import { inWords } from '../parts/status.tsx'
import { Name, Time } from '../parts/values.tsx'
import type { Filter } from './filters.tsx'
import type { ListState } from './state.ts'

type FilterWordsProps = { filters: readonly Filter[]; state: ListState }

export function FilterWords({ filters, state }: FilterWordsProps): ReactNode {
  const set = filters.filter(({ name }) => state.query[name] !== undefined)
  const { chosen } = state.period ?? {}
  return (
    <p>
      {chosen !== undefined && `${PERIODS[chosen]} (${zoneName()}) · `}
      {set.length === 0 && t('All rows, no filter')}
      {set.map((filter, index) => (
        <span key={filter.name}>
          {index > 0 && ' · '}
          {filter.label}: <FilterValue filter={filter} value={state.query[filter.name] ?? ''} />
        </span>
      ))}
    </p>
  )
}

function FilterValue({ filter, value }: { filter: Filter; value: string }): ReactNode {
  switch (filter.kind) {
    case 'words':
      return value.split(',').map(inWords).join(', ')
    case 'flag':
      return value === 'true' ? 'yes' : 'no'
    case 'time':
      return <Time at={Number(value)} />
    case 'text':
    case 'amount':
      return value
    default:
      return <Name of={filter.kind} id={value} />
  }
}
