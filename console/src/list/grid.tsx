/**
 * Rows without a limit: a real table of which only what is in sight exists. Arrow keys move, Enter
 * opens; the end of what is loaded asks for more before it comes into sight.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useMemo, useRef } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import type { Column } from './columns.tsx'
import { Cells, isOfRow, Table } from './table.tsx'
import type { Sort } from './table.tsx'

const ROW_PIXELS = 31
const AHEAD_ROWS = 30
/**
 * How many loaded rows are left when more are asked for. The further somebody has scrolled, the
 * earlier more are asked for: they are likely to scroll on.
 */
const LEFT_ROWS = { least: 120, most: 3_000 }
const FOCUS_TRIES = 10

type GridProps<Row> = {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** The row that is open, by its key. */
  openKey?: string | undefined
  open?(row: Row): void
  /** Loads more rows; absent when there are none. */
  more?: (() => void) | undefined
  sort?: Sort | undefined
  sortBy?: ((key: string) => void) | undefined
  /** The class of a row that stands out. */
  classOf?(row: Row): string
  /** Shown when there are no rows. */
  empty?: ReactNode
}

export function Grid<Row>(props: GridProps<Row>): ReactNode {
  const { label, columns, rows, keyOf, openKey, open, more, classOf, empty } = props
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
  useMoreNearEnd(rows.length, last?.index ?? 0, more)
  const move = (event: KeyboardEvent<HTMLTableRowElement>, index: number): void => {
    moveInRows(event, index, { rows, open, virtual, scroller: scroller.current })
  }
  const actions = useSteadyActions({ open, move })
  return (
    <div
      ref={scroller}
      className="grid-scroller"
      tabIndex={rows.length === 0 ? 0 : -1}
      role="region"
      aria-label={label}
    >
      <Table
        label={label}
        columns={columns}
        sort={props.sort}
        sortBy={props.sortBy}
        rowCount={more === undefined ? rows.length + 1 : -1}
      >
        <Spacer columns={columns.length} height={first?.start ?? 0} />
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
              actions={actions}
              opens={open !== undefined}
              openNow={key === openKey}
              inTabOrder={open !== undefined && (index === first?.index || key === openKey)}
              look={classOf?.(row) ?? ''}
            />
          )
        })}
        <Spacer
          columns={columns.length}
          height={last === undefined ? 0 : virtual.getTotalSize() - last.end}
        />
      </Table>
      {rows.length === 0 && empty}
    </div>
  )
}

/** Asks for more rows before the end of the loaded ones is in sight. */
function useMoreNearEnd(count: number, lastIndex: number, more: (() => void) | undefined): void {
  const nearEnd =
    more !== undefined &&
    count - lastIndex <= Math.max(LEFT_ROWS.least, Math.min(lastIndex, LEFT_ROWS.most))
  useEffect(() => {
    if (nearEnd) more?.()
  }, [nearEnd, count, more])
}

/** The same object at every render, so that rows that have not changed are not drawn again. */
function useSteadyActions<Row>(actions: {
  open: ((row: Row) => void) | undefined
  move: RowActions<Row>['move']
}): RowActions<Row> {
  const newest = useRef(actions)
  useEffect(() => {
    newest.current = actions
  })
  return useMemo(
    () => ({
      open: (row) => {
        newest.current.open?.(row)
      },
      move: (event, index) => {
        newest.current.move(event, index)
      },
    }),
    [],
  )
}

type Place<Row> = {
  rows: readonly Row[]
  open: ((row: Row) => void) | undefined
  virtual: { scrollToIndex(index: number): void }
  scroller: HTMLElement | null
}

/** A key pressed in a row: Enter opens the row, the others move the focus. */
function moveInRows<Row>(
  event: KeyboardEvent<HTMLTableRowElement>,
  index: number,
  { rows, open, virtual, scroller }: Place<Row>,
): void {
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
  focusRow(scroller, next, FOCUS_TRIES)
}

/** A row that was out of sight is drawn a few frames later. */
function focusRow(scroller: HTMLElement | null, index: number, tries: number): void {
  requestAnimationFrame(() => {
    const row = scroller?.querySelector<HTMLTableRowElement>(`tr[data-index="${index}"]`)
    if (row !== null && row !== undefined) row.focus()
    else if (tries > 0) focusRow(scroller, index, tries - 1)
  })
}

/** Stands for the rows that are out of sight. */
function Spacer({ columns, height }: { columns: number; height: number }): ReactNode {
  return height <= 0 ? null : (
    <tr className="spacer" aria-hidden="true">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
}

type RowActions<Row> = {
  open(row: Row): void
  move(event: KeyboardEvent<HTMLTableRowElement>, index: number): void
}
type GridRowProps<Row> = {
  id: string
  row: Row
  index: number
  columns: readonly Column<Row>[]
  actions: RowActions<Row>
  opens: boolean
  openNow: boolean
  inTabOrder: boolean
  look: string
}

/** Drawn again only when it changes: while one scrolls, most rows stay. */
const GridRow = memo(function GridRow<Row>({
  id,
  row,
  index,
  columns,
  actions,
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
        if (isOfRow(event) && getSelection()?.isCollapsed !== false) actions.open(row)
      }}
      onKeyDown={(event) => {
        actions.move(event, index)
      }}
    >
      <Cells columns={columns} row={row} />
    </tr>
  )
}) as <Row>(props: GridRowProps<Row>) => ReactNode

/** A short list inside a record: the same columns, without scrolling or paging. */
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
      <Table label={label} columns={columns}>
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
            <Cells columns={columns} row={row} />
          </tr>
        ))}
      </Table>
    </div>
  )
}
