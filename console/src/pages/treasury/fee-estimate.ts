/** The fee of a transfer over a route, estimated by the venue while an amount is typed. */
import { isZero, plainAmount } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { useQuery } from '@tanstack/react-query'
import { useDeferredValue, useEffect, useState } from 'react'
import { unlessAnswered } from '../../api/query.ts'
import { client } from '../../api/session.ts'

export type FeeEstimate = DataOf<'post', '/treasury/wallets/routes/{route_id}/estimate-fee'>

export const SPEED_LEVELS = ['DEFAULT', 'FAST', 'SLOW'] as const
export type SpeedLevel = (typeof SPEED_LEVELS)[number]

const TYPING_MILLISECONDS = 400

/** The last value that has not changed for a while. */
function useSettledValue<T>(value: T): T {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => {
      setSettled(value)
    }, TYPING_MILLISECONDS)
    return () => {
      clearTimeout(timer)
    }
  }, [value])
  return settled
}

/** No data without an amount. */
export function useEstimate(route_id: string | undefined, quantity: string | undefined) {
  const amount = plainAmount(quantity)
  const settled = useSettledValue(useDeferredValue(amount))
  const enabled = settled !== undefined && !isZero(settled) && route_id !== undefined
  const { data, error, isFetching } = useQuery({
    queryKey: ['estimate', route_id, settled],
    enabled,
    staleTime: 60_000,
    retry: unlessAnswered,
    queryFn: ({ signal }) =>
      client().post('/treasury/wallets/routes/{route_id}/estimate-fee', {
        params: { route_id: route_id ?? '' },
        body: { quantity: settled ?? '' },
        signal,
      }),
  })
  // An estimate for the previous amount is not shown for this one.
  return { data: settled === amount ? data : undefined, error, isFetching }
}
