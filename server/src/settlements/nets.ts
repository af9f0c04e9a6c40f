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

/** What is owed of an asset. More than 0: the venue owes it to us. */
type Line = { venue_id: VenueId; asset: string; total: Decimal }

/** BUY +base −quote, SELL −base +quote, fees always minus. */
function linesOfFill(fill: NettedFill): Line[] {
  const { venue_id } = fill
  const sign = fill.side === 'BUY' ? 1n : -1n
  return [
    { venue_id, asset: fill.base_asset, total: sign * decimal(fill.quantity) },
    { venue_id, asset: fill.quote_asset, total: -sign * decimal(fill.volume) },
    { venue_id, asset: fill.fee_asset, total: -decimal(fill.fee) },
  ]
}

const lineOf = ({ venue_id, asset, quantity, direction }: Net): Line => ({
  venue_id,
  asset,
  total: direction === 'INCOMING' ? decimal(quantity) : -decimal(quantity),
})

const reverse = (line: Line): Line => ({ ...line, total: -line.total })

/** Per venue and asset, sorted by both; what comes to nothing is left out. */
function sumLines(lines: readonly Line[]): Net[] {
  const sums = new Map<string, Line>()
  for (const line of lines) {
    const key = `${line.venue_id} ${line.asset}`
    const known = sums.get(key)
    if (known === undefined) sums.set(key, { ...line })
    else known.total += line.total
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

/** What these fills come to. What was taken back is left out. */
export const netsOf = (fills: readonly NettedFill[]): Net[] =>
  sumLines(fills.filter(({ busted }) => !busted).flatMap(linesOfFill))

/** The lines that take a fill out of nets that hold it. */
export const linesAgainst = (fill: NettedFill): Net[] => sumLines(linesOfFill(fill).map(reverse))

export const addToNets = (nets: readonly Net[], lines: readonly Net[]): Net[] =>
  sumLines([...nets, ...lines].map(lineOf))

/** What these parts leave of the nets. Parts that pay too much leave it in the other direction. */
export const leftOfNets = (nets: readonly Net[], parts: readonly Net[]): Net[] =>
  sumLines([...nets.map(lineOf), ...parts.map(lineOf).map(reverse)])

/**
 * Of an asset that is not configured nothing was booked: of a trade in it only the other side is to
 * be settled (docs/decisions/0004).
 */
export async function netsInBooks(
  reader: Reader,
  workspace: WorkspaceId,
  fills: readonly NettedFill[],
): Promise<Net[]> {
  return inBooks(reader, workspace, netsOf(fills))
}

/** Without those of assets that are not configured. */
export async function inBooks<Line extends Pick<Net, 'asset'>>(
  reader: Reader,
  workspace: WorkspaceId,
  lines: readonly Line[],
): Promise<Line[]> {
  const assets = await assetsOf(reader, workspace)
  return lines.filter((line) => assets.has(line.asset))
}

/** What the parts for a venue and an asset come to. */
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
