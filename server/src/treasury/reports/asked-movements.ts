/** The withdrawals that were asked for, as a policy would have seen them. */
import { decimal } from '../../core/decimal.ts'
import type { TreasuryRouteId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import type { Facts } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { UNSUCCESSFUL_STATES, WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'

export type AskedMovement = {
  id: WithdrawalId
  at: number
  by: string
  /** Nothing of it has left. */
  ended: boolean
  asset: string
  quantity: string
  route_id: TreasuryRouteId | null
  customers: { customer_id: string; quantity: string }[]
  is_new: boolean
  since: number
}

/** Newest first. Destinations are as old as they are now. */
export const askedMovements = (
  reader: Reader,
  workspace: WorkspaceId,
  { since, limit }: { since: number; limit: number },
): Promise<AskedMovement[]> =>
  reader.query<AskedMovement>(sql`
    select w.id, w.system_created_at as at, w.system_created_by as by, w.asset, w.quantity,
      w.route_id, ${stateIn(WITHDRAWAL_MOVES, UNSUCCESSFUL_STATES, 'w.state')} as ended,
      not exists (
        select
        from withdrawals earlier
        where earlier.workspace = w.workspace
          and earlier.destination_address = w.destination_address
          and earlier.tag is not distinct from w.tag
          and ${stateIn(WITHDRAWAL_MOVES, 'SUCCESS', 'earlier.state')}
          and earlier.origin <> 'EXTERNAL'
          and earlier.completed_at <= w.system_created_at
      ) as is_new,
      coalesce(greatest(t.address_since, r.destination_since), w.system_created_at) as since,
      coalesce(
        (
          select json_agg(
              json_build_object('customer_id', a.customer_id, 'quantity', a.quantity::text)
            )
          from assignments a
          where a.workspace = w.workspace
            and a.withdrawal_id = w.id
            and a.source = 'ROUTE'
            and a.customer_id is not null
        ),
        '[]'
      ) as customers
    from withdrawals w
    left join wallets t on t.workspace = w.workspace
      and t.id = w.to_wallet_id
    left join treasury_routes r on r.workspace = w.workspace
      and r.id = w.route_id
    where w.workspace = ${workspace}
      and w.origin <> 'EXTERNAL'
      and w.system_created_at >= ${since}
    order by w.system_created_at desc, w.id desc
    limit ${limit}`)

/** What a policy is told of it. */
export const factsOfMovement = (
  { at, asset, quantity, route_id, customers, is_new, since }: AskedMovement,
  requester: Facts['requester'],
): Facts => ({
  command: 'WITHDRAWAL',
  at,
  requester,
  asset,
  quantity: decimal(quantity),
  route_id,
  customers: customers.map((part) => ({ ...part, quantity: decimal(part.quantity) })),
  destination: { is_new, since },
})
