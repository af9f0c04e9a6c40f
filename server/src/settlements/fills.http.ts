/** The fills that a settlement has claimed or can claim. */
import type { FillId, SettlementId } from '../core/ids.ts'
import { closed, endpoint, id, listEndpoint, requiredQueryId } from '../http/index.ts'
import type { Endpoint, ListQuery } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { FILL_COLUMNS, fillById, FillRecord, isClaimableBy, isClaimedBy } from '../trading/index.ts'
import type { Fill } from '../trading/index.ts'
import { venueById } from '../venues/index.ts'
import { settlementById } from './rows.ts'
import type { SettlementsApp } from './rows.ts'

const params = closed({ settlement_id: id<SettlementId>() })
const reading = { tag: 'Settlements', permission: 'settlements.read' } as const

export function fillEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    listEndpoint({
      ...reading,
      operation_id: 'listAvailableFills',
      path: '/settlements/:settlement_id/available-fills',
      origin: 'SPECIFIED',
      summary: 'Fills of a venue that the settlement has claimed or can claim',
      params,
      query: closed({ venue_id: requiredQueryId() }),
      data: FillRecord,
      description:
        'Unsettled fills in its range that no other settlement has claimed. `settlement_id` ' +
        'is set on those that this one has claimed.',
      list: async ({ params: { settlement_id }, query: { venue_id }, principal }) => {
        const { workspace } = principal
        const settlement = await settlementById(app.db, workspace, settlement_id)
        await venueById(app.db, workspace, venue_id)
        return fillsWhere([
          sql`workspace = ${workspace}`,
          sql`venue_id = ${venue_id}`,
          ...isClaimableBy(settlement),
        ])
      },
    }),
    endpoint({
      ...reading,
      method: 'GET',
      operation_id: 'getFill',
      path: '/settlements/fills/:fill_id',
      origin: 'SPECIFIED',
      summary: 'One fill',
      effect: 'read',
      params: closed({ fill_id: id<FillId>() }),
      data: FillRecord,
      handle: ({ params: { fill_id }, principal }) =>
        fillById(app.db, principal.workspace, fill_id),
    }),
    listEndpoint({
      ...reading,
      operation_id: 'listSettlementFills',
      path: '/settlements/:settlement_id/fills',
      origin: { ours: 'shows the fills that a settlement has claimed' },
      summary: 'Fills of the settlement',
      params,
      data: FillRecord,
      list: async ({ params: { settlement_id }, principal: { workspace } }) => {
        await settlementById(app.db, workspace, settlement_id)
        return fillsWhere([sql`workspace = ${workspace}`, isClaimedBy(settlement_id)])
      },
    }),
  ]
}

const fillsWhere = (conditions: Query[]): ListQuery<Fill> => ({
  select: sql`
    select ${FILL_COLUMNS}
    from fills`,
  conditions,
  key: { column: 'id', type: 'uuid' },
})
