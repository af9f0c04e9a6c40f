/** Which executions are stuck: under way for long, and not resting at a venue that can be asked. */
import { stateIn } from '../../store/states.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { EXECUTION_MOVES, ORDER_MOVES } from '../states.ts'

/** Of an order that cannot be sent, or is at a venue that cannot be talked to any more. */
export const UNREACHED = 'VENUE_UNREACHABLE'

/** Only an execution that rests at its venue takes longer. */
const STUCK_AFTER_MILLISECONDS = 300_000

/**
 * Of executions `e`: at the market's price, being canceled, resting nowhere because it could not be
 * sent, or where nobody can ask about it.
 */
export function isStuck(now: number): Query {
  const since = now - STUCK_AFTER_MILLISECONDS
  return sql`
    (
      ${stateIn(EXECUTION_MOVES, ['PROCESSING', 'CANCELING'], 'e.state')}
      and case
        when ${stateIn(EXECUTION_MOVES, 'CANCELING', 'e.state')} then
          e.system_updated_at <= ${since}
        else coalesce(e.triggered_at, e.system_created_at) <= ${since}
        and (
          e.execution_type <> 'LIMIT'
          or e.tif_mode not in ('GTC', 'GTD')
          or exists (
            select 1
            from execution_orders o
            where o.workspace = e.workspace
              and o.execution_id = e.id
              and (
                ${stateIn(ORDER_MOVES, 'PENDING_NEW', 'o.state')} and o.sent_at is null
                or o.reason_code = ${UNREACHED}
              )
          )
        )
      end
    )`
}
