import type { Money } from '../ccxt.ts'

/** What we ask of an account, by ccxt's names of OKX's paths. */
export type Operation =
  | 'GetAssetBalances'
  | 'GetAccountBalance'
  | 'GetAssetCurrencies'
  | 'GetAssetTransferState'
  | 'GetAssetDepositHistory'
  | 'GetAssetWithdrawalHistory'
  | 'GetTradeOrder'
  | 'GetTradeFills'
  | 'GetTradeFillsHistory'
  | 'GetAccountTradeFee'
  | 'PostAssetTransfer'
  | 'PostAssetWithdrawal'
  | 'PostTradeOrder'
  | 'PostTradeCancelOrder'
  | 'GetFiatDepositPaymentMethods'
  | 'GetFiatWithdrawalPaymentMethods'
  | 'GetFiatDepositOrderHistory'
  | 'GetFiatWithdrawalOrderHistory'
  | 'PostFiatCreateWithdrawal'

/** Of ccxt's okx we use the signature and the transport, and what it knows of markets. */
export type OkxMoney = Money &
  Record<`private${Operation}`, (parameters: Record<string, unknown>) => Promise<unknown>>
