/**
 * Trades of an order of ours that are booked as made outside already. Only a database that was set
 * back has them: it had lost the order when the account listed the trade, and the order was made
 * again later. Then the order takes the trade over: the fill stays, what it booked is reversed, and
 * what the order books takes its place, in one change.
 */
import { decimal } from '../../core/decimal.ts'
import type { FillId } from '../../core/ids.ts'
import { bookingsOf, bookReversals } from '../../ledger/index.ts'
import type { Guard, LedgerStep } from '../../ledger/index.ts'
import { sql } from '../../store/sql.ts'
import type { VenueFill } from '../../venues/index.ts'
import type { TradingApp } from '../app.ts'
import type { OrderRow, StoredExecution } from '../executions/rows.ts'

const TAKEN_OVER = 'the trade is one of an order of ours'

type StoredFill = Pick<VenueFill, 'foreign_id' | 'fee_asset' | 'busted'> & {
  id: FillId
  quantity: string
  volume: string
  fee: string
  settlement: { id: string; state: string; version: number } | null
}

/** `amounts` are those that it was booked with. */
export type OutsideFill = {
  id: FillId
  foreign_id: string
  amounts: Pick<VenueFill, 'quantity' | 'volume' | 'fee' | 'fee_asset'>
  busted: boolean
  reversals: LedgerStep[]
  settlement: StoredFill['settlement']
}

/**
 * Guards the settlements that are under way with such a fill: one that has read whose the fill is,
 * to free what customers got by it, must not commit beside this change. Its version rises, so that
 * one of the two reads anew.
 */
export function guardSettlements(outside: readonly OutsideFill[]): Guard[] {
  const settlements = outside.flatMap(({ settlement }) => settlement ?? [])
  return [...new Map(settlements.map((held) => [held.id, held])).values()].map(
    ({ id, state, version }) => ({
      table: 'settlements',
      resource: 'settlement',
      id,
      from: [state],
      version,
    }),
  )
}

type OfOrder = { execution: StoredExecution; order: OrderRow }

/** Those that a person states: only of what a set-back may have cut off, not of any restart. */
export async function readStatedOutside(
  app: TradingApp,
  of: OfOrder,
  stated: readonly VenueFill[],
): Promise<OutsideFill[]> {
  const isCutOff = of.execution.system_created_at < (await app.history.setBackAt())
  return isCutOff ? readOutsideFills(app, of, stated) : []
}

/** Those of these trades that are booked as made outside. */
export async function readOutsideFills(
  app: TradingApp,
  { execution, order }: OfOrder,
  fills: readonly VenueFill[],
): Promise<OutsideFill[]> {
  const isOfBefore = execution.system_created_at < (await app.history.lookUpBefore())
  if (fills.length === 0 || !isOfBefore) return []
  const rows = await app.db.query<StoredFill>(sql`
    select id, foreign_id, quantity, volume, fee, fee_asset, busted,
      (
        select json_build_object('id', s.id, 'state', s.state, 'version', s.version)
        from settlements s
        where s.workspace = fills.workspace
          and s.id = fills.settlement_id
          and fills.settlement_state = 'IN_SETTLEMENT'
      ) as settlement
    from fills
    where workspace = ${order.workspace}
      and venue_id = ${order.venue_id}
      and foreign_id = any(${fills.map((fill) => fill.foreign_id)}::text[])
      and base_asset = ${order.base_asset}
      and quote_asset = ${order.quote_asset}
      and side = ${order.side}
      and execution_id is null
    order by id`)
  return Promise.all(rows.map((row) => outsideFill(app, order, row)))
}

/**
 * Whether it was taken back, its bookings say: what reverses one of them meanwhile keeps this
 * change from being committed.
 */
async function outsideFill(
  { db }: TradingApp,
  { workspace }: OrderRow,
  { id, foreign_id, fee_asset, settlement, ...row }: StoredFill,
): Promise<OutsideFill> {
  const bookings = await bookingsOf(db, workspace, id)
  const cause = { reference_type: 'fill', reference_id: id, description: TAKEN_OVER } as const
  const reversals = bookReversals(cause, bookings)
  return {
    id,
    foreign_id,
    amounts: {
      quantity: decimal(row.quantity),
      volume: decimal(row.volume),
      fee: decimal(row.fee),
      fee_asset,
    },
    busted: bookings.length === 0 ? row.busted : reversals.length === 0,
    reversals,
    settlement,
  }
}
