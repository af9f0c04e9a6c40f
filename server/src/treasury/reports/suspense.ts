/**
 * What waits on SUSPENSE, movement by movement, and the assets of which the account says something
 * else. Only a booking by hand on it makes them differ.
 */
import { raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { ASSIGNMENT_MOVES } from '../assignments/assignments.schema.ts'
import { DEPOSIT_MOVES } from '../deposit-rows/deposits.schema.ts'
import type { DepositState } from '../deposit-rows/deposits.schema.ts'

/** Final, and not all of it is booked to accounts. */
export const OPEN_STATES = [
  'UNASSIGNED',
  'PARTIALLY_ASSIGNED',
  'ASSIGNED',
  'REJECTED',
] as const satisfies readonly DepositState[]

/** What of the movement `m` is booked to accounts. */
export const booked = (of: 'deposit_id' | 'withdrawal_id'): Query => sql`(
  select coalesce(sum(a.quantity), 0)
  from assignments a
  where a.workspace = m.workspace
    and a.${raw(of)} = m.id
    and ${stateIn(ASSIGNMENT_MOVES, 'SUCCESSFUL', 'a.state')}
    and a.rectification_id is null
)`

/** One row for each asset of which SUSPENSE and what waits there differ. */
export const suspenseDifferences = (workspace: WorkspaceId): Query => sql`
  select asset
  from (
    select asset, total as quantity
    from balances
    where workspace = ${workspace}
      and account_id = (
        select id
        from accounts
        where workspace = ${workspace}
          and type = 'SUSPENSE'
          and customer_id is null
          and venue_id is null
          and not named
      )
    union all
    select m.asset, ${booked('deposit_id')} + m.returned_unassigned
      - least(m.assignable_quantity, m.quantity - m.transfer_quantity)
    from deposits m
    where m.workspace = ${workspace}
      and ${stateIn(DEPOSIT_MOVES, OPEN_STATES, 'm.state')}
    union all
    select m.asset, trunc(m.quantity - m.transfer_quantity, s.scale) - ${booked('withdrawal_id')}
    from withdrawals m
    join assets s on s.workspace = m.workspace
      and s.code = m.asset
    where m.workspace = ${workspace}
      and m.unassigned
  ) as parts
  group by asset
  having sum(quantity) <> 0`
