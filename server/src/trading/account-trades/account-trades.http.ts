/**
 * GET /toms/:service_id/fills: every trade that is known of a trading service, its own and those
 * made outside.
 */
import { notFound, refuse } from '../../core/errors.ts'
import { firstIdAt } from '../../core/ids.ts'
import type { ServiceId, WorkspaceId } from '../../core/ids.ts'
import { closed, id, listEndpoint, queryTime } from '../../http/index.ts'
import type { Endpoint, ListQuery } from '../../http/index.ts'
import { only } from '../../store/db.ts'
import type { Db, Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { FILL_COLUMNS } from '../executions/rows.ts'
import { FillRecord } from '../executions/fills.schema.ts'
import type { Fill } from '../executions/fills.schema.ts'

export function accountTradeEndpoints({ db }: { db: Db }): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listServiceFills',
      path: '/toms/:service_id/fills',
      origin: 'SPECIFIED',
      tag: 'Executions',
      summary: 'Trades of a trading service, including outside trades',
      permission: 'trading.executions.read',
      data: FillRecord,
      description:
        '`from` and `to` are times of execution, `from` inclusive, `to` exclusive. An outside ' +
        'trade has `execution_id` null. A trade that the venue took back is `busted`.',
      params: closed({ service_id: id<ServiceId>() }),
      query: closed({ from: queryTime(), to: queryTime() }),
      list: ({ params, query, principal }) =>
        listServiceFills(db, principal.workspace, params.service_id, query),
    }),
  ]
}

/** Throws 4004, and 3001 for a service that does not trade. */
async function listServiceFills(
  reader: Reader,
  workspace: WorkspaceId,
  service_id: ServiceId,
  { from, to }: { from?: number; to?: number },
): Promise<ListQuery<Fill>> {
  const service = only(
    await reader.query<{ type: string }>(
      sql`
        select type
        from services
        where workspace = ${workspace}
          and id = ${service_id}`,
    ),
  )
  if (service === undefined) throw notFound('service', service_id, 'service_id')
  if (service.type !== 'TOMS')
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'service_id',
      `service_id names a ${service.type} service, which does not trade`,
    )
  return {
    select: sql`
      select ${FILL_COLUMNS}
      from fills`,
    key: { column: 'id', type: 'uuid' },
    conditions: [
      sql`workspace = ${workspace}`,
      sql`service_id = ${service_id}`,
      ...(from === undefined ? [] : [sql`id >= ${firstIdAt(from)}`]),
      ...(to === undefined ? [] : [sql`id < ${firstIdAt(to)}`]),
    ],
  }
}
