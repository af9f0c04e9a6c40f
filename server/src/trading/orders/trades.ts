/** The trades of an execution as they are stored, and with those that a venue reports. */
import { decimal, format, sum } from '../../core/decimal.ts'
import { idAt } from '../../core/ids.ts'
import type { FillId, OrderId } from '../../core/ids.ts'
import type { Guard, LedgerStep } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { insertRow, updateGuardedRow, updateRow } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { OrderReport, VenueFill, VenueRecord } from '../../venues/index.ts'
import { FILLS, ORDERS } from '../executions/rows.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'
import type { Trade } from '../pricing/positions.ts'
import { priceText } from './execution-record.ts'
import { guardSettlements } from './outside-fills.ts'
import type { OutsideFill } from './outside-fills.ts'
import type { Proceeds } from './unsettled-fills.ts'

export const WORKER = 'trading'

export type ExecutionTrade = Trade & {
  id: FillId
  order_id: OrderId
  foreign_id: string
  busted: boolean
  /** The person who entered it. */
  entered_by: string | null
}

/** An order of an execution, and its venue. */
type OrderAtVenue = {
  execution: StoredExecution
  order: OrderRow
  venue: Pick<VenueRecord, 'id' | 'settlement'>
}

type StoredTrade = {
  id: FillId
  order_id: OrderId
  hop_no: number
  foreign_id: string
  quantity: string
  volume: string
  fee: string
  fee_asset: string
  busted: boolean
  entered_by: string | null
}

export async function readTrades(
  reader: Reader,
  { workspace, id }: StoredExecution,
): Promise<ExecutionTrade[]> {
  const rows = await reader.query<StoredTrade>(
    sql`
      select id, order_id, hop_no, foreign_id, quantity, volume, fee, fee_asset, busted,
        entered_by
      from fills
      where workspace = ${workspace}
        and execution_id = ${id}
      order by id`,
  )
  return rows.map((row) => ({
    ...row,
    quantity: decimal(row.quantity),
    volume: decimal(row.volume),
    fee: decimal(row.fee),
  }))
}

/** What a venue reports of an order: the trades before and with it, and what is written of it. */
type MergedTrades = {
  before: readonly ExecutionTrade[]
  after: readonly ExecutionTrade[]
  rows: Query[]
  /** Of what new ones have booked as made outside. */
  reversals: LedgerStep[]
  /** Of the settlements that hold them. */
  guards: Guard[]
  fresh: number
  busted: number
}

/** What is reported, and of what somebody has entered, by whom. */
type ReportedTrades = {
  fills: readonly VenueFill[]
  report?: OrderReport
  now: number
  /** Those of them that are booked as made outside: the order takes them over. */
  outside?: readonly OutsideFill[]
  entered_by?: string | null
  /** What a person has entered gives way to what is reported. */
  replace?: boolean
}

/** A trade reported again changes nothing, except that it is taken back. */
export function mergeTrades(
  { execution, order, venue }: OrderAtVenue,
  before: readonly ExecutionTrade[],
  { fills, report, now, outside = [], entered_by = null, replace = false }: ReportedTrades,
): MergedTrades {
  const known = new Map(
    before.filter((trade) => trade.order_id === order.id).map((trade) => [trade.foreign_id, trade]),
  )
  const reported = [...new Map(fills.map((fill) => [fill.foreign_id, fill])).values()]
  const outdated = replace ? [...known.values()].filter((one) => isOutdated(one, reported)) : []
  for (const { foreign_id } of outdated) known.delete(foreign_id)
  const fresh = reported
    .filter((fill) => !known.has(fill.foreign_id))
    .map((fill) => freshTrade(fill, outside))
  const busted = new Set([
    ...outdated.map((trade) => trade.id),
    ...reported.flatMap((fill) => {
      const trade = known.get(fill.foreign_id)
      return fill.busted && trade?.busted === false ? [trade.id] : []
    }),
  ])
  const after = [
    ...before.map((trade) => (busted.has(trade.id) ? { ...trade, busted: true } : trade)),
    ...fresh.map(({ id, fill }) => ({ ...tradeOf(order, id, fill), entered_by })),
  ]
  const stamp = { by: WORKER, now }
  const { workspace } = execution
  return {
    before,
    after,
    rows: [
      // The venue's own trade may have the id.
      ...outdated.map(({ id, foreign_id }) =>
        updateRow(FILLS, {
          where: { workspace, id },
          set: { foreign_id: `${foreign_id} as entered` },
          ...stamp,
        }),
      ),
      ...fresh.map((trade) =>
        writeTrade({ execution, order, venue }, trade, { entered_by, stamp }),
      ),
      ...(busted.size === 0
        ? []
        : [
            updateRow(FILLS, {
              where: { workspace, id: [...busted] },
              set: { busted: true },
              ...stamp,
            }),
          ]),
      updateOrder(order, after, report),
    ],
    reversals: fresh.flatMap(({ own }) => own?.reversals ?? []),
    guards: guardSettlements(fresh.flatMap(({ own }) => own ?? [])),
    fresh: fresh.length,
    busted: busted.size,
  }
}

/** `own`: booked as made outside, with the amounts that count. */
type FreshTrade = { id: FillId; fill: VenueFill; own?: OutsideFill }

