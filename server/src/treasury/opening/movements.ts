/**
 * Movements and trades against the opening balance of a venue: which of them it contains, and what
 * is booked when one that belongs before it becomes final, or when the venue reverses one.
 */
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import { TREASURY_WORKER } from '../app.ts'
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import { closed, id, Type } from '../../http/index.ts'
import { houseAccounts, venueAccounts } from '../../ledger/index.ts'
import type { BookingDraft, Change, LedgerStep } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { insertRow, insertRows, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Incoming, Outgoing, VenueRecord } from '../../venues/index.ts'
import { updateWalletPosition } from '../wallets/positions.ts'
import { walletByVenueLocator } from '../wallets/rows.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'

/** `amounts`: what the opening balance contains of the movement; null: nothing. */
const OPENING_MOVEMENTS = tableOf(
  'opening_movements',
  closed({
    workspace: id<WorkspaceId>(),
    venue_id: id<VenueId>(),
    foreign_id: Type.String(),
    amounts: Type.Unsafe<StoredAmount[] | null>({
      type: ['array', 'null'],
      items: { type: 'object' },
    }),
  }),
)
type StoredAmount = { asset: string; quantity: string }
/** Negative for what had left. */
export type Amount = { asset: string; quantity: Decimal }
export type CountedMovement = { key: string; amounts: readonly Amount[] }
type OpeningAccounts = { house: string; venue: string }

export const openingAccounts = async (
  reader: Reader,
  { workspace, id }: VenueRecord,
): Promise<OpeningAccounts> => ({
  house: (await houseAccounts(reader, workspace)).HOUSE,
  venue: (await venueAccounts(reader, workspace, id)).VENUE,
})

/** D venue, C house; the other way round for a negative quantity. */
export function openingBooking(
  venue: VenueRecord,
  accounts: OpeningAccounts,
  { asset, quantity }: Amount,
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

export const isEnded = ({ state }: Pick<Outgoing, 'state'>): boolean => ENDED.has(state)

/** The key of an outgoing movement. Movements of both directions may have the same id. */
export const outgoingKey = ({ foreign_id }: Pick<Outgoing, 'foreign_id'>): string =>
  `out:${foreign_id}`

/** What a movement took from the venue, per asset. Of one that has ended only its fee. */
export const amountsOf = (movement: Outgoing): Amount[] => {
  const { asset, quantity, fee, fee_asset } = movement
  const amounts = [
    { asset, quantity: isEnded(movement) ? 0n : quantity },
    { asset: fee_asset ?? asset, quantity: fee ?? 0n },
  ]
  return amounts.filter((amount) => amount.quantity !== 0n)
}

export const outgoingAmounts = (movement: Outgoing): Amount[] =>
  amountsOf(movement).map(({ asset, quantity }) => ({ asset, quantity: -quantity }))

const storedAmounts = (amounts: readonly Amount[]): StoredAmount[] | null =>
  amounts.length === 0
    ? null
    : amounts.map(({ asset, quantity }) => ({ asset, quantity: format(quantity) }))

/** Whether the wallet that the movement reached names an earlier `integrate_from`. */
export async function isSinceIntegration(
  reader: Reader,
  venue: VenueRecord,
  movement: Parameters<typeof walletByVenueLocator>[2] & Pick<Incoming, 'occurred_at'>,
): Promise<boolean> {
  const wallet = await walletByVenueLocator(reader, venue, movement)
  const from = wallet?.integrate_from ?? null
  return from !== null && movement.occurred_at >= from
}

/**
 * NOT_OPEN   the venue or the asset is not connected yet: look again later
 * COUNTED    the opening balance contains it: nothing to do
 * OPENING    from before `integrate_from`, but not in the opening balance: when it is final it is
 *            booked as OPENING, and never becomes a deposit or withdrawal
 * DEPOSIT    everything else
 */
type OpeningStatus = 'NOT_OPEN' | 'COUNTED' | 'OPENING' | 'DEPOSIT'

export async function openingStatusOf(
  reader: Reader,
  { workspace, id }: Pick<VenueRecord, 'workspace' | 'id'>,
  wallet: Wallet | undefined,
  movement: Pick<Incoming, 'foreign_id' | 'asset' | 'occurred_at'>,
): Promise<OpeningStatus> {
  const rows = await reader.query<{ open: boolean; counted: boolean }>(sql`
    select
      exists (
        select
        from venue_openings
        where workspace = ${workspace}
          and venue_id = ${id}
          and asset = ${movement.asset}
      ) as open,
      exists (
        select
        from opening_movements
        where workspace = ${workspace}
          and venue_id = ${id}
          and foreign_id = ${movement.foreign_id}
      ) as counted`)
  const row = only(rows)
  if (row?.counted === true) return 'COUNTED'
  if (row?.open !== true) return 'NOT_OPEN'
  const from = wallet?.integrate_from ?? null
  return from !== null && movement.occurred_at < from ? 'OPENING' : 'DEPOSIT'
}

/**
 * Takes a final movement from before `integrate_from` into the books. A repeat fails on its own row
 * and changes nothing.
 */
export const earlierIncomingChange = (
  reader: Reader,
  venue: VenueRecord,
  movement: Pick<Incoming, 'foreign_id' | 'wallet' | 'asset' | 'quantity'>,
): Promise<Change> =>
  earlierMovementChange(reader, venue, movement.wallet, {
    key: movement.foreign_id,
    amounts: [{ asset: movement.asset, quantity: movement.quantity }],
  })

/** The same for what left. */
export const earlierOutgoingChange = (
  reader: Reader,
  venue: VenueRecord,
  movement: Outgoing,
): Promise<Change> =>
  earlierMovementChange(reader, venue, movement.wallet, {
    key: outgoingKey(movement),
    amounts: outgoingAmounts(movement),
  })

async function earlierMovementChange(
  reader: Reader,
  venue: VenueRecord,
  wallet: string | null,
  { key, amounts }: CountedMovement,
): Promise<Change> {
  const { workspace } = venue
  const accounts = await openingAccounts(reader, venue)
  const ledger = amounts.map((amount): LedgerStep => ({
    step: 'book',
    booking: openingBooking(venue, accounts, amount),
  }))
  const location = { workspace, venue_id: venue.id, account_id: accounts.venue, wallet }
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    ledger,
    rows: [...updateWalletPosition(location, ledger), insertCounted(venue, { key, amounts })],
  }
}

