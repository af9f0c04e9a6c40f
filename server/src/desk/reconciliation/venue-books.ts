/** What the books say of a venue: its account, and what is in flight there. */
import type { Decimal } from '../../core/decimal.ts'
import { balancesOf, venueAccounts } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { ordersInFlight } from '../../trading/index.ts'
import type { InFlightOrder } from '../../trading/index.ts'
import { openedAssets, inFlightAt, walletPositions } from '../../treasury/index.ts'
import type { InFlightMovement } from '../../treasury/index.ts'
import type { VenueRecord } from '../../venues/index.ts'

/**
 * What the books say at one moment: totals by asset, and of assets whose wallets they know what of
 * that is in each.
 */
export type VenueBooks = {
  account_id: string
  ledger: ReadonlyMap<string, Decimal>
  wallets: ReadonlyMap<string, ReadonlyMap<string, Decimal>>
  in_flight: readonly InFlightMovement[]
  orders: readonly InFlightOrder[]
  opened: ReadonlySet<string>
}

export async function booksOf(
  reader: Reader,
  { workspace, id, settlement }: VenueRecord,
): Promise<VenueBooks> {
  const { VENUE, TRADING } = await venueAccounts(reader, workspace, id)
  const ledger = new Map(
    (await balancesOf(reader, workspace, VENUE)).map((balance) => [balance.asset, balance.total]),
  )
  // Where trades are paid later the venue counts in what either side owes for them, which TRADING
  // says with the other sign.
  if (settlement === 'POST_TRADE')
    for (const balance of await balancesOf(reader, workspace, TRADING))
      ledger.set(balance.asset, (ledger.get(balance.asset) ?? 0n) - balance.total)
  return {
    account_id: VENUE,
    ledger,
    wallets: await walletPositions(reader, workspace, id),
    in_flight: await inFlightAt(reader, workspace, id),
    orders: await ordersInFlight(reader, workspace, id),
    opened: await openedAssets(reader, workspace, id),
  }
}

/** Everything that may move this asset, as one text. While it stays the same, nothing moves. */
export function fingerprintOf(books: VenueBooks, asset: string): string {
  return [
    String(books.ledger.get(asset) ?? 0n),
    String(books.opened.has(asset)),
    [...(books.wallets.get(asset) ?? [])]
      .map((position) => position.join(' '))
      .toSorted()
      .join(', '),
    ...books.in_flight
      .filter((movement) => movement.asset === asset)
      .map(({ id, state, low, high }) => `${id} ${state} ${low} ${high}`),
    ...ordersOf(books, asset).map((order) => `${order.id} ${order.state} ${order.rest}`),
  ].join('; ')
}

export const ordersOf = (books: Pick<VenueBooks, 'orders'>, asset: string): InFlightOrder[] =>
  books.orders.filter((order) => order.base_asset === asset || order.quote_asset === asset)
