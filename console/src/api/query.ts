/**
 * Reading from the service: one hook for a record, what the caller may do, and when a failed read
 * is tried again.
 */
import { KontorError } from '@kontor/client'
import type { DataOf, PathOf, Rest } from '@kontor/client'
import { keepPreviousData, QueryClient, useQuery } from '@tanstack/react-query'
import type { UseQueryResult } from '@tanstack/react-query'
import { client } from './session.ts'

const RETRIES = 4
const LONGEST_PAUSE_MILLISECONDS = 10_000

/** A refusal stays one; a service that does not answer comes back. */
const passes = (error: Error): boolean =>
  !(error instanceof KontorError) || error.status >= 502 || error.status === 429

/** What asks a venue is not asked again of a venue that does not answer: that is told at once. */
export const unlessAnswered = (count: number, error: Error): boolean =>
  count < RETRIES && !(error instanceof KontorError)

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      networkMode: 'always',
      refetchOnWindowFocus: false,
      staleTime: 2_000,
      retry: (count, error) => count < RETRIES && passes(error),
      retryDelay: (count) => Math.min(500 * 2 ** count, LONGEST_PAUSE_MILLISECONDS),
    },
    mutations: { networkMode: 'always', retry: false },
  },
})

/**
 * `enabled: false` waits; `every` asks again after so many milliseconds, for what no event tells.
 */
export type Reading = { enabled?: boolean; every?: number; keep?: boolean }

/**
 * A record or a plain answer: `useGet('/venues')`, `useGet('/bookings/{booking_id}', { params: {
 * booking_id } })`.
 */
export function useGet<P extends PathOf<'get'>>(
  path: P,
  request?: Rest<'get', P>[0],
  { enabled = true, every, keep }: Reading = {},
): UseQueryResult<DataOf<'get', P>> {
  return useQuery({
    queryKey: [path, request ?? null],
    queryFn: ({ signal }) =>
      (client().get as (path: string, given: object) => Promise<DataOf<'get', P>>)(path, {
        ...request,
        signal,
      }),
    enabled,
    ...(every === undefined ? {} : { refetchInterval: every }),
    ...(keep === true ? { placeholderData: keepPreviousData as never } : {}),
  })
}

export type Me = DataOf<'get', '/auth/me'>
export type Permission = Me['permissions'][number]

/** Who the caller is; asked until the service answers, for without it there is no page. */
export function useAsked(): UseQueryResult<Me> {
  return useQuery({
    queryKey: ['/auth/me', null],
    queryFn: () => client().get('/auth/me'),
    staleTime: 60_000,
    retry: (_count, error) => passes(error),
  })
}

/**
 * The sequence of the newest event before the page reads anything; null for who may not read
 * events, undefined until it is known.
 */
export function useNewestEvent(): number | null | undefined {
  const { data, isError } = useQuery({
    queryKey: ['/events', 'newest'],
    queryFn: async ({ signal }) =>
      (await client().page('/events', { query: { newest_first: 'true', limit: '1' }, signal }))
        .items[0]?.sequence ?? 0,
    staleTime: 'static',
    gcTime: 0,
    retry: (_count, error) => passes(error),
  })
  return isError ? null : data
}

/** Undefined until it is known. */
export function useMe(): Me | undefined {
  return useAsked().data
}

/** Whether the caller has this permission; false until it is known. */
export function useMay(permission: Permission | undefined): boolean {
  const me = useMe()
  return permission === undefined || me?.permissions.includes(permission) === true
}

/** Everything that is shown is asked for again. */
export function refreshAll(): Promise<void> {
  return queries.invalidateQueries()
}

/**
 * After a write: the record that it answered stands there at once, so that what is done next names
 * its version.
 */
export function refreshWith(answered: unknown): Promise<void> {
  queries.setQueriesData({ predicate: ({ state }) => isLaterOf(state.data, answered) }, answered)
  return refreshAll()
}

function isLaterOf(known: unknown, answered: unknown): boolean {
  if (
    !isRecord(known) ||
    !isRecord(answered) ||
    known.id !== answered.id ||
    known.version >= answered.version
  )
    return false
  return Object.keys(known).toSorted().join() === Object.keys(answered).toSorted().join()
}

const isRecord = (data: unknown): data is { id: string; version: number } =>
  typeof data === 'object' &&
  data !== null &&
  'id' in data &&
  'version' in data &&
  typeof data.version === 'number'
