/**
 * Prices of days: taken once, some time after midnight (UTC), from the mids that are kept of each
 * order book. What was not seen then stays missing until a person enters it.
 */
import { mustExist } from '../core/assert.ts'
import type { Clock } from '../core/clock.ts'
import { DAY_MILLISECONDS, dayAt, endOfDay } from '../core/days.ts'
import { decimal, format } from '../core/decimal.ts'
import { refuse } from '../core/errors.ts'
import { withFailpoints } from '../core/failpoint.ts'
import { newId } from '../core/ids.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import type { Caller, ListQuery } from '../http/index.ts'
import { assetByCode } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { columnsOf, insertRow, insertRows } from '../store/rows.ts'
import { sql } from '../store/sql.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { DAILY_PRICES, DailyPriceRecord } from './daily-prices.schema.ts'
import type { DailyPrice, EnterDailyPriceBody, PriceDay } from './daily-prices.schema.ts'
import { BUCKET_MILLISECONDS, HISTORY_BUCKETS } from './history.ts'
import { PRICE_FRESH_MILLISECONDS } from './price-book.ts'

export const DAILY_PRICES_TASK = 'take_daily_prices'

/** The last mids of the day are in the database by then. */
const AFTER_MIDNIGHT_MILLISECONDS = 30_000
/** A quiet book tells its last mid of the day when it next moves. Then what there is is taken. */
const GRACE_MILLISECONDS = 600_000
const LOOK_MILLISECONDS = 600_000
const CLOSE_BUCKETS = PRICE_FRESH_MILLISECONDS / BUCKET_MILLISECONDS

type Candidate = {
  workspace: WorkspaceId
  venue_id: VenueId
  base_asset: string
  quote_asset: string
  bucket: number
  mid: string
}

/** Takes what there is of the day that ended last. Safe in several processes. */
async function takeDailyPrices({ db, clock }: { db: Db; clock: Clock }): Promise<void> {
  const now = clock.now()
  const end = now - (now % DAY_MILLISECONDS)
  const day = dayAt(end - 1)
  const since = now - end
  const candidates = await candidatesOf(db, {
    day,
    midnight: end / BUCKET_MILLISECONDS,
    all: since >= GRACE_MILLISECONDS,
  })
  if (candidates.length === 0) return
  const rows = candidates.map(({ bucket, mid, ...pair }) => {
    const priced_at = (bucket + 1) * BUCKET_MILLISECONDS
    return { ...pair, id: newId(now), day, price: mid, priced_at, timing: timingOf(priced_at, end) }
  })
  // Several processes may take a day: the first price of a pair counts.
  await withFailpoints('daily-prices.take', day, () =>
    db.query(sql`
      ${insertRows(DAILY_PRICES, rows, { by: null, now })}
      on conflict do nothing`),
  )
}

const timingOf = (priced_at: number, end: number): DailyPrice['timing'] =>
  priced_at > end - PRICE_FRESH_MILLISECONDS ? 'CLOSE' : 'EARLIER'

/**
 * The last mid of the day of each pair whose price of the day is not taken yet. A book that may
 * still tell a later one is left out: `all` takes it too.
 */
function candidatesOf(
  reader: Reader,
  { day, midnight, all }: { day: string; midnight: number; all: boolean },
): Promise<Candidate[]> {
  return reader.query<Candidate>(sql`
    select distinct on (v.workspace, m.venue_id, m.base_asset, m.quote_asset) v.workspace,
      m.venue_id, m.base_asset, m.quote_asset, m.bucket, m.mid
    from price_mids m
    join venues v on v.id = m.venue_id
    where m.bucket >= ${midnight - (all ? HISTORY_BUCKETS : CLOSE_BUCKETS)}
      and m.bucket < ${midnight}
      and (
        ${all}
        or exists (
          select
          from price_mids l
          where l.venue_id = m.venue_id
            and l.base_asset = m.base_asset
            and l.quote_asset = m.quote_asset
            and l.bucket >= ${midnight - 1}
        )
      )
      and not exists (
        select
        from daily_prices d
        where d.workspace = v.workspace
          and d.day = ${day}
          and d.venue_id = m.venue_id
          and d.base_asset = m.base_asset
          and d.quote_asset = m.quote_asset
      )
    order by v.workspace, m.venue_id, m.base_asset, m.quote_asset, m.bucket desc`)
}

