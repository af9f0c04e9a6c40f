/**
 * Which payments of a batch go together. Payments that agree in everything become one withdrawal.
 * Withdrawals of one wallet to different destinations become outputs of one transaction where the
 * venue's transactions can have several.
 */
import { mustExist } from '../../core/assert.ts'
import { decimal, FRACTION_DIGITS, sum } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { assetsOf } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import type { TreasuryApp } from '../app.ts'
import { feeParts } from '../bookings.ts'
import { addressKey } from '../matchings/rules.ts'
import { senderOf } from '../routes/routes.ts'
import type { Route } from '../routes/routes.ts'
import type { AgreedFee } from '../withdrawals/holds.ts'
import type { OwnerShare } from '../withdrawals/withdrawals.ts'
import type { Stake } from '../withdrawals/withdrawals.schema.ts'
import type { BatchRequest } from './batches.schema.ts'

export type Payment = {
  /** Of the item in the request. */
  index: number
  route: Route
  speed_level: BatchRequest['speed_level']
  stake: Stake
  owner: OwnerShare | undefined
  /** The venue's output group of its route, null where it needs a transaction of its own. */
  group: string | null
}

/** Payments that one withdrawal makes. */
type WithdrawalPayments = [Payment, ...Payment[]]

/** What one transaction pays: one element per withdrawal. */
export type Bundle = [WithdrawalPayments, ...WithdrawalPayments[]]

export async function outputGroupOf(app: TreasuryApp, route: Route): Promise<string | null> {
  const { transfers } = await senderOf(app, route.from_wallet)
  const group = transfers.output_group?.({
    asset: route.from_wallet.asset,
    protocol: route.protocol,
    source_wallet: route.from_wallet.foreign_id,
    transfer: route.transfer,
  })
  return group ?? null
}

/** In the order of the payments. */
export function bundlePayments(payments: readonly Payment[]): Bundle[] {
  const bundles: { key: string | null; bundle: Bundle }[] = []
  for (const group of groupByWithdrawal(payments)) {
    const key = transactionKey(group[0])
    // One transaction pays an address once: otherwise nobody could say which output has arrived.
    const open = bundles.find(
      (other) =>
        key !== null &&
        other.key === key &&
        other.bundle.every(([payment]) => addressOf(payment) !== addressOf(group[0])),
    )
    if (open === undefined) bundles.push({ key, bundle: [group] })
    else open.bundle.push(group)
  }
  return bundles.map(({ bundle }) => bundle)
}

/** One element per withdrawal. */
export const groupByWithdrawal = (payments: readonly Payment[]): WithdrawalPayments[] =>
  [...Map.groupBy(payments, withdrawalKey).values()] as WithdrawalPayments[]

/** By what a bundle was put together: another key when anything has changed that counts. */
export const bundleKey = (bundle: readonly WithdrawalPayments[]): string =>
  [
    ...bundle.map(([first]) => withdrawalKey(first)),
    ...(bundle.length > 1 ? bundle.map(([first]) => transactionKey(first)) : []),
  ].join('\n')

/**
 * What the payments of one withdrawal have in common. It carries one purpose, and one name by
 * which its caller finds it. A permission for one payment must not become one for another:
 * third-party payments stay apart.
 */
export function withdrawalKey({
  route,
  speed_level,
  stake,
}: Pick<Payment, 'route' | 'speed_level' | 'stake'>): string {
  const to = Object.entries(route.transfer.to).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify([
    route.from_wallet_id,
    route.to_wallet_id,
    route.to_wallet.address,
    route.from_wallet.asset,
    route.protocol,
    speed_level,
    to,
    stake.third_party === true ? 'third-party payment' : 'payment',
    ...(stake.purpose === undefined ? [] : [stake.purpose]),
    ...(stake.client_ref === undefined ? [] : [{ client_ref: stake.client_ref }]),
  ])
}

/** What the withdrawals of one transaction have in common. */
const transactionKey = ({ route, speed_level, group }: Payment): string | null =>
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

export const totalQuantity = (payments: readonly Payment[]): Decimal =>
  sum(payments.map((payment) => decimal(payment.stake.quantity)))

/** One withdrawal of a bundle, with its part of the transaction's fee. */
export type BundlePart = { payments: WithdrawalPayments; quantity: Decimal; fee: AgreedFee }

export async function bundleFees(
  reader: Reader,
  bundle: Bundle,
  { fee, asset }: AgreedFee,
): Promise<BundlePart[]> {
  const { workspace } = bundle[0][0].route
  const scale = (await assetsOf(reader, workspace)).get(asset)?.scale ?? FRACTION_DIGITS
  const quantities = bundle.map(totalQuantity)
  const parts = feeParts(fee, quantities, scale)
  return bundle.map((payments, index) => ({
    payments,
    quantity: mustExist(quantities[index], 'each withdrawal has a quantity'),
    fee: { fee: mustExist(parts[index], 'each withdrawal has its part'), asset },
  }))
}
