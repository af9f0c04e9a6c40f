import type { Money } from '../ccxt.ts'

export type RawReply = { result?: unknown }
type Call = (parameters: Record<string, string | boolean>) => Promise<RawReply>

/** What we use of ccxt's kraken beyond what every exchange has. */
export type KrakenMoney = Money & { nonce(): number; publicGetTime: Call } & Record<
    | 'privatePostBalanceEx'
    | 'privatePostQueryOrders'
    | 'privatePostOpenOrders'
    | 'privatePostClosedOrders'
    | 'privatePostQueryTrades'
    | 'privatePostTradesHistory'
    | 'privatePostDepositMethods'
    | 'privatePostDepositStatus'
    | 'privatePostWithdrawMethods'
    | 'privatePostWithdrawAddresses'
    | 'privatePostWithdrawInfo'
    | 'privatePostWithdrawStatus',
    Call
  >
