/** What fills come to, per venue and asset. */
import { absolute, decimal, format, round } from '../core/decimal.ts'
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
  const sums = new Map<string, { venue_id: VenueId; asset: string; sum: Decimal }>()
  const add = (venue_id: VenueId, asset: string, quantity: Decimal): void => {
    const key = `${venue_id} ${asset}`
    const known = sums.get(key)
    if (known === undefined) sums.set(key, { venue_id, asset, sum: quantity })
    else known.sum += quantity
  }
  for (const {
    venue_id,
    base_asset,
    quote_asset,
    side,
    quantity,
    volume,
    fee,
    fee_asset,
    busted,
  } of fills) {
    if (busted) continue
    const sign = side === 'BUY' ? 1n : -1n
    add(venue_id, base_asset, sign * decimal(quantity))
    add(venue_id, quote_asset, -sign * decimal(volume))
    add(venue_id, fee_asset, -decimal(fee))
  }
  return [...sums.entries()]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([, { venue_id, asset, sum }]): Net[] =>
      sum === 0n
        ? []
        : [
            {
              venue_id,
              asset,
              quantity: format(absolute(sum)),
              direction: sum > 0n ? 'INCOMING' : 'OUTGOING',
            },
          ],
    )
}

/**
 * Of an asset that is not configured nothing was booked: of a trade in it only the other side is to
 * be settled (decision 4).
 */
export async function netsInBooks(
  reader: Reader,
  workspace: WorkspaceId,
  fills: readonly NettedFill[],
): Promise<Net[]> {
  const assets = await assetsOf(reader, workspace)
  return netsOf(fills).filter((net) => assets.has(net.asset))
}

/**
 * What of a net can be paid: banks and chains know the asset's scale, and nobody pays more than is
 * owed. The rest is ROUNDING.
 */
export const payable = (quantity: string, scale: number): Decimal =>
  round(decimal(quantity), scale, 'down')
