/** What people noted on records: which records take notes, and how they are read. */
import type { DataOf } from '@kontor/client'
import { useQuery } from '@tanstack/react-query'
import { useGet } from './query.ts'
import { client } from './session.ts'

export type Notes = DataOf<'get', '/notes/{kind}/{record_id}'>
export type NotedKind = Notes['kind']
export type Noted = { kind: NotedKind; record_id: string }

/** By the word that a page has for its records. */
const KINDS: Readonly<Record<string, NotedKind>> = {
  Account: 'account',
  'Account trade': 'fill',
  'API key': 'api_key',
  'Book transfer': 'book_transfer',
  Booking: 'booking',
  Break: 'break',
  Customer: 'customer',
  Deposit: 'deposit',
  Execution: 'execution',
  Halt: 'halt',
  Job: 'job',
  Matching: 'matching',
  Payment: 'payment',
  'Price-stream route': 'price_route',
  Quote: 'quote',
  'Set-aside item': 'set_aside_item',
  Settlement: 'settlement',
  'Treasury route': 'route',
  User: 'user',
  Venue: 'venue',
  Wallet: 'wallet',
  Webhook: 'webhook',
  Withdrawal: 'withdrawal',
}

/** Undefined for what takes no notes, such as a setting. */
export function notedOf(what: string, row: unknown): Noted | undefined {
  const kind = KINDS[what]
  const { id } = row as { id?: unknown }
  return kind === undefined || typeof id !== 'string' ? undefined : { kind, record_id: id }
}

/** By the endpoint of the list. */
const LISTS: Readonly<Record<string, NotedKind>> = {
  '/accounts': 'account',
  '/accounts/matchings': 'matching',
  '/auth/api-keys': 'api_key',
  '/book-transfers': 'book_transfer',
  '/bookings': 'booking',
  '/customers': 'customer',
  '/desk/breaks': 'break',
  '/desk/halts': 'halt',
  '/executions': 'execution',
  '/price-stream/quotes': 'quote',
  '/price-stream/routes': 'price_route',
  '/settlements': 'settlement',
  '/toms/{service_id}/fills': 'fill',
  '/treasury/deposits': 'deposit',
  '/treasury/jobs': 'job',
  '/treasury/payments': 'payment',
  '/treasury/set-aside-items': 'set_aside_item',
  '/treasury/wallets': 'wallet',
  '/treasury/wallets/routes': 'route',
  '/treasury/withdrawals': 'withdrawal',
  '/users': 'user',
  '/venues': 'venue',
  '/webhooks': 'webhook',
}

/** Undefined for a list whose rows take no notes. */
export const notedKindIn = (path: string): NotedKind | undefined => LISTS[path]

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
