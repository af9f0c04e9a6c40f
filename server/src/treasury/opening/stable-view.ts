/**
 * A venue's balances and the movements that they contain: the movements are read before and after
 * the balances, until nothing has changed in between.
 */
import { ApiError } from '../../core/errors.ts'
import { tradeKey } from '../../venues/index.ts'
import type {
  AccountTrade,
  Incoming,
  Outgoing,
  SetAsideRecord,
  Venue,
  VenueBalance,
  VenueRecord,
} from '../../venues/index.ts'

const STABLE_ATTEMPTS = 5
const MAXIMUM_READS = 1_000
/** What the venue said a moment ago may not fit what it says now. */
const NOW = { fresh: true } as const

export type StableView = {
  movements: Incoming[]
  outgoing: Outgoing[]
  trades: AccountTrade[]
  balances: VenueBalance[]
}

/**
 * Throws 2003 when the venue's money does not stand still long enough. What could not be understood
 * of the movements is in `setAside` also then.
 */
export async function readStableView(
  adapter: Venue,
  venue: VenueRecord,
  trades_from: number,
  setAside: Map<string, SetAsideRecord>,
): Promise<StableView> {
  const { transfers } = adapter
  const incoming = cursorReader(
    (cursor) => transfers?.incoming(cursor, NOW),
    (incoming: Incoming) => incoming.foreign_id,
    (incoming) => incoming.state,
    setAside,
  )
  const outgoing = cursorReader(
    (cursor) => transfers?.outgoing?.(cursor, NOW),
    (outgoing: Outgoing) => outgoing.foreign_id,
    (outgoing) => `${outgoing.state} ${outgoing.left}`,
    setAside,
  )
  const trades = cursorReader(
    async (cursor) => {
      const answer = await adapter.trading?.trades?.(cursor, trades_from, NOW)
      return answer === undefined ? undefined : { movements: answer.trades, cursor: answer.cursor }
    },
    tradeKey,
    (accountTrade: AccountTrade) => String(accountTrade.busted),
  )
  const readOn = async (): Promise<boolean> => {
    const news = [await incoming.readOn(), await outgoing.readOn(), await trades.readOn()]
    return news.includes(true)
  }
  await readOn()
  for (let attempt = 0; attempt < STABLE_ATTEMPTS; attempt += 1) {
    const balances = await adapter.balances(NOW)
    if (!(await readOn()))
      return {
        movements: [...incoming.known.values()],
        outgoing: [...outgoing.known.values()],
        trades: [...trades.known.values()],
        balances,
      }
  }
  throw new ApiError(
    'VenueUnreachable',
    `money keeps moving at ${venue.label}: its opening balance cannot be read yet`,
  )
}

type Reading<Movement> = {
  movements: Movement[]
  set_aside?: SetAsideRecord[]
  cursor: string | null
}

/** Reads one direction to its end. `readOn` answers whether anything was new. */
function cursorReader<Movement>(
  read: (cursor: string | null) => Promise<Reading<Movement> | undefined> | undefined,
  keyOf: (movement: Movement) => string,
  stateOf: (movement: Movement) => string,
  setAside = new Map<string, SetAsideRecord>(),
) {
  const known = new Map<string, Movement>()
  let cursor: string | null = null
  const readOn = async (): Promise<boolean> => {
    let changed = false
    for (let reads = 0; reads < MAXIMUM_READS; reads += 1) {
      const answer = await read(cursor)
      if (answer === undefined) return false
      cursor = answer.cursor
      for (const record of answer.set_aside ?? [])
        setAside.set(`${record.direction ?? ''} ${record.foreign_id}`, record)
      const news = answer.movements.filter((movement) => {
        const before = known.get(keyOf(movement))
        return before === undefined || stateOf(before) !== stateOf(movement)
      })
      for (const movement of news) known.set(keyOf(movement), movement)
      if (news.length === 0) return changed
      changed = true
    }
    return changed
  }
  return { known, readOn }
}
