/** The pairs the exchange lists, with the names, precisions and minimums Kraken publishes. */
import { figure } from '../figures.ts'
import type { Pair as CommonPair } from '../rules.ts'
import { asset } from './assets.ts'
import type { Asset } from './assets.ts'

export type Pair = CommonPair & {
  altname: string
  wsname: string
  base: Asset
  quote: Asset
  cost_decimals: number
}

export const PAIRS: readonly Pair[] = [
  {
    id: 'XXBTZEUR',
    altname: 'XBTEUR',
    wsname: 'XBT/EUR',
    symbol: 'BTC/EUR',
    base: asset('XXBT'),
    quote: asset('ZEUR'),
    pair_decimals: 1,
    lot_decimals: 8,
    cost_decimals: 5,
    ordermin: figure('0.00005'),
    costmin: figure('0.5'),
    opening: figure('60000'),
    lot: figure('0.4'),
  },
  {
    id: 'XETHZEUR',
    altname: 'ETHEUR',
    wsname: 'ETH/EUR',
    symbol: 'ETH/EUR',
    base: asset('XETH'),
    quote: asset('ZEUR'),
    pair_decimals: 2,
    lot_decimals: 8,
    cost_decimals: 5,
    ordermin: figure('0.001'),
    costmin: figure('0.5'),
    opening: figure('2400'),
    lot: figure('5'),
  },
  {
    id: 'XETHXXBT',
    altname: 'ETHXBT',
    wsname: 'ETH/XBT',
    symbol: 'ETH/BTC',
    base: asset('XETH'),
    quote: asset('XXBT'),
    pair_decimals: 5,
    lot_decimals: 8,
    cost_decimals: 10,
    ordermin: figure('0.001'),
    costmin: figure('0.00002'),
    opening: figure('0.04'),
    lot: figure('5'),
  },
  {
    id: 'XXRPZEUR',
    altname: 'XRPEUR',
    wsname: 'XRP/EUR',
    symbol: 'XRP/EUR',
    base: asset('XXRP'),
    quote: asset('ZEUR'),
    pair_decimals: 5,
    lot_decimals: 8,
    cost_decimals: 8,
    ordermin: figure('2'),
    costmin: figure('0.5'),
    opening: figure('1.9'),
    lot: figure('4000'),
  },
  {
    id: 'USDCEUR',
    altname: 'USDCEUR',
    wsname: 'USDC/EUR',
    symbol: 'USDC/EUR',
    base: asset('USDC'),
    quote: asset('ZEUR'),
    pair_decimals: 4,
    lot_decimals: 8,
    cost_decimals: 6,
    ordermin: figure('5'),
    costmin: figure('0.5'),
    opening: figure('0.86'),
    lot: figure('5000'),
  },
  {
    id: 'XLTCZEUR',
    altname: 'LTCEUR',
    wsname: 'LTC/EUR',
    symbol: 'LTC/EUR',
    base: asset('XLTC'),
    quote: asset('ZEUR'),
    pair_decimals: 2,
    lot_decimals: 8,
    cost_decimals: 5,
    ordermin: figure('0.05'),
    costmin: figure('0.5'),
    opening: figure('90'),
    lot: figure('60'),
  },
  {
    id: 'XXLMZEUR',
    altname: 'XLMEUR',
    wsname: 'XLM/EUR',
    symbol: 'XLM/EUR',
    base: asset('XXLM'),
    quote: asset('ZEUR'),
    pair_decimals: 6,
    lot_decimals: 8,
    cost_decimals: 8,
    ordermin: figure('20'),
    costmin: figure('0.5'),
    opening: figure('0.25'),
    lot: figure('20000'),
  },
]

export function pair(id: string): Pair {
  const found = findPair(id)
  if (found === undefined) throw new Error(`no pair ${id}`)
  return found
}

/** By id, altname, websocket name or symbol. */
export function findPair(name: string): Pair | undefined {
  return PAIRS.find(
    (pair) =>
      pair.id === name || pair.altname === name || pair.wsname === name || pair.symbol === name,
  )
}
