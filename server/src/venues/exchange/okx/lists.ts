/** The lists of movements of coins at OKX, page by page. */
import { rawText, recordId } from '../../set-aside/records.ts'
import { unreadableAnswer } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { OkxCalls } from './calls.ts'
import { FAILURES } from './vocabulary.ts'

const PAGE = 100
const PAGES = 1_000

export type List = {
  operation: 'GetAssetDepositHistory' | 'GetAssetWithdrawalHistory'
  /** The field that has a row's id. */
  id: string
  /** Milliseconds; null: from the beginning. */
  since: number | null
  /** OKX's word for one currency; all without it. */
  ccy?: string
  /** Somebody waits for the answer. */
  urgency?: 'lookup'
}

/**
 * Newest first, by time, with the last moment of a page read again: several rows may share it. OKX
 * documents no way of reading on by id. Throws when the end cannot be reached.
 */
export function readList(
  calls: OkxCalls,
  { operation, id, since, ccy, urgency }: List,
): Promise<Row[]> {
  return FAILURES.reading(async () => {
    const seen = new Map<string, Row>()
    const asked = {
      limit: String(PAGE),
      ...(ccy === undefined ? {} : { ccy }),
      ...(since === null ? {} : { before: String(since - 1) }),
    }
    let after: Record<string, string> = {}
    for (let page = 0; page < PAGES; page += 1) {
      const found = await calls.ask(operation, { ...asked, ...after }, urgency && { urgency })
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
