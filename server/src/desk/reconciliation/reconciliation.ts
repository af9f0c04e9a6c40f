/**
 * Reconciliation: what each venue holds against its account in the books, asset by asset, and
 * wallet by wallet where it tells them apart.
 *
 * The books and what is under way are read before the venue answers and again under the lane's
 * lock; an asset for which both readings differ did not stand still and is looked at again. What
 * movements under way explain is no difference. Any other is a break once it has stayed the same
 * for a while (comparison.ts), and ceases to be one when it vanishes.
 *
 * Read is only what is there now: the cost does not grow with history. An asset that is not
 * configured is not in the books and is left out, like its deposits.
 */
import type { Clock } from '../../core/clock.ts'
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Json } from '../../core/json.ts'
import { assetsOf, lockLane, publishEvents } from '../../ledger/index.ts'
import type { EventDraft } from '../../ledger/index.ts'
import type { Db, Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import {
  addToWalletPositions,
  MAXIMUM_IN_FLIGHT,
  initializeWalletPositions,
} from '../../treasury/index.ts'
import { isUnreachable, totalsByWallet, withTimeLimit } from '../../venues/index.ts'
import type { VenueBalance, VenueRecord, Venues } from '../../venues/index.ts'
import { openBreak, openBreaks, refreshBreak, closeVanishedBreak } from './breaks.ts'
import type { OpenBreak } from './breaks.ts'
import { causeOf } from './break-causes.ts'
import { CONFIRM_MILLISECONDS, judge } from './comparison.ts'
import type { Judgement, EarlierDifference } from './comparison.ts'
import type { Position } from './reconciliation.schema.ts'
import { positionsOf } from './positions.ts'
import { booksOf, ordersOf, fingerprintOf } from './venue-books.ts'
import type { VenueBooks } from './venue-books.ts'
import { linesOf, attributeUnplaced } from './wallet-lines.ts'
import type { Line, Sides } from './wallet-lines.ts'

export type ReconciliationApp = { db: Db; clock: Clock; venues: Pick<Venues, 'connected' | 'list'> }

/** Subject: the workspace. */
export const RECONCILE_TASK = 'reconcile'
const EVERY_MILLISECONDS = 60_000
const QUIET_ATTEMPTS = 3
const VENUES_AT_ONCE = 4
/** An order younger than this may be filled at this moment: its assets wait for the next turn. */
const ORDER_SETTLES_MILLISECONDS = 600_000

export const reconcileTask =
  (app: ReconciliationApp): TaskHandler =>
  async ({ workspace }) => {
    const checking = await reconcileVenues(app, workspace)
    return { again_at: app.clock.now() + (checking ? CONFIRM_MILLISECONDS : EVERY_MILLISECONDS) }
  }

/**
 * POST /desk/reconciliation/run: compares now; what is in doubt is looked at again soon. Answers
 * every position.
 */
export async function reconcileNow(
  app: ReconciliationApp,
  workspace: WorkspaceId,
): Promise<Position[]> {
  if (await reconcileVenues(app, workspace))
    await putTasks(app.db, [
      {
        workspace,
        kind: RECONCILE_TASK,
        subject_id: workspace,
        due_at: app.clock.now() + CONFIRM_MILLISECONDS,
      },
    ])
  return positionsOf(app.db, workspace)
}

/** Whether something differs that has to be seen again before it is a break. */
async function reconcileVenues(app: ReconciliationApp, workspace: WorkspaceId): Promise<boolean> {
  const venues = (await app.venues.list(workspace)).filter(
    (venue) => venue.state !== 'DISABLED' && venue.connected_at !== null,
  )
  let checking = false
  for (let next = 0; next < venues.length; next += VENUES_AT_ONCE) {
    const found = await Promise.all(
      venues.slice(next, next + VENUES_AT_ONCE).map((venue) => reconcileVenue(app, venue)),
    )
    checking ||= found.includes(true)
  }
  return checking
}

async function reconcileVenue(app: ReconciliationApp, venue: VenueRecord): Promise<boolean> {
  let checking = false
  for (let attempt = 0; attempt < QUIET_ATTEMPTS; attempt += 1) {
    const before = await booksOf(app.db, venue)
    const balances = await readBalances(app, venue)
    if (balances === undefined) return checking
    const result = await app.db.tx((tx) => compareVenue(tx, app.clock, venue, before, balances))
    checking = result.checking
    if (!result.restless) break
  }
  return checking
}

/**
 * Undefined while the venue does not answer: its own state tells so, and nothing can be said of its
 * money.
 */
async function readBalances(
  app: ReconciliationApp,
  venue: VenueRecord,
): Promise<VenueBalance[] | undefined> {
  try {
    const { adapter } = await app.venues.connected(venue.workspace, venue.id)
    return await withTimeLimit(adapter.balances(), venue.label)
  } catch (error) {
    if (isUnreachable(error)) return undefined
    throw error
  }
}

/**
 * A line as it was stored; `wallet` is '' for what lies in none, and on that one alone `wallets` is
 * all that the venue told.
 */
type StoredLine = {
  asset: string
  wallet: string
  ledger: string
  venue: string
  on_the_way: string
  difference: string
  since: number
  accepted: string
  wallets: Json
}

/** Of one asset at a venue. */
type AssetCase = {
  asset: string
  held: ReadonlyMap<string | null, Decimal>
  stored: readonly StoredLine[]
  open: readonly OpenBreak[]
}

/** Under the lane's lock: nothing moves in the books meanwhile. */
async function compareVenue(
  tx: Tx,
  clock: Clock,
  venue: VenueRecord,
  before: VenueBooks,
  balances: readonly VenueBalance[],
): Promise<{ checking: boolean; restless: boolean }> {
  const { workspace } = venue
  await lockLane(tx, workspace)
  const books = await booksOf(tx, venue)
  if (books.underway.length > MAXIMUM_IN_FLIGHT) return { checking: false, restless: false }
  const configured = await assetsOf(tx, workspace)
  const stored = await tx.query<StoredLine>(
    sql`
      select asset, wallet, ledger, venue, on_the_way, difference, since, accepted, wallets
      from positions
      where workspace = ${workspace}
        and venue_id = ${venue.id}`,
  )
  const open = await openBreaks(tx, workspace, venue.id)
  const assets = new Set([
    ...books.ledger.keys(),
    ...balances.map((balance) => balance.asset).filter((asset) => configured.has(asset)),
  ])
  const events: EventDraft[] = []
  const now = clock.now()
  let [checking, restless] = [false, false]
  for (const asset of [...assets].toSorted()) {
    const held = totalsByWallet(balances, asset)
    if (
      held === undefined ||
      ordersOf(books, asset).some((order) => now - order.since < ORDER_SETTLES_MILLISECONDS)
    )
      continue
    if (fingerprintOf(before, asset) !== fingerprintOf(books, asset)) {
      restless = true
      continue
    }
    const each: AssetCase = {
      asset,
      held,
      stored: stored.filter((line) => line.asset === asset),
      open: open.filter((one) => one.asset === asset),
    }
    checking = (await recordAsset(tx, venue, each, books, now, events)) || checking
  }
  await publishEvents({ workspace }, { tx, clock }, events)
  return { checking, restless }
}

/** Whether a line of it is in doubt. */
async function recordAsset(
  tx: Tx,
  venue: VenueRecord,
  each: AssetCase,
  books: VenueBooks,
  now: number,
  events: EventDraft[],
): Promise<boolean> {
  const { asset, held } = each
  const lines = await attributeLines(tx, venue, each, books)
  const stored = new Map(each.stored.map((line) => [line.wallet, line]))
  const judged = lines.map((line) => {
    const open = each.open.find(({ wallet }) => wallet === line.wallet)
    const before = stored.get(line.wallet ?? '')
    const known: EarlierDifference | undefined = before && {
      difference: decimal(before.difference),
      since: before.since,
      accepted: decimal(before.accepted),
      open: open !== undefined,
    }
    return { line, open, judgement: judge(known, line, now) }
  })
  await storeLines(tx, venue, each, judged, now)
  for (const {
    line,
    open,
    judgement: { verdict, since },
  } of judged) {
    const figures = {
      venue_id: venue.id,
      wallet: line.wallet,
      asset,
      ledger: format(line.ledger),
      venue: format(line.venue),
      on_the_way: format(line.on_the_way),
      difference: format(line.difference),
    }
    const cause = () => causeOf(tx, venue, asset, line, lines, books, now)
    if (verdict === 'OPENS')
      events.push(await openBreak(tx, venue.workspace, figures, await cause(), since, now))
    if (verdict === 'VANISHED' && open !== undefined)
      events.push(await closeVanishedBreak(tx, venue.workspace, open, now))
    if (verdict === 'STAYS' && open !== undefined && line.difference !== 0n)
      await refreshBreak(tx, venue.workspace, open, figures, await cause(), now)
  }
  // Opened before the books knew wallets: now that both sides are the same and nothing moves, what
  // the venue tells is what they hold.
  const unknown =
    !books.wallets.has(asset) &&
    books.opened.has(asset) &&
    [...held.keys()].some((wallet) => wallet !== null)
  if (
    unknown &&
    judged.every(({ judgement }) => judgement.verdict === 'BALANCED') &&
    books.underway.every((moving) => moving.asset !== asset)
  ) {
    const placed = [...held].flatMap(([wallet, quantity]) =>
      wallet === null ? [] : [{ wallet, asset, quantity }],
    )
    for (const write of initializeWalletPositions(
      { workspace: venue.workspace, venue_id: venue.id },
      asset,
      placed,
      now,
    ))
      await tx.query(write)
  }
  return judged.some(({ judgement }) => judgement.verdict === 'CHECKING')
}

/**
 * What was booked by hand names no wallet: where it can only have been meant for one, it is that
 * one's from now on.
 */
async function attributeLines(
  tx: Tx,
  { workspace, id }: VenueRecord,
  { asset, held, open }: AssetCase,
  books: VenueBooks,
): Promise<Line[]> {
  const sides: Sides = {
    held,
    ledger: books.ledger.get(asset) ?? 0n,
    positions: books.wallets.get(asset),
    moving: books.underway.filter((underway) => underway.asset === asset),
    shown: open.flatMap(({ wallet }) => wallet ?? []),
  }
  const lines = linesOf(sides)
  const meant = attributeUnplaced(lines)
  if (meant.length === 0) return lines
  for (const write of addToWalletPositions(
    { workspace, venue_id: id },
    meant.map((each) => ({ ...each, asset })),
  ))
    await tx.query(write)
  const positions = new Map(sides.positions)
  for (const { wallet, quantity } of meant)
    positions.set(wallet, (positions.get(wallet) ?? 0n) + quantity)
  return linesOf({ ...sides, positions })
}

type JudgedLine = { line: Line; judgement: Judgement }

/**
 * Of a thousand wallets those few are written that are not as they were: when all were compared
 * stands with what lies in none.
 */
async function storeLines(
  tx: Tx,
  { workspace, id }: VenueRecord,
  { asset, held, stored }: AssetCase,
  judged: readonly JudgedLine[],
  now: number,
): Promise<void> {
  const known = new Map(stored.map((line) => [line.wallet, line]))
  const changed = judged.filter(
    ({ line, judgement }) =>
      line.wallet === null || !isUnchanged(known.get(line.wallet), line, judgement),
  )
  const told = [...held].map(([wallet, total]) => ({ wallet, total: format(total) }))
  const wallets = JSON.stringify(told)
  const column = (value: (each: JudgedLine) => Decimal) =>
    changed.map((judged) => format(value(judged)))
  const keys = new Set(judged.map(({ line }) => line.wallet ?? ''))
  await tx.query(sql`
    insert into positions (
      workspace, venue_id, asset, wallet, ledger, venue, on_the_way, difference, wallets, since,
      compared_at, accepted
    )
    select ${workspace}::uuid, ${id}::uuid, ${asset}, l.wallet, l.ledger, l.venue, l.on_the_way,
      l.difference, case when l.wallet = '' then ${wallets}::jsonb else '[]' end, l.since, ${now},
      l.accepted
    from unnest(
      ${changed.map(({ line }) => line.wallet ?? '')}::text[],
      ${column(({ line }) => line.ledger)}::numeric[],
      ${column(({ line }) => line.venue)}::numeric[],
      ${column(({ line }) => line.on_the_way)}::numeric[],
      ${column(({ line }) => line.difference)}::numeric[],
      ${changed.map(({ judgement }) => judgement.since)}::bigint[],
      ${column(({ judgement }) => judgement.accepted)}::numeric[]
    ) as l (wallet, ledger, venue, on_the_way, difference, since, accepted)
    on conflict (workspace, venue_id, asset, wallet) do update
    set ledger = excluded.ledger, venue = excluded.venue, on_the_way = excluded.on_the_way,
      difference = excluded.difference, wallets = excluded.wallets, since = excluded.since,
      compared_at = excluded.compared_at, accepted = excluded.accepted`)
  const gone = [...known.keys()].filter((wallet) => !keys.has(wallet))
  if (gone.length > 0)
    await tx.query(
      sql`
        delete from positions
        where workspace = ${workspace}
          and venue_id = ${id}
          and asset = ${asset}
          and wallet = any(${gone}::text[])`,
    )
  const before = known.get('')
  if (before === undefined || !sameWallets(before.wallets, told)) {
    await tx.query(sql`
      insert into position_snapshots (workspace, venue_id, asset, taken_at, total, wallets)
      values (
        ${workspace}, ${id}, ${asset}, ${now}, ${format(sum(held.values()))}, ${wallets}::jsonb
      )
      on conflict (workspace, venue_id, asset, taken_at) do update
      set total = excluded.total, wallets = excluded.wallets`)
  }
}

function isUnchanged(
  before: StoredLine | undefined,
  { ledger, venue, on_the_way, difference }: Line,
  { since, accepted }: Judgement,
): boolean {
  return (
    before !== undefined &&
    before.since === since &&
    (
      [
        ['ledger', ledger],
        ['venue', venue],
        ['on_the_way', on_the_way],
        ['difference', difference],
        ['accepted', accepted],
      ] as const
    ).every(([figure, now]) => decimal(before[figure]) === now)
  )
}

type WalletTotals = { wallet: string | null; total: string }[]

/** Wherever the database put the keys, and however it orders them. */
function sameWallets(stored: Json, now: WalletTotals): boolean {
  const text = (wallets: WalletTotals) =>
    wallets
      .map(({ wallet, total }) => `${wallet} ${total}`)
      .toSorted()
      .join('; ')
  return text(stored as WalletTotals) === text(now)
}
