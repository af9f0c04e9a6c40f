/** Search of the command palette. A searcher answers what it finds for a text; each is asked at the same time. */
import { client } from '../api/session.ts'

export type Hit = { key: string; label: string; hint: string; to: string }
export type Searcher = (text: string, signal: AbortSignal) => Promise<Hit[]>

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** An id leads to its record, whatever it is of. */
const byId: Searcher = async (text, signal) => {
  const id = text.trim().toLowerCase()
  if (!UUID.test(id)) return []
  const looks = [
    client().get('/treasury/deposits/{deposit_id}', { params: { deposit_id: id }, signal }).then(({ asset, quantity }) => ({ label: `Deposit ${quantity} ${asset}`, to: `/treasury/deposits/${id}` })),
    client().get('/treasury/withdrawals/{withdrawals_id}', { params: { withdrawals_id: id }, signal }).then(({ asset, quantity }) => ({ label: `Withdrawal ${quantity} ${asset}`, to: `/treasury/withdrawals/${id}` })),
  ]
  const found = await Promise.allSettled(looks)
  return found.flatMap((each) => (each.status === 'fulfilled' ? [{ key: each.value.to, hint: id, ...each.value }] : []))
}

export const SEARCHERS: Searcher[] = [byId]
