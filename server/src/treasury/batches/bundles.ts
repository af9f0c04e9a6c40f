/**
 * Which payments of a batch go together. Payments that agree in everything become one withdrawal; withdrawals of one wallet to
 * different destinations become outputs of one transaction where the venue's transactions can have several.
 */
import { mustExist } from '../../core/assert.ts'
import { decimal, FRACTION_DIGITS, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { assetsOf } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import type { BatchRequest } from './batches.schema.ts'
import { feeParts } from '../bookings.ts'
import { addressKey } from '../matchings/rules.ts'
import { senderOf } from '../routes/routes.ts'
import type { Route } from '../routes/routes.ts'
import type { TreasuryApp } from '../app.ts'
import type { Owned } from '../withdrawals/withdrawals.ts'
import type { Stake } from '../withdrawals/withdrawals.schema.ts'

/** `group`: the venue's output group of its route, null where it needs a transaction of its own. */
export type Payment = {
  index: number
  route: Route
  speed_level: BatchRequest['speed_level']
  stake: Stake
  owner: Owned | undefined
  group: string | null
}

/** Payments that one withdrawal makes. */
export type Payments = [Payment, ...Payment[]]

/** What one transaction pays: a withdrawal per element. */
export type Bundle = [Payments, ...Payments[]]

/** The venue's output group of a route. */
export async function groupOf(app: TreasuryApp, route: Route): Promise<string | null> {
  const { transfers } = await senderOf(app, route.from_wallet)
  return (
    transfers.output_group?.({
      asset: route.from_wallet.asset,
      protocol: route.protocol,
      source_wallet: route.from_wallet.foreign_id,
      transfer: route.transfer,
    }) ?? null
  )
}

/** In the order of the payments. */
export function bundlesOf(payments: readonly Payment[]): Bundle[] {
  const bundles: { share: string | null; bundle: Bundle }[] = []
  for (const together of withdrawalsOf(payments)) {
    const share = shareOf(together[0])
    // One transaction pays an address once: which of two outputs has arrived could not be told.
    const open =
      share === null
        ? undefined
        : bundles.find(
            (bundle) =>
              bundle.share === share &&
              bundle.bundle.every(([other]) => addressOf(other) !== addressOf(together[0])),
          )
    if (open === undefined) bundles.push({ share, bundle: [together] })
    else open.bundle.push(together)
  }
  return bundles.map((bundle) => bundle.bundle)
}

/** The payments of a bundle as they were prepared, one withdrawal each. */
export const withdrawalsOf = (payments: readonly Payment[]): Payments[] =>
  [...Map.groupBy(payments, keyOf).values()] as Payments[]

/** What a bundle was put together by; another one when anything has changed that counts. */
export const bundleKey = (bundle: readonly Payments[]): string =>
  [
    ...bundle.map(([first]) => keyOf(first)),
    ...(bundle.length > 1 ? bundle.map(([first]) => shareOf(first)) : []),
  ].join('\n')

/** What payments that go together in one withdrawal have in common. Between our own wallets a customer's payment and a transfer stay apart: only one of them changes owner. */
export function keyOf({
  route,
  speed_level,
  stake,
}: Pick<Payment, 'route' | 'speed_level' | 'stake'>): string {
  const kind =
    route.to_wallet.venue_id !== null && stake.account_id === null ? 'own transfer' : 'payment'
  const to = Object.entries(route.transfer.to).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([
    route.from_wallet_id,
    route.to_wallet_id,
    route.to_wallet.address,
    route.from_wallet.asset,
    route.protocol,
    speed_level,
    to,
    kind,
  ])
}

/** What withdrawals of one transaction have in common. */
const shareOf = ({ route, speed_level, group }: Payment): string | null =>
  group === null
    ? null
    : JSON.stringify([
        route.from_wallet_id,
        route.from_wallet.asset,
        route.protocol,
        speed_level,
        group,
      ])

const addressOf = ({ route }: Payment): string => addressKey('CRYPTO', route.to_wallet.address)

export const quantityOf = (payments: readonly Payment[]): Decimal =>
  sum(payments.map((payment) => decimal(payment.stake.quantity)))

/** What each withdrawal of a bundle costs of the fee of its transaction. */
export async function feesOf(
  reader: Reader,
  bundle: Bundle,
  { fee, asset }: { fee: Decimal; asset: string },
): Promise<{ payments: Payments; quantity: Decimal; agreed: { fee: Decimal; asset: string } }[]> {
  const scale =
    (await assetsOf(reader, bundle[0][0].route.workspace)).get(asset)?.scale ?? FRACTION_DIGITS
  const quantities = bundle.map(quantityOf)
  const parts = feeParts(fee, quantities, scale)
  return bundle.map((payments, place) => ({
    payments,
    quantity: mustExist(quantities[place], 'each has a quantity'),
    agreed: { fee: mustExist(parts[place], 'each has its part'), asset },
  }))
}
