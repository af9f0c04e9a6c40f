/**
 * The rows of a list: page after page while one scrolls (keyset cursors), and all of them when they
 * are sorted. Events refresh them. A reader who has scrolled far keeps their rows: loaded rows are
 * updated in place, and a button says that there are newer ones.
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
/** After an event, at most this many pages are read again. */
const FEW_PAGES = 3
/** The size of later pages: scrolling is faster than many small answers. */
const FURTHER_ROWS = 1_000
/** The page size of a sorted list, which is read as a whole. */
const SORTED_PAGE_ROWS = 5_000
/** The shortest time between two reads, however much happens. */
const PAUSE_MILLISECONDS = 1_000
/** Where there is no stream of events. */
const LOOK_AGAIN_MILLISECONDS = 15_000

type Source = {
  path: ListPath
  params?: object | undefined
  query: Readonly<Record<string, string>>
  live: readonly Subject[] | 'all'
  whole: boolean
  /** Read again after this many milliseconds, where no event exists. */
  every?: number | undefined
  /** Whether the first row is in sight. */
  atTop(): boolean
}
type Page = { items: unknown[]; next: string | undefined }
type Param = { cursor?: string; rows: number }
type Pages = InfiniteData<Page, Param>

export type ListRows = {
  rows: readonly unknown[]
  error: unknown
  /** The first page has not arrived. */
  pending: boolean
  more: (() => void) | undefined
  /** All rows are loaded. */
  complete: boolean
  /** Something has changed since these rows were read. */
  stale: boolean
  again(): void
}

export function useRows({ path, params, query, live, whole, every, atTop }: Source): ListRows {
  const key = useMemo(
    () => [path, 'list', params ?? null, query, whole],
    [path, JSON.stringify(params), JSON.stringify(query), whole],
  )
  const [stale, setStale] = useState(false)
  const liveness = useLiveness()
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isPending, error, refetch } =
    useInfiniteQuery<Page, Error, Pages, readonly unknown[], Param>({
      queryKey: key,
      initialPageParam: { rows: pageRows(whole, 0) },
      queryFn: ({ pageParam, signal }) => pageOf({ path, params, query }, pageParam, signal),
      getNextPageParam: ({ next }, pages) =>
        next === undefined ? undefined : { cursor: next, rows: pageRows(whole, pages.length) },
      structuralSharing: (old, fresh) => shareEqual(old as Pages | undefined, fresh as Pages),
      // A refetch reads every page again; that is too much after one has scrolled far.
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
        return updateLoaded(key, { path, params, query }).then(
          () => {
            setStale(true)
          },
          () => undefined,
        )
      if (many) keepFewPages(key)
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

function pageRows(whole: boolean, loadedPages: number): number {
  if (whole) return SORTED_PAGE_ROWS
  return loadedPages < FEW_PAGES ? PAGE_ROWS : FURTHER_ROWS
}

function keepFewPages(key: readonly unknown[]): void {
  queries.setQueryData<Pages>(
    key,
    (old) =>
      old && {
        pages: old.pages.slice(0, FEW_PAGES),
        pageParams: old.pageParams.slice(0, FEW_PAGES),
      },
  )
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
  return (client().page as unknown as (path: string, request: object) => Promise<Page>)(
    path,
    request,
  )
}

/**
 * Equal rows stay the same objects. Pages that were not read again are not compared: with a hundred
 * thousand rows, that would cost more than to draw them.
 */
function shareEqual(old: Pages | undefined, fresh: Pages): Pages {
  return old === undefined
    ? fresh
    : {
        ...fresh,
        pages: fresh.pages.map((page, index) =>
          page === old.pages[index] ? page : replaceEqualDeep(old.pages[index], page),
        ),
      }
}

/** Replaces loaded rows that have changed, and adds none: a new row would move those in sight. */
async function updateLoaded(key: readonly unknown[], list: List): Promise<void> {
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

/** A row that moved between pages while they were read is shown once. */
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
