/** Kraken's REST operations, version 0: each takes the request's fields and answers the `result`, or refuses in Kraken's words. */
import type { Exchange } from '../exchange.ts'
import { figure, fixed, floored, plain, tryFigure } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Deposit, Withdrawal } from '../funding.ts'
import type { Level, Objection } from '../matching.ts'
import type { Order, Trade } from '../orders.ts'
import type { Keys, WithdrawalKey } from './keys.ts'
import { ASSETS, PAIRS, asset as assetOf, findAsset, findPair, pair as pairOf } from './listing.ts'
import type { Asset, Pair } from './listing.ts'

/** Kraken's error text, answered with HTTP 200. */
export class Refusal extends Error {}

export type Fields = Record<string, string | undefined>
export type Operation = (fields: Fields) => unknown

const PAGE = 50
const FUNDING_PAGE = 500
const CL_ORD_ID =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32}|[\x21-\x7e]{1,18})$/i

const seconds = (milliseconds: number | null) => (milliseconds === null ? 0 : milliseconds / 1000)
const instant = (text: string | undefined): number | undefined => {
  if (text === undefined || text === '') return undefined
  const value = Number(text)
  if (!Number.isFinite(value)) throw new Refusal('EGeneral:Invalid arguments')
  return Math.floor(value * 1000)
}
const within = (fields: Fields): { from?: number; to?: number } => {
  const from = instant(fields['start'])
  const to = instant(fields['end'])
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
}
const assetOfField = (name: string | undefined): Asset => {
  const found = name === undefined ? undefined : findAsset(name)
  if (found === undefined) throw new Refusal('EFunding:Unknown asset')
  return found
}
const pairsOfField = (names: string | undefined): Pair[] =>
  names === undefined
    ? [...PAIRS]
    : names.split(',').map((name) => {
        const found = findPair(name)
        if (found === undefined) throw new Refusal('EQuery:Unknown asset pair')
        return found
      })
const OBJECTIONS: Record<Objection, string> = {
  TICK: 'EOrder:Tick size check failed',
  STEP: 'EGeneral:Invalid arguments:volume',
  MINIMUM: 'EOrder:Order minimum not met',
  COST: 'EOrder:Cost minimum not met',
  REFERENCE: 'EGeneral:Invalid arguments:cl_ord_id',
  FUNDS: 'EOrder:Insufficient funds',
}

export function publicOperations(exchange: Exchange): Record<string, Operation> {
  const { world, market, matching } = exchange
  return {
    Time: () => ({
      unixtime: Math.floor(world.now() / 1000),
      rfc1123: new Date(world.now()).toUTCString(),
    }),
    SystemStatus: () => ({
      status: exchange.status(),
      timestamp: new Date(world.now()).toISOString(),
    }),
    Assets: ({ asset }) =>
      Object.fromEntries(
        ASSETS.filter(
          (each) =>
            asset === undefined || asset.split(',').some((name) => findAsset(name) === each),
        ).map((asset) => [
          asset.id,
          {
            aclass: 'currency',
            altname: asset.altname,
            decimals: asset.decimals,
            display_decimals: asset.display_decimals,
            status: 'enabled',
          },
        ]),
      ),
    AssetPairs: ({ pair }) =>
      Object.fromEntries(
        pairsOfField(pair).map((pair) => [
          pair.id,
          {
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
            fees: [[0, percent(exchange.rules.taker_fee)]],
            fees_maker: [[0, percent(exchange.rules.maker_fee)]],
            fee_volume_currency: 'ZUSD',
            margin_call: 80,
            margin_stop: 40,
            ordermin: plain(pair.ordermin),
            costmin: plain(pair.costmin),
            tick_size: fixed(10n ** BigInt(18 - pair.pair_decimals), pair.pair_decimals),
            status: 'online',
          },
        ]),
      ),
    Ticker: ({ pair }) =>
      Object.fromEntries(
        pairsOfField(pair).map((pair) => {
          const { bids, asks } = matching.book(pair)
          const day = market.statistics(pair)
          const price = (value: Figure) => fixed(value, pair.pair_decimals)
          const best = (level: Level | undefined) => [
            price(level?.price ?? 0n),
            '1',
            fixed(level?.quantity ?? 0n, 3),
          ]
          return [
            pair.id,
            {
              a: best(asks[0]),
              b: best(bids[0]),
              c: [price(day.last), fixed(pair.ordermin, pair.lot_decimals)],
              v: [fixed(day.volume, 8), fixed(day.volume, 8)],
              p: [price(day.vwap), price(day.vwap)],
              t: [day.trades, day.trades],
              l: [price(day.low), price(day.low)],
              h: [price(day.high), price(day.high)],
              o: price(day.open),
            },
          ]
        }),
      ),
    Depth: ({ pair, count }) =>
      Object.fromEntries(
        pairsOfField(pair ?? '').map((pair) => {
          const { bids, asks } = matching.book(pair)
          const rows = (levels: Level[]) =>
            levels
              .slice(0, Number(count ?? '100'))
              .map((level) => [
                fixed(level.price, pair.pair_decimals),
                fixed(level.quantity, 3),
                Math.floor(world.now() / 1000),
              ])
          return [pair.id, { asks: rows(asks), bids: rows(bids) }]
        }),
      ),
  }
}

