/** The list of deposits and its filters. */
import { firstIdAt } from '../../core/ids.ts'
import type { WithdrawalId, WorkspaceId } from '../../core/ids.ts'
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
import { columnIn, sql } from '../../store/sql.ts'
import {
  MOVEMENT_FILTERS,
  movementConditions,
  movementsOf,
  ownerOf,
} from '../assignments/movement-filters.ts'
import { DEPOSIT_COLUMNS } from '../deposit-rows/rows.ts'
import { DEPOSIT_STATES } from '../deposit-rows/deposits.schema.ts'
import type { Deposit } from '../deposit-rows/deposits.schema.ts'
import { isGoneTwice } from '../withdrawals/gone-twice.ts'

const MAXIMUM_REFERENCE = 200

export const DepositFilter = closed({
  foreign_id: queryReference(MAXIMUM_REFERENCE),
  state: queryOneOf(DEPOSIT_STATES),
  related_withdrawal_id: queryId<WithdrawalId>(),
  gone_twice: queryFlag(),
  ...MOVEMENT_FILTERS,
})

export const DEPOSIT_TOTALS = {
  title: 'DepositTotals',
  by: { asset: asset(), state: oneOf(DEPOSIT_STATES) },
  sums: ['quantity'],
} as const

export async function listOfDeposits(
  reader: Reader,
  workspace: WorkspaceId,
  query: Static<typeof DepositFilter>,
): Promise<ListQuery<Deposit>> {
  const { system_created_at_from: from, system_created_at_to: to } = query
  const owner = await ownerOf(reader, workspace, query)
  return {
    select: sql`
      select ${DEPOSIT_COLUMNS}
      from ${movementsOf('deposits', workspace, owner)}`,
    conditions: [
      ...(from === undefined ? [] : [sql`id >= ${firstIdAt(from)}`]),
      ...(to === undefined ? [] : [sql`id < ${firstIdAt(to)}`]),
      ...(await movementConditions(reader, 'deposits', workspace, { ...query, owner })),
      ...(query.wallet_id === undefined ? [] : [sql`wallet_id = ${query.wallet_id}`]),
      ...(query.foreign_id === undefined ? [] : [sql`foreign_id = ${query.foreign_id}`]),
      ...(query.state === undefined ? [] : [columnIn('state', query.state)]),
      ...(query.related_withdrawal_id === undefined
        ? []
        : [sql`related_withdrawal_id = ${query.related_withdrawal_id}`]),
      ...(query.gone_twice === undefined
        ? []
        : [query.gone_twice ? isGoneTwice : sql`not ${isGoneTwice}`]),
    ],
    key: { column: 'id', type: 'uuid' },
  }
}
