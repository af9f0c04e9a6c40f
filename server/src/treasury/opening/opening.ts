/**
 * The first connection of a venue: what it holds is taken into the books as OPENING, per asset
 * exactly once.
 *
 * Money that is arriving at that moment must be counted once. So the incoming movements are read
 * before and after the balances until nothing changed in between: then the balances contain exactly
 * the movements that were final, and these are remembered and never become deposits; one still
 * pending becomes a deposit when it is final. Where a wallet names `integrate_from`, movements
 * since then are deposits, and the opening balance is that much smaller. What leaves is treated the
 * same: what had left before is counted; since `integrate_from` it becomes a withdrawal, and the
 * opening balance is that much larger. Trades that the balances contain are remembered per asset.
 * What the venue reverses later is taken out again (`openingReversal`).
 */
import { decimal, format, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { assetsOf, houseAccounts, venueAccounts } from '../../ledger/index.ts'
import type { BookingDraft, Change, LedgerStep } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { TaskHandler } from '../../store/tasks.ts'
import {
  countedTradeKey,
  isUnreachable,
  markSeen,
  storeBalances,
  totalsByWallet,
  tradeKey,
  TRADES_BEFORE_OPENING_MILLISECONDS,
  venueById,
  withTimeLimit,
} from '../../venues/index.ts'
import type {
  AccountTrade,
  Incoming,
  Outgoing,
  Venue,
  VenueBalance,
  VenueRecord,
} from '../../venues/index.ts'
import { POLL_TASK } from '../tasks.ts'
import { addToWalletPositions, updateWalletPosition } from '../wallets/positions.ts'
import { walletByVenueLocator } from '../wallets/wallets.ts'
import type { TreasuryApp } from '../app.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'

const TRY_AGAIN_MILLISECONDS = 2_000
const READ_TIMEOUT_MILLISECONDS = 30_000
const STABLE_ATTEMPTS = 5
const MAXIMUM_READS = 1_000
const WORKER = 'treasury'

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
    try {
      const { adapter } = await app.venues.connected(workspace, venue.id)
      const asked_at = app.clock.now()
      const view = await withTimeLimit(
        readStableView(adapter, venue, asked_at - TRADES_BEFORE_OPENING_MILLISECONDS),
        venue.label,
        READ_TIMEOUT_MILLISECONDS,
      )
      await app.lane.commit(await openingChange(app, venue, missing, view))
      await storeBalances(app.db, workspace, venue.id, view.balances, asked_at)
      await markSeen(app, workspace, venue.id, adapter)
      return 'done'
    } catch (error) {
      // Seen by the snapshot meanwhile: what was read may be old, it is read again.
      const overtaken =
        error instanceof ApiError && error.details.some((detail) => detail.code === 'STALE_VERSION')
      if (!overtaken && !isUnreachable(error)) throw error
      return { again_at: app.clock.now() + TRY_AGAIN_MILLISECONDS }
    }
  }

