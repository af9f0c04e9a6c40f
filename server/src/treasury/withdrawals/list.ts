/** The list of withdrawals and its filters. */
import { firstIdAt, timeOfId } from '../../core/ids.ts'
import type { DepositId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import {
  asset,
  closed,
  oneOf,
  queryFlag,
  queryId,
  queryOneOf,
  queryReference,
} from '../../http/index.ts'
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
import { isOwnerless, OWNERLESS } from './ownerless.ts'
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

export const WITHDRAWAL_TOTALS = {
  title: 'WithdrawalTotals',
  by: { asset: asset(), state: oneOf(WITHDRAWAL_STATES) },
  sums: ['quantity'],
} as const

export async function listOfWithdrawals(
  reader: Reader,
  workspace: WorkspaceId,
  query: Static<typeof WithdrawalFilter>,
  now: number,
): Promise<ListQuery<Withdrawal>> {
  const owner = await ownerOf(reader, workspace, query)
  const [first, ...others] = tablesOf(query)
  const select = (table: Query) => sql`
    select ${WITHDRAWAL_COLUMNS}
    from ${movementsOf('withdrawals', workspace, owner, table)}`
  return {
    select: select(first),
    merged: others.map(select),
    conditions: [
      ...(await movementConditions(reader, 'withdrawals', workspace, { ...query, owner })),
      ...(query.state === undefined ? [] : [columnIn('state', query.state)]),
      ...(await createdConditions(reader, workspace, query)),
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

/** An index serves each by itself: those from a wallet and to it, those that have left or not. */
function tablesOf({
  wallet_id,
  unassigned,
}: Pick<Static<typeof WithdrawalFilter>, 'wallet_id' | 'unassigned'>): [Query, ...Query[]] {
  const having = (condition: Query) => sql`(
      select *
      from withdrawals
      where ${condition}
    ) as withdrawals`
  if (wallet_id !== undefined)
    return [having(sql`from_wallet_id = ${wallet_id}`), having(sql`to_wallet_id = ${wallet_id}`)]
  if (unassigned !== true) return [sql`withdrawals`]
  const [left, inFlight] = OWNERLESS
  return [having(left), having(inFlight)]
}

/** An id is made at most so long before or after the time that its row says. */
const APART_MILLISECONDS = 3_600_000

type CreatedFilter = { system_created_at_from?: number; system_created_at_to?: number }

/**
 * Bounds of the id lead to the rows, with whatever index serves the other filters. `+ 0` keeps the
 * exact times from an index that would give all of a range to sort.
 */
async function createdConditions(
  reader: Reader,
  workspace: WorkspaceId,
  { system_created_at_from: from, system_created_at_to: to }: CreatedFilter,
): Promise<Query[]> {
  const created = raw('(system_created_at + 0)')
  const timeBeside = async (condition: Query, order: 'asc' | 'desc') => {
    const [row] = await reader.query<{ id: WithdrawalId }>(sql`
      select id
      from withdrawals
      where workspace = ${workspace}
        and ${condition}
      order by system_created_at ${raw(order)}
      limit 1`)
    return row === undefined ? [] : [timeOfId(row.id)]
  }
  const before =
    from === undefined ? [] : await timeBeside(sql`system_created_at < ${from}`, 'desc')
  const after = to === undefined ? [] : await timeBeside(sql`system_created_at >= ${to}`, 'asc')
  return [
    ...before.map((time) => sql`id >= ${firstIdAt(Math.max(time - APART_MILLISECONDS, 0))}`),
    ...after.map((time) => sql`id < ${firstIdAt(time + APART_MILLISECONDS)}`),
    ...(from === undefined ? [] : [sql`${created} >= ${from}`]),
    ...(to === undefined ? [] : [sql`${created} < ${to}`]),
  ]
}

/** The index of what has not ended serves it. */
const LIVE = stateIn(WITHDRAWAL_MOVES, LIVE_STATES)

function stuckCondition(now: number, stuck: boolean | undefined) {
  const since = now - STUCK_AFTER_MILLISECONDS
  const condition = sql`(${LIVE} and coalesce(submitted_at, system_created_at) <= ${since})`
  if (stuck === undefined) return []
  return [stuck ? condition : sql`not ${condition}`]
}

function unassignedCondition(unassigned: boolean | undefined) {
  if (unassigned === undefined) return []
  return [unassigned ? isOwnerless : sql`not ${isOwnerless}`]
}
