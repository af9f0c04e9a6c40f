/** The account's lists at Bitstamp, read page by page, and the fees that it names now. */
import type { Decimal } from '../../../core/decimal.ts'
import { exact, row, rows, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { BitstampMoney } from './money.ts'
import { milliseconds } from './vocabulary.ts'
import type { ProtocolEntry } from './vocabulary.ts'

const PAGE = 1_000
const PAGES = 40
const LONGEST_TIMEDELTA_SECONDS = 50_000_000

export const datetimeOf = (row: Row): number => milliseconds(row, 'datetime')

export const unixTimeOf = (row: Row): number => Number(word(row, 'datetime')) * 1000

/** Each list newest first, from `since` on (null: all there is). */
export type BitstampLists = {
  /** Withdrawals that were asked for. */
  requests(since: number | null): Promise<Row[]>
  /** Every movement of the account. */
  movements(since: number | null): Promise<Row[]>
  /** Coins that arrived. */
  coins(since: number | null): Promise<Row[]>
  feeNow(entry: ProtocolEntry): Promise<Decimal>
}

export function bitstampLists(money: BitstampMoney, ready: () => Promise<void>): BitstampLists {
  const call = async (work: () => Promise<unknown>): Promise<unknown> => {
    await ready()
    return work()
  }
  return {
    requests: (since) =>
      readList(
        async (page) => {
          const timedelta = String(LONGEST_TIMEDELTA_SECONDS)
          return rows(await call(() => money.privatePostWithdrawalRequests({ ...page, timedelta })))
        },
        since,
        datetimeOf,
      ),
    movements: (since) =>
      readList(
        async (page) => rows(await call(() => money.privatePostUserTransactions(page))),
        since,
        datetimeOf,
      ),
    coins: (since) =>
      readList(
        async (page) =>
          rows(row(await call(() => money.privatePostCryptoTransactions(page)))['deposits']),
        since,
        unixTimeOf,
      ),
    feeNow: async (entry) =>
      feeOf(rows(await call(() => money.privatePostFeesWithdrawal({}))), entry),
  }
}

/** Until one is older than `since`. */
async function readList(
  read: (page: Record<string, string>) => Promise<Row[]>,
  since: number | null,
  timeOf: (row: Row) => number,
): Promise<Row[]> {
  const all: Row[] = []
  for (let page = 0; page < PAGES; page += 1) {
    const found = await read({ offset: String(page * PAGE), limit: String(PAGE) })
    all.push(...found)
    if (found.length < PAGE || (since !== null && found.some((row) => timeOf(row) < since))) break
  }
  return since === null ? all : all.filter((row) => timeOf(row) >= since)
}

function feeOf(fees: readonly Row[], entry: ProtocolEntry): Decimal {
  const ofAsset = fees.filter((fee) => fee['currency'] === entry.native)
  const found = ofAsset.find(
    (fee) => entry.money || ofAsset.length === 1 || fee['network'] === entry.network,
  )
  return found === undefined ? 0n : exact(found, 'fee')
}
