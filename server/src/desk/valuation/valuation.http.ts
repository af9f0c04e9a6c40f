import type { AccountId, CustomerId, VenueId } from '../../core/ids.ts'
import {
  closed,
  endpoint,
  listEndpoint,
  queryAsset,
  queryAssets,
  queryDay,
  queryId,
  queryOneOf,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { ACCOUNT_TYPES } from '../../ledger/index.ts'
import { ValuedPosition, ValuedTotals } from './valuation.schema.ts'
import { valuedPositions, valuedTotals } from './valuation.ts'
import type { ValuationApp } from './valuation.ts'

const DAY =
  '`day` (UTC) is by default the one that ended last. At the prices of that day ' +
  '(`/market-data/daily-prices`) in `value_in`, and at no others: what has no price has no ' +
  'value. Refused: RANGE for a day that is not over, UNKNOWN_ASSET.'

const common = {
  tag: 'Bookings',
  permission: 'bookings.read',
  origin: { ours: 'what is held is reported at the prices of a day' },
} as const
const asked = { day: queryDay(), value_in: queryAsset() }

export function valuationEndpoints(app: ValuationApp): Endpoint[] {
  return [
    listEndpoint({
      ...common,
      operation_id: 'listValuedPositions',
      ordered_by: 'id and text',
      path: '/valued-positions',
      summary: "List positions at a day's prices",
      description:
        'What each account of customers, venues and the house held of each asset, as booked ' +
        `before the end of the day. ${DAY}`,
      query: closed({
        ...asked,
        type: queryOneOf(ACCOUNT_TYPES),
        account_id: queryId<AccountId>(),
        customer_id: queryId<CustomerId>(),
        venue_id: queryId<VenueId>(),
        assets: queryAssets(),
      }),
      data: ValuedPosition,
      list: ({ query, principal }) => valuedPositions(app, principal.workspace, query),
    }),
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'getValuedTotals',
      path: '/valued-positions/totals',
      summary: "What positions came to at a day's prices",
      description:
        'By type of account and asset. A total says whether it is complete, and `without_price` ' +
        `names what is in none. ${DAY}`,
      effect: 'read',
      read_cost: 1_000,
      query: closed(asked),
      data: ValuedTotals,
      handle: ({ query, principal }) => valuedTotals(app, principal.workspace, query),
    }),
  ]
}
