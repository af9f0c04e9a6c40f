import type { Money } from '../ccxt.ts'

type Call = (parameters: Record<string, string>) => Promise<unknown>

/**
 * What we use of ccxt's bitstamp beyond what every exchange has. Answers are what Bitstamp sent.
 */
export type BitstampMoney = Money &
  Record<
    | 'privatePostAccountBalances'
    | 'privatePostOrderStatus'
    | 'privatePostUserTransactions'
    | 'privatePostCryptoTransactions'
    | 'privatePostWithdrawalRequests'
    | 'privatePostFeesWithdrawal'
    | 'privatePostFeesTrading',
    Call
  >
