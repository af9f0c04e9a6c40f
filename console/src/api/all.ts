/** The rows of a list, at most the newest 20,000, for forms in which one of them is chosen. */
import type { DataOf, ListPath } from '@kontor/client'
import { useQuery } from '@tanstack/react-query'
import { client } from './session.ts'

/** After this many rows no further page is read. */
const MAXIMUM_ROWS = 20_000
const PAGE_ROWS = '5000'

type RowOf<P extends ListPath> = DataOf<'get', P> extends readonly (infer Row)[] ? Row : never

/** Undefined while it loads, and for callers who may not read the list. */
export function useAll<P extends ListPath>(path: P): readonly RowOf<P>[] | undefined {
  return useQuery({
    queryKey: [path, 'all'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const rows: RowOf<P>[] = []
      const pages = (
        client().pages as unknown as (path: P, request: object) => AsyncGenerator<RowOf<P>[]>
      )(path, { query: { limit: PAGE_ROWS }, signal })
      for await (const page of pages) {
        rows.push(...page)
        if (rows.length >= MAXIMUM_ROWS) break
      }
      return rows
    },
  }).data
}
