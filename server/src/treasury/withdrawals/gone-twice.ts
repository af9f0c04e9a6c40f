/**
 * Deposits that are gone twice: to their sender, and taken back by their venue. They are open while
 * a return is in flight, nobody bears one that has left, or the account that returned it is
 * overdrawn by it.
 */
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

/** Of rows of `deposits`. An index serves it. */
export const isGoneTwice: Query = sql`
  (
    ${stateIn(DEPOSIT_MOVES, 'REVERSED', 'deposits.state')}
    and (deposits.returned_quantity > 0 or deposits.returning_quantity > 0)
    and exists (
      select
      from withdrawals w
      left join balances b on b.workspace = w.workspace
        and b.account_id = w.account_id
        and b.asset = w.asset
      where w.workspace = deposits.workspace
        and w.returns_deposit_id = deposits.id
        and (
          w.unassigned
          or ${stateIn(WITHDRAWAL_MOVES, LIVE_STATES, 'w.state')}
          or (${stateIn(WITHDRAWAL_MOVES, 'SUCCESS', 'w.state')} and b.total < 0)
        )
    )
  )`
