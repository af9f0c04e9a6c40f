/** What follows an order that has ended: another one, or the end of its execution. */
import { mustExist } from '../../core/assert.ts'
import { decimal, format, greatest } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { canMove } from '../../core/moves.ts'
import type { OrderState } from '../../venues/index.ts'
import type { OrderDraft, OrderRow, StoredExecution } from '../executions/rows.ts'
import type { TradingApp } from '../app.ts'
import { draftMarketOrder } from '../executions/order-drafts.ts'
import { neededAfter } from '../pricing/positions.ts'
import type { FilledPosition, FilledHop } from '../pricing/positions.ts'
import { toStep } from '../pricing/pricing.ts'
import { EXECUTION_MOVES } from '../states.ts'
import type { ExecutionState } from '../states.ts'

/**
 * Why an order ended; `reason_code` when not by the venue's report: it refused it, or it never got
 * it.
 */
export type OrderEnd = {
  state: OrderState
  reason_code: string | null
  reason: string | null
  /** A person entered it: nothing goes out again for what it has not traded. */
  resolved?: true
}

export type NextState = { state: ExecutionState; reason_code: string | null; reason: string | null }

/** The work is tried with at most this many orders, one after the other for what is left. */
const MAXIMUM_ORDERS = 5

type EndedOrder = { execution: StoredExecution; order: OrderRow; orders: readonly OrderRow[] }

/**
 * The order that goes out next: for what a firm price or a later hop still has to trade, or at the
 * next hop for what this one has moved. Throws VenueUnreachable while the steps of the next market
 * are not known.
 */
export async function nextOrder(
  app: TradingApp,
  { execution, order, orders }: EndedOrder,
  end: OrderEnd,
  { hops, target }: { hops: readonly FilledHop[]; target: Decimal },
): Promise<OrderDraft | undefined> {
  const traded = mustExist(
    hops.find((hop) => hop.hop_no === order.hop_no),
    'the order is for a hop of its execution',
  )
  const left = target - traded.amount
  const isWanted = execution.firm && execution.cancel_requested_at === null
  const must = isWanted || order.hop_no > 1
  const tries = orders.filter(({ hop_no }) => hop_no === order.hop_no).length
  if (
    must &&
    left > 0n &&
    end.state !== 'REJECTED' &&
    end.reason_code === null &&
    tries < MAXIMUM_ORDERS
  ) {
    const { side, type, tif_mode, price } = order
    return { hop: order, side, type, tif_mode, price, expires_at: null, quantity: format(left) }
  }
  const hop = execution.hops.find(({ hop_no }) => hop_no === order.hop_no + 1)
  const needed = neededAfter(execution.side, traded)
  if (hop === undefined || needed === 0n) return undefined
  const pair = app.prices.market(hop.venue_id, hop)?.pair
  const { adapter } = await app.venues.connect(execution.workspace, hop.venue_id)
  if (pair === undefined || adapter.trading === undefined)
    throw new ApiError(
      'VenueUnreachable',
      `the market of ${hop.base_asset}/${hop.quote_asset} is not known now`,
    )
  const whole = toStep(needed, pair.amount_step, execution.side === 'BUY' ? 'up' : 'down')
  const quantity =
    execution.side === 'BUY'
      ? greatest(whole, toStep(pair.min_amount, pair.amount_step, 'up'))
      : whole
  if (quantity < pair.min_amount) return undefined
  const name = `the venue of ${hop.base_asset}/${hop.quote_asset}`
  return draftMarketOrder(execution.side, { hop, venue: adapter.trading, name }, quantity)
}

type OrderOutcome = {
  /** UNKNOWN also while another order of the execution is. */
  order: OrderState
  end: OrderEnd | undefined
  /** Another order follows. */
  goesOn: boolean
  filled: FilledPosition
  now: number
  /** Why the venue would not cancel it. */
  refusal: string | undefined
}

/** undefined: the execution stays what it is. */
export function nextState(
  execution: StoredExecution,
  { order, end, goesOn, filled, now, refusal }: OrderOutcome,
): NextState | undefined {
  if (refusal !== undefined && end === undefined)
    return moved(execution.state, 'PROCESSING', null, null)
  if (end === undefined || goesOn) return stateWhileOpen(execution, order)
  return stateAtEnd(execution, end, filled, now)
}

/** undefined: there is no such move. */
const moved = (
  from: ExecutionState,
  to: ExecutionState,
  reason_code: string | null,
  reason: string | null,
): NextState | undefined =>
  canMove(EXECUTION_MOVES, from, to) ? { state: to, reason_code, reason } : undefined

function stateWhileOpen(
  { state, cancel_requested_at }: StoredExecution,
  order: OrderState,
): NextState | undefined {
  if (order === 'UNKNOWN') return moved(state, 'UNKNOWN', null, null)
  if (state !== 'UNKNOWN') return undefined
  return moved(state, cancel_requested_at === null ? 'PROCESSING' : 'CANCELING', null, null)
}

function stateAtEnd(
  execution: StoredExecution,
  end: OrderEnd,
  filled: FilledPosition,
  now: number,
): NextState | undefined {
  const { state, base_asset, expires_at, cancel_requested_at } = execution
  const move = (to: ExecutionState, reason_code: string | null, reason: string | null) =>
    moved(state, to, reason_code, reason)
  const left = decimal(execution.amount) - filled.amount
  const isUnwanted = cancel_requested_at !== null
  if (left <= 0n)
    return isUnwanted
      ? move('DONE', 'FILLED_BEFORE_CANCEL', 'it was filled before it could be canceled')
      : move('DONE', null, null)
  const nothing = filled.hops.every((hop) => hop.amount === 0n)
  if (isUnwanted && (nothing || filled.complete))
    return move('CANCELED', 'CANCELED_ON_REQUEST', null)
  if (expires_at !== null && (end.state === 'EXPIRED' || now >= expires_at))
    return move('EXPIRED', 'EXPIRED', end.reason)
  if (nothing && end.state === 'REJECTED')
    return move(
      'FAILED',
      end.reason_code ?? 'REFUSED_BY_VENUE',
      end.reason ?? 'the venue refused the order',
    )
  if (nothing && end.reason_code !== null && end.resolved !== true)
    return move('FAILED', end.reason_code, end.reason)
  if (!filled.complete)
    return move(
      'CANCELED',
      'HOP_INCOMPLETE',
      end.reason ??
        'a later hop could not be traded for all of ' +
          `${format(decimal(execution.amount))} ${base_asset}`,
    )
  const resting = execution.tif_mode === 'GTC' || execution.tif_mode === 'GTD'
  if (resting && execution.execution_type === 'LIMIT')
    return move(
      'CANCELED',
      end.reason_code ?? 'CANCELED_BY_VENUE',
      end.reason ?? 'the venue has canceled the order',
    )
  return move(
    'CANCELED',
    end.reason_code ?? 'NO_LIQUIDITY',
    end.reason ?? `${format(left)} ${base_asset} were not available at the price`,
  )
}