function freshTrade(fill: VenueFill, outside: readonly OutsideFill[]): FreshTrade {
  const own = outside.find((stored) => stored.foreign_id === fill.foreign_id)
  if (own === undefined) return { id: idAt<FillId>(fill.executed_at), fill }
  const busted = fill.busted || own.busted
  return { id: own.id, fill: { ...fill, ...own.amounts, busted }, own }
}

function writeTrade(
  at: OrderAtVenue,
  { id, fill, own }: FreshTrade,
  { entered_by, stamp }: { entered_by: string | null; stamp: Stamp },
): Query {
  if (own === undefined) return insertRow(FILLS, { ...fillRow(at, id, fill), entered_by }, stamp)
  const { workspace, id: execution_id } = at.execution
  const { id: order_id, hop_no } = at.order
  const set = { execution_id, order_id, hop_no, busted: fill.busted, entered_by }
  return updateRow(FILLS, { where: { workspace, id }, set, ...stamp })
}

/** A person has entered it, and the venue does not list it so. */
const isOutdated = (trade: ExecutionTrade, reported: readonly VenueFill[]): boolean =>
  trade.entered_by !== null &&
  !trade.busted &&
  !reported.some((fill) =>
    fill.busted ? fill.foreign_id === trade.foreign_id : isSameTrade(trade, fill),
  )

/** A venue may have rounded what a person computed as price × quantity: then it differs. */
export const isSameTrade = (trade: ExecutionTrade, fill: VenueFill): boolean =>
  trade.foreign_id === fill.foreign_id &&
  trade.quantity === fill.quantity &&
  trade.volume === fill.volume &&
  trade.fee === fill.fee &&
  trade.fee_asset === fill.fee_asset

const tradeOf = (
  order: OrderRow,
  id: FillId,
  fill: VenueFill,
): Omit<ExecutionTrade, 'entered_by'> => ({
  id,
  order_id: order.id,
  hop_no: order.hop_no,
  foreign_id: fill.foreign_id,
  quantity: fill.quantity,
  volume: fill.volume,
  fee: fill.fee,
  fee_asset: fill.fee_asset,
  busted: fill.busted,
})

function fillRow({ execution, order, venue }: OrderAtVenue, id: FillId, fill: VenueFill) {
  return {
    id,
    workspace: execution.workspace,
    execution_id: execution.id,
    order_id: order.id,
    hop_no: order.hop_no,
    service_id: order.service_id,
    venue_id: order.venue_id,
    symbol: order.symbol,
    base_asset: order.base_asset,
    quote_asset: order.quote_asset,
    side: order.side,
    ...venueFields(fill),
    busted: fill.busted,
    settlement_id: null,
    settlement_state: settlementState(venue),
  }
}

/** What the row of a fill has from its venue. */
export const venueFields = (fill: VenueFill) => ({
  price: format(fill.price),
  quantity: format(fill.quantity),
  volume: format(fill.volume),
  fee: format(fill.fee),
  fee_asset: fill.fee_asset,
  liquidity: fill.liquidity,
  foreign_id: fill.foreign_id,
  executed_at: fill.executed_at,
})

/** A prefunded venue settles with the fill. */
export const settlementState = ({ settlement }: Pick<VenueRecord, 'settlement'>) =>
  settlement === 'PREFUNDED' ? ('SETTLED' as const) : ('UNSETTLED' as const)

/** What of the order is filled by then, and what else the venue reports of it. */
function updateOrder(
  { workspace, id, side }: OrderRow,
  trades: readonly ExecutionTrade[],
  report: OrderReport | undefined,
): Query {
  const filled = liveTrades(trades).filter((trade) => trade.order_id === id)
  const quantity = sum(filled.map((trade) => trade.quantity))
  const volume = sum(filled.map((trade) => trade.volume))
  return updateGuardedRow(ORDERS, {
    where: { workspace, id },
    set: {
      filled_quantity: format(quantity),
      volume: format(volume),
      average_price: priceText(side, volume, quantity),
      foreign_id: sql`coalesce(${report?.foreign_id ?? null}, foreign_id)`,
      reason: sql`coalesce(${report?.reason ?? null}, reason)`,
    },
  })
}

/** Whether a trade is new, and whether one was taken back. */
export function compareTrades({ before, after }: Pick<MergedTrades, 'before' | 'after'>): {
  grown: boolean
  shrunk: boolean
} {
  const known = new Set(before.map((trade) => trade.id))
  const busted = new Set(after.filter((trade) => trade.busted).map((trade) => trade.id))
  return {
    grown: liveTrades(after).some((trade) => !known.has(trade.id)),
    shrunk: liveTrades(before).some((trade) => busted.has(trade.id)),
  }
}

/** Those that the venue has not taken back. */
export const liveTrades = (trades: readonly ExecutionTrade[]): ExecutionTrade[] =>
  trades.filter((trade) => !trade.busted)

/**
 * What the customers receive by the trades that stand: those of the first hop, or the last when
 * they sell.
 */
export function customerProceeds(
  { side, hops }: StoredExecution,
  trades: readonly ExecutionTrade[],
): Proceeds[] {
  const hop_no = side === 'BUY' ? 1 : hops.length
  return liveTrades(trades)
    .filter((trade) => trade.hop_no === hop_no)
    .map(({ id, quantity, volume }) => ({ id, quantity: side === 'BUY' ? quantity : volume }))
}
