import type { Clock } from '../core/clock.ts'
import type { Lane } from '../ledger/index.ts'
import type { Db } from '../store/db.ts'
import type { History } from '../store/history.ts'
import type { Venues } from '../venues/index.ts'

/** What treasury stands on. */
export type TreasuryApp = {
  db: Db
  clock: Clock
  lane: Lane
  venues: Venues
  history: Omit<History, 'start' | 'close'>
  log?: { warn(details: object, message: string): void }
}

/** Who is recorded for what treasury does on its own. */
export const TREASURY_WORKER = 'treasury'
