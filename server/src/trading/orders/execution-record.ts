/** What the record of an execution and its events say once a report is taken in. */
import { mustExist } from '../../core/assert.ts'
import { decimal, divide, format, ONE, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { Json } from '../../core/json.ts'
import { isFinal } from '../../core/moves.ts'
import type { EventDraft, EventOf } from '../../ledger/index.ts'
import { updateGuardedRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { EXECUTIONS } from '../executions/rows.ts'
import type { ShareRow, StoredExecution } from '../executions/rows.ts'
import type { FilledPosition, Position } from '../pricing/positions.ts'
import { displayPrice } from '../pricing/pricing.ts'
import { EXECUTION_MOVES } from '../states.ts'
import type { ExecutionState } from '../states.ts'
import type { NextState } from './next-order.ts'

const SLIPPAGE_DIGITS = 8

/** What was filled before and with a report, in all and for each customer. */
export type Positions = {
  before: FilledPosition
  after: FilledPosition
  shares: { share: ShareRow; before: Position; after: Position }[]
}

export function priceText(side: 'BUY' | 'SELL', volume: Decimal, quantity: Decimal): string | null {
  const price = displayPrice(side, volume, quantity)
  return price === undefined ? null : format(price)
}

/** The fields of the execution as a report leaves them; its state and shares apart. */
export function fieldsAfter(
  execution: StoredExecution,
  { after, shares }: Positions,
  completed_at: number | undefined,
  next: NextState | undefined,
) {
  const { side } = execution
  const { amount, volume } = after
  const total = sum(shares.map((share) => share.after.total))
  return {
    filled_amount: format(amount),
    filled_volume: format(volume),
    average_price: priceText(side, volume, amount),
    customer_price: priceText(side, total, amount),
    fee: format(sum(shares.map((share) => share.after.charged))),
    slippage: slippageOf(execution, volume, amount),
    reason_code: next?.reason_code ?? execution.reason_code,
    reason: next?.reason ?? execution.reason,
    completed_at: completed_at ?? execution.completed_at,
    ...wishAfter(next),
  }
}

export const updateExecution = (
  execution: StoredExecution,
  fields: ReturnType<typeof fieldsAfter>,
): Query => {
  const { workspace, id } = execution
  return updateGuardedRow(EXECUTIONS, { where: { workspace, id }, set: fields })
}

/** What goes on is not to be canceled: nobody wishes it, or the venue has refused. */
const wishAfter = (
  next: NextState | undefined,
): Partial<Pick<StoredExecution, 'cancel_requested_at' | 'cancel_requested_by'>> =>
  next?.state === 'PROCESSING' ? { cancel_requested_at: null, cancel_requested_by: null } : {}

/** All customers in one statement. */
export function updateShares({ workspace, id }: StoredExecution, { shares }: Positions): Query {
  return sql`
    update execution_customers c
    set filled_amount = n.amount, filled_volume = n.volume
    from unnest(
      ${shares.map((share) => share.share.customer_no)}::int[],
      ${shares.map((share) => format(share.after.base))}::numeric[],
      ${shares.map((share) => format(share.after.total))}::numeric[]
    ) as n (no, amount, volume)
    where c.workspace = ${workspace}
      and c.execution_id = ${id}
      and c.customer_no = n.no`
}

/** Positive: worse than the top of the book was. */
function slippageOf(
  { top_price, side }: StoredExecution,
  volume: Decimal,
  amount: Decimal,
): string | null {
  if (top_price === null || amount === 0n) return null
  const average = divide(volume, amount, 18, 'half_even')
  const factor = divide(average, decimal(top_price), SLIPPAGE_DIGITS, 'half_even') - ONE
  return format(side === 'BUY' ? factor : -factor)
}

/** What is published when an execution comes to this state. */
const EVENT_OF_STATE: Readonly<Partial<Record<ExecutionState, EventOf<'execution'>>>> = {
  PROCESSING: 'resumed',
  CANCELING: 'resumed',
  UNKNOWN: 'outcome_unknown',
  DONE: 'done',
  CANCELED: 'canceled',
  EXPIRED: 'expired',
  FAILED: 'failed',
}

/** What a report says: new trades, trades taken back, and that the venue would not cancel. */
type Reported = { grown: boolean; shrunk: boolean; refused: boolean }

export function eventsOf(
  execution: StoredExecution,
  positions: Positions,
  next: NextState | undefined,
  reported: Reported,
): EventDraft[] {
  const data = eventData(execution, positions, next)
  return namesOfEvents(execution, next, reported).map((event) => ({
    type: `execution.${event}` as const,
    resource_id: execution.id,
    data,
  }))
}

function namesOfEvents(
  { state }: StoredExecution,
  next: NextState | undefined,
  { grown, shrunk, refused }: Reported,
): EventOf<'execution'>[] {
  const events: EventOf<'execution'>[] = []
  if (grown) events.push(isFinal(EXECUTION_MOVES, state) ? 'filled_late' : 'filled')
  if (shrunk) events.push('fill_busted')
  if (next === undefined) return events
  if (refused) events.push('cancel_refused')
  else if (next.state !== state)
    events.push(mustExist(EVENT_OF_STATE[next.state], `${next.state} has an event`))
  return events
}

/** What every event of a report says of the execution. */
function eventData(
  execution: StoredExecution,
  { after, shares }: Positions,
  next: NextState | undefined,
): Json {
  const { symbol, side, amount, client_ref } = execution
  return {
    state: next?.state ?? execution.state,
    reason_code: next?.reason_code ?? execution.reason_code,
    reason: next?.reason ?? execution.reason,
    symbol,
    side,
    amount,
    client_ref,
    filled_amount: format(after.amount),
    filled_volume: format(after.volume),
    average_price: priceText(side, after.volume, after.amount),
    customers: shares.map((share) => ({
      customer_id: share.share.customer_id,
      filled_amount: format(share.after.base),
      filled_volume: format(share.after.total),
    })),
  }
}
