/** Kraken's public REST operations, version 0: time, status, what is listed, and the market. */
import type { Exchange } from '../exchange.ts'
import { fixed, plain } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Level } from '../order-book.ts'
import { ASSETS, findAsset } from './assets.ts'
import type { Asset } from './assets.ts'
import { FIRST_STEP, FIRST_STEP_VOLUME } from './listing.ts'
import type { Pair } from './pairs.ts'
import { pairsNamed } from './request.ts'
import type { Operation } from './request.ts'

const USUAL_DEPTH = '100'

export function publicOperations(exchange: Exchange): Record<string, Operation> {
  const { world } = exchange
  const perPair = (pairs: readonly Pair[], view: (pair: Pair) => object) =>
    Object.fromEntries(pairs.map((pair) => [pair.id, view(pair)]))
  return {
    Time: () => ({
      unixtime: Math.floor(world.now() / 1000),
      rfc1123: new Date(world.now()).toUTCString(),
    }),
    SystemStatus: () => ({
      status: exchange.status(),
      timestamp: new Date(world.now()).toISOString(),
    }),
    Assets: ({ asset: names }) => {
      const wanted = names?.split(',').map(findAsset)
      return Object.fromEntries(
        ASSETS.filter((asset) => wanted?.includes(asset) ?? true).map((asset) => [
          asset.id,
          assetView(asset),
        ]),
      )
    },
    AssetPairs: ({ pair }) => perPair(pairsNamed(pair), (row) => pairView(exchange, row)),
    Ticker: ({ pair }) => perPair(pairsNamed(pair), (row) => tickerView(exchange, row)),
    Depth: ({ pair, count = USUAL_DEPTH }) =>
      perPair(pairsNamed(pair ?? ''), (row) => depthView(exchange, row, Number(count))),
  }
}

function assetView(asset: Asset): object {
  return {
    aclass: 'currency',
    altname: asset.altname,
    decimals: asset.decimals,
    display_decimals: asset.display_decimals,
    status: 'enabled',
  }
}

function pairView({ rules }: Exchange, pair: Pair): object {
  return {
    altname: pair.altname,
    wsname: pair.wsname,
    aclass_base: 'currency',
    base: pair.base.id,
    aclass_quote: 'currency',
    quote: pair.quote.id,
    lot: 'unit',
    cost_decimals: pair.cost_decimals,
    pair_decimals: pair.pair_decimals,
    lot_decimals: pair.lot_decimals,
    lot_multiplier: 1,
    leverage_buy: [],
    leverage_sell: [],
    fees: stepsOf(rules.taker_fee),
    fees_maker: stepsOf(rules.maker_fee),
    fee_volume_currency: 'ZUSD',
    margin_call: 80,
    margin_stop: 40,
    ordermin: plain(pair.ordermin),
    costmin: plain(pair.costmin),
    tick_size: fixed(10n ** BigInt(18 - pair.pair_decimals), pair.pair_decimals),
    status: 'online',
  }
}

const stepsOf = (fee: Figure): [volume: number, percent: number][] => [
  [0, percent(fee + FIRST_STEP)],
  [FIRST_STEP_VOLUME, percent(fee)],
]

function percent(fee: Figure): number {
  return Number(plain(fee * 100n))
}

function tickerView({ matching, market }: Exchange, pair: Pair): object {
  const { bids, asks } = matching.book(pair)
  const day = market.statistics(pair)
  const price = (value: Figure) => fixed(value, pair.pair_decimals)
  const best = (level: Level | undefined) => [
    price(level?.price ?? 0n),
    '1',
    fixed(level?.quantity ?? 0n, 3),
  ]
  return {
    a: best(asks[0]),
    b: best(bids[0]),
    c: [price(day.last), fixed(pair.ordermin, pair.lot_decimals)],
    v: [fixed(day.volume, 8), fixed(day.volume, 8)],
    p: [price(day.vwap), price(day.vwap)],
    t: [day.trades, day.trades],
    l: [price(day.low), price(day.low)],
    h: [price(day.high), price(day.high)],
    o: price(day.open),
  }
}

function depthView({ world, matching }: Exchange, pair: Pair, count: number): object {
  const { bids, asks } = matching.book(pair)
  const rows = (levels: Level[]) =>
    levels
      .slice(0, count)
      .map((level) => [
        fixed(level.price, pair.pair_decimals),
        fixed(level.quantity, 3),
        Math.floor(world.now() / 1000),
      ])
  return { asks: rows(asks), bids: rows(bids) }
}
