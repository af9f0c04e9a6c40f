/** Deposits and withdrawals as Kraken lists them, newest first, page by page. */
import { rawText, recordId } from '../../set-aside/records.ts'
import { rows } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { Asking, KrakenCalls } from './calls.ts'

const PAGE = 500
const PAGES = 40

export type ListOperation = 'WithdrawStatus' | 'DepositStatus'

type Extent = {
  parameters?: Record<string, string>
  /** From when on; null: all there is. */
  start: number | null
  /** Ends the reading early. */
  until?: (row: Row) => boolean
  asking?: Asking
}

export async function readList(
  { ask }: KrakenCalls,
  operation: ListOperation,
  { parameters = {}, start, until = () => false, asking = {} }: Extent,
): Promise<Row[]> {
  const seen = new Map<string, Row>()
  let end: number | null = null
  for (let page = 0; page < PAGES; page += 1) {
    const range: Record<string, string> = {
      ...(start === null ? {} : { start: String(Math.floor(start / 1000)) }),
      ...(end === null ? {} : { end: String(end) }),
    }
    const found = rows(
      await ask(operation, { ...parameters, ...range, limit: String(PAGE) }, asking),
    )
    const earlier = seen.size
    for (const row of found) seen.set(recordId(row['refid'], rawText(row)), row)
    if (found.length < PAGE || seen.size === earlier || found.some(until)) break
    // A row whose time cannot be read is set aside by whoever reads it.
    end = Math.ceil(Math.min(...found.map((row) => Number(row['time'])).filter(Number.isFinite)))
  }
  return [...seen.values()]
}
