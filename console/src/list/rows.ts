/**
 * The rows of a list: page after page as one scrolls (keyset cursors), all of them when they are to
 * be sorted, and fresh when something happens. Who has scrolled far keeps the rows they look at:
 * known ones are renewed, and the rest is told.
 */
import type { ListPath } from '@kontor/client'
import { replaceEqualDeep, useInfiniteQuery } from '@tanstack/react-query'
import type { InfiniteData } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useEvents, useLiveness } from '../api/events.ts'
import type { Subject } from '../api/events.ts'
import { queries } from '../api/query.ts'
import { client } from '../api/session.ts'

const PAGE_ROWS = 200
/** All of so many pages are asked for again when something happens. */
const FEW_PAGES = 3
/** Of those that follow: a wheel is faster than many small answers. */
const FURTHER_ROWS = 1_000
/** Of a list that is to be sorted as a whole. */
const SORTED_PAGE_ROWS = 5_000
/** However much happens, it is asked no more often. */
const PAUSE_MILLISECONDS = 1_000
/** Without a stream of events. */
const LOOK_AGAIN_MILLISECONDS = 15_000

export type Source = {
  path: ListPath
  params?: object | undefined
  query: Readonly<Record<string, string>>
  live: readonly Subject[] | 'all'
  whole: boolean
  /** Asked for again after so many milliseconds, for what no event tells. */ every?:
    | number
    | undefined
  /** Whether the first row is in sight. */ atTop(): boolean
}
type Page = { items: unknown[]; next: string | undefined }
type Param = { cursor?: string; rows: number }
type Pages = InfiniteData<Page, Param>

export type ListRows = {
  rows: readonly unknown[]
  error: unknown
  /** Nothing to show yet. */
  pending: boolean
  more: (() => void) | undefined
  /** All of the result is here. */
  complete: boolean
  /** Something has changed since the rows further down were read. */
  stale: boolean
  again(): void
}

export function useRows({ path, params, query, live, whole, every, atTop }: Source): ListRows {
  const key = useMemo(
    () => [path, 'list', params ?? null, query, whole],
    [path, JSON.stringify(params), JSON.stringify(query), whole],
  ) // eslint-disable-line
  const [stale, setStale] = useState(false)
  const liveness = useLiveness()
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isPending, error, refetch } =
    useInfiniteQuery<Page, Error, Pages, readonly unknown[], Param>({
      queryKey: key,
      initialPageParam: { rows: whole ? SORTED_PAGE_ROWS : PAGE_ROWS },
      queryFn: ({ pageParam, signal }) => pageOf({ path, params, query }, pageParam, signal),
      getNextPageParam: ({ next }, pages) =>
        next === undefined
          ? undefined
          : {
              cursor: next,
              rows: whole ? SORTED_PAGE_ROWS : pages.length < FEW_PAGES ? PAGE_ROWS : FURTHER_ROWS,
            },
      structuralSharing: (old, fresh) => shared(old as Pages | undefined, fresh as Pages),
      // All pages would be asked for again: not those of who has scrolled far.
      refetchInterval: ({ state }) =>
        (state.data?.pages.length ?? 0) > FEW_PAGES
          ? false
          : (every ?? (liveness === 'off' ? LOOK_AGAIN_MILLISECONDS : false)),
    })
  useEffect(() => {
    if (whole && hasNextPage && !isFetchingNextPage) fetchNextPage().catch(() => undefined)
  }, [whole, hasNextPage, isFetchingNextPage, fetchNextPage])

  useEvents(
    live,
    async () => {
      const many = (data?.pages.length ?? 0) > FEW_PAGES
      if (many && (whole || !atTop()))
        return renewKnown(key, { path, params, query }).then(
          () => {
            setStale(true)
          },
          () => undefined,
        )
      if (many)
        queries.setQueryData<Pages>(
          key,
          (old) =>
            old && {
              pages: old.pages.slice(0, FEW_PAGES),
              pageParams: old.pageParams.slice(0, FEW_PAGES),
            },
        )
      await refetch()
      setStale(false)
    },
    PAUSE_MILLISECONDS,
  )
  const again = useCallback(() => {
    setStale(false)
    queries.resetQueries({ queryKey: key }).catch(() => undefined)
  }, [key])
  const more = useCallback(() => {
    if (!isFetchingNextPage) fetchNextPage().catch(() => undefined)
  }, [isFetchingNextPage, fetchNextPage])
  const rows = useMemo(() => unique(data?.pages ?? []), [data])
  return {
    rows,
    error,
    pending: isPending,
    more: hasNextPage && !whole ? more : undefined,
    complete: data !== undefined && !hasNextPage,
    stale,
    again,
  }
}

type List = Pick<Source, 'path' | 'params' | 'query'>

function pageOf(
  { path, params, query }: List,
  { cursor, rows }: Param,
  signal?: AbortSignal,
): Promise<Page> {
  const request = {
    params,
    query: { ...query, limit: String(rows), ...(cursor === undefined ? {} : { cursor }) },
    ...(signal === undefined ? {} : { signal }),
  }
  return (client().page as unknown as (path: string, given: object) => Promise<Page>)(path, request)
}

/**
 * Pages that were not read again are not looked through: with a hundred thousand rows that would
 * cost more than to draw them.
 */
function shared(old: Pages | undefined, fresh: Pages): Pages {
  return old === undefined
    ? fresh
    : {
        ...fresh,
        pages: fresh.pages.map((page, index) =>
          page === old.pages[index] ? page : replaceEqualDeep(old.pages[index], page),
        ),
      }
}

/**
 * What is new would push away the rows that somebody looks at; what has changed among the newest is
 * replaced where it stands.
 */
async function renewKnown(key: readonly unknown[], list: List): Promise<void> {
  const fresh = new Map(
    (await pageOf(list, { rows: PAGE_ROWS })).items.map((item) => [idOf(item), item]),
  )
  queries.setQueryData<Pages>(
    key,
    (old) =>
      old && {
        ...old,
        pages: old.pages.map((page) =>
          page.items.some((item) => fresh.has(idOf(item)))
            ? { ...page, items: page.items.map((item) => fresh.get(idOf(item)) ?? item) }
            : page,
        ),
      },
  )
}

const idOf = (item: unknown): unknown => (item as { id?: string }).id ?? item

/** A row that moved from page to page while they were read stands once, as it was read last. */
function unique(pages: readonly Page[]): readonly unknown[] {
  const seen = new Map<unknown, unknown>()
  for (const { items } of pages) {
    for (const item of items) {
      const id = idOf(item)
      if (!seen.has(id)) seen.set(id, item)
    }
  }
  return [...seen.values()]
}
