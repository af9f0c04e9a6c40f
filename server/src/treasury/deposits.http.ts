import { closed, endpoint, id, listEndpoint, queryText, queryTime, queryWords } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import { DEPOSIT_COLUMNS, depositById } from './deposit-rows.ts'
import { DEPOSIT_STATES, DepositRecord } from './deposits.schema.ts'
import type { TreasuryApp } from './wallets.ts'

const MAXIMUM_REFERENCE = 200

export function depositsEndpoints(app: TreasuryApp): Endpoint[] {
  const tag = 'Deposits'
  return [
    listEndpoint({
      path: '/treasury/deposits', tag, summary: 'List deposits', permission: 'treasury.deposits.read', data: DepositRecord,
      query: closed({ system_created_at_from: queryTime(), system_created_at_to: queryTime(), foreign_id: queryText(MAXIMUM_REFERENCE), state: queryWords(DEPOSIT_STATES) }),
      list: ({ principal, query }) => ({
        select: sql`select ${DEPOSIT_COLUMNS} from deposits`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          ...(query.system_created_at_from === undefined ? [] : [sql`system_created_at >= ${query.system_created_at_from}`]),
          ...(query.system_created_at_to === undefined ? [] : [sql`system_created_at < ${query.system_created_at_to}`]),
          ...(query.foreign_id === undefined ? [] : [sql`foreign_id = ${query.foreign_id}`]),
          ...(query.state === undefined ? [] : [sql`state = any(${query.state})`]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'GET', path: '/treasury/deposits/:deposit_id', tag, summary: 'One deposit', permission: 'treasury.deposits.read', effect: 'read',
      params: closed({ deposit_id: id() }), data: DepositRecord,
      handle: ({ params, principal }) => depositById(app.db, principal.workspace, params.deposit_id),
    }),
  ]
}
