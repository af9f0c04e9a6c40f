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
          ref={keepHeight}
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

/**
 * Beside an open record the filters keep the height that they had, and scroll: the list does not
 * jump under the mouse that opens a row.
 */
function keepHeight(filters: HTMLDivElement | null): (() => void) | undefined {
  if (filters === null) return undefined
  const observer = new ResizeObserver(() => {
    if (document.querySelector('.ant-drawer-open .record') !== null) return
    filters.style.setProperty('--filters-height', `${filters.offsetHeight}px`)
  })
  observer.observe(filters)
  return () => {
    observer.disconnect()
  }
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
