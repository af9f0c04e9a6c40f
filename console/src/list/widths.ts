/** How wide columns have to be for what is in them: titles, amounts with their asset, states. */
import { groupsOf } from '@kontor/client'
import type { Assets } from '../api/assets.tsx'
import { fractionOf } from '../parts/amounts.ts'
import { FONT } from '../parts/font.ts'
import { inWords } from '../parts/status.tsx'
import { widestTimes } from '../parts/values.tsx'
import { valueOf, widthOf } from './columns.tsx'
import type { Column } from './columns.tsx'

/** What is in the cells of a column, as far as they are loaded. */
export type Content = {
  /** The most decimals that a row shows: for these an amount leaves room. */
  room: number | null
  /** Digits before the point, the longest code of an asset, and the words of states. */
  digits: number
  asset: string
  words: readonly string[]
}

const NO_CONTENT: Content = { room: null, digits: 0, asset: '', words: [] }

/** Padding of a cell, the arrow of what is sorted, and the mark before a state. */
const PADDING_PIXELS = 22
const ARROW_PIXELS = 14
const MARK_PIXELS = 14
const ASSET_GAP_PIXELS = 11
/** States beyond these are cut, if they are longer. */
const MOST_WORDS = 40

const HEAD = `550 13.12px ${FONT}`
const CELL = `13px ${FONT}`
const WORD = `550 13px ${FONT}`
const ASSET = `11.7px ${FONT}`

const measured = new Map<string, number>()
let pen: CanvasRenderingContext2D | null | undefined

/** In pixels, rounded up. */
function textWidth(text: string, font: string): number {
  const key = `${font}|${text}`
  const known = measured.get(key)
  if (known !== undefined) return known
  pen ??= document.createElement('canvas').getContext('2d')
  if (pen === null) return 0
  pen.font = font
  const width = Math.ceil(pen.measureText(text).width)
  measured.set(key, width)
  return width
}

export function contentsOf<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  assets: Assets,
): readonly Content[] {
  return columns.map((column) => {
    if (column.kind === 'amount') return amountsIn(column, rows, assets)
    if (column.kind !== 'status' || column.render !== undefined) return NO_CONTENT
    const states = new Set<string>()
    for (const row of rows) {
      const state = valueOf(column, row)
      if (typeof state === 'string' && states.size < MOST_WORDS) states.add(state)
    }
    return { ...NO_CONTENT, words: [...states].map(inWords) }
  })
}

function amountsIn<Row>(column: Column<Row>, rows: readonly Row[], assets: Assets): Content {
  const drawn = column.render !== undefined && column.value === undefined
  if (drawn) return NO_CONTENT
  const price = column.price === true
  let [room, digits, longest] = [0, 0, '']
  for (const row of rows) {
    const value = valueOf(column, row)
    if (value === null || value === undefined || value === '') continue
    const amount = String(value)
    const code = column.asset?.(row) ?? ''
    const { shown, zeros } = fractionOf(amount, assets.get(code), { price, room: 0 })
    room = Math.max(room, shown.length + zeros)
    const { sign, groups } = groupsOf(amount)
    // A sign and what stands between groups are no wider than a digit.
    digits = Math.max(digits, groups.join(',').length + sign.length)
    if (column.bare !== true && code.length > longest.length) longest = code
  }
  return { ...NO_CONTENT, room, digits, asset: longest }
}

/** The room of the codes of assets that stand behind aligned amounts; their points stay aligned. */
export const codesWidth = (contents: readonly Content[]): number =>
  Math.max(0, ...contents.map(({ asset }) => textWidth(asset, ASSET)))

/** As wide as the column says, and wider where its title or what must not be cut is wider. */
export function widthsOf<Row>(
  columns: readonly Column<Row>[],
  contents: readonly Content[],
): readonly number[] {
  const behind = codesWidth(contents)
  return columns.map((column, index) => {
    const { room, digits, asset, words } = contents[index] ?? NO_CONTENT
    const title = textWidth(column.title, HEAD) + ARROW_PIXELS
    const decimals = room === null || room === 0 ? 0 : room + 1
    const amount = textWidth('0'.repeat(digits + decimals), CELL)
    // Without an asset, too: there the mark of what is cut may stand.
    const code = digits === 0 ? 0 : ASSET_GAP_PIXELS + (asset === '' ? 0 : behind)
    const states = words.map((word) => textWidth(word, WORD) + MARK_PIXELS)
    const times = column.kind === 'time' ? widestTimes() : []
    const uncut = [
      ...times.map((at) => textWidth(at, CELL)),
      ...(column.uncut ?? []).map((word) => textWidth(word, WORD)),
    ]
    const needed = Math.max(title, amount + code, ...states, ...uncut)
    return Math.max(widthOf(column), needed + PADDING_PIXELS)
  })
}