function percent(fee: Figure): number {
  return Number(plain(fee * 100n))
}

export function privateOperations(exchange: Exchange, keys: Keys): Record<string, Operation> {
  const planned = (
    asset: Asset,
    fields: Fields,
  ): { target: WithdrawalKey; gross: Figure; fee: Figure } => {
    const target = keys
      .all()
      .find(
        (withdrawalKey) => withdrawalKey.key === fields['key'] && withdrawalKey.asset === asset.id,
      )
    if (target === undefined) throw new Refusal('EFunding:Unknown withdraw key')
    const gross = tryFigure(fields['amount'] ?? '')
    if (gross === undefined || gross === 0n || floored(gross, asset.transfer_decimals) !== gross)
      throw new Refusal('EFunding:Invalid amount')
    return { target, gross, fee: funding.fee(asset) }
  }
  const { world, accounts, orders, matching, funding } = exchange
  const withTrades = (fields: Fields) => fields['trades'] === 'true'
  const references = (fields: Fields): { cl_ord_id?: string; userref?: number } => ({
    ...(fields['cl_ord_id'] === undefined ? {} : { cl_ord_id: fields['cl_ord_id'] }),
    ...(fields['userref'] === undefined ? {} : { userref: Number(fields['userref']) }),
  })
  const order = (row: Order, trades: boolean) =>
    orderView(row, trades ? orders.tradesOf(row.id) : undefined)

  return {
    Balance: () =>
      Object.fromEntries(
        ASSETS.map((asset) => [
          asset.id,
          fixed(accounts.of('kontor', asset.id).total, asset.decimals),
        ]),
      ),
    BalanceEx: () =>
      Object.fromEntries(
        ASSETS.map((asset) => {
          const { total, held } = accounts.of('kontor', asset.id)
          const line = exchange.rules.credit?.[asset.common]
          return [
            asset.id,
            {
              balance: fixed(total, asset.decimals),
              hold_trade: fixed(held, asset.decimals),
              ...(line === undefined
                ? {}
                : {
                    credit: fixed(figure(line), asset.decimals),
                    credit_used: fixed(0n, asset.decimals),
                  }),
            },
          ]
        }),
      ),

    AddOrder(fields) {
      const pair = findPair(fields['pair'] ?? '')
      if (pair === undefined) throw new Refusal('EQuery:Unknown asset pair')
      const side = fields['type']
      const type = fields['ordertype']
      const tif = (fields['timeinforce'] ?? 'GTC').toUpperCase()
      if (side !== 'buy' && side !== 'sell') throw new Refusal('EGeneral:Invalid arguments:type')
      if (type !== 'market' && type !== 'limit')
        throw new Refusal('EGeneral:Invalid arguments:ordertype')
      if (tif !== 'GTC' && tif !== 'IOC' && tif !== 'GTD')
        throw new Refusal('EGeneral:Invalid arguments:timeinforce')
      const expires_at = expiry(tif, fields['expiretm'], world.now())
      if (fields['oflags'] !== undefined && fields['oflags'] !== 'fciq')
        throw new Refusal('EGeneral:Invalid arguments:oflags')
      const volume = tryFigure(fields['volume'] ?? '')
      if (volume === undefined || volume === 0n)
        throw new Refusal('EGeneral:Invalid arguments:volume')
      const price = type === 'limit' ? tryFigure(fields['price'] ?? '') : 0n
      if (price === undefined || (type === 'limit' && price === 0n))
        throw new Refusal('EGeneral:Invalid arguments:price')
      const cl_ord_id = fields['cl_ord_id'] ?? null
      const userref = fields['userref'] === undefined ? null : Number(fields['userref'])
      if (cl_ord_id !== null && !CL_ORD_ID.test(cl_ord_id))
        throw new Refusal('EGeneral:Invalid arguments:cl_ord_id')
      if (cl_ord_id !== null && userref !== null)
        throw new Refusal('EGeneral:Invalid arguments:cl_ord_id and userref are exclusive')
      const refused = REFUSED_BY_STATUS[exchange.status()]
      if (refused !== undefined && refused.kinds.includes(type)) throw new Refusal(refused.error)
      const placed = matching.place(
        { owner: 'kontor', pair, side, type, tif, expires_at, price, volume, cl_ord_id, userref },
        fields['validate'] === 'true',
      )
      if ('refused' in placed) throw new Refusal(OBJECTIONS[placed.refused])
      const text = describe(pair, { side, type, price, volume })
      return placed.order === undefined
        ? { descr: { order: text } }
        : { descr: { order: text }, txid: [placed.order.id] }
    },
    CancelOrder(fields) {
      const { cl_ord_id, txid } = fields
      const found =
        cl_ord_id === undefined
          ? orders.open().filter((order) => order.id === txid || String(order.userref) === txid)
          : orders.open({ cl_ord_id })
      if (found.length === 0) throw new Refusal('EOrder:Unknown order')
      for (const order of found) matching.cancel(order.id)
      return { count: found.length }
    },
    QueryOrders(fields) {
      const ids = (fields['txid'] ?? '').split(',').filter((part) => part !== '')
      if (ids.length === 0) throw new Refusal('EGeneral:Invalid arguments')
      const found = ids.map((id) => orders.byId(id))
      if (found.some((each) => each === undefined)) throw new Refusal('EOrder:Invalid order')
      return Object.fromEntries(
        found.map((each) => [(each as Order).id, order(each as Order, withTrades(fields))]),
      )
    },
    OpenOrders: (fields) => ({
      open: Object.fromEntries(
        orders.open(references(fields)).map((each) => [each.id, order(each, withTrades(fields))]),
      ),
    }),
    ClosedOrders(fields) {
      const page = orders.closed({
        ...references(fields),
        ...within(fields),
        offset: Number(fields['ofs'] ?? '0'),
        limit: PAGE,
      })
      return {
        closed: Object.fromEntries(
          page.orders.map((each) => [each.id, order(each, withTrades(fields))]),
        ),
        count: page.count,
      }
    },
    QueryTrades(fields) {
      const found = (fields['txid'] ?? '')
        .split(',')
        .filter((part) => part !== '')
        .map((id) => orders.trade(id))
      if (found.length === 0 || found.some((each) => each === undefined))
        throw new Refusal('EGeneral:Invalid arguments')
      return Object.fromEntries(found.map((each) => [(each as Trade).id, tradeView(each as Trade)]))
    },
    TradesHistory(fields) {
      const page = orders.trades({
        ...within(fields),
        offset: Number(fields['ofs'] ?? '0'),
        limit: PAGE,
      })
      return {
        trades: Object.fromEntries(page.trades.map((trade) => [trade.id, tradeView(trade)])),
        count: page.count,
      }
    },

    DepositMethods(fields) {
      const asset = assetOfField(fields['asset'])
      return [
        {
          method: asset.deposit_method,
          limit: false,
          fee: fixed(0n, asset.decimals),
          'gen-address': asset.id !== 'ZEUR',
          minimum: asset.deposit_minimum,
        },
      ]
    },
    DepositAddresses(fields) {
      const asset = assetOfField(fields['asset'])
      if (fields['method'] !== undefined && fields['method'] !== asset.deposit_method)
        throw new Refusal('EFunding:Invalid method')
      const { address, tag } = funding.address(asset)
      return [
        {
          address,
          expiretm: '0',
          new: false,
          ...(tag === null ? {} : { tag }),
          ...(asset.id === 'ZEUR' ? { reference: funding.reference } : {}),
        },
      ]
    },
    DepositStatus: (fields) => funding.deposits(listFilter(fields)).map(depositView),
    WithdrawMethods: ({ asset }) =>
      ASSETS.filter((each) => asset === undefined || each === assetOfField(asset)).map((asset) => ({
        asset: asset.id,
        method: asset.withdraw_method,
        network: asset.network,
        network_id: asset.network_id,
        minimum: fixed(figure(asset.withdraw_minimum), asset.decimals),
        limits: [
          {
            limit_type: 'amount',
            description: '',
            limits: {
              86400: { remaining: asset.withdraw_limit, used: '0', maximum: asset.withdraw_limit },
            },
          },
        ],
      })),
    WithdrawAddresses(fields) {
      const asset = fields['asset'] === undefined ? undefined : assetOfField(fields['asset'])
      return keys
        .all()
        .filter(
          (withdrawalKey) =>
            (asset === undefined || withdrawalKey.asset === asset.id) &&
            (fields['key'] === undefined || withdrawalKey.key === fields['key']),
        )
        .map((withdrawalKey) => ({
          address: withdrawalKey.address,
          asset: withdrawalKey.asset,
          method: assetOf(withdrawalKey.asset).withdraw_method,
          key: withdrawalKey.key,
          ...(withdrawalKey.tag === null ? {} : { tag: withdrawalKey.tag }),
          verified: true,
        }))
    },
    WithdrawInfo(fields) {
      const asset = assetOfField(fields['asset'])
      const { gross, fee } = planned(asset, fields)
      return {
        method: asset.withdraw_method,
        limit: fixed(accounts.free('kontor', asset.id), asset.decimals),
        amount: fixed(gross - fee, asset.decimals),
        fee: fixed(fee, asset.decimals),
      }
    },
    /** The fee comes out of the requested amount. */
    Withdraw(fields) {
      const asset = assetOfField(fields['asset'])
      const { target, gross, fee } = planned(asset, fields)
      if (fields['address'] !== undefined && fields['address'] !== target.address)
        throw new Refusal('EFunding:Invalid withdrawal address')
      if (fields['max_fee'] !== undefined && (tryFigure(fields['max_fee']) ?? 0n) < fee)
        throw new Refusal('EFunding:Max fee exceeded')
      if (gross < figure(asset.withdraw_minimum))
        throw new Refusal('EFunding:Amount less than minimum')
      if (gross <= fee) throw new Refusal('EFunding:Invalid amount')
      const made = funding.withdraw(asset, { ...target, amount: gross - fee, fee })
      if (made === undefined) throw new Refusal('EFunding:Insufficient funds')
      return made
    },
    WithdrawStatus: (fields) => funding.withdrawals(listFilter(fields)).map(withdrawalView),
    WithdrawCancel(fields) {
      return funding.cancel(fields['refid'] ?? '')
    },
  }
}

