/** Price-stream routes, as the API shows them and as the configuration file declares them. */
import type { ExecutionId, PriceRouteId, ServiceId, VenueId } from '../../core/ids.ts'
import {
  Type,
  asset,
  closed,
  decimalText,
  flag,
  id,
  integer,
  notNegativeText,
  oneOf,
  optional,
  positiveText,
  record,
  requiredText,
  time,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { MARKET_STATES } from '../../market-data/index.ts'

const hop = closed({
  hop_no: integer(1, 10),
  venue_id: id<VenueId>(),
  service_id: id<ServiceId>('The TOMS service the order goes to'),
  base_asset: asset(),
  quote_asset: asset(),
})
const margins = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: notNegativeText(),
  description: "Margin factor by customer category; a category that is absent has the workspace's",
})

const routeFields = {
  label: requiredText(200),
  symbol: requiredText(50, 'Base and quote asset, e.g. BTC/EUR'),
  base_asset: asset(),
  quote_asset: asset(),
  margin: margins,
  risk_quantile: positiveText('Of the expected shortfall, between 0 and 1, e.g. 0.99'),
  active: flag(),
  min_amount: positiveText('In the base asset'),
  max_amount: positiveText('In the base asset'),
  amount_step: positiveText(),
  price_step: positiveText(),
}

const storedFields = { id: id<PriceRouteId>(), ...routeFields, hops: Type.Array(hop) }
export const StoredPriceRoute = record('StoredPriceStreamRoute', storedFields)

export const PriceRouteRecord = record('PriceStreamRoute', {
  ...storedFields,
  state: oneOf(MARKET_STATES, 'UP: prices are fresh; STALE: too old to trade on; DOWN: no prices'),
})
export type PriceRoute = Static<typeof PriceRouteRecord>

export const PricePointShape = closed(
  {
    at: time('End of the ten seconds'),
    price: decimalText('The middle of bid and ask in the quote asset'),
  },
  { title: 'PricePoint' },
)
export type PricePoint = Static<typeof PricePointShape>

/** A route as the configuration file declares it; venues are named by their key there. */
export const PriceRouteDeclaration = closed(
  {
    key: requiredText(100),
    ...routeFields,
    symbol: optional(routeFields.symbol),
    margin: optional(margins),
    active: optional(flag()),
    hops: Type.Array(
      closed({ venue: requiredText(100), base_asset: asset(), quote_asset: asset() }),
      { minItems: 1, maxItems: 10 },
    ),
  },
  { title: 'PriceRouteDeclaration' },
)
export type DeclaredPriceRoute = Static<typeof PriceRouteDeclaration>

export const RouteFillShape = closed(
  {
    execution_id: id<ExecutionId>(),
    side: oneOf(['BUY', 'SELL']),
    base_asset: asset(),
    price: decimalText('At the venue, in the quote asset of the route'),
    quantity: decimalText('In the base asset'),
    executed_at: time(),
  },
  { title: 'RouteFill' },
)
export type RouteFill = Static<typeof RouteFillShape>
