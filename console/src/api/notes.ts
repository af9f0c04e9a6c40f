/** What people noted on records: which records take notes, and how they are read. */
import type { DataOf, ListPath } from '@kontor/client'
import { useQuery } from '@tanstack/react-query'
import { useGet } from './query.ts'
import { client } from './session.ts'

export type Notes = DataOf<'get', '/notes/{kind}/{record_id}'>
export type NotedKind = Notes['kind']
export type Noted = { kind: NotedKind; record_id: string }

/** The endpoint of their list. */
const LISTS: Readonly<Record<NotedKind, ListPath>> = {
  account: '/accounts',
  api_key: '/auth/api-keys',
  book_transfer: '/book-transfers',
  batch: '/treasury/batches',
  booking: '/bookings',
  break: '/desk/breaks',
  customer: '/customers',
  deposit: '/treasury/deposits',
  execution: '/executions',
  fill: '/toms/fills',
  halt: '/desk/halts',
  job: '/treasury/jobs',
  matching: '/accounts/matchings',
  payment: '/treasury/payments',
  price_route: '/price-stream/routes',
  quote: '/price-stream/quotes',
  route: '/treasury/wallets/routes',
  screening_case: '/screening/cases',
  set_aside_item: '/treasury/set-aside-items',
  settlement: '/settlements',
  user: '/users',
  venue: '/venues',
  wallet: '/treasury/wallets',
  webhook: '/webhooks',
  withdrawal: '/treasury/withdrawals',
}
const byList = new Map(Object.entries(LISTS).map(([kind, list]) => [list, kind as NotedKind]))
/** A single account trade is read elsewhere than their list. */
const ELSEWHERE: Readonly<Record<string, ListPath>> = {
  '/settlements/fills/{fill_id}': LISTS.fill,
}

/** Of a record that is read at this path. Undefined for what takes no notes, such as a setting. */
export function notedOf(path: string, row: unknown): Noted | undefined {
  const kind = notedKindIn(ELSEWHERE[path] ?? path.replace(/\/\{\w+\}$/, ''))
  const { id } = row as { id?: unknown }
  return kind === undefined || typeof id !== 'string' ? undefined : { kind, record_id: id }
}

/** Undefined for a list whose rows take no notes. */
export const notedKindIn = (path: string): NotedKind | undefined => byList.get(path as ListPath)

export const useNotes = (noted: Noted) => useGet('/notes/{kind}/{record_id}', { params: noted })

/** How long requests for the tags of single rows are gathered. */
const GATHER_MILLISECONDS = 30
/** That one request names. */
const MAXIMUM_RECORDS = 100

type Waiting = { id: string; done(tags: string[]): void; failed(error: unknown): void }
const waiting = new Map<NotedKind, Waiting[]>()

/** Rows that come into sight together are asked about together. */
function tagsOf(kind: NotedKind, id: string): Promise<string[]> {
  return new Promise((done, failed) => {
    const others = waiting.get(kind)
    if (others !== undefined) return others.push({ id, done, failed })
    const all = [{ id, done, failed }]
    waiting.set(kind, all)
    return setTimeout(() => {
      waiting.delete(kind)
      for (let start = 0; start < all.length; start += MAXIMUM_RECORDS)
        readTags(kind, all.slice(start, start + MAXIMUM_RECORDS)).catch(() => undefined)
    }, GATHER_MILLISECONDS)
  })
}

async function readTags(kind: NotedKind, asked: readonly Waiting[]): Promise<void> {
  try {
    const query = { record_ids: asked.map(({ id }) => id).join() }
    const found = await client().get('/tagged/{kind}', { params: { kind }, query })
    const byRecord = Map.groupBy(found, ({ record_id }) => record_id)
    for (const { id, done } of asked)
      done((byRecord.get(id) ?? []).map(({ tag }) => tag).toSorted())
  } catch (error) {
    for (const { failed } of asked) failed(error)
  }
}

export const tagsKey = (kind: NotedKind, id: string) => ['tags', kind, id]

/** The tags of one row of a list. */
export function useTags(kind: NotedKind, id: string): readonly string[] | undefined {
  const queryFn = (): Promise<string[]> => tagsOf(kind, id)
  return useQuery({ queryKey: tagsKey(kind, id), queryFn, staleTime: 60_000 }).data
}
