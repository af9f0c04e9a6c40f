/**
 * Deposits and withdrawals at Bitstamp. `absent` is certain when the signed request can no longer
 * be accepted (its time is too old) and what was accepted is listed.
 */
import type { Transfers } from '../../contract.ts'
import { rereadRow } from '../../set-aside/records.ts'
import { readChangesSince, outgoingWord } from '../movements.ts'
import type { Patience } from '../trading.ts'
import type { Terms } from '../../terms.ts'
import { oneFee } from '../withdrawals.ts'
import type { Act } from './calls.ts'
import { depositsOf, readDeposits } from './deposits.ts'
import { fieldsOf } from './fields.ts'
import { bitstampLists } from './lists.ts'
import type { BitstampMoney } from './money.ts'
import type { Currencies } from './protocols.ts'
import { FAILURES } from './vocabulary.ts'
import {
  findWithdrawal,
  readWithdrawals,
  sendBitstampWithdrawal,
  withdrawalsOf,
} from './withdrawals.ts'

const { reading } = FAILURES

type Parts = {
  money: BitstampMoney
  act: Act
  ready(): Promise<void>
  patience: Patience
  terms: Terms
  currencies: Currencies
}

export function bitstampTransfers({
  money,
  act,
  ready,
  patience,
  terms,
  currencies,
}: Parts): Transfers {
  const lists = bitstampLists(money, ready, terms)
  const parts = { money, act, lists, patience, currencies }
  return {
    fee_deducted: false,
    fields: (asset, protocol) => fieldsOf(terms.of(asset, protocol)),
    async estimateFee(order) {
      const entry = terms.of(order.asset, order.protocol)
      return oneFee(entry.asset, await reading(() => lists.feeNow(entry)))
    },
    send: (order) => sendBitstampWithdrawal(parts, order),
    find: (lookup) => findWithdrawal(parts, lookup),
    incoming: (cursor) =>
      readChangesSince(
        cursor,
        (since) => reading(() => readDeposits(lists, since)),
        (movement) => movement.state,
      ),
    outgoing: (cursor) =>
      readChangesSince(
        cursor,
        (since) => reading(() => readWithdrawals(lists, since)),
        outgoingWord,
      ),
    reread: async (record) =>
      rereadRow(record, { IN: depositsOf(terms), OUT: withdrawalsOf(terms) }),
  }
}
