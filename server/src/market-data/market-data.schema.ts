import {
  asset,
  assetInAnyCase,
  closed,
  decimalText,
  notNegativeText,
  time,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'

const byAsset = <T>(value: object, description: string) =>
  Type.Unsafe<Record<string, T>>({ type: 'object', additionalProperties: value, description })

const prices = {
  prices: byAsset<string>(
    notNegativeText(),
    'What one unit of each asset is worth in the asset of the path',
  ),
  ages: byAsset<number>(
    Type.Integer({ minimum: 0 }),
    'Milliseconds since the oldest price it was converted with',
  ),
  stale: Type.Array(asset(), { description: 'Left out: there is no fresh price' }),
  timestamp: time(),
}

export const PricesShape = closed(prices, { title: 'Prices' })
export type Prices = Static<typeof PricesShape>

export const PriceDetailsShape = closed(
  {
    ...prices,
    market_cap: byAsset<string>(
      notNegativeText(),
      'Circulating supply × price, in the asset of the path',
    ),
    market_cap_ages: byAsset<number>(
      Type.Integer({ minimum: 0 }),
      'Milliseconds since the aggregator reported the supply; left out where the configuration ' +
        'declares it',
    ),
    market_cap_stale: Type.Array(asset(), {
      description:
        'Coins without a market cap: there is no fresh price, or no supply that is known and fresh',
    }),
    '24h_volume': byAsset<string>(
      notNegativeText(),
      'Traded in 24 hours on all followed pairs, in the asset of the path',
    ),
    '24h_change': byAsset<string>(
      decimalText(),
      'Change of the price over 24 hours as a factor: 0.02 is 2 %; left out where a venue does ' +
        'not say',
    ),
  },
  { title: 'PriceDetails' },
)
export type PriceDetails = Static<typeof PriceDetailsShape>

const MAXIMUM_ASSETS = 100

export const PricesRequest = closed(
  {
    assets: Type.Optional(
      Type.Array(assetInAnyCase(), {
        maxItems: MAXIMUM_ASSETS,
        description: 'All configured assets when absent',
      }),
    ),
  },
  { title: 'PricesRequest' },
)
