/** For tests of one exchange alone: a chain and a bank that take everything and do nothing. */
import type { BankRails, Chain } from '../part.ts'

export const CHAIN: Chain = {
  newAddress: (protocol) => `${protocol}-address`,
  endow: () => {},
  send: () => ({ transaction_hash: 'hash' }),
  sendMany: () => ({ transaction_hash: 'hash' }),
  drop: () => false,
  transaction: () => undefined,
  onArrival: () => {},
  fee: (protocol) => ({ asset: protocol, fee: '0.00001' }),
}
export const BANK: BankRails = {
  account: () => ({ iban: 'DE02500204000000000001' }),
  wire: () => ({ wire_id: 'W' }),
  onArrival: () => {},
}
