/**
 * What OKX counts: each endpoint by itself, by account, some by currency or instrument too ("Rate
 * Limits", and each endpoint's own figure, www.okx.com/docs-v5).
 */
import { windowMeter } from '../call-meters.ts'
import type { Meter } from '../call-meters.ts'
import { tierNamed } from '../tiers.ts'
import type { Operation } from './money.ts'

type Limit = readonly [calls: number, milliseconds: number]

const SECOND = 1_000
const STANDARD: Readonly<Record<Operation, Limit>> = {
  GetAssetBalances: [6, SECOND],
  GetAccountBalance: [10, 2 * SECOND],
  GetAssetCurrencies: [6, SECOND],
  GetAssetTransferState: [10, SECOND],
  GetAssetDepositHistory: [6, SECOND],
  GetAssetWithdrawalHistory: [6, SECOND],
  GetTradeOrder: [60, 2 * SECOND],
  GetTradeFills: [60, 2 * SECOND],
  GetTradeFillsHistory: [10, 2 * SECOND],
  GetAccountTradeFee: [5, 2 * SECOND],
  PostAssetTransfer: [2, SECOND],
  PostAssetWithdrawal: [6, SECOND],
  PostTradeOrder: [60, 2 * SECOND],
  PostTradeCancelOrder: [60, 2 * SECOND],
  GetFiatDepositPaymentMethods: [3, SECOND],
  GetFiatWithdrawalPaymentMethods: [3, SECOND],
  GetFiatDepositOrderHistory: [3, SECOND],
  GetFiatWithdrawalOrderHistory: [3, SECOND],
  PostFiatCreateWithdrawal: [3, SECOND],
}

/** AGREED: whatever was agreed with OKX. Only its refusals are heeded. */
const TIERS: Readonly<Record<string, typeof STANDARD | null>> = { STANDARD, AGREED: null }

/** OKX counts when a call arrives, which is not when it was sent. */
const MARGIN_MILLISECONDS = 100

export function okxMeters(operation: Operation, name: string = 'STANDARD'): Meter[] {
  const limit = tierNamed(TIERS, 'okx', name)?.[operation]
  return limit === undefined ? [] : [windowMeter(limit[0], limit[1] + MARGIN_MILLISECONDS)]
}
