/**
 * Rows without a limit: a real table of which only what is in sight exists. Arrow keys move, Enter
 * opens; the end of what is loaded asks for more before it comes into sight.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useMemo, useRef } from 'react'
import type { KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { cellOf, isRight, widthOf } from './columns.tsx'
import type { Column } from './columns.tsx'

const ROW_PIXELS = 31
const AHEAD_ROWS = 30
/**
 * Asks for more when so many rows are left: the further somebody has scrolled, the further they
 * will.
 */
const LEFT_ROWS = { least: 120, most: 3_000 }

export type Sort = { key: string; down: boolean }

export type GridProps<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** The row that is open, by its key. */
  openKey?: string | undefined
  open?(row: Row): void
  /** There may be more; called when the end comes near. */
  more?: (() => void) | undefined
  sort?: Sort | undefined
  sortBy?(key: string): void
  /** Of a row that stands out. */
  classOf?(row: Row): string
  /** Stands in place of rows. */
  empty?: ReactNode
}

export function Grid<Row>({
  label,
  columns,
  rows,
  keyOf,
  openKey,
  open,
  more,
  sort,
  sortBy,
  classOf,
  empty,
}: GridProps<Row>): ReactNode {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PIXELS,
    overscan: AHEAD_ROWS,
  })
  const shown = virtual.getVirtualItems()
  const first = shown[0]
  const last = shown.at(-1)
  const before = first?.start ?? 0
  const after = last === undefined ? 0 : virtual.getTotalSize() - last.end
  const lastIndex = last?.index ?? 0
  const nearEnd =
    more !== undefined &&
    rows.length - lastIndex <= Math.max(LEFT_ROWS.least, Math.min(lastIndex, LEFT_ROWS.most))

  useEffect(() => {
    if (nearEnd) more?.()
  }, [nearEnd, rows.length, more])

  function move(event: KeyboardEvent<HTMLTableRowElement>, index: number): void {
    if (event.target !== event.currentTarget) return
    if (event.key === 'Enter') {
      const row = rows[index]
      if (row !== undefined) open?.(row)
      return
    }
    const step = {
      ArrowDown: 1,
      j: 1,
      ArrowUp: -1,
      k: -1,
      PageDown: 20,
      PageUp: -20,
      Home: -rows.length,
      End: rows.length,
    }[event.key]
    if (step === undefined || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    event.stopPropagation()
    const next = Math.max(0, Math.min(rows.length - 1, index + step))
    virtual.scrollToIndex(next)
    const focus = (tries: number): void => {
      const row = scroller.current?.querySelector<HTMLTableRowElement>(`tr[data-index="${next}"]`)
      if (row !== null && row !== undefined) row.focus()
      else if (tries > 0)
        requestAnimationFrame(() => {
          focus(tries - 1)
        })
    }
    requestAnimationFrame(() => {
      focus(10)
    })
  }

  const newest = useRef({ open, move })
  useEffect(() => {
    newest.current = { open, move }
  })
  const acts = useMemo(
    (): Acts<Row> => ({
      open: (row) => {
        newest.current.open?.(row)
      },
      move: (event, index) => {
        newest.current.move(event, index)
      },
    }),
    [],
  )
  const width = columns.reduce((sum, column) => sum + widthOf(column), 0)
  return (
    <div
      ref={scroller}
      className="grid-scroller"
      tabIndex={rows.length === 0 ? 0 : -1}
      role="region"
      aria-label={label}
    >
      <table
        className="grid"
        aria-label={label}
        aria-rowcount={more === undefined ? rows.length + 1 : -1}
        style={{ minWidth: width }}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.key} style={{ width: widthOf(column) }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.key}
                scope="col"
                className={isRight(column) ? 'right' : undefined}
                aria-sort={
                  sort?.key !== column.key ? undefined : sort.down ? 'descending' : 'ascending'
                }
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
        <tbody>
          {before > 0 && (
            <tr className="spacer" aria-hidden="true">
              <td colSpan={columns.length} style={{ height: before }} />
            </tr>
          )}
          {shown.map(({ index }) => {
            const row = rows[index]
            if (row === undefined) return null
            const key = keyOf(row)
            return (
              <GridRow
                key={key}
                id={key}
                row={row}
                index={index}
                columns={columns}
                acts={acts}
                opens={open !== undefined}
                openNow={key === openKey}
                inTabOrder={open !== undefined && (index === first?.index || key === openKey)}
                look={classOf?.(row) ?? ''}
              />
            )
          })}
          {after > 0 && (
            <tr className="spacer" aria-hidden="true">
              <td colSpan={columns.length} style={{ height: after }} />
            </tr>
          )}
        </tbody>
      </table>
      {rows.length === 0 && empty}
    </div>
  )
}

