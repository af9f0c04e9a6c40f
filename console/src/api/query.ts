/** Reads from the service: the hook for one record, the caller's permissions, and retries. */
import { KontorError } from '@kontor/client'
import type { DataOf, PathOf, Rest } from '@kontor/client'
import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { client } from './session.ts'

const RETRIES = 4
const LONGEST_PAUSE_MILLISECONDS = 10_000

/** Whether a failed read may succeed later: a refusal stays, an outage ends. */
const isPassing = (error: Error): boolean =>
  !(error instanceof KontorError) || error.status >= 502 || error.status === 429

/** Retries only where the service itself does not answer: an error of a venue is shown at once. */
export const unlessAnswered = (count: number, error: Error): boolean =>
  count < RETRIES && !(error instanceof KontorError)

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      refetchOnWindowFocus: false,
      staleTime: 2_000,
      retry: (count, error) => count < RETRIES && isPassing(error),
      retryDelay: (count) => Math.min(500 * 2 ** count, LONGEST_PAUSE_MILLISECONDS),
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/** The reads whose first answer has not come yet. */
export const FIRST_READS = {
  type: 'active',
  predicate: ({ state }: { state: { data: unknown } }) => state.data === undefined,
} as const

/**
 * `enabled: false` waits; `every` reads again after that many milliseconds, where no event exists.
 */
type Reading = { enabled?: boolean; every?: number; keep?: boolean }

/** Reads one answer: `useGet('/venues')`, `useGet('/bookings/{booking_id}', { params })`. */
export function useGet<P extends PathOf<'get'>>(
  path: P,
  request?: Rest<'get', P>[0],
  { enabled = true, every, keep }: Reading = {},
): UseQueryResult<DataOf<'get', P>> {
  return useQuery({
    queryKey: [path, request ?? null],
    queryFn: ({ signal }) =>
      (client().get as (path: string, request: object) => Promise<DataOf<'get', P>>)(path, {
        ...request,
        signal,
      }),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keep === true ? { placeholderData: keepPreviousData as never } : {}),
  })
}

type Caller = DataOf<'get', '/auth/me'>
export type Me = Caller & { user: NonNullable<Caller['user']> }
export type Permission = Me['permissions'][number]

/** The caller, with the state of the request. It is retried until the service answers. */
export function useMeQuery(): UseQueryResult<Me> {
  return useQuery({
    queryKey: ['/auth/me', null],
    queryFn: async () => asUser(await client().get('/auth/me')),
    staleTime: 60_000,
    retry: (_count, error) => isPassing(error),
  })
}

function asUser({ user, ...caller }: Caller): Me {
  // Programs have keys, and no page.
  if (user === null) throw new Error('the console is for users')
  return { ...caller, user }
}

/**
 * The sequence of the newest event before the page reads anything. Null for callers who may not
 * read events, undefined while it loads.
 */
export function useNewestEvent(): number | null | undefined {
  const { data, isError } = useQuery({
    queryKey: ['/events', 'newest'],
    queryFn: async ({ signal }) =>
      (await client().page('/events', { query: { newest_first: 'true', limit: '1' }, signal }))
        .items[0]?.sequence ?? 0,
    staleTime: 'static',
    gcTime: 0,
    retry: (_count, error) => isPassing(error),
  })
  return isError ? null : data
}

/** The caller; undefined while it loads. */
export function useMe(): Me | undefined {
  return useMeQuery().data
}

/** Whether the caller has this permission; false while it loads. */
export function useMay(permission: Permission | undefined): boolean {
  const me = useMe()
  return permission === undefined || me?.permissions.includes(permission) === true
}

/** Reads everything on the screen again. */
export function refreshAll(): Promise<void> {
  return queries.invalidateQueries()
}

/** After a write: shows the answered record at once, so that the next action names its version. */
export function refreshWith(answer: unknown): Promise<void> {
  queries.setQueriesData({ predicate: ({ state }) => isNewerVersion(answer, state.data) }, answer)
  return refreshAll()
}

/** Whether `answer` is the same record as `known`, with the same fields, in a later version. */
function isNewerVersion(answer: unknown, known: unknown): boolean {
  if (
    !isRecord(known) ||
    !isRecord(answer) ||
    known.id !== answer.id ||
    known.version >= answer.version
  )
    return false
  return Object.keys(known).toSorted().join() === Object.keys(answer).toSorted().join()
}

/** The newest version of this record that has been read; undefined when there is no newer one. */
export function newerVersionOf<Row>(row: Row): Row | undefined {
  const found = queries
    .getQueryCache()
    .getAll()
    .flatMap(({ state }) => recordsIn(state.data))
    .filter((known) => isNewerVersion(known, row)) as { version: number }[]
  return found.toSorted((a, b) => b.version - a.version)[0] as Row | undefined
}

/** A record, a list of them, or the pages of a long one. */
function recordsIn(data: unknown): readonly unknown[] {
  if (Array.isArray(data)) return data
  if (typeof data !== 'object' || data === null || !('pages' in data)) return [data]
  return (data.pages as { items: readonly unknown[] }[]).flatMap(({ items }) => items)
}

const isRecord = (data: unknown): data is { id: string; version: number } =>
  typeof data === 'object' &&
  data !== null &&
  'id' in data &&
  'version' in data &&
  typeof data.version === 'number'