/** Looks often, as a book that was quiet at midnight may still tell its last mid of the day. */
export const dailyPricesTask =
  (app: { db: Db; clock: Clock }): TaskHandler =>
  async () => {
    await takeDailyPrices(app)
    const now = app.clock.now()
    const next = now - (now % DAY_MILLISECONDS) + DAY_MILLISECONDS + AFTER_MIDNIGHT_MILLISECONDS
    return { again_at: Math.min(now + LOOK_MILLISECONDS, next) }
  }

type Filter = { day?: string; base_asset?: string; quote_asset?: string }

export const listDailyPrices = (
  workspace: WorkspaceId,
  { day, base_asset, quote_asset }: Filter,
): ListQuery<DailyPrice> => ({
  select: sql`
    select ${columnsOf(DailyPriceRecord)}
    from daily_prices`,
  conditions: [
    sql`workspace = ${workspace}`,
    ...(day === undefined ? [] : [sql`day = ${day}`]),
    ...(base_asset === undefined ? [] : [sql`base_asset = ${base_asset}`]),
    ...(quote_asset === undefined ? [] : [sql`quote_asset = ${quote_asset}`]),
  ],
  key: { column: 'id', type: 'uuid' },
})

/** The last `days` days up to `day`, newest first. Refuses RANGE for a day to come. */
export async function priceDays(
  { db, clock }: { db: Reader; clock: Clock },
  workspace: WorkspaceId,
  { day, days }: { day: string | undefined; days: number },
): Promise<PriceDay[]> {
  const today = dayAt(clock.now())
  const last = day ?? today
  if (last > today) throw refuse('RANGE', 'day', `${last} lies in the future`)
  const names = Array.from({ length: days }, (_none, index) =>
    dayAt(Date.parse(last) - index * DAY_MILLISECONDS),
  )
  const counts = await db.query<Omit<PriceDay, 'state'>>(sql`
    select day, count(venue_id) as taken_count,
      count(venue_id) filter (where timing <> 'CLOSE') as untimely_count,
      count(*) filter (where venue_id is null) as entered_count
    from daily_prices
    where workspace = ${workspace}
      and day = any(${names}::text[])
    group by day`)
  const found = new Map(counts.map((count) => [count.day, count]))
  return names.map((name) => {
    const count = found.get(name)
    const none = { day: name, taken_count: 0, untimely_count: 0, entered_count: 0 }
    if (name === today) return { ...none, ...count, state: 'OPEN' }
    return { ...none, ...count, state: count === undefined ? 'MISSING' : 'TAKEN' }
  })
}

/**
 * It counts instead of those of venues and of what was entered before, which stay. Refuses FORMAT
 * for what is no day, RANGE for one that is not over, UNKNOWN_ASSET, CONFLICT.
 */
export async function enterDailyPrice(
  { workspace, by }: Caller,
  { tx, clock }: { tx: Tx; clock: Clock },
  { price, ...body }: EnterDailyPriceBody,
): Promise<DailyPrice> {
  const now = clock.now()
  const end = endOfDay(body.day)
  if (end === undefined) throw refuse('FORMAT', 'day', 'day must be a day such as 2026-03-02')
  if (end > now) throw refuse('RANGE', 'day', `${body.day} (UTC) is not over yet`)
  await assetByCode(tx, workspace, body.base_asset, 'base_asset')
  await assetByCode(tx, workspace, body.quote_asset, 'quote_asset')
  if (body.base_asset === body.quote_asset)
    throw refuse('CONFLICT', 'quote_asset', 'a price is that of one asset in another')
  const row = { workspace, id: newId(now), ...body, price: format(decimal(price)) }
  const stored = await tx.query<DailyPrice>(sql`
    ${insertRow(DAILY_PRICES, { ...row, timing: 'ENTERED' }, { by, now })}
    returning ${columnsOf(DailyPriceRecord)}`)
  return mustExist(only(stored), 'it was just inserted')
}
