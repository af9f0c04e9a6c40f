/** The filters of a list, on screen and in words, and what stands there when nothing matches. */
import { Button } from 'antd'
import type { ReactNode } from 'react'
import { lowered, Trans, t } from '../language/index.ts'
import { PrintHead } from '../parts/printing.tsx'
import { Empty } from '../parts/states.tsx'
import { FilterWords } from './filter-words.tsx'
import { Filters } from './filters.tsx'
import type { Filter } from './filters.tsx'
import type { ListState } from './state.ts'

/** On paper the filters are words. */
export function FilterBar({
  title,
  filters,
  state,
}: {
  title: string
  filters: readonly Filter[]
  state: ListState
}): ReactNode {
  return (
    <>
      {filters.length > 0 && (
        <div
          className="filters"
          role="search"
          aria-label={t('Filter {{title}}', { title: lowered(title) })}
        >
          <Filters filters={filters} state={state} />
        </div>
      )}
      <PrintHead>
        <FilterWords filters={filters} state={state} />
      </PrintHead>
    </>
  )
}

export function NoRows({
  state,
  empty,
}: {
  state: ListState
  empty: { title: string; text: ReactNode }
}): ReactNode {
  if (Object.keys(state.query).length === 0) return <Empty title={empty.title}>{empty.text}</Empty>
  return (
    <Empty title={t('No rows match these filters')}>
      <Trans
        i18nKey="Change or clear the filters. <button>Clear filters</button>"
        components={{ button: <Button type="link" size="small" onClick={state.clear} /> }}
      />
    </Empty>
  )
}
