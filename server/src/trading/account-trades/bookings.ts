/**
 * What a trade books that was made in the account outside this service: the house stands where the
 * customer stands for an execution, without margin and risk, and bears the venue's fee. Afterwards
 * the venue's account says what the venue says.
 *
 * EXECUTION, quote asset  BUY: D house; C TRADING (volume), FEE (the venue's fee)
 *                         SELL: D TRADING; C house, FEE
 * EXECUTION, base asset   BUY: D TRADING; C house. SELL: D house; C TRADING
 * TRADING_FEE             D FEE; C TRADING
 * SETTLEMENT              TRADING against VENUE, for a prefunded venue
 */
import type { Decimal } from '../../core/decimal.ts'
import { newId } from '../../core/ids.ts'
import type { FillId } from '../../core/ids.ts'
import { legsOf } from '../../ledger/index.ts'
import type { BookingDraft, BookingType, Entry } from '../../ledger/index.ts'
import type { AccountTrade } from '../../venues/index.ts'

type OutsideTrade = Pick<
  AccountTrade,
  'base_asset' | 'quote_asset' | 'side' | 'quantity' | 'volume' | 'fee' | 'fee_asset'
>

type OutsideBasis = {
  accounts: { HOUSE: string; FEE: string; TRADING: string; VENUE: string }
  prefunded: boolean
  /** Those that are in the books and whose opening balance does not contain the trade. */
  assets: ReadonlySet<string>
}

export function outsideBookings(
  fill_id: FillId,
  trade: OutsideTrade,
  { accounts, prefunded, assets: booked }: OutsideBasis,
): BookingDraft[] {
  const { base_asset, quote_asset, side, quantity, volume, fee, fee_asset } = trade
  const { HOUSE, FEE, TRADING, VENUE } = accounts
  const bookings: BookingDraft[] = []
  const book = (type: BookingType, asset: string, entries: readonly Entry[]): void => {
    const legs = legsOf(entries)
    if (legs.length > 0 && booked.has(asset))
      bookings.push({
        id: newId(),
        type,
        asset,
        legs,
        reference_type: 'fill',
        reference_id: fill_id,
      })
  }
  const received = new Map([
    [base_asset, side === 'BUY' ? quantity : -quantity],
    [quote_asset, side === 'BUY' ? -volume : volume],
  ])
  const feeIn = (asset: string): Decimal => (asset === fee_asset ? fee : 0n)
  const assets = [...new Set([quote_asset, base_asset, fee_asset])]
  for (const asset of assets) {
    const moved = received.get(asset) ?? 0n
    book('EXECUTION', asset, [
      [HOUSE, moved - feeIn(asset)],
      [TRADING, -moved],
      [FEE, feeIn(asset)],
    ])
  }
  book('TRADING_FEE', fee_asset, [
    [FEE, -fee],
    [TRADING, fee],
  ])
  if (prefunded)
    for (const asset of assets) {
      const net = (received.get(asset) ?? 0n) - feeIn(asset)
      book('SETTLEMENT', asset, [
        [VENUE, -net],
        [TRADING, net],
      ])
    }
  return bookings
}
