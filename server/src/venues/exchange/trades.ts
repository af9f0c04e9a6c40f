/**
 * Every trade of the account, from lists that can only be read again by time. The cursor is where
 * to read on from. Each reading goes back a little, for trades of one moment and those that are
 * listed late; now and then it goes back far, for those that the exchange has taken back meanwhile.
 * So a trade is reported more than once, and none is left out.
 */
import type { AccountTrade, Asking, SetAsideRecord } from '../contract.ts'

const NEAR_MILLISECONDS = 20_000
const FAR_MILLISECONDS = 21_600_000
const FAR_EVERY_MILLISECONDS = 900_000
/** How many orders' client ids are remembered. */
const REMEMBERED = 10_000

export type ListedTrade = Omit<AccountTrade, 'client_order_id'>

/** `set_aside`: rows of the list that could not be read. */
type ReadTrades = { trades: ListedTrade[]; set_aside: SetAsideRecord[] }

export type TradeSource = {
  /** All trades from `since` on (null: all there are), in any order. */
  read(since: number | null, asking?: Asking): Promise<ReadTrades>
  /**
   * The client ids of these orders; an order without one is null. Throws when the exchange does not
   * answer.
   */
  clientIds(order_ids: readonly string[]): Promise<ReadonlyMap<string, string | null>>
}

type Cursor = { newest: number; looked_back_at: number }

export async function readTradesSince(
  source: TradeSource,
  cursor: string | null,
  from?: number,
  asking?: Asking,
): Promise<{ trades: AccountTrade[]; set_aside: SetAsideRecord[]; cursor: string | null }> {
  const now = Date.now()
  const known = cursor === null ? undefined : (JSON.parse(cursor) as Cursor)
  const far = known === undefined || now - known.looked_back_at >= FAR_EVERY_MILLISECONDS
  const since =
    known === undefined
      ? (from ?? null)
      : known.newest - (far ? FAR_MILLISECONDS : NEAR_MILLISECONDS)
  const { trades: read, set_aside } = await source.read(since, asking)
  const trades = [
    ...new Map(
      read.map((traded) => [
        `${traded.base_asset} ${traded.quote_asset} ${traded.side} ${traded.foreign_id}`,
        traded,
      ]),
    ).values(),
  ].toSorted((a, b) => a.executed_at - b.executed_at)
  const clients = await source.clientIds([
    ...new Set(trades.map((trade) => trade.order_foreign_id)),
  ])
  const newest = Math.max(known?.newest ?? from ?? 0, ...trades.map((trade) => trade.executed_at))
  return {
    trades: trades.map((trade) => ({
      ...trade,
      client_order_id: clients.get(trade.order_foreign_id) ?? null,
    })),
    set_aside,
    cursor:
      newest === 0
        ? cursor
        : JSON.stringify({
            newest,
            looked_back_at: far ? now : known.looked_back_at,
          } satisfies Cursor),
  }
}

/** An order's client id never changes: each order is asked about once. */
export function rememberClientIds(
  ask: (order_ids: readonly string[]) => Promise<ReadonlyMap<string, string | null>>,
): TradeSource['clientIds'] {
  const known = new Map<string, string | null>()
  return async (order_ids) => {
    const unknown = order_ids.filter((orderId) => !known.has(orderId))
    const answers = unknown.length === 0 ? known : await ask(unknown)
    if (known.size > REMEMBERED) known.clear()
    const found = order_ids.map(
      (orderId) => [orderId, answers.get(orderId) ?? known.get(orderId) ?? null] as const,
    )
    for (const [order_id, client_order_id] of found) known.set(order_id, client_order_id)
    return new Map(found)
  }
}
