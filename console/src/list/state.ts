/**
 * Filters, sort and columns of a list live in the URL, so that a view can be shared and Back works.
 * A range of days is kept by its name, and is read as the times that it means by now.
 */
import { useSearchParams } from 'react-router'
import type { NavigateOptions } from 'react-router'
import { isPeriod, rangeOf, useDay } from '../parts/periods.ts'
import type { Period } from '../parts/periods.ts'
import type { Sort } from './table.tsx'

const SORT = 'sort'
const COLUMNS = 'columns'
const PERIOD = 'period'
export const NEWS = 'news_after'

/** The page is drawn at once. Drawn later, it would undo what is typed or chosen meanwhile. */
export const AT_ONCE: NavigateOptions = { replace: true, flushSync: true }

export type ListState = {
  /** The query of the endpoint: filter → value. */
  query: Record<string, string>
  filter(name: string, value: string | undefined): void
  clear(): void
  /** Only what is new is shown: what has an event after a sequence. */
  onlyNews: boolean
  showNews(after: number | undefined): void
  /** Undefined where the list has no times to choose from. */
  period: { chosen: Period | undefined; choose(period: Period | undefined): void } | undefined
  sort: Sort | undefined
  sortBy(key: string): void
  /** Columns chosen by hand; undefined for those of the declaration. */
  columns: readonly string[] | undefined
  choose(columns: readonly string[] | undefined): void
  /** Filters, sort and columns as they stand in the URL. */
  view: string
  show(view: string): void
}

type NamedFilter = { name: string; kind: string }

/** The names of the filters for the beginning and the end of a time. */
function timesOf(filters: readonly NamedFilter[]): { from: string; to: string } | undefined {
  const named = (ending: RegExp): string | undefined =>
    filters.find(({ kind, name }) => kind === 'time' && ending.test(name))?.name
  const [from, to] = [named(/(^|_)from$/), named(/(^|_)to$/)]
  return from === undefined || to === undefined ? undefined : { from, to }
}

export function useListState(filters: readonly NamedFilter[]): ListState {
  const [params, setParams] = useSearchParams()
  const day = useDay()
  const names = filters.map(({ name }) => name)
  const times = timesOf(filters)
  const period = times === undefined ? null : params.get(PERIOD)
  const set = (edit: (next: URLSearchParams) => void): void => {
    setParams((old) => {
      const next = new URLSearchParams(old)
      edit(next)
      return next
    }, AT_ONCE)
  }
  const put = (next: URLSearchParams, name: string, value: string | undefined): void => {
    if (value === undefined || value === '') next.delete(name)
    else next.set(name, value)
  }
  const change = (name: string, value: string | undefined): void => {
    set((next) => {
      put(next, name, value)
    })
  }
  const sort = sortOf(params)
  const query = Object.fromEntries(
    names.flatMap((name) => {
      const value = params.get(name)
      return value === null ? [] : [[name, value]]
    }),
  )
  const range = times !== undefined && isPeriod(period) ? timesIn(period, times, day) : {}
  return {
    query: { ...query, ...range, ...newsOf(params) },
    // A time that is chosen by hand replaces the range.
    filter: (name, value) => {
      set((next) => {
        if (times !== undefined && Object.values(times).includes(name)) {
          for (const [bound, at] of Object.entries(range)) next.set(bound, at)
          next.delete(PERIOD)
        }
        put(next, name, value)
      })
    },
    clear: () => {
      set((next) => {
        for (const name of [...names, PERIOD, NEWS]) next.delete(name)
      })
    },
    ...newsState(params, change),
    period: times && {
      chosen: isPeriod(period) ? period : undefined,
      choose: (chosen) => {
        set((next) => {
          for (const name of Object.values(times)) next.delete(name)
          put(next, PERIOD, chosen)
        })
      },
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
    ...viewOf(params, set, [...names, PERIOD, SORT, COLUMNS]),
  }
}

const newsState = (
  params: URLSearchParams,
  change: (name: string, value: string | undefined) => void,
): Pick<ListState, 'onlyNews' | 'showNews'> => ({
  onlyNews: params.has(NEWS),
  showNews: (after) => {
    change(NEWS, after?.toString())
  },
})

function newsOf(params: URLSearchParams): Record<string, string> {
  const after = params.get(NEWS)
  return after === null ? {} : { [NEWS]: after }
}

function sortOf(params: URLSearchParams): Sort | undefined {
  const sorted = params.get(SORT)
  return sorted === null
    ? undefined
    : { key: sorted.replace(/^-/, ''), down: sorted.startsWith('-') }
}

function timesIn(
  period: Period,
  { from, to }: { from: string; to: string },
  day: number,
): Record<string, string> {
  const range = rangeOf(period, day)
  return {
    [from]: String(range.from),
    ...(range.to === undefined ? {} : { [to]: String(range.to) }),
  }
}

/** What else stands in the URL (the account of a statement, for example) is no part of a view. */
function viewOf(
  params: URLSearchParams,
  set: (edit: (next: URLSearchParams) => void) => void,
  names: readonly string[],
): Pick<ListState, 'view' | 'show'> {
  const partsOf = (all: URLSearchParams): [string, string][] =>
    [...all].filter(([name]) => names.includes(name)).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return {
    view: new URLSearchParams(partsOf(params)).toString(),
    show: (view) => {
      set((next) => {
        for (const name of names) next.delete(name)
        for (const [name, value] of partsOf(new URLSearchParams(view))) next.set(name, value)
      })
    },
  }
}
