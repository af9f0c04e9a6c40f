/**
 * Trades whose rows were set aside, as the reading of an account meets them: new ones are stored
 * with the cursor, and those that are understood now are resolved.
 */
import type { Query } from '../../store/sql.ts'
import { itemsOf, keepItem, resolveItem, setAside } from '../../venues/index.ts'
import type { AccountTrade, KnownItem, SetAsideParts, SetAsideRecord } from '../../venues/index.ts'
import { WORKER } from '../orders/trades.ts'
import type { TradingService } from './outside-trades.ts'

const IN_OPENING =
  'it was traded before the opening balance was booked, which may contain it: compare the ' +
  'balances, book by hand what is missing, and dismiss it'

/** The items of trades that the venue reports in a form that is understood. */
type Waiting = {
  items: readonly KnownItem[]
  /** Whether a person decides about the trade. */
  isLeft(this: void, trade: AccountTrade): boolean
  isInOpening(this: void, item: KnownItem): boolean
}

export async function readWaiting(
  { app, venue }: TradingService,
  trades: readonly AccountTrade[],
  opened_at: number,
): Promise<Waiting> {
  const ids = trades.map((trade) => trade.foreign_id)
  const items = await itemsOf(app.db, venue, { kind: 'TRADE', direction: null }, ids)
  const early = new Set(
    trades.filter((trade) => trade.executed_at <= opened_at).map((trade) => trade.foreign_id),
  )
  const isInOpening = (item: KnownItem) => early.has(item.foreign_id)
  return {
    items: [...items.values()],
    isInOpening,
    isLeft({ foreign_id }) {
      const item = items.get(foreign_id)
      return item !== undefined && (item.state === 'DISMISSED' || isInOpening(item))
    },
  }
}

type Found = { waiting: Waiting; unread: readonly SetAsideRecord[]; done: boolean }

/** With the cursor in one change. What could not be taken yet resolves nothing. */
export async function storeSetAside(
  { app, venue }: TradingService,
  { waiting, unread, done }: Found,
  cursor: readonly Query[],
): Promise<void> {
  const stamp = { by: WORKER, now: app.clock.now() }
  const refused = new Set(unread.map((record) => record.foreign_id))
  const parts: SetAsideParts[] = [
    await setAside(app.db, venue, { kind: 'TRADE', records: unread }, stamp),
  ]
  for (const item of waiting.items.filter(({ foreign_id }) => !refused.has(foreign_id))) {
    if (waiting.isInOpening(item)) parts.push(keepItem(venue, item, IN_OPENING))
    else if (item.state === 'OPEN' && done) parts.push(resolveItem(venue, item, stamp))
  }
  const change = {
    guards: parts.flatMap(({ guards }) => guards),
    rows: [...parts.flatMap(({ rows }) => rows), ...cursor],
    events: parts.flatMap(({ events }) => events),
  }
  const { workspace } = venue
  if (change.rows.length > cursor.length)
    await app.lane.commit({ workspace, class: 'fact', by: WORKER, ...change })
  else for (const query of cursor) await app.db.query(query)
}
