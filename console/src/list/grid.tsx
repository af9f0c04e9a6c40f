/**
 * Rows without a limit: a real table of which only what is in sight exists. Arrow keys move, Enter
 * opens; the end of what is loaded asks for more before it comes into sight.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { memo, useEffect, useMemo, useRef } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { RowBox } from './choice.tsx'
import type { Choice } from './choice.tsx'
import type { Column } from './columns.tsx'
import { NewMark } from './news.tsx'
import { moveInRows, useRowFocus } from './row-keys.ts'
import type { List } from './row-keys.ts'
import { usePrinting } from '../parts/printing.tsx'
import { Cells, isOfRow, Table, useContents } from './table.tsx'
import type { HeadChoice, Sort } from './table.tsx'
import type { Content } from './widths.ts'

const ROW_PIXELS = 31
const AHEAD_ROWS = 30
/**
 * How many loaded rows are left when more are asked for. The further somebody has scrolled, the
 * earlier more are asked for: they are likely to scroll on.
 */
const LEFT_ROWS = { least: 120, most: 3_000 }

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
  /** Rows can be chosen; `nameOf` says a row in words. */
  choice?: (Choice<Row> & { nameOf(row: Row): string }) | undefined
  /** The keys of rows that the person has not seen. */
  fresh?: ReadonlySet<string> | undefined
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
  const inSight = virtual.getVirtualItems()
  const [first, last] = [inSight[0], inSight.at(-1)]
  // Paper has all rows.
  const printing = usePrinting() !== undefined
  const choice = printing ? undefined : props.choice
  const shown = printing ? rows.map((_row, index) => ({ index })) : inSight
  useMoreNearEnd(rows.length, last?.index ?? 0, more)
  const list = { rows, open, choose: choice?.choose, virtual, scroller }
  const actions = useSteadyActions(list)
  const contents = useContents(columns, rows)
  const width = columns.length + (choice === undefined ? 0 : 1)
  useRowFocus(list, keyOf, openKey)
  return (
    <div
      ref={scroller}
      className="grid-scroller"
      tabIndex={rows.length === 0 ? 0 : -1}
      role="region"
      aria-label={label}
    >
      <Table
        {...{ label, columns, contents }}
        sort={props.sort}
        sortBy={props.sortBy}
        choice={headOf(choice, rows.length)}
        rowCount={more === undefined ? rows.length + 1 : -1}
      >
        <Spacer columns={width} height={printing ? 0 : (first?.start ?? 0)} />
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
              contents={contents}
              actions={actions}
              opens={open !== undefined}
              openNow={key === openKey}
              inTabOrder={index === first?.index || key === openKey}
              chosen={choice?.keys.has(key)}
              name={choice?.nameOf(row)}
              isNew={props.fresh?.has(key) === true}
              look={classOf?.(row) ?? ''}
            />
          )
        })}
        <Spacer
          columns={width}
          height={printing || last === undefined ? 0 : virtual.getTotalSize() - last.end}
        />
      </Table>
      {rows.length === 0 && empty}
    </div>
  )
}

function headOf<Row>(choice: Choice<Row> | undefined, count: number): HeadChoice | undefined {
  if (choice === undefined) return undefined
  const { rows, chooseAll } = choice
  return { all: count > 0 && rows.length === count, some: rows.length > 0, chooseAll }
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
function useSteadyActions<Row>(list: List<Row>): RowActions<Row> {
  const newest = useRef(list)
  useEffect(() => {
    newest.current = list
  })
  return useMemo(
    () => ({
      open: (row) => {
        newest.current.open?.(row)
      },
      choose: (index, range) => {
        newest.current.choose?.(index, range)
      },
      move: (event, index) => {
        moveInRows(event, index, newest.current)
      },
    }),
    [],
  )
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
  choose(index: number, range: boolean): void
  move(event: KeyboardEvent<HTMLTableRowElement>, index: number): void
}
type GridRowProps<Row> = {
  id: string
  row: Row
  index: number
  columns: readonly Column<Row>[]
  contents: readonly Content[]
  actions: RowActions<Row>
  opens: boolean
  openNow: boolean
  inTabOrder: boolean
  /** Undefined where rows are not chosen. */
  chosen: boolean | undefined
  name: string | undefined
  isNew: boolean
  look: string
}

const classesOf = (is: Record<string, boolean | undefined>, look: string): string =>
  [...Object.keys(is).filter((name) => is[name] === true), look].join(' ')

/** Drawn again only when it changes: while one scrolls, most rows stay. */
const GridRow = memo(function GridRow<Row>({
  id,
  row,
  index,
  columns,
  contents,
  actions,
  opens,
  openNow,
  inTabOrder,
  chosen,
  name = '',
  isNew,
  look,
}: GridRowProps<Row>): ReactNode {
  return (
    <tr
      data-index={index}
      data-key={id}
      aria-rowindex={index + 2}
      tabIndex={inTabOrder ? 0 : -1}
      className={classesOf({ opens, open: openNow, chosen }, look)}
      aria-current={openNow ? 'true' : undefined}
      onClick={(event) => {
        if (isOfRow(event) && getSelection()?.isCollapsed !== false) actions.open(row)
      }}
      onKeyDown={(event) => {
        actions.move(event, index)
      }}
    >
      {chosen !== undefined && (
        <RowBox
          name={name}
          chosen={chosen}
          inTabOrder={inTabOrder}
          choose={(range) => {
            actions.choose(index, range)
          }}
        />
      )}
      <Cells columns={columns} row={row} contents={contents} mark={isNew && <NewMark />} />
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
  const contents = useContents(columns, rows)
  if (rows.length === 0) return empty ?? null
  return (
    <div className="rows" role="region" aria-label={label} tabIndex={0}>
      <Table label={label} columns={columns} contents={contents} fits>
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
            <Cells columns={columns} row={row} contents={contents} />
          </tr>
        ))}
      </Table>
    </div>
  )
}
