import type { Clock } from '../core/clock.ts'
import type { Lane } from '../ledger/index.ts'
import type { PriceBook } from '../market-data/index.ts'
import type { Db } from '../store/db.ts'
import type { History } from '../store/history.ts'
import type { Venues } from '../venues/index.ts'

/** What trading stands on. */
export type TradingApp = {
  db: Db
  clock: Clock
  lane: Lane
  prices: PriceBook
  venues: Pick<Venues, 'connect' | 'list'>
  history: Omit<History, 'start' | 'close'>
}