/** What a halted market refuses; in maintenance every private operation is refused before it comes here. */
const REFUSED_BY_STATUS: Record<string, { kinds: string[]; error: string } | undefined> = {
  cancel_only: { kinds: ['market', 'limit'], error: 'EService:Market in cancel_only mode' },
  limit_only: { kinds: ['market'], error: 'EService:Market in limit_only mode' },
}

function listFilter(fields: Fields): { asset?: string; from?: number; to?: number; limit: number } {
  const asset = fields['asset'] === undefined ? {} : { asset: assetOfField(fields['asset']).id }
  return {
    ...asset,
    ...within(fields),
    limit: Math.min(Number(fields['limit'] ?? FUNDING_PAGE), FUNDING_PAGE),
  }
}

/** Seconds of the clock, or +seconds from now, at least five of them; 0 is never. It goes with GTD and with nothing else. */
function expiry(tif: string, expiretm: string | undefined, now: number): number | null {
  const said = expiretm ?? '0'
  if (!/^\+?[0-9]{1,12}$/.test(said)) throw new Refusal('EGeneral:Invalid arguments:expiretm')
  const at =
    said === '0'
      ? null
      : said.startsWith('+')
        ? now + Number(said.slice(1)) * 1000
        : Number(said) * 1000
  if ((tif === 'GTD') !== (at !== null) || (at !== null && at < now + 5_000))
    throw new Refusal('EGeneral:Invalid arguments:expiretm')
  return at
}

