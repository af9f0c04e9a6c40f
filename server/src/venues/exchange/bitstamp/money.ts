import type { Money } from '../ccxt.ts'

type Call = (parameters: Record<string, string>) => Promise<unknown>

/** What we ask of an account, by ccxt's names of Bitstamp's paths. */
export type ReadOperation =
  | 'AccountBalances'
  | 'OrderStatus'
  | 'UserTransactions'
  | 'CryptoTransactions'
  | 'WithdrawalRequests'
  | 'FeesWithdrawal'
  | 'FeesTrading'
  | 'WebsocketsToken'

/**
 * What we use of ccxt's bitstamp beyond what every exchange has. Answers are what Bitstamp sent.
 */
export type BitstampMoney = Money & { publicGetCurrencies: Call } & Record<
    `privatePost${ReadOperation}`,
    Call
  >
