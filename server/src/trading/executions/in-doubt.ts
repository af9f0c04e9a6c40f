/**
 * Executions that may have gone on in what the database has lost. A stop may have triggered there:
 * then its order is at its venue, and nobody here knows. So its order is made again before the stop
 * ends, under the reference that it had, and looked up like any order of that time. Found, it is
 * taken over; certainly absent, the stop ends; while its venue cannot say, all stays blocked.
 */
import { mustExist } from '../../core/assert.ts'
import { decimal, format } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { OrderId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import type { Change } from '../../ledger/index.ts'
import type { Stamp } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { TradingApp } from '../app.ts'
import { hopsOf } from '../routes/routes.ts'
import { EXECUTION_MOVES } from '../states.ts'
import { EXECUTION_TASK, insertOrder } from './rows.ts'
import type { OrderDraft, StoredExecution } from './rows.ts'

/** Whether orders of it may be at their venues that are not known here. */
export async function isInDoubt(
  { history }: TradingApp,
  { system_created_at, looked_up_at }: Pick<StoredExecution, 'system_created_at' | 'looked_up_at'>,
): Promise<boolean> {
  const set_back_at = await history.setBackAt()
  return system_created_at < set_back_at && (looked_up_at ?? 0) < set_back_at
}

/** Of executions: the stops that are in doubt since the database was set back at this time. */
export const isStopInDoubt = (set_back_at: number): Query => sql`
  ${stateIn(EXECUTION_MOVES, 'WAITING_FOR_TRIGGER')}
    and system_created_at < ${set_back_at}
    and coalesce(looked_up_at, 0) < ${set_back_at}`

/** What a stop may have sent, as far as it is known. It is looked for, and never sent. */
export function draftOrderToFind(stop: StoredExecution): OrderDraft & { id: OrderId } {
  const { side, tif_mode, amount } = stop
  return {
    id: newId<OrderId>(),
    hop: mustExist(hopsOf(stop)[0], 'an execution has a hop'),
    side,
    type: 'MARKET',
    tif_mode: tif_mode === 'FOK' ? 'FOK' : 'IOC',
    price: null,
    expires_at: null,
    quantity: format(decimal(amount)),
  }
}

/** The stop waits no more: the work on its order finds out what became of it. */
export function askVenueFirst(stop: StoredExecution, { by, now }: Stamp & { by: string }): Change {
  const { workspace, id, version } = stop
  const order = draftOrderToFind(stop)
  const state = 'UNKNOWN'
  return {
    workspace,
    class: 'fact',
    by,
    guards: [
      {
        table: 'executions',
        resource: 'execution',
        id,
        ...move(EXECUTION_MOVES, 'WAITING_FOR_TRIGGER', state),
        version,
      },
    ],
    rows: [insertOrder(stop, order, { by, now })],
    events: [
      {
        type: 'execution.outcome_unknown',
        resource_id: id,
        data: {
          state,
          order_id: order.id,
          reason: 'it may have triggered in what the database has lost',
        },
      },
    ],
    tasks: [{ kind: EXECUTION_TASK, subject_id: id, due_at: now }],
  }
}