type Acts<Row> = {
  open(row: Row): void
  move(event: KeyboardEvent<HTMLTableRowElement>, index: number): void
}
type GridRowProps<Row> = {
  id: string
  row: Row
  index: number
  columns: readonly Column<Row>[]
  acts: Acts<Row>
  opens: boolean
  openNow: boolean
  inTabOrder: boolean
  look: string
}

/** Drawn again only when something of it has changed: while one scrolls, most rows stay. */
const GridRow = memo(function GridRow<Row>({
  id,
  row,
  index,
  columns,
  acts,
  opens,
  openNow,
  inTabOrder,
  look,
}: GridRowProps<Row>): ReactNode {
  return (
    <tr
      data-index={index}
      data-key={id}
      aria-rowindex={index + 2}
      tabIndex={inTabOrder ? 0 : -1}
      className={`${opens ? 'opens' : ''}${openNow ? ' open' : ''} ${look}`}
      aria-current={openNow ? 'true' : undefined}
      onClick={(event) => {
        if (isOfRow(event) && getSelection()?.isCollapsed !== false) acts.open(row)
      }}
      onKeyDown={(event) => {
        acts.move(event, index)
      }}
    >
      {columns.map((column) => (
        <td key={column.key} className={isRight(column) ? 'right' : undefined}>
          {cellOf(column, row)}
        </td>
      ))}
    </tr>
  )
}) as <Row>(props: GridRowProps<Row>) => ReactNode

/** Not of a button or link in it, nor of a dialog that one of them has opened. */
function isOfRow({ target, currentTarget }: MouseEvent<HTMLTableRowElement>): boolean {
  return (
    target instanceof Element &&
    currentTarget.contains(target) &&
    target.closest('button, a, input') === null
  )
}

/** A short list inside a record: the same columns, no scrolling of its own, no paging. */
export function Rows<Row>({
  label,
  columns,
  rows,
  keyOf,
  open,
  empty,
}: {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  open?: (row: Row) => void
  empty?: ReactNode
}): ReactNode {
  if (rows.length === 0) return empty ?? null
  return (
    <div className="rows" role="region" aria-label={label} tabIndex={0}>
      <table
        className="grid"
        aria-label={label}
        style={{ minWidth: columns.reduce((sum, column) => sum + widthOf(column), 0) }}
      >
        <colgroup>
          {columns.map((column) => (
            <col key={column.key} style={{ width: widthOf(column) }} />
          ))}
        </colgroup>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={isRight(column) ? 'right' : undefined}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              data-key={keyOf(row)}
              tabIndex={open === undefined ? undefined : 0}
              className={open === undefined ? undefined : 'opens'}
              onClick={
                open &&
                ((event) => {
                  if (isOfRow(event)) open(row)
                })
              }
              onKeyDown={
                open &&
                ((event) => {
                  if (event.key === 'Enter' && event.target === event.currentTarget) open(row)
                })
              }
            >
              {columns.map((column) => (
                <td key={column.key} className={isRight(column) ? 'right' : undefined}>
                  {cellOf(column, row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