function describe(
  pair: Pair,
  order: { side: string; type: string; price: Figure; volume: Figure },
): string {
  const price =
    order.type === 'limit' ? `limit ${fixed(order.price, pair.pair_decimals)}` : 'market'
  return `${order.side} ${fixed(order.volume, pair.lot_decimals)} ${pair.altname} @ ${price}`
}

function orderView(row: Order, trades: Trade[] | undefined): Record<string, unknown> {
  const pair = pairOf(row.pair)
  const executed = figure(row.executed)
  const average = executed === 0n ? 0n : (figure(row.cost) * 10n ** 18n) / executed
  return {
    refid: null,
    userref: row.userref,
    ...(row.cl_ord_id === null ? {} : { cl_ord_id: row.cl_ord_id }),
    status: row.status,
    ...(row.status === 'open' ? {} : { reason: row.reason, closetm: seconds(row.closed_at) }),
    opentm: seconds(row.opened_at),
    starttm: 0,
    expiretm: seconds(row.expires_at),
    descr: {
      pair: pair.altname,
      type: row.side,
      ordertype: row.type,
      price: row.type === 'limit' ? fixed(figure(row.price), pair.pair_decimals) : '0',
      price2: '0',
      leverage: 'none',
      order: describe(pair, {
        side: row.side,
        type: row.type,
        price: figure(row.price),
        volume: figure(row.volume),
      }),
      close: '',
    },
    vol: fixed(figure(row.volume), pair.lot_decimals),
    vol_exec: fixed(executed, pair.lot_decimals),
    cost: fixed(figure(row.cost), pair.cost_decimals),
    fee: fixed(figure(row.fee), pair.cost_decimals),
    price: fixed(average, pair.pair_decimals),
    stopprice: '0.00000',
    limitprice: '0.00000',
    misc: '',
    oflags: 'fciq',
    ...(trades === undefined || trades.length === 0
      ? {}
      : { trades: trades.map((trade) => trade.id) }),
  }
}

