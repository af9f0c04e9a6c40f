/** The list of withdrawals and its filters. */
import type { DepositId, WalletId, WorkspaceId } from '../../core/ids.ts'
import { closed, queryFlag, queryId, queryOneOf, queryReference } from '../../http/index.ts'
import type { ListQuery, Static } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { stateIn } from '../../store/states.ts'
import { columnIn, raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import {
  MOVEMENT_FILTERS,
  movementConditions,
  movementsOf,
  ownerOf,
} from '../assignments/movement-filters.ts'
import { WITHDRAWAL_COLUMNS } from './rows.ts'
import {
  LIVE_STATES,
  STUCK_AFTER_MILLISECONDS,
  WITHDRAWAL_MOVES,
  WITHDRAWAL_STATES,
} from './withdrawals.schema.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

export const WithdrawalFilter = closed({
  state: queryOneOf(WITHDRAWAL_STATES),
  stuck: queryFlag(),
  unassigned: queryFlag(),
  client_ref: queryReference(),
  returns_deposit_id: queryId<DepositId>(),
  ...MOVEMENT_FILTERS,
})

export async function listOfWithdrawals(
  reader: Reader,
  workspace: WorkspaceId,
  query: Static<typeof WithdrawalFilter>,
  now: number,
): Promise<ListQuery<Withdrawal>> {
  const owner = await ownerOf(reader, workspace, query)
  const [first, ...others] = tablesOf(query.wallet_id)
  const select = (table: Query) => sql`
    select ${WITHDRAWAL_COLUMNS}
    from ${movementsOf('withdrawals', workspace, owner, table)}`
  return {
    select: select(first),
    merged: others.map(select),
    conditions: [
      ...(await movementConditions(reader, 'withdrawals', workspace, { ...query, owner })),
      ...(query.state === undefined ? [] : [columnIn('state', query.state)]),
      ...stuckCondition(now, query.stuck),
      ...unassignedCondition(query.unassigned),
      ...(query.client_ref === undefined ? [] : [sql`client_ref = ${query.client_ref}`]),
      ...(query.returns_deposit_id === undefined
        ? []
        : [sql`returns_deposit_id = ${query.returns_deposit_id}`]),
    ],
    key: { column: 'id', type: 'uuid' },
  }
}

/** Those from the wallet and those to it: an index serves each by itself. */
function tablesOf(wallet_id: WalletId | undefined): [Query, ...Query[]] {
  if (wallet_id === undefined) return [sql`withdrawals`]
  const having = (column: 'from_wallet_id' | 'to_wallet_id') => sql`(
      select *
      from withdrawals
      where ${raw(column)} = ${wallet_id}
    ) as withdrawals`
  return [having('from_wallet_id'), having('to_wallet_id')]
}

/** The index of what has not ended serves it. */
const LIVE = stateIn(WITHDRAWAL_MOVES, LIVE_STATES)

function stuckCondition(now: number, stuck: boolean | undefined) {
  const since = now - STUCK_AFTER_MILLISECONDS
  const condition = sql`(${LIVE} and coalesce(submitted_at, system_created_at) <= ${since})`
  if (stuck === undefined) return []
  return [stuck ? condition : sql`not ${condition}`]
}

/** The index of what is unassigned serves it. */
function unassignedCondition(unassigned: boolean | undefined) {
  if (unassigned === undefined) return []
  return [unassigned ? sql`unassigned` : sql`not unassigned`]
}
