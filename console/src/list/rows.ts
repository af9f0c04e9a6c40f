/**
 * The rows of a list: page after page as one scrolls (keyset cursors), all of them when they are to be sorted, and
 * fresh when something happens. With few pages all are asked for again; with many only the first, and the rest is told to be old.
 */
import type { ListPath } from '@kontor/client'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { InfiniteData } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { useEvents, useLiveness } from '../api/events.ts'
import type { Subject } from '../api/events.ts'
import { queries } from '../api/query.ts'
import { client } from '../api/session.ts'

const PAGE_ROWS = 200
/** Of a list that is to be sorted as a whole. */
const SORTED_PAGE_ROWS = 5_000
const FEW_PAGES = 3
/** Without a stream of events. */
const LOOK_AGAIN_MILLISECONDS = 15_000

export type Source = { path: ListPath; params?: object | undefined; query: Readonly<Record<string, string>>; live: readonly Subject[]; whole: boolean; /** Asked for again after so many milliseconds, for what no event tells. */ every?: number | undefined }
type Page = { items: unknown[]; next: string | undefined }

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

export function useRows({ path, params, query, live, whole, every }: Source): ListRows {
  const key = useMemo(() => [path, 'list', params ?? null, query, whole], [path, JSON.stringify(params), JSON.stringify(query), whole]) // eslint-disable-line
  const [stale, setStale] = useState(false)
  const liveness = useLiveness()
  const fetched = useInfiniteQuery<Page, Error, InfiniteData<Page>, readonly unknown[], string | undefined>({
    queryKey: key,
    initialPageParam: undefined,
    queryFn: ({ pageParam, signal }) => pageOf(path, params, { ...query, limit: String(whole ? SORTED_PAGE_ROWS : PAGE_ROWS), ...(pageParam === undefined ? {} : { cursor: pageParam }) }, signal),
    getNextPageParam: (page) => page.next,
    ...(every !== undefined ? { refetchInterval: every } : liveness === 'off' ? { refetchInterval: LOOK_AGAIN_MILLISECONDS } : {}),
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage, isPending, error, refetch } = fetched
  useEffect(() => { if (whole && hasNextPage && !isFetchingNextPage) fetchNextPage().catch(() => undefined) }, [whole, hasNextPage, isFetchingNextPage, fetchNextPage])

  useEvents(live.length === 0 ? NONE : live, () => {
    if (live.length === 0) return
    if ((data?.pages.length ?? 0) <= FEW_PAGES) refetch().catch(() => undefined)
    else renewFirst(key, path, params, query, whole).then(() => { setStale(true) }, () => undefined)
  })
  const again = useCallback(() => { setStale(false); queries.resetQueries({ queryKey: key }).catch(() => undefined) }, [key])
  const more = useCallback(() => { if (!isFetchingNextPage) fetchNextPage().catch(() => undefined) }, [isFetchingNextPage, fetchNextPage])
  const rows = useMemo(() => unique(data?.pages ?? []), [data])
  return { rows, error, pending: isPending, more: hasNextPage && !whole ? more : undefined, complete: data !== undefined && !hasNextPage, stale, again }
}

const NONE: readonly Subject[] = ['booking']

function pageOf(path: ListPath, params: object | undefined, query: object, signal?: AbortSignal): Promise<Page> {
  return (client().page as unknown as (path: string, given: object) => Promise<Page>)(path, { params, query, ...(signal === undefined ? {} : { signal }) })
}

/** What is new stands in front; what has changed among the newest is replaced. */
async function renewFirst(key: readonly unknown[], path: ListPath, params: object | undefined, query: Readonly<Record<string, string>>, whole: boolean): Promise<void> {
  const fresh = await pageOf(path, params, { ...query, limit: String(whole ? SORTED_PAGE_ROWS : PAGE_ROWS) })
  queries.setQueryData<InfiniteData<Page>>(key, (old) => {
    if (old === undefined) return old
    // The cursor of the old first page leads on from where the old second began: rows in between stay once.
    const [first, ...rest] = old.pages
    return { ...old, pages: [{ items: [...fresh.items, ...(first?.items ?? [])], next: first?.next }, ...rest] }
  })
}

/** A row that moved from page to page while they were read stands once, as it was read last. */
function unique(pages: readonly Page[]): readonly unknown[] {
  const seen = new Map<unknown, unknown>()
  for (const { items } of pages) {
    for (const item of items) {
      const id = (item as { id?: string }).id ?? item
      if (!seen.has(id)) seen.set(id, item)
    }
  }
  return [...seen.values()]
}
