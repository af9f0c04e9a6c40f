/** The account's lists at Bitstamp, read page by page, and the fees that it names now. */
import type { Decimal } from '../../../core/decimal.ts'
import { exact, row, rows, unreadableAnswer, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { BitstampMoney } from './money.ts'
import { milliseconds } from './vocabulary.ts'
import { isMoney, isNetwork } from '../../terms.ts'
import type { Term, Terms } from '../../terms.ts'

const PAGE = 1_000
const PAGES = 40
const LONGEST_TIMEDELTA_SECONDS = 50_000_000

export const datetimeOf = (row: Row): number => milliseconds(row, 'datetime')

export function unixTimeOf(row: Row): number {
  const seconds = Number(word(row, 'datetime'))
  if (!Number.isFinite(seconds)) throw unreadableAnswer('datetime')
  return seconds * 1000
}

/** Each list newest first, from `since` on (null: all there is). */
export type BitstampLists = {
  terms: Terms
  /** Withdrawals that were asked for. */
  requests(since: number | null): Promise<Row[]>
  /** Every movement of the account. */
  movements(since: number | null): Promise<Row[]>
  /** Coins that arrived. */
  coins(since: number | null): Promise<Row[]>
  feeNow(entry: Term): Promise<Decimal>
}

export function bitstampLists(
  money: BitstampMoney,
  ready: () => Promise<void>,
  terms: Terms,
): BitstampLists {
  const call = async (work: () => Promise<unknown>): Promise<unknown> => {
    await ready()
    return work()
  }
  return {
    terms,
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
  // A row whose time cannot be read is set aside by whoever reads it.
  const isBefore = (row: Row): boolean => {
    try {
      return since !== null && timeOf(row) < since
    } catch {
      return false
    }
  }
  const all: Row[] = []
  for (let page = 0; page < PAGES; page += 1) {
    const found = await read({ offset: String(page * PAGE), limit: String(PAGE) })
    all.push(...found)
    if (found.length < PAGE || (since !== null && found.some(isBefore))) break
  }
  return all.filter((row) => !isBefore(row))
}

function feeOf(fees: readonly Row[], entry: Term): Decimal {
  const ofAsset = fees.filter((fee) => fee['currency'] === entry.native)
  const found = ofAsset.find(
    (fee) => isMoney(entry) || ofAsset.length === 1 || isNetwork(entry, fee['network']),
  )
  return found === undefined ? 0n : exact(found, 'fee')
}
