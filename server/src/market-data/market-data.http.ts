import { asset, closed, endpoint, queryAssets } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { detailsIn, pricesIn } from './market-data.ts'
import type { MarketDataApp } from './market-data.ts'
import { PriceDetailsShape, PricesRequest, PricesShape } from './market-data.schema.ts'

const description =
  "Prices come from the venues' tickers: the direct pair, its inverse, or the path of the best volume. What has no fresh price is named in `stale`, never guessed."
const detailsDescription = `${description} Market caps take the circulating supply that the aggregator told; coins without one are named in \`market_cap_stale\`.`

export function marketDataEndpoints(app: MarketDataApp): Endpoint[] {
  const params = closed({ asset: asset('The asset the others are converted to') })
  const query = closed({ assets: queryAssets() })
  const common = {
    tag: 'Market data',
    permission: 'market-data.read',
    params,
    description,
  } as const
  const summary = 'Prices of assets in another'
  const details = `${summary}, with market cap, volume and change`
  return [
    endpoint({
      ...common,
      effect: 'read',
      method: 'GET',
      path: '/market-data/prices/v2/:asset',
      origin: 'SPECIFIED',
      summary,
      query,
      data: PricesShape,
      handle: ({ params: { asset: target }, query: { assets }, principal }) =>
        pricesIn(app, principal.workspace, target, assets),
    }),
    endpoint({
      ...common,
      effect: 'read',
      method: 'POST',
      path: '/market-data/prices/v2/:asset',
      origin: 'SPECIFIED',
      summary,
      body: PricesRequest,
      example: { assets: ['BTC', 'ETH'] },
      data: PricesShape,
      handle: ({ params: { asset: target }, body: { assets }, principal }) =>
        pricesIn(app, principal.workspace, target, assets),
    }),
    endpoint({
      ...common,
      effect: 'read',
      method: 'GET',
      path: '/market-data/prices/v2/:asset/details',
      origin: 'SPECIFIED',
      summary: details,
      description: detailsDescription,
      query,
      data: PriceDetailsShape,
      handle: ({ params: { asset: target }, query: { assets }, principal }) =>
        detailsIn(app, principal.workspace, target, assets),
    }),
    endpoint({
      ...common,
      effect: 'read',
      method: 'POST',
      path: '/market-data/prices/v2/:asset/details',
      origin: 'SPECIFIED',
      summary: details,
      description: detailsDescription,
      body: PricesRequest,
      example: { assets: ['BTC', 'ETH'] },
      data: PriceDetailsShape,
      handle: ({ params: { asset: target }, body: { assets }, principal }) =>
        detailsIn(app, principal.workspace, target, assets),
    }),
  ]
}
