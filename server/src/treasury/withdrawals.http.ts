import { closed, endpoint, id, listEndpoint, queryWords } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import type { TreasuryApp } from './wallets.ts'
import { createWithdrawal, WITHDRAWAL_COLUMNS, withdrawalById } from './withdrawals.ts'
import { CreateWithdrawal, WITHDRAWAL_STATES, WithdrawalRecord } from './withdrawals.schema.ts'

export function withdrawalsEndpoints(app: TreasuryApp): Endpoint[] {
  const tag = 'Withdrawals'
  return [
    listEndpoint({
      path: '/treasury/withdrawals', tag, summary: 'List withdrawals', permission: 'treasury.withdrawals.read', data: WithdrawalRecord,
      query: closed({ state: queryWords(WITHDRAWAL_STATES) }),
      list: ({ principal, query }) => ({
        select: sql`select ${WITHDRAWAL_COLUMNS} from withdrawals`,
        conditions: [sql`workspace = ${principal.workspace}`, ...(query.state === undefined ? [] : [sql`state = any(${query.state})`])],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'GET', path: '/treasury/withdrawals/:withdrawals_id', tag, summary: 'One withdrawal', permission: 'treasury.withdrawals.read', effect: 'read',
      params: closed({ withdrawals_id: id() }), data: WithdrawalRecord,
      handle: ({ params, principal }) => withdrawalById(app.db, principal.workspace, params.withdrawals_id),
    }),
    endpoint({
      method: 'POST', path: '/treasury/wallets/routes/:treasury_route_id/withdrawals', tag, summary: 'Withdraw over a route', permission: 'treasury.withdrawals.create', effect: 'lane',
      description: 'Blocks the amount on the account, if one is given, until the withdrawal succeeds or ends otherwise. Refused: SCALE, BELOW_MINIMUM, ABOVE_MAXIMUM, FEE_MISMATCH, NOT_ALLOWLISTED, TAG_REQUIRED, INVALID_ADDRESS, UNSUPPORTED_BY_VENUE, INSUFFICIENT_BALANCE, NOT_ACTIVE.',
      params: closed({ treasury_route_id: id() }), body: CreateWithdrawal, data: WithdrawalRecord,
      handle: ({ params, body, principal, idempotency }) => createWithdrawal(app, principal.workspace, params.treasury_route_id, body, principal.user_id, idempotency),
    }),
  ]
}