function tradeView(row: Trade): Record<string, unknown> {
  const pair = pairOf(row.pair)
  return {
    ordertxid: row.order_id,
    postxid: 'TKH2SE-M7IF5-CFI7LT',
    pair: pair.id,
    time: seconds(row.at),
    type: row.side,
    ordertype: row.ordertype,
    price: fixed(figure(row.price), pair.pair_decimals),
    cost: fixed(figure(row.cost), pair.cost_decimals),
    fee: fixed(figure(row.fee), pair.cost_decimals),
    vol: fixed(figure(row.volume), pair.lot_decimals),
    margin: '0.00000',
    misc: row.busted_at === null ? '' : 'busted',
    trade_id: row.trade_id,
    maker: row.maker === 1,
  }
}

function depositView(row: Deposit): Record<string, unknown> {
  const asset = assetOf(row.asset)
  return {
    method: asset.deposit_method,
    aclass: 'currency',
    asset: row.asset,
    refid: row.refid,
    txid: row.txid,
    info: row.address,
    amount: fixed(figure(row.amount), asset.decimals),
    fee: fixed(0n, asset.decimals),
    time: Math.floor(row.at / 1000),
    status: row.status,
    ...(row.status_prop === null ? {} : { 'status-prop': row.status_prop }),
  }
}

function withdrawalView(row: Withdrawal): Record<string, unknown> {
  const asset = assetOf(row.asset)
  return {
    method: asset.withdraw_method,
    network: asset.network,
    aclass: 'currency',
    asset: row.asset,
    refid: row.refid,
    txid: row.txid ?? '',
    info: row.address,
    amount: fixed(figure(row.amount), asset.decimals),
    fee: fixed(figure(row.fee), asset.decimals),
    time: Math.floor(row.at / 1000),
    status: row.status,
    key: row.key,
    ...(row.status_prop === null ? {} : { 'status-prop': row.status_prop }),
  }
}
