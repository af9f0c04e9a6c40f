/** The version at which an order and its execution were read, and the state that they come to. */
import { assertMove, move, statesOf } from '../../core/moves.ts'
import type { Guard } from '../../ledger/index.ts'
import type { OrderState } from '../../venues/index.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import { EXECUTION_MOVES, ORDER_MOVES } from '../states.ts'
import type { ExecutionState } from '../states.ts'

export const orderGuard = ({ id, state, version }: OrderRow, to: OrderState): Guard => ({
  table: 'execution_orders',
  resource: 'order',
  id,
  ...(to === state ? { from: [state] } : move(ORDER_MOVES, state, to)),
  version,
})

/** The version alone says whether it has changed meanwhile. */
export function executionGuard(execution: StoredExecution, to: ExecutionState | undefined): Guard {
  if (to !== undefined) assertMove(EXECUTION_MOVES, execution.state, to)
  return {
    table: 'executions',
    resource: 'execution',
    id: execution.id,
    from: statesOf(EXECUTION_MOVES),
    version: execution.version,
    ...(to === undefined ? {} : { to }),
  }
}
