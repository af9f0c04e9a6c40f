/** How OKX's operations read a request, and how they refuse it. */
import { tryFigure } from '../figures.ts'
import type { Figure } from '../figures.ts'
import type { Pair } from '../rules.ts'
import { findAsset, findPair } from './listing.ts'
import type { Asset } from './listing.ts'

/** What is answered instead of a result, always with a code of OKX's list. */
export class Refusal extends Error {
  readonly status: number
  readonly body: object
  constructor(status: number, body: object) {
    super(JSON.stringify(body))
    this.status = status
    this.body = body
  }
}

export type Fields = Readonly<Record<string, string | undefined>>
/** Answers the `data` of the envelope. */
export type Operation = (fields: Fields) => object[]

/** A code of the whole request. */
export const refusal = (code: string, msg: string, status = 200): Refusal =>
  new Refusal(status, { code, msg, data: [] })

/**
 * An order that was refused: HTTP 200, and the reason is a code of the order within the data
 * ("Place order": `sCode`, `sMsg`).
 */
export const orderRefusal = (sCode: string, sMsg: string, clOrdId = ''): Refusal =>
  new Refusal(200, {
    code: '1',
    data: [{ clOrdId, ordId: '', sCode, sMsg, tag: '', ts: String(Date.now()) }],
    msg: 'All operations failed',
  })

const CLIENT_ID = /^[A-Za-z0-9]{1,32}$/

/** "A combination of case-sensitive alphanumerics … of up to 32 characters". */
export function clientIdIn(fields: Fields, field: string): string | null {
  const id = fields[field] ?? ''
  if (id === '') return null
  if (!CLIENT_ID.test(id)) throw refusal('51000', `Parameter ${field} error`, 400)
  return id
}

export function needed(fields: Fields, field: string): string {
  const value = fields[field] ?? ''
  if (value === '') throw refusal('50014', `Parameter ${field} can not be empty.`, 400)
  return value
}

export function figureIn(fields: Fields, field: string): Figure {
  const value = tryFigure(needed(fields, field))
  if (value === undefined || value === 0n) throw refusal('51000', `Parameter ${field} error`, 400)
  return value
}

export function pairIn(fields: Fields): Pair {
  const pair = findPair(needed(fields, 'instId'))
  if (pair === undefined) throw refusal('51001', "Instrument ID doesn't exist.")
  return pair
}

export function assetIn(fields: Fields): Asset {
  const asset = findAsset(needed(fields, 'ccy'))
  if (asset === undefined) throw refusal('51012', "Token doesn't exist.")
  return asset
}

const PAGE = 100

/** The rows of a list that the request asks for; `ts` is in milliseconds, as text. */
export function pageOf<Row extends { ts: string }>(fields: Fields, rows: readonly Row[]): Row[] {
  const [after, before] = [Number(fields['after'] ?? ''), Number(fields['before'] ?? '')]
  const limit = Math.min(Number(fields['limit'] ?? PAGE) || PAGE, PAGE)
  return rows
    .filter(
      ({ ts }) => (after === 0 || Number(ts) < after) && (before === 0 || Number(ts) > before),
    )
    .slice(0, limit)
}