/** Of many movements; one that is remembered already stays as it is. */
export const countedRows = (venue: VenueRecord, counted: readonly CountedMovement[]): Query[] => {
  const rows = counted.map((movement) => countedRow(venue, movement))
  if (rows.length === 0) return []
  const insert = insertRows(OPENING_MOVEMENTS, rows, { by: TREASURY_WORKER, now: 0 })
  return [sql`${insert} on conflict do nothing`]
}

const insertCounted = (venue: VenueRecord, counted: CountedMovement): Query =>
  insertRow(OPENING_MOVEMENTS, countedRow(venue, counted), { by: TREASURY_WORKER, now: 0 })

const countedRow = ({ workspace, id }: VenueRecord, { key, amounts }: CountedMovement) => ({
  workspace,
  venue_id: id,
  foreign_id: key,
  amounts: storedAmounts(amounts),
})

/** Whether the asset was opened after the movement, which is not one since `integrate_from`. */
export async function isBeforeOpening(
  reader: Reader,
  { workspace, id }: VenueRecord,
  wallet: Wallet | undefined,
  { asset, occurred_at }: Pick<Outgoing, 'asset' | 'occurred_at'>,
): Promise<boolean> {
  const from = wallet?.integrate_from ?? null
  if (from !== null && occurred_at >= from) return false
  const rows = await reader.query(sql`
    select 1
    from venue_openings
    where workspace = ${workspace}
      and venue_id = ${id}
      and asset = ${asset}
      and opened_at > ${occurred_at}`)
  return rows.length > 0
}

const reversedKey = (key: string): string => `reversed:${key}`

/**
 * The venue took back what had arrived before its books were opened, or gave back what had left,
 * all but what it `kept`. The change takes it out of the opening balance, once. Undefined when the
 * opening balance contains nothing of it.
 */
export async function openingReversal(
  reader: Reader,
  venue: VenueRecord,
  key: string,
  { wallet, kept = [] }: { wallet: string | null; kept?: readonly Amount[] },
): Promise<Change | undefined> {
  const { workspace } = venue
  const counted = await countedAmounts(reader, venue, key)
  if (counted === undefined) return undefined
  const back = new Map<string, Decimal>()
  for (const { asset, quantity } of [...counted, ...kept])
    back.set(asset, (back.get(asset) ?? 0n) - quantity)
  const accounts = await openingAccounts(reader, venue)
  const balance = `the opening balance of ${venue.label}`
  const ledger = [...back]
    .filter(([, quantity]) => quantity !== 0n)
    .map(([asset, quantity]): LedgerStep => ({
      step: 'book',
      booking: {
        ...openingBooking(venue, accounts, { asset, quantity }),
        type: 'REVERSAL',
        description: `The venue reversed ${key}, which ${balance} contained`,
      },
    }))
  const location = { workspace, venue_id: venue.id, account_id: accounts.venue, wallet }
  const changes = [...back].map(([asset, quantity]) => [asset, format(quantity)])
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    ledger,
    rows: [
      ...updateWalletPosition(location, ledger),
      insertCounted(venue, { key: reversedKey(key), amounts: [] }),
    ],
    events: [
      {
        type: 'venue.opening_balance_adjusted',
        resource_id: venue.id,
        data: { alert: true, foreign_id: key, changes: Object.fromEntries(changes) },
      },
    ],
  }
}

/** What the opening balance contains of the movement, unless it was reversed already. */
async function countedAmounts(
  reader: Reader,
  { workspace, id }: VenueRecord,
  key: string,
): Promise<Amount[] | undefined> {
  const rows = await reader.query<{ amounts: StoredAmount[] }>(sql`
    select amounts
    from opening_movements
    where workspace = ${workspace}
      and venue_id = ${id}
      and foreign_id = ${key}
      and amounts is not null
      and not exists (
        select
        from opening_movements
        where workspace = ${workspace}
          and venue_id = ${id}
          and foreign_id = ${reversedKey(key)}
      )`)
  return only(rows)?.amounts.map(({ asset, quantity }) => ({
    asset,
    quantity: decimal(quantity),
  }))
}
