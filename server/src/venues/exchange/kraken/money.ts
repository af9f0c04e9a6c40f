import type { Money } from '../ccxt.ts'

type RawReply = { result?: unknown }
type Call = (parameters: Record<string, string | boolean>) => Promise<RawReply>

/** What we ask of an account, by Kraken's own names. */
export type ReadOperation =
  | 'BalanceEx'
  | 'QueryOrders'
  | 'OpenOrders'
  | 'ClosedOrders'
  | 'QueryTrades'
  | 'TradesHistory'
  | 'TradeVolume'
  | 'DepositMethods'
  | 'DepositStatus'
  | 'WithdrawMethods'
  | 'WithdrawAddresses'
  | 'WithdrawInfo'
  | 'WithdrawStatus'
  | 'GetApiKeyInfo'
  | 'GetWebSocketsToken'

/** What we use of ccxt's kraken beyond what every exchange has. */
export type KrakenMoney = Money & {
  nonce(): number
  publicGetTime: Call
  /** What Kraken said of each asset, loaded with the markets. */
  currencies?: Record<string, { id: string; info?: Record<string, unknown> }>
} & Record<`privatePost${ReadOperation | 'Withdraw'}`, Call>
