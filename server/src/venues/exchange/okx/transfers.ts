/** Deposits and withdrawals at OKX. */
import type { Incoming, Outgoing, Transfers } from '../../contract.ts'
import { rawText, readRows, recordId, rereadRow } from '../../set-aside/records.ts'
import type { RowReader } from '../../set-aside/records.ts'
import type { Terms } from '../../terms.ts'
import { unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import { outgoingWord, readChangesSince } from '../movements.ts'
import type { Patience } from '../trading.ts'
import { oneFee } from '../withdrawals.ts'
import type { OkxCalls } from './calls.ts'
import { depositsOf } from './deposits.ts'
import { fieldsOf } from './fields.ts'
import {
  isMoneyOrder,
  moneyDepositsOf,
  moneyWithdrawalsOf,
  readMoneyOrders,
  rowId,
} from './money-orders.ts'
import { FAILURES } from './vocabulary.ts'
import { feeNow, findWithdrawal, sendOkxWithdrawal, withdrawalsOf } from './withdrawals.ts'

const PAGE = 100
const PAGES = 1_000

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
      readChangesSince(
        cursor,
        async (since) =>
          readBoth(
            await readList(calls, { operation: 'GetAssetDepositHistory', id: 'depId', since }),
            await readMoney(calls, 'GetFiatDepositOrderHistory', since),
            {
              direction: 'IN',
              idOf: (row) => rowId(row, 'depId'),
              read: incomingOf(terms),
            },
          ),
        (movement) => movement.state,
      ),
    outgoing: (cursor) =>
      readChangesSince(
        cursor,
        async (since) =>
          readBoth(
            await readList(calls, { operation: 'GetAssetWithdrawalHistory', id: 'wdId', since }),
            await readMoney(calls, 'GetFiatWithdrawalOrderHistory', since),
            {
              direction: 'OUT',
              idOf: (row) => rowId(row, 'wdId'),
              read: outgoingOf(terms),
            },
          ),
        outgoingWord,
      ),
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

const readMoney = (
  calls: OkxCalls,
  operation: Parameters<typeof readMoneyOrders>[1],
  since: number | null,
): Promise<Row[]> => FAILURES.reading(() => readMoneyOrders(calls, operation, since))

/** Newest first. */
function readBoth<Movement extends { occurred_at: number }>(
  coins: readonly Row[],
  money: readonly Row[],
  reader: RowReader<Row, Movement>,
) {
  const { movements, set_aside } = readRows([...coins, ...money], reader)
  return { movements: movements.toSorted((a, b) => b.occurred_at - a.occurred_at), set_aside }
}

type List = {
  operation: 'GetAssetDepositHistory' | 'GetAssetWithdrawalHistory'
  id: string
  since: number | null
}

/**
 * Newest first, by time, with the last moment of a page read again: several rows may share it. OKX
 * documents no way of reading on by id.
 */
function readList(calls: OkxCalls, { operation, id, since }: List): Promise<Row[]> {
  return FAILURES.reading(async () => {
    const seen = new Map<string, Row>()
    let after: Record<string, string> = {}
    for (let page = 0; page < PAGES; page += 1) {
      const before: Record<string, string> = since === null ? {} : { before: String(since - 1) }
      const found = await calls.ask(operation, { limit: String(PAGE), ...before, ...after })
      const earlier = seen.size
      for (const row of found) seen.set(recordId(row[id], rawText(row)), row)
      const times = found.map((row) => Number(row['ts'])).filter(Number.isFinite)
      if (found.length < PAGE) return [...seen.values()]
      if (seen.size === earlier || times.length === 0) break
      after = { after: String(Math.min(...times) + 1) }
    }
    throw unreadableAnswer('the end of a list')
  })
}