/** The assets of the venue whose opening balance is booked. */
export async function openedAssets(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
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

type OpeningView = {
  movements: Incoming[]
  outgoing: Outgoing[]
  trades: AccountTrade[]
  balances: VenueBalance[]
}

/**
 * Balances, and the movements that they contain. Throws 2003 when the venue's money does not stand
 * still long enough.
 */
async function readStableView(
  adapter: Venue,
  venue: VenueRecord,
  trades_from: number,
): Promise<OpeningView> {
  const { transfers } = adapter
  const incoming = cursorReader(
    (cursor) => transfers?.incoming(cursor),
    (incoming: Incoming) => incoming.foreign_id,
    (incoming) => incoming.state,
  )
  const outgoing = cursorReader(
    (cursor) => transfers?.outgoing?.(cursor),
    (outgoing: Outgoing) => outgoing.foreign_id,
    (outgoing) => `${outgoing.state} ${outgoing.left}`,
  )
  const trades = cursorReader(
    async (cursor) => {
      const answer = await adapter.trading?.trades?.(cursor, trades_from)
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
    const balances = await adapter.balances()
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

/** Reads one direction to its end, again and again; tells whether anything was new. */
function cursorReader<Movement>(
  read: (
    cursor: string | null,
  ) => Promise<{ movements: Movement[]; cursor: string | null } | undefined> | undefined,
  key: (each: Movement) => string,
  word: (each: Movement) => string,
) {
  const known = new Map<string, Movement>()
  let cursor: string | null = null
  const readOn = async (): Promise<boolean> => {
    let changed = false
    for (let reads = 0; reads < MAXIMUM_READS; reads += 1) {
      const answer = await read(cursor)
      if (answer === undefined) return false
      cursor = answer.cursor
      const news = answer.movements.filter((movement) => {
        const before = known.get(key(movement))
        return before === undefined || word(before) !== word(movement)
      })
      for (const movement of news) known.set(key(movement), movement)
      if (news.length === 0) return changed
      changed = true
    }
    return changed
  }
  return { known, readOn }
}

async function openingChange(
  app: TreasuryApp,
  venue: VenueRecord,
  assets: readonly string[],
  view: OpeningView,
): Promise<Change> {
  const { workspace } = venue
  const now = app.clock.now()
  const held = new Map(assets.map((asset) => [asset, heldByWallet(asset, view.balances, venue)]))
  const counted: CountedMovement[] = []
  const add = (asset: string, wallet: string | null, quantity: Decimal) => {
    const places = held.get(asset)
    places?.set(wallet, (places.get(wallet) ?? 0n) + quantity)
  }
  for (const movement of view.movements) {
    if (movement.state === 'PENDING' || !held.has(movement.asset)) continue
    if (await isSinceIntegration(app.db, venue, movement)) {
      if (movement.state === 'FINAL') add(movement.asset, movement.wallet, -movement.quantity)
    } else
      counted.push({
        key: movement.foreign_id,
        amounts: movement.state === 'FINAL' ? [movement] : [],
      })
  }
  for (const movement of view.outgoing) {
    if (!(movement.left || isEnded(movement)) || !held.has(movement.asset)) continue
    if (
      await isSinceIntegration(app.db, venue, { ...movement, destination_address: null, tag: null })
    )
      for (const amount of amountsOf(movement)) add(amount.asset, movement.wallet, amount.quantity)
    // Of what has ended nothing comes back, and what it cost is in the balance.
    else
      counted.push({
        key: outgoingKey(movement),
        amounts: isEnded(movement) ? [] : outgoingAmounts(movement),
      })
  }
  for (const trade of view.trades)
    for (const asset of new Set([trade.base_asset, trade.quote_asset, trade.fee_asset]))
      if (held.has(asset)) counted.push({ key: countedTradeKey(asset, trade), amounts: [] })
  const accounts = await openingAccounts(app.db, venue)
  const opened = [...held].map(([asset, places]) => [asset, sum(places.values())] as const)
  const placed = [...held].flatMap(([asset, places]) =>
    [...places].flatMap(([wallet, quantity]) =>
      wallet === null ? [] : [{ wallet, asset, quantity }],
    ),
  )
  const bookings = new Map(
    opened
      .filter(([, quantity]) => quantity !== 0n)
      .map(([asset, quantity]) => [asset, openingBooking(venue, accounts, asset, quantity)]),
  )
  return {
    workspace,
    class: 'fact',
    by: WORKER,
    // The version: whoever opened in the meantime has moved it.
    guards: [
      {
        table: 'venues',
        resource: 'venue',
        id: venue.id,
        from: [venue.state],
        to: 'CONNECTED',
        version: venue.version,
      },
    ],
    ledger: [...bookings.values()].map((booking): LedgerStep => ({ step: 'book', booking })),
    rows: [
      sql`
        insert into venue_openings (
          workspace, venue_id, asset, quantity, booking_id, opened_at, placed_at
        )
        select ${workspace}::uuid, ${venue.id}::uuid, o.asset, o.quantity, o.booking_id, ${now},
          ${now}
        from unnest(
          ${opened.map(([asset]) => asset)}::text[],
          ${opened.map(([, quantity]) => format(quantity))}::numeric[],
          ${opened.map(([asset]) => bookings.get(asset)?.id ?? null)}::uuid[]
        ) as o (asset, quantity, booking_id)`,
      sql`
        insert into opening_movements (workspace, venue_id, foreign_id, amounts)
        select ${workspace}::uuid, ${venue.id}::uuid, *
        from unnest(
          ${counted.map((counted) => counted.key)}::text[],
          ${counted.map((counted) => storedAmounts(counted.amounts))}::jsonb[]
        )
        on conflict do nothing`,
      ...addToWalletPositions({ workspace, venue_id: venue.id }, placed),
      sql`
        update venues
        set connected_at = coalesce(connected_at, ${now})
        where workspace = ${workspace}
          and id = ${venue.id}`,
    ],
    events: [
      {
        type: 'venue.connected',
        resource_id: venue.id,
        data: {
          label: venue.label,
          opening: Object.fromEntries(opened.map(([asset, quantity]) => [asset, format(quantity)])),
        },
      },
    ],
    tasks: [{ kind: POLL_TASK, subject_id: venue.id, due_at: now }],
  }
}

/** By wallet inside the venue; a figure that the venue does not know now is asked for again. */
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

const openingAccounts = async (reader: Reader, { workspace, id }: VenueRecord) => ({
  house: (await houseAccounts(reader, workspace)).HOUSE,
  venue: (await venueAccounts(reader, workspace, id)).VENUE,
})

/** D venue, C house; the other way round when more has left since `integrate_from` than arrived. */
function openingBooking(
  venue: VenueRecord,
  accounts: { house: string; venue: string },
  asset: string,
  quantity: Decimal,
): BookingDraft {
  const [debit, credit] =
    quantity > 0n ? [accounts.venue, accounts.house] : [accounts.house, accounts.venue]
  const size = quantity > 0n ? quantity : -quantity
  return {
    id: newId(),
    type: 'OPENING',
    asset,
    reference_type: 'venue',
    reference_id: venue.id,
    description: `Opening balance of ${venue.label}`,
    legs: [
      { account_id: debit, type: 'DEBIT', quantity: size },
      { account_id: credit, type: 'CREDIT', quantity: size },
    ],
  }
}

const ENDED: ReadonlySet<Outgoing['state']> = new Set(['FAILED', 'REJECTED', 'CANCELED'])

/**
 * Under which an outgoing movement is remembered as counted; ids of both directions may be the
 * same.
 */
export const outgoingKey = ({ foreign_id }: Pick<Outgoing, 'foreign_id'>): string =>
  `out:${foreign_id}`

const isEnded = ({ state }: Outgoing): boolean => ENDED.has(state)

/**
 * What a movement has taken from the venue, per asset: of one that has ended only what it cost
 * nevertheless.
 */
const amountsOf = (movement: Outgoing): { asset: string; quantity: Decimal }[] => {
  const { asset, quantity, fee, fee_asset } = movement
  return [
    { asset, quantity: isEnded(movement) ? 0n : quantity },
    { asset: fee_asset ?? asset, quantity: fee ?? 0n },
  ].filter((each) => each.quantity !== 0n)
}

type Amount = { asset: string; quantity: Decimal }
/** What the opening balance contains of a movement, negative for what had left. */
type CountedMovement = { key: string; amounts: readonly Amount[] }

const outgoingAmounts = (movement: Outgoing): Amount[] =>
  amountsOf(movement).map(({ asset, quantity }) => ({ asset, quantity: -quantity }))
const storedAmounts = (amounts: readonly Amount[]): string | null =>
  amounts.length === 0
    ? null
    : JSON.stringify(amounts.map(({ asset, quantity }) => ({ asset, quantity: format(quantity) })))

async function isSinceIntegration(
  reader: Reader,
  venue: VenueRecord,
  movement: Pick<
    Incoming,
    'wallet' | 'asset' | 'protocol' | 'destination_address' | 'tag' | 'occurred_at'
  >,
): Promise<boolean> {
  const wallet = await walletByVenueLocator(
    reader,
    venue.workspace,
    venue.id,
    movement.wallet,
    movement.asset,
    movement.protocol,
    movement.destination_address,
    movement.tag,
  )
  return (
    wallet !== undefined &&
    wallet.integrate_from !== null &&
    movement.occurred_at >= wallet.integrate_from
  )
}

/**
 * What an incoming movement is to the books: NOT_OPEN: the venue or the asset is not connected yet,
 * look again later; COUNTED: inside the opening balance, nothing to do; OPENING: it belongs to the
 * time before `integrate_from` but was not there at connection: when final it is booked as OPENING
 * (`lateOpening`), never a deposit; DEPOSIT: everything else.
 */
export type OpeningStatus = 'NOT_OPEN' | 'COUNTED' | 'OPENING' | 'DEPOSIT'

export async function openingStatusOf(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
  wallet: Wallet | undefined,
  movement: Pick<Incoming, 'foreign_id' | 'asset' | 'occurred_at'>,
): Promise<OpeningStatus> {
  const row = only(
    await reader.query<{ open: boolean; counted: boolean }>(sql`select
    exists (select from venue_openings where workspace = ${workspace} and venue_id = ${venue_id} and asset = ${movement.asset}) as open,
    exists (select from opening_movements where workspace = ${workspace} and venue_id = ${venue_id} and foreign_id = ${movement.foreign_id}) as counted`),
  )
  if (row?.counted === true) return 'COUNTED'
  if (row?.open !== true) return 'NOT_OPEN'
  return wallet !== undefined &&
    wallet.integrate_from !== null &&
    movement.occurred_at < wallet.integrate_from
    ? 'OPENING'
    : 'DEPOSIT'
}

/**
 * The change that takes a final movement from before `integrate_from` into the books; a repeat
 * fails on its own row and changes nothing.
 */
export async function earlierIncomingChange(
  reader: Reader,
  venue: VenueRecord,
  movement: Pick<Incoming, 'foreign_id' | 'wallet' | 'asset' | 'quantity'>,
): Promise<Change> {
  return earlierMovementChange(reader, venue, movement.foreign_id, movement.wallet, [movement])
}

/** The same for what left. */
export async function earlierOutgoingChange(
  reader: Reader,
  venue: VenueRecord,
  movement: Outgoing,
): Promise<Change> {
  return earlierMovementChange(
    reader,
    venue,
    outgoingKey(movement),
    movement.wallet,
    outgoingAmounts(movement),
  )
}

async function earlierMovementChange(
  reader: Reader,
  venue: VenueRecord,
  key: string,
  wallet: string | null,
  amounts: readonly Amount[],
): Promise<Change> {
  const { workspace } = venue
  const accounts = await openingAccounts(reader, venue)
  const ledger = amounts.map(({ asset, quantity }): LedgerStep => ({
    step: 'book',
    booking: openingBooking(venue, accounts, asset, quantity),
  }))
  return {
    workspace,
    class: 'fact',
    by: WORKER,
    ledger,
    rows: [
      ...updateWalletPosition(
        { workspace, venue_id: venue.id, account_id: accounts.venue, wallet },
        ledger,
      ),
      sql`
        insert into opening_movements (workspace, venue_id, foreign_id, amounts)
        values (${workspace}, ${venue.id}, ${key}, ${storedAmounts(amounts)}::jsonb)`,
    ],
  }
}

/** The asset was opened after it, and it is no movement since `integrate_from`. */
export async function isBeforeOpening(
  reader: Reader,
  { workspace, id }: VenueRecord,
  wallet: Wallet | undefined,
  { asset, occurred_at }: Pick<Outgoing, 'asset' | 'occurred_at'>,
): Promise<boolean> {
  if (
    wallet !== undefined &&
    wallet.integrate_from !== null &&
    occurred_at >= wallet.integrate_from
  )
    return false
  const rows = await reader.query(
    sql`
      select 1
      from venue_openings
      where workspace = ${workspace}
        and venue_id = ${id}
        and asset = ${asset}
        and opened_at > ${occurred_at}`,
  )
  return rows.length > 0
}

const reversedKey = (key: string): string => `reversed:${key}`

/**
 * The venue took back what had arrived, or gave back what had left (all but what it `kept`), before
 * its books were opened: the change that takes it out of the opening balance, once. Undefined when
 * the opening balance contains nothing of it.
 */
export async function openingReversal(
  reader: Reader,
  venue: VenueRecord,
  key: string,
  wallet: string | null,
  kept: readonly Amount[] = [],
): Promise<Change | undefined> {
  const { workspace } = venue
  const counted = only(
    await reader.query<{ amounts: { asset: string; quantity: string }[] }>(sql`
      select amounts
      from opening_movements
      where workspace = ${workspace}
        and venue_id = ${venue.id}
        and foreign_id = ${key}
        and amounts is not null
        and not exists (
          select
          from opening_movements
          where workspace = ${workspace}
            and venue_id = ${venue.id}
            and foreign_id = ${reversedKey(key)}
        )`),
  )
  if (counted === undefined) return undefined
  const back = new Map<string, Decimal>()
  for (const { asset, quantity } of [
    ...counted.amounts.map((amount) => ({ ...amount, quantity: -decimal(amount.quantity) })),
    ...kept.map((amount) => ({ ...amount, quantity: -amount.quantity })),
  ])
    back.set(asset, (back.get(asset) ?? 0n) + quantity)
  const accounts = await openingAccounts(reader, venue)
  const ledger = [...back]
    .filter(([, quantity]) => quantity !== 0n)
    .map(([asset, quantity]): LedgerStep => ({
      step: 'book',
      booking: {
        ...openingBooking(venue, accounts, asset, quantity),
        type: 'REVERSAL',
        description: `The venue reversed ${key}, which the opening balance of ${venue.label} contained`,
      },
    }))
  return {
    workspace,
    class: 'fact',
    by: WORKER,
    ledger,
    rows: [
      ...updateWalletPosition(
        { workspace, venue_id: venue.id, account_id: accounts.venue, wallet },
        ledger,
      ),
      sql`
        insert into opening_movements (workspace, venue_id, foreign_id)
        values (${workspace}, ${venue.id}, ${reversedKey(key)})`,
    ],
    events: [
      {
        type: 'venue.opening_balance_adjusted',
        resource_id: venue.id,
        data: {
          alert: true,
          foreign_id: key,
          changes: Object.fromEntries(
            [...back].map(([asset, quantity]) => [asset, format(quantity)]),
          ),
        },
      },
    ],
  }
}
