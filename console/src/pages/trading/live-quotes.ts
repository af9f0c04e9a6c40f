/** Prices for both sides of a ticket, refreshed before they expire. */
import type { RequestOf } from '@kontor/client'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { client } from '../../api/session.ts'
import type { Quote } from './quote-sides.tsx'

/** An indicative quote is valid for five seconds. */
const REFRESH_MILLISECONDS = 4_000

export type Ask = Pick<
  RequestOf<'post', '/price-stream/quotes'>['body'],
  'customer_id' | 'request_asset' | 'request_quantity' | 'margin'
> & { route_ids: readonly string[] }
export type Answer = { route_id: string; quote: Quote } | { route_id: string; error: unknown }

type LiveQuotes = {
  answers: readonly Answer[]
  /** The answers belong to the previous request. */
  old: boolean
}

/** Pauses while the page is hidden. */
export function useLiveQuotes(ask: Ask | undefined, paused: boolean): LiveQuotes {
  const { data, isPlaceholderData } = useQuery({
    queryKey: ['live quotes', ask],
    enabled: ask !== undefined && !paused,
    refetchInterval: REFRESH_MILLISECONDS,
    staleTime: 0,
    gcTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      Promise.all((ask?.route_ids ?? []).map((route_id) => answerOf(route_id, ask as Ask, signal))),
  })
  return { answers: ask === undefined ? [] : (data ?? []), old: isPlaceholderData }
}

async function answerOf(
  route_id: string,
  { route_ids: _others, ...request }: Ask,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    return {
      route_id,
      quote: await client().post('/price-stream/quotes', {
        body: { ...request, route_id, risk_duration_ms: 0 },
        signal,
      }),
    }
  } catch (error) {
    signal.throwIfAborted()
    return { route_id, error }
  }
}

export function holdPrice(
  { route_ids: [route_id = ''], ...request }: Ask,
  risk_duration_ms: 10_000 | 30_000 | 60_000,
): Promise<Quote> {
  return client().post('/price-stream/quotes', { body: { ...request, route_id, risk_duration_ms } })
}
