/**
 * Filters, sort and columns of a list live in the URL, so that a view can be shared and Back works.
 */
import { useSearchParams } from 'react-router'
import type { NavigateOptions } from 'react-router'
import type { Sort } from './table.tsx'

const SORT = 'sort'
const COLUMNS = 'columns'

/** The page is drawn at once. Drawn later, it would undo what is typed or chosen meanwhile. */
export const AT_ONCE: NavigateOptions = { replace: true, flushSync: true }

export type ListState = {
  /** The query of the endpoint: filter → value. */
  query: Record<string, string>
  filter(name: string, value: string | undefined): void
  clear(): void
  sort: Sort | undefined
  sortBy(key: string): void
  /** Columns chosen by hand; undefined for those of the declaration. */
  columns: readonly string[] | undefined
  choose(columns: readonly string[] | undefined): void
}

export function useListState(filters: readonly string[]): ListState {
  const [params, setParams] = useSearchParams()
  const change = (name: string, value: string | undefined): void => {
    setParams((old) => {
      const next = new URLSearchParams(old)
      if (value === undefined || value === '') next.delete(name)
      else next.set(name, value)
      return next
    }, AT_ONCE)
  }
  const sorted = params.get(SORT)
  const sort =
    sorted === null ? undefined : { key: sorted.replace(/^-/, ''), down: sorted.startsWith('-') }
  return {
    query: Object.fromEntries(
      filters.flatMap((name) => {
        const value = params.get(name)
        return value === null ? [] : [[name, value]]
      }),
    ),
    filter: change,
    clear: () => {
      setParams((old) => {
        const next = new URLSearchParams(old)
        for (const name of filters) next.delete(name)
        return next
      }, AT_ONCE)
    },
    sort,
    // First descending, then ascending, then unsorted.
    sortBy: (key) => {
      if (sort?.key !== key) change(SORT, `-${key}`)
      else change(SORT, sort.down ? key : undefined)
    },
    columns: params.get(COLUMNS)?.split(','),
    choose: (columns) => {
      change(COLUMNS, columns?.join())
    },
  }
}
