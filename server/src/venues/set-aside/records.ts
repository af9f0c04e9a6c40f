/**
 * Records that are set aside: a row of a venue's list that cannot be read, and a movement that was
 * read but cannot be stored. Both hold what is needed to try again without the venue.
 */
import { createHash } from 'node:crypto'
import { format, FRACTION_DIGITS } from '../../core/decimal.ts'
import type { AccountTrade, Incoming, Outgoing, RereadRecord, SetAsideRecord } from '../contract.ts'
import { objectionToText, shortText } from './texts.ts'

const LONGEST_START = 100
const LONGEST_WORD = 60
const FIGURE = /^-?[0-9]+(\.[0-9]{1,18})?$/

/** The venue's own id where it can be stored, else one that follows from the record. */
export function recordId(id: unknown, raw: string): string {
  const named = typeof id === 'number' || typeof id === 'string' ? String(id) : ''
  if (named !== '' && objectionToText(named) === undefined) return named
  const hash = createHash('sha256').update(`${named} ${raw}`).digest('hex').slice(0, 16)
  return named === '' ? `record ${hash}` : `${shortText(named, LONGEST_START)} ${hash}`
}

/** A record as JSON text, amounts in plain notation. */
export const rawText = (record: unknown): string =>
  JSON.stringify(record, (_name, value: unknown) =>
    typeof value === 'bigint' ? format(value) : value,
  ) ?? String(record)

/** How an adapter reads the rows of one direction. */
export type RowReader<Row, Movement> = {
  /** Null for trades. */
  direction: SetAsideRecord['direction']
  /** The venue's id of the row, where it has one. */
  idOf(row: Row): unknown
  read(row: Row): readonly Movement[]
}

/** Reads each row by itself: one that cannot be read is set aside, and the others are reported. */
export function readRows<Row, Movement>(
  rows: readonly Row[],
  { direction, idOf, read }: RowReader<Row, Movement>,
): { movements: Movement[]; set_aside: SetAsideRecord[] } {
  const movements: Movement[] = []
  const set_aside: SetAsideRecord[] = []
  for (const row of rows) {
    try {
      movements.push(...read(row))
    } catch (error) {
      const raw = rawText({ direction, row })
      const foreign_id = recordId(idOf(row), raw)
      set_aside.push({ foreign_id, direction, reason: wordsOf(error), raw, occurred_at: null })
    }
  }
  return { movements, set_aside }
}

/** Reads such a row once more. */
export function rereadRow<In, Out = In>(
  { raw }: Pick<SetAsideRecord, 'raw'>,
  read: { IN(this: void, row: In): Incoming[]; OUT(this: void, row: Out): Outgoing[] },
): RereadRecord {
  const held = parsed(raw)
  const direction = fieldOf(held, 'direction')
  const row = fieldOf(held, 'row')
  try {
    if (direction === 'IN') return { incoming: read.IN(row as In), outgoing: [] }
    if (direction === 'OUT') return { incoming: [], outgoing: read.OUT(row as Out) }
    return { still: 'this is no row that was read from a list of the venue' }
  } catch (error) {
    return { still: wordsOf(error) }
  }
}

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** A movement that an adapter reported and that cannot be stored or booked. */
export function setAsideMovement(
  ...[direction, movement, reason]: ['IN', Incoming, string] | ['OUT', Outgoing, string]
): SetAsideRecord {
  const raw = rawText({ reported: direction, movement })
  const { foreign_id, occurred_at } = movement
  return { foreign_id: recordId(foreign_id, raw), direction, reason, raw, occurred_at }
}

/** The same of a trade of our account. */
export function setAsideTrade(trade: AccountTrade, reason: string): SetAsideRecord {
  const raw = rawText(trade)
  return {
    foreign_id: recordId(trade.foreign_id, raw),
    direction: null,
    reason,
    raw,
    occurred_at: trade.executed_at,
  }
}

/** The movement that such a record holds; undefined for a record in a venue's own form. */
export function movementIn(
  raw: string,
): { incoming: Incoming[]; outgoing: Outgoing[] } | undefined {
  const held = parsed(raw)
  const movement = fieldOf(held, 'movement')
  if (typeof movement !== 'object' || movement === null) return undefined
  const reported = fieldOf(held, 'reported')
  const known = withAmounts(movement)
  if (reported === 'IN') return { incoming: [known as Incoming], outgoing: [] }
  return reported === 'OUT' ? { incoming: [], outgoing: [known as Outgoing] } : undefined
}

/** The names that venues give to them, in a row of their lists or in a movement. */
const AMOUNTS = ['quantity', 'amount', 'amt', 'size']
const ASSETS = ['asset', 'base_asset', 'currency', 'ccy', 'coin', 'assetId']
/** ISO 20022: what an entry of a bank's message moves stands before its parts. */
const AMOUNT_ELEMENT = /<(?:\w+:)?Amt\s+Ccy="([A-Z]{3})"\s*>\s*([0-9.]{1,40})\s*</

/**
 * What a record says of its amount, in its own words, by which people tell records apart. Null
 * where it does not say: a whole file has many amounts.
 */
export function amountIn(raw: string): string | null {
  const held = parsed(raw)
  const xml = fieldOf(held, 'xml')
  if (typeof xml === 'string') {
    const [, currency, amount] = AMOUNT_ELEMENT.exec(xml) ?? []
    const isEntry = fieldOf(held, 'from') !== undefined
    return isEntry && amount !== undefined ? `${amount} ${currency}` : null
  }
  const row = fieldOf(held, 'row') ?? fieldOf(held, 'movement') ?? held
  const [amount] = wordsIn(row, AMOUNTS)
  const [asset] = wordsIn(row, ASSETS)
  return amount === undefined ? null : [amount, asset].filter(Boolean).join(' ')
}

const wordsIn = (row: unknown, names: readonly string[]): string[] =>
  names.flatMap((name) => {
    const value = fieldOf(row, name)
    const isWord = typeof value === 'string' || typeof value === 'number'
    return isWord && objectionToText(String(value)) === undefined
      ? [shortText(String(value), LONGEST_WORD)]
      : []
  })

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    // A venue's own record need not be JSON.
    return undefined
  }
}

const fieldOf = (value: unknown, field: string): unknown =>
  typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[field]
    : undefined

function withAmounts(movement: object): object {
  const { quantity, fee } = movement as { quantity?: unknown; fee?: unknown }
  return {
    ...movement,
    quantity: figure(quantity),
    ...(fee === undefined ? {} : { fee: figure(fee) }),
  }
}

/** Any number of digits: whether the books take them is asked later. */
function figure(text: unknown): unknown {
  if (typeof text !== 'string' || !FIGURE.test(text)) return text
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.padEnd(FRACTION_DIGITS, '0'))
}
