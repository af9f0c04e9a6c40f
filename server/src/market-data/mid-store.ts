/**
 * Keeps the ended buckets of the price history in the database, beside whoever waits for a price.
 */
import type { Clock } from '../core/clock.ts'
import { decimal, format } from '../core/decimal.ts'
import type { VenueId } from '../core/ids.ts'
import { asset, closed, id, positiveText, Type } from '../http/index.ts'
import type { Static } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { columnsOf, insertRows, tableOf } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import { BUCKET_MILLISECONDS, HISTORY_BUCKETS } from './history.ts'
import type { Mid } from './history.ts'

const MidRow = closed({
  venue_id: id<VenueId>(),
  base_asset: asset(),
  quote_asset: asset(),
  bucket: Type.Integer(),
  mid: positiveText(),
})
const PRICE_MIDS = tableOf('price_mids', MidRow)

type PairMid = Mid & { venue_id: VenueId; base_asset: string; quote_asset: string }

export type MidStore = {
  /** Of the last two hours. */
  load(venue_id: VenueId): Promise<PairMid[]>
  /** Does not wait; written soon, together with what else has ended by then. */
  keep(mid: PairMid): void
  close(): Promise<void>
}

const WRITE_AFTER_MILLISECONDS = 500
/** While the database cannot be written, at most this many wait; older ones are dropped. */
const MAXIMUM_WAITING = 10_000

export function openMidStore({
  db,
  clock,
  log,
}: {
  db: Db
  clock: Clock
  log: { error(details: object, message: string): void }
}): MidStore {
  let waiting: PairMid[] = []
  let timer: NodeJS.Timeout | undefined
  let writing: Promise<void> = Promise.resolve()
  const oldest = () => Math.floor(clock.now() / BUCKET_MILLISECONDS) - HISTORY_BUCKETS

  const write = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const mids = waiting
    waiting = []
    if (mids.length === 0) return
    const rows = mids.map((mid) => ({ ...mid, mid: format(mid.mid) }))
    try {
      // Each process that follows the market sees the same end of a bucket: the first counts.
      await db.query(sql`
        with old as (
          delete from price_mids
          where bucket < ${oldest()}
        )
        ${insertRows(PRICE_MIDS, rows, { by: null, now: clock.now() })}
        on conflict do nothing`)
    } catch (error) {
      waiting = [...mids, ...waiting].slice(-MAXIMUM_WAITING)
      log.error(
        { error: error instanceof Error ? error.message : String(error) },
        'the price history cannot be written',
      )
    }
  }
  const soon = () => {
    writing = writing.then(write)
  }

  return {
    async load(venue_id) {
      const rows = await db.query<Static<typeof MidRow>>(sql`
        select ${columnsOf(MidRow)}
        from price_mids
        where venue_id = ${venue_id}
          and bucket >= ${oldest()}`)
      return rows.map((row) => ({ ...row, mid: decimal(row.mid) }))
    },
    keep(mid) {
      waiting.push(mid)
      timer ??= setTimeout(soon, WRITE_AFTER_MILLISECONDS).unref()
    },
    async close() {
      soon()
      await writing
    },
  }
}
