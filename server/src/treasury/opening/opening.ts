/**
 * The first connection of a venue: what it holds is taken into the books as OPENING, once per
 * asset.
 *
 * Money that moves at that moment must be counted once. So balances and movements are read until
 * they fit together (stable-view.ts). Then the balances contain exactly the movements that were
 * final. These are remembered and never become deposits or withdrawals; one that is still pending
 * becomes a deposit when it is final.
 *
 * A wallet may name `integrate_from`. Movements since then become deposits and withdrawals, and the
 * opening balance is smaller or larger by as much. Trades that the balances contain are remembered
 * per asset. movements.ts answers later what the opening balance contains.
 */
import type { BookingId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { move } from '../../core/moves.ts'
import { asset, closed, decimalText, id, nullable, time } from '../../http/index.ts'
import { assetsOf } from '../../ledger/index.ts'
import type { BookingDraft, Change, EventDraft, LedgerStep } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { insertRows, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import {
  countedTradeKey,
  isUnreachable,
  markSeen,
  NotAsked,
  noteFault,
  setAside,
  storeBalances,
  totalsByWallet,
  TRADES_BEFORE_OPENING_MILLISECONDS,
  VENUE_MOVES,
  venueById,
  withTimeLimit,
} from '../../venues/index.ts'
import type {
  AccountTrade,
  Incoming,
  Outgoing,
  SetAsideRecord,
  VenueBalance,
  VenueRecord,
} from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { POLL_TASK } from '../tasks.ts'
import { addToWalletPositions } from '../wallets/positions.ts'
import type { WalletQuantity } from '../wallets/positions.ts'
import {
  amountsOf,
  countedRows,
  isEnded,
  isSinceIntegration,
  openingAccounts,
  openingBooking,
  outgoingAmounts,
  outgoingKey,
} from './movements.ts'
import type { Amount, CountedMovement } from './movements.ts'
import { readStableView } from './stable-view.ts'
import type { StableView } from './stable-view.ts'

const TRY_AGAIN_MILLISECONDS = 2_000
const READ_TIMEOUT_MILLISECONDS = 30_000

/**
 * Opens the configured assets of the venue that are not open yet. A venue that is down is asked
 * again until it answers.
 */
export const connectVenueTask =
  (app: TreasuryApp): TaskHandler =>
  async ({ workspace, subject_id }) => {
    const venue = await venueById(app.db, workspace, subject_id)
    if (venue.state === 'DISABLED') return 'done'
    const open = await openedAssets(app.db, workspace, venue.id)
    const missing = [...(await assetsOf(app.db, workspace)).keys()].filter(
      (asset) => !open.has(asset),
    )
    if (missing.length === 0 && venue.state !== 'CONNECTING') return 'done'
    const unread = new Map<string, SetAsideRecord>()
    try {
      const { adapter } = await app.venues.connect(workspace, venue.id)
      const asked_at = app.clock.now()
      const view = await withTimeLimit(
        readStableView(adapter, venue, asked_at - TRADES_BEFORE_OPENING_MILLISECONDS, unread),
        venue.label,
        READ_TIMEOUT_MILLISECONDS,
      )
      // Before the balance that may contain it.
      await storeSetAside(app, venue, unread)
      await app.lane.commit(await openingChange(app, venue, missing, view))
      await storeBalances(app.db, venue, view.balances, asked_at)
      await markSeen(app, workspace, venue.id, adapter)
      return 'done'
    } catch (error) {
      // Seen by the snapshot meanwhile: what was read may be old, it is read again.
      const overtaken =
        error instanceof ApiError && error.details.some((detail) => detail.code === 'STALE_VERSION')
      if (!overtaken && !(error instanceof NotAsked)) await noteFault(app, venue, error)
      if (!overtaken && !isUnreachable(error)) throw error
      // It may be what keeps the balance from being known.
      await storeSetAside(app, venue, unread)
      return { again_at: app.clock.now() + TRY_AGAIN_MILLISECONDS }
    }
  }

async function storeSetAside(
  app: TreasuryApp,
  venue: VenueRecord,
  unread: ReadonlyMap<string, SetAsideRecord>,
): Promise<void> {
  const { workspace } = venue
  const stamp = { by: TREASURY_WORKER, now: app.clock.now() }
  const records = [...unread.values()]
  const parts = await setAside(app.db, venue, { kind: 'TRANSFER', records }, stamp)
  if (parts.rows.length > 0)
    await app.lane.commit({ workspace, class: 'fact', by: stamp.by, ...parts })
}

/** The assets of the venue whose opening balance is booked. */
export async function openedAssets(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<Set<string>> {
  const rows = await reader.query<{ asset: string }>(
    sql`
      select asset
      from venue_openings
      where workspace = ${workspace}
        and venue_id = ${venue_id}`,
  )
  return new Set(rows.map((row) => row.asset))
}

/** What each asset's opening balance is, by wallet inside the venue, and what it contains. */
type Opening = {
  held: Map<string, Map<string | null, Decimal>>
  counted: CountedMovement[]
}

async function openingChange(
  app: TreasuryApp,
  venue: VenueRecord,
  assets: readonly string[],
  view: StableView,
): Promise<Change> {
  const held = new Map(assets.map((asset) => [asset, heldByWallet(asset, view.balances, venue)]))
  const opening: Opening = { held, counted: [] }
  await countIncoming(app.db, venue, opening, view.movements)
  await countOutgoing(app.db, venue, opening, view.outgoing)
  countTrades(opening, view.trades)
  const opened = [...held].map(([asset, byWallet]) => ({ asset, quantity: sum(byWallet.values()) }))
  const accounts = await openingAccounts(app.db, venue)
  const bookings = new Map(
    opened
      .filter(({ quantity }) => quantity !== 0n)
      .map((amount) => [amount.asset, openingBooking(venue, accounts, amount)]),
  )
  const { workspace } = venue
  const now = app.clock.now()
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    // The version refuses a second opening at the same time.
    guards: [
      {
        table: 'venues',
        resource: 'venue',
        id: venue.id,
        from: [venue.state],
        to: stateOnceOpened(venue),
        version: venue.version,
      },
    ],
    ledger: [...bookings.values()].map((booking): LedgerStep => ({ step: 'book', booking })),
    rows: [
      ...openingRows(venue, opened, bookings, now),
      ...countedRows(venue, opening.counted),
      ...addToWalletPositions({ workspace, venue_id: venue.id }, walletQuantities(held)),
      sql`
        update venues
        set connected_at = coalesce(connected_at, ${now})
        where workspace = ${workspace}
          and id = ${venue.id}`,
    ],
    events: [connectedEvent(venue, opened)],
    tasks: [{ kind: POLL_TASK, subject_id: venue.id, due_at: now }],
  }
}

/** A venue may be CONNECTED already, when an asset of it comes later. */
const stateOnceOpened = ({ state }: VenueRecord): VenueRecord['state'] =>
  state === 'CONNECTED' ? state : move(VENUE_MOVES, state, 'CONNECTED').to

/** Takes movements since `integrate_from`, which become deposits, out of the balance. */
async function countIncoming(
  reader: Reader,
  venue: VenueRecord,
  { held, counted }: Opening,
  movements: readonly Incoming[],
): Promise<void> {
  for (const movement of movements) {
    const { asset, wallet, quantity } = movement
    if (movement.state === 'PENDING' || !held.has(asset)) continue
    const amounts = movement.state === 'FINAL' ? [{ asset, quantity }] : []
    const address = movement.destination_address
    if (!(await isSinceIntegration(reader, venue, { ...movement, address })))
      counted.push({ key: movement.foreign_id, amounts })
    else for (const amount of amounts) addHeld(held, wallet, { asset, quantity: -amount.quantity })
  }
}

/** Puts movements since `integrate_from`, which become withdrawals, back into the balance. */
async function countOutgoing(
  reader: Reader,
  venue: VenueRecord,
  { held, counted }: Opening,
  movements: readonly Outgoing[],
): Promise<void> {
  for (const movement of movements) {
    if (!(movement.left || isEnded(movement)) || !held.has(movement.asset)) continue
    if (await isSinceIntegration(reader, venue, { ...movement, address: null, tag: null }))
      for (const amount of amountsOf(movement)) addHeld(held, movement.wallet, amount)
    // Nothing of what has ended comes back, and its fee is in the balance.
    else {
      const amounts = isEnded(movement) ? [] : outgoingAmounts(movement)
      counted.push({ key: outgoingKey(movement), amounts })
    }
  }
}

function countTrades({ held, counted }: Opening, trades: readonly AccountTrade[]): void {
  for (const trade of trades)
    for (const asset of new Set([trade.base_asset, trade.quote_asset, trade.fee_asset]))
      if (held.has(asset)) counted.push({ key: countedTradeKey(asset, trade), amounts: [] })
}

function addHeld(held: Opening['held'], wallet: string | null, { asset, quantity }: Amount): void {
  const byWallet = held.get(asset)
  byWallet?.set(wallet, (byWallet.get(wallet) ?? 0n) + quantity)
}

/** By wallet inside the venue. Throws 2003 for a figure that the venue does not know now. */
function heldByWallet(
  asset: string,
  balances: readonly VenueBalance[],
  venue: VenueRecord,
): Map<string | null, Decimal> {
  const held = totalsByWallet(balances, asset)
  if (held === undefined)
    throw new ApiError('VenueUnreachable', `${venue.label} does not say how much ${asset} it holds`)
  return held
}

const walletQuantities = (held: Opening['held']): WalletQuantity[] =>
  [...held].flatMap(([asset, byWallet]) =>
    [...byWallet].flatMap(([wallet, quantity]) =>
      wallet === null ? [] : [{ wallet, asset, quantity }],
    ),
  )

const VENUE_OPENINGS = tableOf(
  'venue_openings',
  closed({
    workspace: id<WorkspaceId>(),
    venue_id: id<VenueId>(),
    asset: asset(),
    quantity: decimalText(),
    booking_id: nullable(id<BookingId>()),
    opened_at: time(),
    placed_at: nullable(time('Since when the books know the wallets of this asset')),
  }),
)

const openingRows = (
  { workspace, id: venue_id }: VenueRecord,
  opened: readonly Amount[],
  bookings: ReadonlyMap<string, BookingDraft>,
  now: number,
): Query[] => {
  const rows = opened.map(({ asset, quantity }) => ({
    workspace,
    venue_id,
    asset,
    quantity: format(quantity),
    booking_id: bookings.get(asset)?.id ?? null,
    opened_at: now,
    placed_at: now,
  }))
  return rows.length === 0 ? [] : [insertRows(VENUE_OPENINGS, rows, { by: TREASURY_WORKER, now })]
}

const connectedEvent = ({ id, label }: VenueRecord, opened: readonly Amount[]): EventDraft => {
  const opening = opened.map(({ asset, quantity }) => [asset, format(quantity)])
  return {
    type: 'venue.connected',
    resource_id: id,
    data: { label, opening: Object.fromEntries(opening) },
  }
}
