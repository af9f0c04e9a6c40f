/** Network fees: the vault's estimate, and what a request says of its fee. */
import type { Fireblocks } from '@fireblocks/ts-sdk'
import { decimal, divide, format, multiply, tryDecimal, ZERO } from '../../core/decimal.ts'
import type { Decimal } from '../../core/decimal.ts'
import { ApiError } from '../../core/errors.ts'
import type { FeeEstimate, Outcome, TransferOrder, TransferReport } from '../contract.ts'
import type { Term } from '../terms.ts'
import { customFeeOf } from './assets.ts'
import { ask, outcomeOf, readOf } from './client.ts'
import { destinationsOf } from './destinations.ts'
import type { PaidOutput } from './destinations.ts'

const FEE_LEVELS = { SLOW: 'LOW', DEFAULT: 'MEDIUM', FAST: 'HIGH' } as const
const SATOSHI: Decimal = decimal('0.00000001')
const FEE_RATE_DECIMALS = 6

export async function estimateFee(
  client: Fireblocks,
  asset: Term,
  order: PaidOutput,
): Promise<FeeEstimate> {
  const { low, medium, high } = readOf(await askForEstimate(client, asset, order))
  const level = (fee: { networkFee?: string }) => figureOf(fee.networkFee)
  return {
    asset: asset.fee_asset,
    custom: customFeeOf(asset) !== undefined,
    speed_levels: { SLOW: level(low), DEFAULT: level(medium), FAST: level(high) },
  }
}

const askForEstimate = (client: Fireblocks, asset: Term, order: PaidOutput) =>
  ask(() =>
    client.transactions.estimateTransactionFee({
      transactionRequest: {
        operation: 'TRANSFER',
        assetId: asset.native,
        ...destinationsOf(order),
      },
    }),
  )

function figureOf(text: string | undefined): Decimal {
  const value = tryDecimal(text ?? '')
  if (value === undefined)
    throw new ApiError('VenueUnreachable', 'vault: the fee estimate cannot be read')
  return value
}

type FeePart = { feeLevel: 'LOW' | 'MEDIUM' | 'HIGH' } | { networkFee: string } | { fee: string }

/** The fee part of the request, or why it could not be made. */
export async function feePart(
  client: Fireblocks,
  asset: Term,
  order: TransferOrder,
): Promise<FeePart | Outcome<TransferReport>> {
  if (order.speed_level !== 'CUSTOM') return { feeLevel: FEE_LEVELS[order.speed_level] }
  const custom = customFeeOf(asset)
  if (custom === 'networkFee') return { networkFee: format(order.fee) }
  if (custom === 'fee') return { fee: format(order.fee) }
  if (custom === 'feePerByte') return feePerByte(client, asset, order)
  const reason = `the vault takes no custom fee for ${asset.asset} on ${asset.protocol}`
  return { outcome: 'refused', reason, native: null }
}

/** Where a fee is named per byte the vault is asked for the size. */
async function feePerByte(
  client: Fireblocks,
  asset: Term,
  order: TransferOrder,
): Promise<FeePart | Outcome<TransferReport>> {
  const current = await askForEstimate(client, asset, order)
  if (!current.ok) return outcomeOf(current.failure)
  const whole = tryDecimal(current.data.medium.networkFee ?? '') ?? ZERO
  const perByte = tryDecimal(current.data.medium.feePerByte ?? '') ?? ZERO
  if (whole <= ZERO || perByte <= ZERO)
    return { outcome: 'unknown', reason: 'the vault did not tell the size of the transaction' }
  const wanted = divide(multiply(order.fee, perByte, 18, 'down'), whole, FEE_RATE_DECIMALS, 'down')
  if (wanted <= ZERO || order.fee < SATOSHI)
    return { outcome: 'refused', reason: 'the fee is too low', native: null }
  return { fee: format(wanted) }
}
