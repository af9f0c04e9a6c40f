/** Rows that are chosen, one by one, as a range or all at once: something is done to them. */
import { useEffect, useMemo, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'

/** The room for the boxes. */
export const BOX_PIXELS = 36

export type Choice<Row> = {
  keys: ReadonlySet<string>
  /** Those of the list that are chosen, in its order. */
  rows: readonly Row[]
  /** `range`: all rows from the one that was chosen last to this one. */
  choose(index: number, range: boolean): void
  chooseAll(on: boolean): void
  unchoose(keys: readonly string[]): void
}

const NONE: ReadonlySet<string> = new Set()

const without = (keys: ReadonlySet<string>, gone: readonly string[]): ReadonlySet<string> =>
  new Set([...keys].filter((key) => !gone.includes(key)))

/** A row that leaves the list is no longer chosen there. */
export function useChoice<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => string,
): Choice<Row> & { clear(): void } {
  const [keys, setKeys] = useState(NONE)
  const last = useRef<string>(undefined)
  const chosen = useMemo(
    () => (keys.size === 0 ? [] : rows.filter((row) => keys.has(keyOf(row)))),
    [rows, keys],
  )
  const choose = (index: number, range: boolean): void => {
    const row = rows[index]
    if (row === undefined) return
    const key = keyOf(row)
    const from = range ? rows.findIndex((one) => keyOf(one) === last.current) : -1
    last.current = key
    if (from >= 0) {
      const between = rows.slice(Math.min(from, index), Math.max(from, index) + 1).map(keyOf)
      setKeys((old) => new Set([...old, ...between]))
    } else setKeys((old) => (old.has(key) ? without(old, [key]) : new Set([...old, key])))
  }
  return {
    keys,
    rows: chosen,
    choose,
    chooseAll: (on) => {
      setKeys(on ? new Set(rows.map(keyOf)) : NONE)
    },
    unchoose: (gone) => {
      setKeys((old) => without(old, gone))
    },
    clear: () => {
      last.current = undefined
      setKeys(NONE)
    },
  }
}

/** In the head: all rows that are loaded, or none. */
export function AllBox({
  all,
  some,
  chooseAll,
}: {
  all: boolean
  some: boolean
  chooseAll(on: boolean): void
}): ReactNode {
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = some && !all
  }, [some, all])
  return (
    <th scope="col" className="choice">
      <input
        ref={box}
        type="checkbox"
        aria-label={t('Choose all rows that are loaded')}
        title={t('Choose all rows that are loaded')}
        checked={all}
        onChange={({ target }) => {
          chooseAll(target.checked)
        }}
      />
    </th>
  )
}

/** In a row; the whole cell is pressed. */
export function RowBox({
  name,
  chosen,
  inTabOrder,
  choose,
}: {
  name: string
  chosen: boolean
  inTabOrder: boolean
  choose(range: boolean): void
}): ReactNode {
  return (
    <td
      className="choice"
      onClick={({ shiftKey }) => {
        choose(shiftKey)
      }}
      onMouseDown={(event) => {
        // A range of rows is no range of text.
        if (event.shiftKey) event.preventDefault()
      }}
    >
      <input
        type="checkbox"
        aria-label={t('Choose {{name}}', { name })}
        tabIndex={inTabOrder ? 0 : -1}
        checked={chosen}
        // The cell has it, where a range can be told from one row.
        onChange={() => undefined}
      />
    </td>
  )
}
