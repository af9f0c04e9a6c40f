/** A table of columns, long or short: their widths, their heads, and the cells of a row. */
import type { MouseEvent, ReactNode } from 'react'
import { cellOf, isRight, widthOf } from './columns.tsx'
import type { Column } from './columns.tsx'

export type Sort = { key: string; down: boolean }

type HeadProps<Row> = {
  columns: readonly Column<Row>[]
  sort?: Sort | undefined
  sortBy?: ((key: string) => void) | undefined
}

/** `children` are the rows. `rowCount` says how many there are when not all are drawn. */
export function Table<Row>({
  label,
  columns,
  sort,
  sortBy,
  rowCount,
  children,
}: HeadProps<Row> & { label: string; rowCount?: number; children: ReactNode }): ReactNode {
  const width = columns.reduce((sum, column) => sum + widthOf(column), 0)
  return (
    <table className="grid" aria-label={label} aria-rowcount={rowCount} style={{ minWidth: width }}>
      <colgroup>
        {columns.map((column) => (
          <col key={column.key} style={{ width: widthOf(column) }} />
        ))}
      </colgroup>
      <Head columns={columns} sort={sort} sortBy={sortBy} />
      <tbody>{children}</tbody>
    </table>
  )
}

function Head<Row>({ columns, sort, sortBy }: HeadProps<Row>): ReactNode {
  const direction = sort?.down === true ? 'descending' : 'ascending'
  return (
    <thead>
      <tr>
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
                title={`Sort by ${column.title.toLowerCase()}`}
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
}: {
  columns: readonly Column<Row>[]
  row: Row
}): ReactNode {
  return columns.map((column) => (
    <td key={column.key} className={isRight(column) ? 'right' : undefined}>
      {cellOf(column, row)}
    </td>
  ))
}

/** Whether the click hit the row itself, not a button or link in it or a dialog opened from it. */
export function isOfRow({ target, currentTarget }: MouseEvent<HTMLTableRowElement>): boolean {
  return (
    target instanceof Element &&
    currentTarget.contains(target) &&
    target.closest('button, a, input') === null
  )
}
