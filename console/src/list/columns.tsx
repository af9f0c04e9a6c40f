/** Columns as data. The kind of a column says how it looks, how wide it is and how it sorts. */
import { compareAmounts } from '@kontor/client'
import type { ReactNode } from 'react'
import type { NamedKind } from '../api/names.ts'
import { t } from '../language/index.ts'
import { storedWords } from '../parts/record-words.ts'
import { Status } from '../parts/status.tsx'
import { Amount, Id, Name, NOTHING, Time } from '../parts/values.tsx'

/** The name of a record by its id; the id where the name is not known. */
export type NameOf = (kind: NamedKind, id: string) => string

/** The record that a value links to, named as search and timelines name it. */
export type Lead = { kind: string; id: string }

type Kind = 'text' | 'said' | 'id' | 'amount' | 'time' | 'status' | 'flag' | 'number' | NamedKind

export type Column<Row> = {
  /** A field of the row, or a name of your own together with `value` or `render`. */
  key: string
  title: string
  /** `text` when absent. `said`: by the service, in words of its own or as a code. */
  kind?: Kind
  /** The value, also for sorting; row[key] when absent. */
  value?(row: Row): unknown
  /** The asset of an amount, which is shown after it. */
  asset?(row: Row): string | null | undefined
  /** The asset is not shown: it stands in a column of its own, or above. */
  bare?: true
  /** An amount that is the price of one unit: it has as many decimals as it needs. */
  price?: true
  /** In a record: the link of the value. Names link to their records without it. */
  leads?(row: Row): Lead | null | undefined
  /** Replaces what the kind shows. An amount with a `value` is told its room for decimals. */
  render?(row: Row, room?: number): ReactNode
  /** The value in a file, where its kind does not say it. `names`: what it asks for. */
  text?(row: Row, nameOf: NameOf): string
  names?: readonly NamedKind[]
  /** Pixels, at least; by kind when absent. */
  width?: number
  /** Words of which none is ever cut, where the kind does not say it. */
  uncut?: readonly string[]
  /** Hidden until it is chosen from the columns. */
  extra?: true
}

/** Of a column of amounts whose asset stands in a column of its own. */
export const ASSET_BESIDE = {
  bare: true,
  asset: (row: { asset: string }): string => row.asset,
} as const

/** The columns, and behind them each other field of the record, hidden until it is chosen. */
export function withFields<Row>(
  columns: readonly Column<Row>[],
  sections: readonly { fields: readonly Column<Row>[] }[],
): readonly Column<Row>[] {
  const keys = new Set(columns.map(({ key }) => key))
  const others = sections.flatMap(({ fields }) => fields).filter(({ key }) => !keys.has(key))
  return [...columns, ...others.map((field) => ({ ...field, extra: true as const }))]
}

const WIDTHS: Readonly<Record<Kind, number>> = {
  text: 150,
  said: 150,
  id: 145,
  amount: 150,
  time: 105,
  status: 140,
  flag: 70,
  number: 80,
  account: 225,
  venue: 145,
  wallet: 140,
  customer: 225,
  user: 170,
  route: 180,
  price_route: 180,
}

export function widthOf<Row>({ width, kind = 'text' }: Column<Row>): number {
  return width ?? WIDTHS[kind]
}

export function isRight<Row>({ kind }: Column<Row>): boolean {
  return kind === 'amount' || kind === 'number'
}

export function valueOf<Row>(column: Column<Row>, row: Row): unknown {
  return column.value === undefined
    ? (row as Record<string, unknown>)[column.key]
    : column.value(row)
}

/**
 * A list shows times in short, a record in full. `room`: the decimals for which a column of amounts
 * leaves room, so that their points stand below each other.
 */
export function cellOf<Row>(
  column: Column<Row>,
  row: Row,
  { place = 'list', room }: { place?: 'list' | 'record'; room?: number | null | undefined } = {},
): ReactNode {
  if (column.render !== undefined) return column.render(row, room ?? undefined)
  const value = valueOf(column, row)
  if (value === null || value === undefined || value === '') return NOTHING
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
  switch (column.kind ?? 'text') {
    case 'amount':
      return (
        <Amount
          value={text}
          asset={column.asset?.(row)}
          bare={column.bare === true}
          price={column.price === true}
          room={room ?? undefined}
        />
      )
    case 'time':
      return <Time at={Number(value)} short={place === 'list'} />
    case 'status':
      return <Status state={text} />
    case 'id':
      return <Id value={text} what={column.title} />
    case 'flag':
      return value === true ? t('Yes') : t('No')
    case 'said':
      return <span title={storedWords(text)}>{storedWords(text)}</span>
    case 'text':
    case 'number':
      return <span title={text}>{text}</span>
    default:
      return <Name of={column.kind as NamedKind} id={text} />
  }
}

/**
 * Compares amounts by their digits, numbers by size, words by the alphabet; empty values come last.
 */
export function comparing<Row>(column: Column<Row>): (a: Row, b: Row) => number {
  return (left, right) => {
    const [a, b] = [valueOf(column, left), valueOf(column, right)]
    if (a === null || a === undefined) return b === null || b === undefined ? 0 : 1
    if (b === null || b === undefined) return -1
    if (column.kind === 'amount') return compareAmounts(String(a), String(b))
    if (typeof a === 'number' && typeof b === 'number') return a - b
    return String(a).localeCompare(String(b))
  }
}
