/** How many withdrawals are in flight at a venue: the more, the less often each is looked up. */
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { TreasuryApp } from '../app.ts'
import type { WithdrawalRow } from './rows.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from './withdrawals.schema.ts'

const COUNT_FRESH_MILLISECONDS = 5_000

export type InFlightCounter = (row: WithdrawalRow) => Promise<number>

/** How many are in flight at a withdrawal's venue, counted again after five seconds. */
export function inFlightCounter(app: TreasuryApp): InFlightCounter {
  const counts = new Map<string, { at: number; count: number }>()
  return async ({ workspace, venue_id }) => {
    const known = counts.get(venue_id)
    if (known !== undefined && performance.now() - known.at < COUNT_FRESH_MILLISECONDS)
      return known.count
    const [row] = await app.db.query<{ count: number }>(sql`
      select count(*) as count
      from withdrawals
      where workspace = ${workspace}
        and venue_id = ${venue_id}
        and ${stateIn(WITHDRAWAL_MOVES, LIVE_STATES)}`)
    const count = row?.count ?? 0
    counts.set(venue_id, { at: performance.now(), count })
    return count
  }
}
