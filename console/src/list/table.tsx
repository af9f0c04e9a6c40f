/** A table of columns, long or short: their widths, their heads, and the cells of a row. */
import { useMemo } from 'react'
import type { CSSProperties, MouseEvent, ReactNode } from 'react'
import { useAssets } from '../api/assets.tsx'
import { lowered, t } from '../language/index.ts'
import { AllBox, BOX_PIXELS } from './choice.tsx'
import type { Choice } from './choice.tsx'
import { cellOf, isRight } from './columns.tsx'
import type { Column } from './columns.tsx'
import { codesWidth, contentsOf, widthsOf } from './widths.ts'
import type { Content } from './widths.ts'

export type Sort = { key: string; down: boolean }

type HeadProps<Row> = {
  columns: readonly Column<Row>[]
  sort?: Sort | undefined
  sortBy?: ((key: string) => void) | undefined
  /** Rows can be chosen. */
  choice?: HeadChoice | undefined
}

/** What the box of all rows has to know. */
export type HeadChoice = Pick<Choice<unknown>, 'chooseAll'> & { all: boolean; some: boolean }

/**
 * `children` are the rows. `rowCount` says how many there are when not all are drawn. Where it
 * `fits`, columns are as wide as what they hold, and words break, so that none is out of sight.
 */
export function Table<Row>({
  label,
  columns,
  contents,
  sort,
  sortBy,
  choice,
  rowCount,
  fits = false,
  children,
}: HeadProps<Row> & {
  label: string
  contents: readonly Content[]
  rowCount?: number
  fits?: boolean
  children: ReactNode
}): ReactNode {
  const codes = { '--codes': `${codesWidth(contents)}px` } as CSSProperties
  const widths = useMemo(() => widthsOf(columns, contents), [columns, contents])
  if (fits)
    return (
      <table className="grid fits" aria-label={label} style={codes}>
        <Head columns={columns} sort={sort} sortBy={sortBy} />
        <tbody>{children}</tbody>
      </table>
    )
  const boxes = choice === undefined ? 0 : BOX_PIXELS
  const minWidth = widths.reduce((sum, width) => sum + width, boxes)
  return (
    <table
      className="grid"
      aria-label={label}
      aria-rowcount={rowCount}
      style={{ ...codes, minWidth }}
    >
      <colgroup>
        {choice !== undefined && <col style={{ width: boxes }} />}
        {columns.map((column, index) => (
          <col key={column.key} style={{ width: widths[index] }} />
        ))}
      </colgroup>
      <Head columns={columns} sort={sort} sortBy={sortBy} choice={choice} />
      <tbody>{children}</tbody>
    </table>
  )
}

function Head<Row>({ columns, sort, sortBy, choice }: HeadProps<Row>): ReactNode {
  const direction = sort?.down === true ? 'descending' : 'ascending'
  return (
    <thead>
      <tr>
        {choice !== undefined && <AllBox {...choice} />}
        {columns.map((column) => (
          <th
            key={column.key}
            scope="col"
            className={isRight(column) ? 'right' : undefined}
            aria-sort={sort?.key === column.key ? direction : undefined}
          >
            {sortBy === undefined ? (
              column.title
            ) : (
              <button
                type="button"
                className="sorter"
                title={t('Sort by {{title}}', { title: lowered(column.title) })}
                onClick={() => {
                  sortBy(column.key)
                }}
              >
                {column.title}
                {sort?.key === column.key && (
                  <span aria-hidden="true">{sort.down ? ' ↓' : ' ↑'}</span>
                )}
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  )
}

export function Cells<Row>({
  columns,
  row,
  contents,
  mark,
}: {
  columns: readonly Column<Row>[]
  row: Row
  contents: readonly Content[]
  /** Before the first value. */
  mark?: ReactNode
}): ReactNode {
  return columns.map((column, index) => (
    <td key={column.key} className={isRight(column) ? 'right' : undefined}>
      {index === 0 && mark}
      {cellOf(column, row, { room: contents[index]?.room })}
    </td>
  ))
}

/** What is in each column; the same object until one of them changes. */
export function useContents<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): readonly Content[] {
  const assets = useAssets()
  const key = useMemo(
    () => JSON.stringify(contentsOf(columns, rows, assets)),
    [columns, rows, assets],
  )
  return useMemo(() => JSON.parse(key) as Content[], [key])
}

/** Whether the click hit the row itself, not a button or link in it or a dialog opened from it. */
export function isOfRow({ target, currentTarget }: MouseEvent<HTMLTableRowElement>): boolean {
  return (
    target instanceof Element &&
    currentTarget.contains(target) &&
    target.closest('button, a, input, .choice') === null
  )
}
