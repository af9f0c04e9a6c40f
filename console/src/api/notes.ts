/** What people noted on records: which records take notes, and how they are read. */
import type { DataOf, ListPath } from '@kontor/client'
import { useQuery } from '@tanstack/react-query'
import { t } from '../language/index.ts'
import { useGet } from './query.ts'
import { client } from './session.ts'

export type Notes = DataOf<'get', '/notes/{kind}/{record_id}'>
export type NotedKind = Notes['kind']
export type Noted = { kind: NotedKind; record_id: string }

/** The word that a page has for its records, and the endpoint of their list. */
const NOTED: Readonly<Record<NotedKind, { what: string; list: ListPath }>> = {
  account: { what: t('Account'), list: '/accounts' },
  api_key: { what: t('API key'), list: '/auth/api-keys' },
  book_transfer: { what: t('Book transfer'), list: '/book-transfers' },
  batch: { what: t('Batch'), list: '/treasury/batches' },
  booking: { what: t('Booking'), list: '/bookings' },
  break: { what: t('Break'), list: '/desk/breaks' },
  customer: { what: t('Customer'), list: '/customers' },
  deposit: { what: t('Deposit'), list: '/treasury/deposits' },
  execution: { what: t('Execution'), list: '/executions' },
  fill: { what: t('Account trade'), list: '/toms/fills' },
  halt: { what: t('Halt'), list: '/desk/halts' },
  job: { what: t('Job'), list: '/treasury/jobs' },
  matching: { what: t('Matching'), list: '/accounts/matchings' },
  payment: { what: t('Payment'), list: '/treasury/payments' },
  price_route: { what: t('Price-stream route'), list: '/price-stream/routes' },
  quote: { what: t('Quote'), list: '/price-stream/quotes' },
  route: { what: t('Treasury route'), list: '/treasury/wallets/routes' },
  set_aside_item: { what: t('Set-aside item'), list: '/treasury/set-aside-items' },
  settlement: { what: t('Settlement'), list: '/settlements' },
  user: { what: t('User'), list: '/users' },
  venue: { what: t('Venue'), list: '/venues' },
  wallet: { what: t('Wallet'), list: '/treasury/wallets' },
  webhook: { what: t('Webhook'), list: '/webhooks' },
  withdrawal: { what: t('Withdrawal'), list: '/treasury/withdrawals' },
}
const KINDS = Object.keys(NOTED) as NotedKind[]
const byWord = new Map(KINDS.map((kind) => [NOTED[kind].what, kind]))
const byList = new Map<string, NotedKind>(KINDS.map((kind) => [NOTED[kind].list, kind]))

/** Undefined for what takes no notes, such as a setting. */
export function notedOf(what: string, row: unknown): Noted | undefined {
  const kind = byWord.get(what)
  const { id } = row as { id?: unknown }
  return kind === undefined || typeof id !== 'string' ? undefined : { kind, record_id: id }
}

/** Undefined for a list whose rows take no notes. */
export const notedKindIn = (path: string): NotedKind | undefined => byList.get(path)

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
