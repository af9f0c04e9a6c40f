/** All rows of a list, for forms that choose among them. */
import type { DataOf, ListPath } from '@kontor/client'
import { useQuery } from '@tanstack/react-query'
import { client } from './session.ts'

/** Forms offer the newest of so many. */
const MAXIMUM_ROWS = 20_000
const PAGE_ROWS = '5000'

type RowOf<P extends ListPath> = DataOf<'get', P> extends readonly (infer Row)[] ? Row : never

/** Undefined until they are known, and for whom may not read them. */
export function useAll<P extends ListPath>(path: P): readonly RowOf<P>[] | undefined {
  return useQuery({
    queryKey: [path, 'all'],
    staleTime: 60_000,
    queryFn: async ({ signal }) => {
      const rows: RowOf<P>[] = []
      const pages = (
        client().pages as unknown as (path: P, given: object) => AsyncGenerator<RowOf<P>[]>
      )(path, { query: { limit: PAGE_ROWS }, signal })
      for await (const page of pages) {
        rows.push(...page)
        if (rows.length >= MAXIMUM_ROWS) break
      }
      return rows
    },
  }).data
}
