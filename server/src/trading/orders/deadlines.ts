/** When an order is given up, canceled, or asked about again. */
import type { TaskResult } from '../../store/tasks.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import type { OrderEnd } from './next-order.ts'

/**
 * A sender that has not called the venue this long after its intent does not call it any more. The
 * next look takes the order up.
 */
export const SEND_WITHIN_MILLISECONDS = 5_000
/** An absent order is sent again only after this time: by then its first sender has given up. */
export const SEND_AGAIN_MILLISECONDS = 15_000
/**
 * A person may say what became of an order only after this time. It is longer than any venue takes
 * a request that was signed before: Bitstamp does for 150 s, and twice 10 s are for our own calls.
 */
export const RESOLVE_AFTER_MILLISECONDS = 180_000
/**
 * An order at the market's price that could not be sent within this time is given up. One with a
 * firm price is not.
 */
export const MARKET_ORDER_MILLISECONDS = 60_000
export const LOOK_FIRST_MILLISECONDS = 250
const LOOK_LONGEST_MILLISECONDS = 10_000
/** A venue that still shows the order open after this is asked to cancel once more. */
export const CANCEL_AGAIN_MILLISECONDS = 2_000

/**
 * Why the order shall end though the venue has not ended it. An order of a later hop trades what
 * the hop before has moved: that is brought to its end.
 */
export function requestedEnd(
  { cancel_requested_at, expires_at }: StoredExecution,
  { hop_no }: OrderRow,
  now: number,
): OrderEnd | undefined {
  if (cancel_requested_at !== null && hop_no === 1)
    return { state: 'CANCELED', reason_code: null, reason: 'canceled before it was at the venue' }
  if (expires_at !== null && now >= expires_at)
    return {
      state: 'EXPIRED',
      reason_code: null,
      reason: 'its time ended before it was at the venue',
    }
  return undefined
}

/**
 * After the intent to cancel the venue is asked first, and only what it still shows open is
 * canceled again.
 */
export const mayCancel = (order: OrderRow, now: number): boolean =>
  order.cancel_sent_at === null ||
  (order.state !== 'PENDING_CANCEL' && now - order.cancel_sent_at > CANCEL_AGAIN_MILLISECONDS)

/**
 * A resting order waits for its price anyway, a firm price is kept, and what has begun is brought
 * to its end.
 */
export function isTooLate(
  { firm, execution_type, tif_mode }: StoredExecution,
  order: OrderRow,
  now: number,
): boolean {
  const resting = execution_type === 'LIMIT' && (tif_mode === 'GTC' || tif_mode === 'GTD')
  return (
    !firm &&
    !resting &&
    order.hop_no === 1 &&
    now - order.system_created_at > MARKET_ORDER_MILLISECONDS
  )
}

/**
 * The longer an order takes, the less often it is looked up or tried again. It is looked at once
 * more when its time ends.
 */
export function scheduleLookup(
  { expires_at }: StoredExecution,
  since: number,
  now: number,
): TaskResult {
  const again_at =
    now +
    Math.min(
      LOOK_LONGEST_MILLISECONDS,
      Math.max(LOOK_FIRST_MILLISECONDS, Math.floor((now - since) / 4)),
    )
  return {
    again_at: expires_at !== null && expires_at > now ? Math.min(again_at, expires_at) : again_at,
  }
}
