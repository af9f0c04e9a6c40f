/**
 * What the books say of each wallet inside a venue: a running position, moved in the commit of the
 * booking that moves it, so that a comparison costs the same after a million movements. A venue
 * with one pot has none: its account is its wallet.
 */
import { decimal, format } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { VenueId, WorkspaceId } from '../../core/ids.ts'
import type { LedgerStep } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'

/**
 * Where a movement took place: the venue's account in the books, and the wallet inside the venue,
 * null where it has one pot or does not say.
 */
export type WalletLocation = {
  workspace: WorkspaceId
  venue_id: VenueId
  account_id: string
  wallet: string | null
}

/** The writes that move a wallet's position by what is booked of a movement. */
export function updateWalletPosition(
  location: WalletLocation,
  ledger: readonly LedgerStep[],
): Query[] {
  if (location.wallet === null) return []
  const moved = new Map<string, Decimal>()
  for (const ledgerStep of ledger) {
    if (ledgerStep.step !== 'book') continue
    for (const leg of ledgerStep.booking.legs.filter(
      ({ account_id }) => account_id === location.account_id,
    )) {
      moved.set(
        ledgerStep.booking.asset,
        (moved.get(ledgerStep.booking.asset) ?? 0n) +
          (leg.type === 'DEBIT' ? leg.quantity : -leg.quantity),
      )
    }
  }
  return addToWalletPositions(
    location,
    [...moved].map(([asset, quantity]) => ({ wallet: location.wallet as string, asset, quantity })),
  )
}

export type WalletQuantity = { wallet: string; asset: string; quantity: Decimal }

/**
 * Only of assets whose wallets the books know. The positions of any other are set all at once
 * (`initializeWalletPositions`).
 */
export function addToWalletPositions(
  { workspace, venue_id }: Pick<WalletLocation, 'workspace' | 'venue_id'>,
  quantities: readonly WalletQuantity[],
): Query[] {
  const some = quantities.filter(({ quantity }) => quantity !== 0n)
  if (some.length === 0) return []
  return [
    sql`
      insert into wallet_positions (workspace, venue_id, asset, wallet, total)
      select ${workspace}::uuid, ${venue_id}::uuid, m.asset, m.wallet, m.quantity
      from unnest(
        ${some.map(({ asset }) => asset)}::text[],
        ${some.map(({ wallet }) => wallet)}::text[],
        ${some.map(({ quantity }) => format(quantity))}::numeric[]
      ) as m (asset, wallet, quantity)
      join venue_openings o on o.workspace = ${workspace}
        and o.venue_id = ${venue_id}
        and o.asset = m.asset
        and o.placed_at is not null
      on conflict (
        workspace, venue_id, asset, wallet
      ) do update set total = wallet_positions.total + excluded.total`,
  ]
}

/**
 * Books that were opened before they knew wallets: from now on each holds what the venue tells,
 * which must be what the books say in all.
 */
export function initializeWalletPositions(
  { workspace, venue_id }: Pick<WalletLocation, 'workspace' | 'venue_id'>,
  asset: string,
  held: readonly WalletQuantity[],
  now: number,
): Query[] {
  return [
    sql`
      update venue_openings
      set placed_at = ${now}
      where workspace = ${workspace}
        and venue_id = ${venue_id}
        and asset = ${asset}
        and placed_at is null`,
    ...addToWalletPositions({ workspace, venue_id }, held),
  ]
}

/** By asset, then by wallet; an asset whose wallets the books do not know is absent. */
export async function walletPositions(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: VenueId,
): Promise<Map<string, Map<string, Decimal>>> {
  const rows = await reader.query<{
    asset: string
    wallet: string | null
    total: string | null
  }>(sql`
    select o.asset, p.wallet, p.total
    from venue_openings o
    left join wallet_positions p on p.workspace = o.workspace
      and p.venue_id = o.venue_id
      and p.asset = o.asset
    where o.workspace = ${workspace}
      and o.venue_id = ${venue_id}
      and o.placed_at is not null`)
  const positions = new Map<string, Map<string, Decimal>>()
  for (const { asset, wallet, total } of rows) {
    const ofAsset = positions.get(asset) ?? new Map<string, Decimal>()
    positions.set(asset, wallet === null ? ofAsset : ofAsset.set(wallet, decimal(total ?? '0')))
  }
  return positions
}
