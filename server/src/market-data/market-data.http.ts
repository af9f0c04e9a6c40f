import { assetInAnyCase, closed, endpoint, queryAssets } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { detailsIn, pricesIn } from './market-data.ts'
import type { MarketDataApp } from './market-data.ts'
import { PriceDetailsShape, PricesRequest, PricesShape } from './market-data.schema.ts'

const description =
  "Prices come from the venues' tickers: the direct pair, its inverse, or the path " +
  'with the most volume. Assets without a fresh price are listed in `stale`, and never ' +
  'guessed.'
const detailsDescription =
  `${description} Market caps take the circulating supply that the aggregator reports; ` +
  'coins without one are listed in `market_cap_stale`.'

const codesOf = ({ assets }: { assets?: readonly string[] | undefined }) =>
  assets?.map((code) => code.toUpperCase())

export function marketDataEndpoints(app: MarketDataApp): Endpoint[] {
  const params = closed({ asset: assetInAnyCase('The asset the others are converted to') })
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
      operation_id: 'getPrices',
      path: '/market-data/prices/v2/:asset',
      origin: 'SPECIFIED',
      summary,
      query,
      data: PricesShape,
      handle: ({ params, query, caller }) =>
        pricesIn(caller, app, params.asset.toUpperCase(), query.assets),
    }),
    endpoint({
      ...common,
      effect: 'read',
      method: 'POST',
      operation_id: 'findPrices',
      path: '/market-data/prices/v2/:asset',
      origin: 'SPECIFIED',
      summary,
      body: PricesRequest,
      example: { assets: ['BTC', 'ETH'] },
      data: PricesShape,
      handle: ({ params, body, caller }) =>
        pricesIn(caller, app, params.asset.toUpperCase(), codesOf(body)),
    }),
    endpoint({
      ...common,
      effect: 'read',
      method: 'GET',
      operation_id: 'getPriceDetails',
      path: '/market-data/prices/v2/:asset/details',
      origin: 'SPECIFIED',
      summary: details,
      description: detailsDescription,
      query,
      data: PriceDetailsShape,
      handle: ({ params, query, caller }) =>
        detailsIn(caller, app, params.asset.toUpperCase(), query.assets),
    }),
    endpoint({
      ...common,
      effect: 'read',
      method: 'POST',
      operation_id: 'findPriceDetails',
      path: '/market-data/prices/v2/:asset/details',
      origin: 'SPECIFIED',
      summary: details,
      description: detailsDescription,
      body: PricesRequest,
      example: { assets: ['BTC', 'ETH'] },
      data: PriceDetailsShape,
      handle: ({ params, body, caller }) =>
        detailsIn(caller, app, params.asset.toUpperCase(), codesOf(body)),
    }),
  ]
}
