/** Deposits and withdrawals at OKX. */
import type { Incoming, Outgoing, Transfers } from '../../contract.ts'
import { readRows, rereadRow } from '../../set-aside/records.ts'
import type { RowReader } from '../../set-aside/records.ts'
import type { Terms } from '../../terms.ts'
import type { Row } from '../answers.ts'
import { cursorFrom, outgoingWord, readChangesSince } from '../movements.ts'
import type { Patience } from '../trading.ts'
import { oneFee } from '../withdrawals.ts'
import type { OkxCalls } from './calls.ts'
import { depositsOf } from './deposits.ts'
import { fieldsOf } from './fields.ts'
import { readList } from './lists.ts'
import type { List } from './lists.ts'
import {
  isMoneyOrder,
  moneyDepositsOf,
  moneyWithdrawalsOf,
  readMoneyOrders,
  rowId,
  whereServed,
} from './money-orders.ts'
import type { MoneyHistory } from './money-orders.ts'
import { FAILURES } from './vocabulary.ts'
import { feeNow, findWithdrawal, sendOkxWithdrawal, withdrawalsOf } from './withdrawals.ts'

export function okxTransfers(calls: OkxCalls, patience: Patience): Transfers {
  const { terms } = calls
  return {
    fee_deducted: false,
    fields: (asset, protocol) => fieldsOf(terms.of(asset, protocol)),
    async estimateFee(order) {
      const entry = terms.of(order.asset, order.protocol)
      return oneFee(entry.asset, await FAILURES.reading(() => feeNow(calls, entry)))
    },
    send: (order) => sendOkxWithdrawal(calls, order, patience),
    find: (lookup) => findWithdrawal(calls, lookup, patience),
    incoming: (cursor) =>
      readBoth(calls, cursor, {
        coins: { operation: 'GetAssetDepositHistory', id: 'depId' },
        money: 'GetFiatDepositOrderHistory',
        reader: {
          direction: 'IN',
          idOf: (row) => rowId(row, 'depId'),
          read: incomingOf(terms),
        },
        word: (movement) => movement.state,
      }),
    outgoing: (cursor) =>
      readBoth(calls, cursor, {
        coins: { operation: 'GetAssetWithdrawalHistory', id: 'wdId' },
        money: 'GetFiatWithdrawalOrderHistory',
        reader: {
          direction: 'OUT',
          idOf: (row) => rowId(row, 'wdId'),
          read: outgoingOf(terms),
        },
        word: outgoingWord,
      }),
    reread: async (record) =>
      rereadRow<Row>(record, { IN: incomingOf(terms), OUT: outgoingOf(terms) }),
  }
}

const incomingOf =
  (terms: Terms) =>
  (row: Row): Incoming[] =>
    (isMoneyOrder(row) ? moneyDepositsOf : depositsOf)(terms)(row)

const outgoingOf =
  (terms: Terms) =>
  (row: Row): Outgoing[] =>
    (isMoneyOrder(row) ? moneyWithdrawalsOf : withdrawalsOf)(terms)(row)

type Moved = { foreign_id: string; state: string; occurred_at: number }

type Lists<Movement> = {
  coins: Pick<List, 'operation' | 'id'>
  money: MoneyHistory
  reader: RowReader<Row, Movement>
  word(movement: Movement): string
}

/**
 * Coins and money have cursors of their own. OKX may refuse the lists of money for a while: then
 * their cursor stays where it is.
 */
async function readBoth<Movement extends Moved>(
  calls: OkxCalls,
  cursor: string | null,
  { coins, money, reader, word }: Lists<Movement>,
) {
  const known = cursorsIn(cursor)
  const asked_at = Date.now()
  const moved = await readChangesSince(
    known.coins,
    async (since) => newestFirst(await readList(calls, { ...coins, since }), reader),
    word,
  )
  const paid = await FAILURES.reading(() =>
    whereServed(calls, () =>
      readChangesSince(
        known.money ?? null,
        async (since) => newestFirst(await readMoneyOrders(calls, money, since), reader),
        word,
      ),
    ),
  )
  const unread = known.money === undefined ? cursorFrom(asked_at) : known.money
  const next = { coins: moved.cursor, money: paid === undefined ? unread : paid.cursor }
  return {
    movements: [...moved.movements, ...(paid?.movements ?? [])].toSorted(byTime),
    set_aside: [...moved.set_aside, ...(paid?.set_aside ?? [])],
    cursor: JSON.stringify(next),
  }
}

/** `money`: absent before it was asked for, null while it was read and there is none. */
type Cursors = { coins: string | null; money?: string | null }

/** One of both together was stored before each had its own. */
function cursorsIn(cursor: string | null): Cursors {
  if (cursor === null) return { coins: null }
  const { coins = cursor, money = cursor } = JSON.parse(cursor) as Partial<Cursors>
  return { coins, money }
}

const byTime = (a: { occurred_at: number }, b: { occurred_at: number }): number =>
  a.occurred_at - b.occurred_at

function newestFirst<Movement extends { occurred_at: number }>(
  found: readonly Row[],
  reader: RowReader<Row, Movement>,
) {
  const { movements, set_aside } = readRows(found, reader)
  return { movements: movements.toSorted((a, b) => byTime(b, a)), set_aside }
}
