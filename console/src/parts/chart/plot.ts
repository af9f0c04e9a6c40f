/**
 * What a picture shows, as data: the drawing, its tooltip and its table are made from it. Values
 * are exact strings; only `drawn` makes numbers of them, and only the drawing uses those.
 */
import { t } from '../../language/index.ts'
import { localTime } from '../local-time.ts'

/** `x`: Unix milliseconds, or the index of a label. `note`: more about this point. */
export type PlotValue = { x: number; value: string; note?: string }

export type Series = {
  name: string
  /** `marks` are single points; `up` and `down` are triangles. */
  kind: 'line' | 'bar' | 'marks'
  /** Bars with one name stand upon each other. */
  stack?: string
  /** Its colour, 1 to 8; by its place when absent. */
  tone?: number
  shape?: 'up' | 'down'
  values: readonly PlotValue[]
}

export type Plot = {
  /** Over time, or one place for each label. `title` heads the first column of the table. */
  x: { title: string; labels?: readonly string[] }
  /** Behind each value: an asset, or what is counted. */
  unit: string
  series: readonly Series[]
  /** The axis of values begins at zero. */
  fromZero?: boolean
}

export const TONES = 8

export const toneOf = (series: Series, index: number): number => series.tone ?? (index % TONES) + 1

const DASHES = ['solid', 'dashed', 'dotted'] as const

/** Lines are told apart without their colours too. */
export const dashOf = (index: number): (typeof DASHES)[number] =>
  DASHES[Math.floor(index / 3) % DASHES.length] ?? 'solid'

/** Only for a place on the screen. */
export const drawn = (text: string): number => Number(text)

export const labelOf = ({ x: { labels } }: Plot, x: number): string =>
  labels === undefined ? localTime(x) : (labels[x] ?? '')

type PlotRow = { label: string; cells: readonly (readonly PlotValue[])[] }

/** One row for each place, with the values of each series there. */
export function rowsOf(plot: Plot): PlotRow[] {
  const found = plot.series.map(({ values }) => Map.groupBy(values, ({ x }) => x))
  const places =
    plot.x.labels?.map((_label, index) => index) ??
    [...new Set(found.flatMap((values) => [...values.keys()]))].toSorted((a, b) => a - b)
  return places.map((x) => ({
    label: labelOf(plot, x),
    cells: found.map((values) => values.get(x) ?? []),
  }))
}

/** What a picture says in a sentence, for whoever does not see it. */
export function summaryOf(title: string, plot: Plot): string {
  const parts = plot.series.flatMap(({ name, values }) => {
    const last = values.at(-1)
    return last === undefined
      ? []
      : [
          t('{{name}} {{value}} {{unit}} at {{place}}', {
            name,
            value: last.value,
            unit: plot.unit,
            place: labelOf(plot, last.x),
          }),
        ]
  })
  const last =
    parts.length === 0 ? t('Nothing to show.') : t('Last: {{parts}}.', { parts: parts.join('; ') })
  return `${title}. ${last}`
}
