/** The account's fills at OKX. They name their order and its client id. */
import { multiply } from '../../../core/decimal.ts'
import type { VenueFill } from '../../contract.ts'
import { rawText, readRows, recordId } from '../../set-aside/records.ts'
import { exact, text, unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { ListedTrade, TradeSource } from '../trades.ts'
import type { Operation } from './money.ts'
import type { OkxCalls } from './calls.ts'
import { fromClientId, milliseconds } from './vocabulary.ts'

const PAGE = 100
const PAGES = 1_000
const SECOND = 1_000
/** `fills` has those of three days, `fills-history` those of three months. */
const RECENT_MILLISECONDS = 2.5 * 86_400_000

/** How many orders' client ids are remembered. */
const REMEMBERED = 10_000

const LIQUIDITY: Readonly<Record<string, VenueFill['liquidity']>> = { M: 'MAKER', T: 'TAKER' }

/**
 * OKX writes a charge as a negative fee and a rebate as a positive one. `billId` is unique within
 * the account, `tradeId` only within the instrument. OKX names no volume.
 */
function fillOf(calls: OkxCalls, fill: Row): VenueFill {
  const [price, quantity] = [exact(fill, 'fillPx'), exact(fill, 'fillSz')]
  return {
    foreign_id: text(fill, 'billId'),
    price,
    quantity,
    volume: multiply(price, quantity, 18, 'down'),
    fee: -exact(fill, 'fee'),
    fee_asset: calls.money.safeCurrencyCode(text(fill, 'feeCcy')),
    liquidity: LIQUIDITY[String(fill['execType'])] ?? 'UNKNOWN',
    executed_at: milliseconds(fill, 'fillTime'),
    // OKX's documents name no fill that is taken back.
    busted: false,
  }
}

const listOf = (since: number | null): Operation =>
  since !== null && Date.now() - since < RECENT_MILLISECONDS
    ? 'GetTradeFills'
    : 'GetTradeFillsHistory'

/** Newest first, page by page: what comes meanwhile only repeats what was read. */
export async function readFills(
  calls: OkxCalls,
  since: number | null,
  parameters: Record<string, string>,
  urgency: 'poll' | 'lookup',
): Promise<Row[]> {
  const seen = new Map<string, Row>()
  let after: Record<string, string> = {}
  for (let page = 0; page < PAGES; page += 1) {
    const begin: Record<string, string> = since === null ? {} : { begin: String(since) }
    const found = await calls.ask(
      listOf(since),
      { instType: 'SPOT', limit: String(PAGE), ...begin, ...parameters, ...after },
      { urgency },
    )
    const earlier = seen.size
    for (const row of found) seen.set(recordId(row['billId'], rawText(row)), row)
    const last = found.at(-1)?.['billId']
    if (found.length < PAGE) return [...seen.values()]
    if (seen.size === earlier || typeof last !== 'string') break
    after = { after: last }
  }
  throw unreadableAnswer('the end of the list of fills')
}

export async function fillsOf(calls: OkxCalls, order: Row): Promise<VenueFill[]> {
  const parameters = { instId: text(order, 'instId'), ordId: text(order, 'ordId') }
  // Whether OKX's `begin` includes its own moment is not documented.
  const since = milliseconds(order, 'cTime') - SECOND
  const fills = await readFills(calls, since, parameters, 'lookup')
  return fills.map((fill) => fillOf(calls, fill))
}

export function okxTrades(calls: OkxCalls): TradeSource {
  const { money } = calls
  /** By order: each fill names the client id of its order. */
  const clients = new Map<string, string | null>()
  const marketOf = (id: unknown) =>
    Object.values(money.markets ?? {}).find((market) => market.id === id)
  const tradeOf = (fill: Row): ListedTrade => {
    const market = marketOf(text(fill, 'instId'))
    if (market === undefined) throw unreadableAnswer(`instrument ${text(fill, 'instId')}`)
    const side = text(fill, 'side')
    if (side !== 'buy' && side !== 'sell') throw unreadableAnswer('side')
    return {
      ...fillOf(calls, fill),
      order_foreign_id: text(fill, 'ordId'),
      base_asset: market.base,
      quote_asset: market.quote,
      side: side === 'buy' ? 'BUY' : 'SELL',
    }
  }
  return {
    async read(since) {
      await calls.ready()
      const listed = await readFills(calls, since, {}, 'poll')
      // A pair may be new.
      if (listed.some((fill) => marketOf(fill['instId']) === undefined))
        await money.loadMarkets(true)
      if (clients.size > REMEMBERED) clients.clear()
      for (const fill of listed) clients.set(String(fill['ordId']), fromClientId(fill, 'clOrdId'))
      const { movements: trades, set_aside } = readRows(listed, {
        direction: null,
        idOf: (fill) => fill['billId'],
        read: (fill) => [tradeOf(fill)],
      })
      return { trades, set_aside }
    },
    // An order that is not there any more is read again: without its id it would not be ours.
    clientIds: async (order_ids) =>
      new Map(
        order_ids.map((order_id) => {
          const known = clients.get(order_id)
          if (known === undefined) throw unreadableAnswer(`order ${order_id}`)
          return [order_id, known]
        }),
      ),
  }
}
