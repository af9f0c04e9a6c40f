/**
 * Reconciliation: what each venue holds against its account in the books, asset by asset.
 *
 * The books and what is under way are read before the venue answers and again under the lane's lock; an asset for which
 * both readings differ did not stand still and is looked at again. What movements under way explain is no difference. Any
 * other is a break once it has stayed the same for a while (comparison.ts), and ceases to be one when it vanishes.
 *
 * Read is only what is there now: the cost does not grow with history. An asset that is not configured is not in the books
 * and is left out, like its deposits.
 */
import type { Clock } from '../core/clock.ts'
import { decimal, format, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { Json } from '../core/json.ts'
import { assetsOf, lockLane, tellEvents } from '../ledger/index.ts'
import type { EventDraft } from '../ledger/index.ts'
import type { Db, Reader, Tx } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { putTasks } from '../store/tasks.ts'
import type { TaskHandler } from '../store/tasks.ts'
import { MAXIMUM_UNDERWAY } from '../treasury/index.ts'
import { isUnreachable, within } from '../venues/index.ts'
import type { VenueBalance, VenueRecord, Venues } from '../venues/index.ts'
import { openBreak, openBreaks, seeBreak, vanishBreak } from './breaks.ts'
import type { OpenBreak } from './breaks.ts'
import { causeOf } from './causes.ts'
import { CONFIRM_MILLISECONDS, explained, judge } from './comparison.ts'
import type { Known } from './comparison.ts'
import type { Position } from './desk.schema.ts'
import { booksOf, ordersOf, stand } from './venue-books.ts'
import type { Books } from './venue-books.ts'

export type ReconciliationApp = { db: Db; clock: Clock; venues: Pick<Venues, 'connected' | 'list'> }

/** Subject: the workspace. */
export const RECONCILE_TASK = 'reconcile'
const EVERY_MILLISECONDS = 60_000
const QUIET_ATTEMPTS = 3
const VENUES_AT_ONCE = 4
/** An order younger than this may be filled at this moment: its assets wait for the next turn. */
const ORDER_SETTLES_MILLISECONDS = 600_000

export const reconcileTask = (app: ReconciliationApp): TaskHandler => async ({ workspace }) => {
  const checking = await reconcileVenues(app, workspace)
  return { again_at: app.clock.now() + (checking ? CONFIRM_MILLISECONDS : EVERY_MILLISECONDS) }
}

/** POST /desk/reconciliation/run: compares now; what is in doubt is looked at again soon. Answers every position. */
export async function reconcileNow(app: ReconciliationApp, workspace: string): Promise<Position[]> {
  if (await reconcileVenues(app, workspace)) await putTasks(app.db, [{ workspace, kind: RECONCILE_TASK, subject_id: workspace, due_at: app.clock.now() + CONFIRM_MILLISECONDS }])
  return positionsOf(app.db, workspace)
}

/** Whether something differs that has to be seen again before it is a break. */
async function reconcileVenues(app: ReconciliationApp, workspace: string): Promise<boolean> {
  const venues = (await app.venues.list(workspace)).filter((venue) => venue.state !== 'DISABLED' && venue.connected_at !== null)
  let checking = false
  for (let next = 0; next < venues.length; next += VENUES_AT_ONCE) {
    const found = await Promise.all(venues.slice(next, next + VENUES_AT_ONCE).map((venue) => reconcileVenue(app, venue)))
    checking ||= found.includes(true)
  }
  return checking
}

async function reconcileVenue(app: ReconciliationApp, venue: VenueRecord): Promise<boolean> {
  let checking = false
  for (let attempt = 0; attempt < QUIET_ATTEMPTS; attempt += 1) {
    const before = await booksOf(app.db, venue)
    const balances = await balancesAt(app, venue)
    if (balances === undefined) return checking
    const result = await app.db.tx((tx) => compareVenue(tx, app.clock, venue, before, balances))
    checking = result.checking
    if (!result.restless) break
  }
  return checking
}

/** Undefined while the venue does not answer: its own state tells so, and nothing can be said of its money. */
async function balancesAt(app: ReconciliationApp, venue: VenueRecord): Promise<VenueBalance[] | undefined> {
  try {
    const { adapter } = await app.venues.connected(venue.workspace, venue.id)
    return await within(adapter.balances(), venue.label)
  } catch (error) {
    if (isUnreachable(error)) return undefined
    throw error
  }
}

type Held = { total: Decimal; wallets: { wallet: string | null; total: string }[] }

/** Undefined when the venue does not know one of the figures now. */
function heldOf(balances: readonly VenueBalance[], asset: string): Held | undefined {
  const places = new Map<string | null, Decimal>()
  for (const each of balances.filter((balance) => balance.asset === asset)) {
    if (each.total === null) return undefined
    places.set(each.wallet, (places.get(each.wallet) ?? 0n) + each.total)
  }
  return { total: sum(places.values()), wallets: [...places].map(([wallet, total]) => ({ wallet, total: format(total) })) }
}

type Stored = { asset: string; venue: string; difference: string; since: number; accepted: string; wallets: Json }

/** Under the lane's lock: nothing moves in the books meanwhile. */
async function compareVenue(tx: Tx, clock: Clock, venue: VenueRecord, before: Books, balances: readonly VenueBalance[]): Promise<{ checking: boolean; restless: boolean }> {
  const { workspace } = venue
  await lockLane(tx, workspace)
  const books = await booksOf(tx, venue)
  if (books.underway.length > MAXIMUM_UNDERWAY) return { checking: false, restless: false }
  const configured = await assetsOf(tx, workspace)
  const stored = await tx.query<Stored>(sql`select asset, venue, difference, since, accepted, wallets from positions where workspace = ${workspace} and venue_id = ${venue.id}`)
  const open = await openBreaks(tx, workspace, venue.id)
  const assets = new Set([...books.ledger.keys(), ...balances.map((each) => each.asset).filter((asset) => configured.has(asset))])
  const events: EventDraft[] = []
  const now = clock.now()
  let [checking, restless] = [false, false]
  for (const asset of [...assets].toSorted()) {
    const held = heldOf(balances, asset)
    if (held === undefined || ordersOf(books, asset).some((each) => now - each.since < ORDER_SETTLES_MILLISECONDS)) continue
    if (stand(before, asset) !== stand(books, asset)) {
      restless = true
      continue
    }
    const verdict = await recordPosition(tx, venue, asset, held, books, stored.find((each) => each.asset === asset), open.get(asset), now, events)
    checking ||= verdict === 'CHECKING'
  }
  await tellEvents(tx, clock, workspace, events)
  return { checking, restless }
}

async function recordPosition(tx: Tx, venue: VenueRecord, asset: string, held: Held, books: Books, stored: Stored | undefined, open: OpenBreak | undefined, now: number, events: EventDraft[]): Promise<string> {
  const { workspace } = venue
  const ledger = books.ledger.get(asset) ?? 0n
  const on_the_way = explained(held.total - ledger, books.underway.filter((each) => each.asset === asset))
  const difference = held.total - ledger - on_the_way
  const known: Known | undefined = stored && { difference: decimal(stored.difference), since: stored.since, accepted: decimal(stored.accepted), open: open !== undefined }
  const judgement = judge(known, { difference, on_the_way }, now)
  const figures = { venue_id: venue.id, asset, ledger: format(ledger), venue: format(held.total), on_the_way: format(on_the_way), difference: format(difference) }
  const wallets = JSON.stringify(held.wallets)
  await tx.query(sql`
    insert into positions (workspace, venue_id, asset, ledger, venue, on_the_way, difference, wallets, since, compared_at, accepted)
    values (${workspace}, ${venue.id}, ${asset}, ${figures.ledger}, ${figures.venue}, ${figures.on_the_way}, ${figures.difference}, ${wallets}::jsonb, ${judgement.since}, ${now}, ${format(judgement.accepted)})
    on conflict (workspace, venue_id, asset) do update set ledger = excluded.ledger, venue = excluded.venue, on_the_way = excluded.on_the_way, difference = excluded.difference,
      wallets = excluded.wallets, since = excluded.since, compared_at = excluded.compared_at, accepted = excluded.accepted`)
  if (stored === undefined || decimal(stored.venue) !== held.total || !sameWallets(stored.wallets, held.wallets)) {
    await tx.query(sql`insert into position_snapshots (workspace, venue_id, asset, taken_at, total, wallets) values (${workspace}, ${venue.id}, ${asset}, ${now}, ${figures.venue}, ${wallets}::jsonb)
      on conflict (workspace, venue_id, asset, taken_at) do update set total = excluded.total, wallets = excluded.wallets`)
  }
  if (judgement.verdict === 'OPENS') events.push(await openBreak(tx, workspace, figures, await causeOf(tx, venue, asset, difference, books, now), judgement.since, now))
  if (judgement.verdict === 'VANISHED' && open !== undefined) events.push(await vanishBreak(tx, workspace, open, now))
  if (judgement.verdict === 'STAYS' && open !== undefined && difference !== 0n) await seeBreak(tx, workspace, open, figures, await causeOf(tx, venue, asset, difference, books, now), now)
  return judgement.verdict
}

/** Wherever the database put the keys, and however it orders them. */
function sameWallets(stored: Json, now: Held['wallets']): boolean {
  const text = (wallets: Held['wallets']) => wallets.map(({ wallet, total }) => `${wallet} ${total}`).toSorted().join('; ')
  return text(stored as Held['wallets']) === text(now)
}

/** GET /desk/reconciliation: each venue's assets as they were last compared. */
export function positionsOf(reader: Reader, workspace: string): Promise<Position[]> {
  return reader.query<Position>(sql`
    select p.venue_id, p.asset, p.ledger, p.venue, p.on_the_way, p.difference, p.wallets, p.since, p.compared_at, b.id as break_id,
      case when b.id is not null then 'BREAK' when p.difference = 0 then 'BALANCED' when p.difference = p.accepted then 'ACCEPTED' else 'CHECKING' end as state
    from positions p left join breaks b on b.workspace = p.workspace and b.venue_id = p.venue_id and b.asset = p.asset and b.state = 'OPEN'
    where p.workspace = ${workspace} order by p.venue_id, p.asset`)
}
