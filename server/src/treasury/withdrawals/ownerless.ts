/**
 * Withdrawals without an owner: those that have left and are not wholly assigned, and those in
 * flight that will be so when they leave. A person assigns them. What goes back to its sender from
 * SUSPENSE needs no owner.
 */
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { ASSIGNMENT_MOVES } from '../assignments/assignments.schema.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** The index of what is unassigned serves it. */
const HAS_LEFT = sql`unassigned`

/** The index of what has not ended serves it. */
const IN_FLIGHT = sql`(
      ${stateIn(WITHDRAWAL_MOVES, LIVE_STATES)}
      and returns_deposit_id is null
      and not venue_charge
      and quantity - transfer_quantity > (
        select coalesce(sum(a.quantity), 0)
        from assignments a
        where a.workspace = withdrawals.workspace
          and a.withdrawal_id = withdrawals.id
          and a.rectification_id is null
          and ${stateIn(ASSIGNMENT_MOVES, ['PENDING', 'SUCCESSFUL'], 'a.state')}
      )
    )`

/** No withdrawal is in both. */
export const OWNERLESS: readonly [Query, Query] = [HAS_LEFT, IN_FLIGHT]
export const isOwnerless: Query = sql`(${HAS_LEFT} or ${IN_FLIGHT})`
