/** Keys in the rows of a list: where the focus goes from row to row, and into the rows. */
import { useEffect, useRef } from 'react'
import type { KeyboardEvent, RefObject } from 'react'
import { t } from '../language/index.ts'
import { focusHeading, isFocusFree } from '../parts/focus.ts'
import { useShortcut } from '../parts/shortcuts.ts'

const FOCUS_TRIES = 10

export type List<Row> = {
  rows: readonly Row[]
  open: ((row: Row) => void) | undefined
  choose?: ((index: number, range: boolean) => void) | undefined
  virtual: { scrollToIndex(index: number): void }
  scroller: RefObject<HTMLElement | null>
}

/** Moves the focus to the open row, or to the first one. */
export function focusRows(within: HTMLElement | null): void {
  const row = (look: string): HTMLElement | null | undefined =>
    within?.querySelector<HTMLElement>(`tr[data-index]${look}[tabindex="0"]`)
  ;(row('.open') ?? row(''))?.focus()
}

/**
 * The rows are under j and k at once; within them the same keys move on. When a record closes, the
 * focus returns to its row, unless it is somewhere by then.
 */
export function useRowFocus<Row>(
  { rows, virtual, scroller }: List<Row>,
  keyOf: (row: Row) => string,
  openKey: string | undefined,
): void {
  const toRows = (): void => {
    focusRows(scroller.current)
  }
  useShortcut('j', t('Down in the list'), toRows, t('Lists'))
  useShortcut('k', t('Up in the list'), toRows, t('Lists'))
  const before = useRef(openKey)
  useEffect(() => {
    const left = before.current
    before.current = openKey
    if (left === undefined || openKey !== undefined || !isFocusFree()) return
    const index = rows.findIndex((row) => keyOf(row) === left)
    if (index < 0) return focusHeading()
    virtual.scrollToIndex(index)
    focusRow(scroller.current, index, FOCUS_TRIES)
  })
}

/** A key pressed in a row: Enter opens the row, x chooses it, the others move the focus. */
export function moveInRows<Row>(
  event: KeyboardEvent<HTMLTableRowElement>,
  index: number,
  { rows, open, choose, virtual, scroller }: List<Row>,
): void {
  const isOfBox = event.target instanceof HTMLElement && event.target.closest('.choice') !== null
  if (event.target !== event.currentTarget && !isOfBox) return
  if (event.key === 'Enter') {
    const row = rows[index]
    if (row !== undefined) open?.(row)
    return
  }
  if (event.key.toLowerCase() === 'x' && choose !== undefined && !event.ctrlKey && !event.metaKey) {
    event.stopPropagation()
    choose(index, event.shiftKey)
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
  focusRow(scroller.current, next, FOCUS_TRIES)
}

/**
 * At once, where the next key may be pressed in the same moment. A row that was out of sight is
 * drawn a few frames later.
 */
function focusRow(scroller: HTMLElement | null, index: number, tries: number): void {
  const row = scroller?.querySelector<HTMLTableRowElement>(`tr[data-index="${index}"]`)
  if (row !== null && row !== undefined) return row.focus()
  if (tries > 0)
    requestAnimationFrame(() => {
      focusRow(scroller, index, tries - 1)
    })
  return undefined
}
