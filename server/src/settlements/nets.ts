/** What fills come to, per venue and asset. */
import { absolute, decimal, format, round, sum } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { VenueId, WorkspaceId } from '../core/ids.ts'
import { assetsOf } from '../ledger/index.ts'
import type { Reader } from '../store/db.ts'

export type NettedFill = {
  venue_id: VenueId
  base_asset: string
  quote_asset: string
  side: 'BUY' | 'SELL'
  quantity: string
  volume: string
  fee: string
  fee_asset: string
  busted: boolean
}

/** INCOMING: the venue owes it to us. */
export type Direction = 'INCOMING' | 'OUTGOING'
export type Net = { venue_id: VenueId; asset: string; quantity: string; direction: Direction }

/**
 * BUY +base −quote, SELL −base +quote, fees always minus. What comes to nothing, or was taken back,
 * is left out; sorted by venue and asset.
 */
export function netsOf(fills: readonly NettedFill[]): Net[] {
  const sums = new Map<string, { venue_id: VenueId; asset: string; total: Decimal }>()
  const add = (venue_id: VenueId, asset: string, quantity: Decimal): void => {
    const key = `${venue_id} ${asset}`
    const known = sums.get(key)
    if (known === undefined) sums.set(key, { venue_id, asset, total: quantity })
    else known.total += quantity
  }
  for (const fill of fills.filter(({ busted }) => !busted)) {
    const sign = fill.side === 'BUY' ? 1n : -1n
    add(fill.venue_id, fill.base_asset, sign * decimal(fill.quantity))
    add(fill.venue_id, fill.quote_asset, -sign * decimal(fill.volume))
    add(fill.venue_id, fill.fee_asset, -decimal(fill.fee))
  }
  return [...sums.entries()]
    .filter(([, { total }]) => total !== 0n)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, { venue_id, asset, total }]) => ({
      venue_id,
      asset,
      quantity: format(absolute(total)),
      direction: total > 0n ? 'INCOMING' : 'OUTGOING',
    }))
}

/**
 * Of an asset that is not configured nothing was booked: of a trade in it only the other side is to
 * be settled (docs/decisions/0004).
 */
export async function netsInBooks(
  reader: Reader,
  workspace: WorkspaceId,
  fills: readonly NettedFill[],
): Promise<Net[]> {
  const assets = await assetsOf(reader, workspace)
  return netsOf(fills).filter((net) => assets.has(net.asset))
}

/** What the parts that pay a net come to. */
export const sumOfParts = (
  parts: readonly Pick<Net, 'venue_id' | 'asset' | 'quantity'>[],
  { venue_id, asset }: Pick<Net, 'venue_id' | 'asset'>,
): Decimal =>
  sum(
    parts
      .filter((part) => part.venue_id === venue_id && part.asset === asset)
      .map((part) => decimal(part.quantity)),
  )

/**
 * What of a net can be paid: banks and chains know the asset's scale, and nobody pays more than is
 * owed. The rest is ROUNDING.
 */
export const payable = (quantity: string, scale: number): Decimal =>
  round(decimal(quantity), scale, 'down')
