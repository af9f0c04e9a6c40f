/**
 * The account's trades at Kraken. They name their order, and the order its client id; fees are in
 * the quote asset.
 */
import type { VenueFill } from '../../contract.ts'
import { readRows } from '../../set-aside/records.ts'
import { exact, optionalText, row, text, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import { rememberClientIds } from '../trades.ts'
import type { TradeSource, ListedTrade } from '../trades.ts'
import { askingFor } from './calls.ts'
import type { KrakenCalls } from './calls.ts'
import { milliseconds } from './vocabulary.ts'

const TRADES_PER_PAGE = 50
const ORDERS_PER_QUERY = 50
const BUSTED = /\bbusted\b/

export function fillOf(id: string, trade: Row, quote: string): VenueFill {
  return {
    foreign_id: id,
    price: exact(trade, 'price'),
    quantity: exact(trade, 'vol'),
    volume: exact(trade, 'cost'),
    fee: exact(trade, 'fee'),
    fee_asset: quote,
    liquidity: liquidityOf(trade),
    executed_at: milliseconds(trade, 'time'),
    busted: BUSTED.test(optionalText(trade, 'misc') ?? ''),
  }
}

function liquidityOf({ maker }: Row): VenueFill['liquidity'] {
  if (typeof maker !== 'boolean') return 'UNKNOWN'
  return maker ? 'MAKER' : 'TAKER'
}

export function krakenTrades({ money, ask }: Pick<KrakenCalls, 'money' | 'ask'>): TradeSource {
  const marketOf = (id: unknown) =>
    Object.values(money.markets ?? {}).find((market) => market.id === id)
  const tradeOf = (id: string, trade: Row): ListedTrade => {
    const market = marketOf(text(trade, 'pair'))
    if (market === undefined) throw unreadableAnswer(`pair ${text(trade, 'pair')}`)
    const side = text(trade, 'type')
    if (side !== 'buy' && side !== 'sell') throw unreadableAnswer('type')
    return {
      ...fillOf(id, trade, market.quote),
      order_foreign_id: text(trade, 'ordertxid'),
      base_asset: market.base,
      quote_asset: market.quote,
      side: side === 'buy' ? 'BUY' : 'SELL',
    }
  }
  return {
    /** Newest first by offset: what comes meanwhile only repeats what was read. */
    async read(since, { fresh } = {}) {
      const seen = new Map<string, Row>()
      for (let offset = 0; ; offset += TRADES_PER_PAGE) {
        const answer = row(
          await ask(
            'TradesHistory',
            {
              ...(since === null ? {} : { start: String(Math.floor(since / 1000) - 1) }),
              ofs: String(offset),
            },
            askingFor(fresh),
          ),
        )
        const page = Object.entries(row(answer['trades']))
        for (const [id, trade] of page) seen.set(id, row(trade))
        if (page.length < TRADES_PER_PAGE) break
      }
      // A pair may be new.
      if ([...seen.values()].some((trade) => marketOf(trade['pair']) === undefined))
        await money.loadMarkets(true)
      const { movements: trades, set_aside } = readRows([...seen], {
        direction: null,
        idOf: ([id]) => id,
        read: ([id, trade]) => [tradeOf(id, trade)],
      })
      return { trades, set_aside }
    },
    clientIds: rememberClientIds(async (order_ids) => {
      const known = new Map<string, string | null>()
      for (let start = 0; start < order_ids.length; start += ORDERS_PER_QUERY) {
        const batch = order_ids.slice(start, start + ORDERS_PER_QUERY)
        const answer = row(await ask('QueryOrders', { txid: batch.join(',') }))
        // One that is not answered may be ours: then its trade was not made outside.
        for (const id of batch) known.set(id, optionalText(row(answer[id]), 'cl_ord_id'))
      }
      return known
    }),
  }
}
