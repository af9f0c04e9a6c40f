/** Tables on a sheet: their columns and rows, and where each cell stands. */
import type { Place } from './pen.ts'

export type Column = { title: string; width: number; right?: true }
/** A strong row is a sum or a balance. */
export type Row = { cells: readonly string[]; strong?: true }

export type RowStyle = {
  columns: readonly Column[]
  size: number
  strong?: boolean
  /** The first cell names the second. */
  named?: boolean
  /** The titles stand again on a further page. */
  again?: boolean
}

const GAP = 8
export const inner = ({ width }: Column): number => width - GAP

export function placesOf(
  columns: readonly Column[],
  { x: left, y }: { x: number; y: number },
): Place[] {
  let x = left
  return columns.map((column) => {
    const place = { x, y, width: inner(column) }
    x += column.width
    return place
  })
}
