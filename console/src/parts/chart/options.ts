/** A plot as the chart library takes it. Only here amounts become numbers, and only to be drawn. */
import { formatAmount, isZero } from '@kontor/client'
import type { NumberFormat } from '@kontor/client'
import { FONT } from '../font.ts'
import type { ChartOption } from './library.ts'
import { dashOf, drawn, labelOf, toneOf } from './plot.ts'
import type { Plot, Series } from './plot.ts'
import { tooltipOf } from './tooltip.ts'
import type { Line } from './tooltip.ts'

/** What the page looks like now: its theme, and how this person writes numbers. */
export type Looks = {
  ink: string
  soft: string
  line: string
  sheet: string
  tones: readonly string[]
  numbers: NumberFormat
}

const FONT_PIXELS = 12

/** As wide as the labels of the axes leave it. */
export const GRID = {
  left: 8,
  right: 16,
  top: 8,
  bottom: 8,
  outerBoundsMode: 'same',
  outerBoundsContain: 'axisLabel',
}

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** What is nearer than this part of the whole width belongs to the same tooltip. */
const NEAR_PART = 1 / 80

export function plotOption(plot: Plot, looks: Looks): ChartOption {
  const ofTime = plot.x.labels === undefined
  return {
    ...commonOption(looks),
    tooltip: {
      ...tooltipBox(looks),
      trigger: 'axis',
      axisPointer: { type: ofTime ? 'line' : 'shadow', lineStyle: { color: looks.soft } },
      formatter: (params: unknown) => tooltipAt(plot, looks, params),
    },
    xAxis: ofTime ? timeAxis(plot, looks) : labelAxis(plot, looks),
    yAxis: {
      type: 'value',
      scale: plot.fromZero !== true,
      axisLabel: {
        color: looks.soft,
        formatter: (value: number) => axisNumber(value, looks.numbers),
      },
      splitLine: { lineStyle: { color: looks.line } },
      splitNumber: 4,
    },
    series: plot.series.map((series, index) => seriesOption(series, index, looks)),
  }
}

export const commonOption = (looks: Looks): ChartOption => ({
  animation: false,
  textStyle: { fontFamily: FONT, fontSize: FONT_PIXELS, color: looks.ink },
  grid: { ...GRID, top: 12 },
})

export const tooltipBox = (looks: Looks): object => ({
  confine: true,
  className: 'chart-tooltip',
  backgroundColor: looks.sheet,
  borderColor: looks.line,
  padding: 8,
  textStyle: { color: looks.ink, fontFamily: FONT, fontSize: FONT_PIXELS },
})

function seriesOption(series: Series, index: number, looks: Looks): object {
  const tone = toneOf(series, index)
  const color = looks.tones[tone - 1] ?? looks.ink
  const common = {
    id: `${index} ${series.name}`,
    name: series.name,
    color,
    // A bar of nothing would be as high as the smallest that can be seen.
    data: series.values
      .filter(({ value }) => series.kind !== 'bar' || !isZero(value))
      .map(({ x, value }) => [x, drawn(value)]),
  }
  switch (series.kind) {
    case 'line':
      return {
        ...common,
        type: 'line',
        showSymbol: series.values.length < 40,
        symbolSize: 5,
        lineStyle: { width: 2, type: dashOf(index) },
      }
    case 'bar':
      return {
        ...common,
        type: 'bar',
        barMaxWidth: 28,
        barMinHeight: 2,
        ...(series.stack === undefined ? {} : { stack: series.stack }),
      }
    case 'marks':
      return {
        ...common,
        type: 'scatter',
        z: 5,
        symbol: 'triangle',
        symbolRotate: series.shape === 'down' ? 180 : 0,
        symbolSize: 13,
        itemStyle: { borderColor: looks.sheet, borderWidth: 1 },
      }
  }
}

function timeAxis({ series }: Plot, looks: Looks): object {
  const all = series.flatMap(({ values }) => values.map(({ x }) => x))
  const span = all.length === 0 ? 0 : Math.max(...all) - Math.min(...all)
  return {
    type: 'time',
    axisLine: { lineStyle: { color: looks.line } },
    axisLabel: {
      color: looks.soft,
      hideOverlap: true,
      formatter: (at: number) => axisTime(at, span),
    },
    splitLine: { show: false },
    // So that no two labels say the same.
    minInterval: span > 10 * MINUTE ? MINUTE : 1_000,
  }
}

/** Local time, as exact as the span needs it. */
function axisTime(at: number, span: number): string {
  const date = new Date(at)
  const two = (part: number): string => String(part).padStart(2, '0')
  const minutes = `${two(date.getHours())}:${two(date.getMinutes())}`
  if (span <= 10 * MINUTE) return `${minutes}:${two(date.getSeconds())}`
  if (span <= 2 * DAY) return minutes
  return `${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

const labelAxis = (plot: Plot, looks: Looks): object => ({
  type: 'category',
  data: [...(plot.x.labels ?? [])],
  axisLine: { lineStyle: { color: looks.soft } },
  axisTick: { show: false },
  axisLabel: {
    color: looks.soft,
    hideOverlap: true,
    // Of a day the year stands in the tooltip and in the table.
    formatter: (label: string) => label.replace(/^\d{4}-/, ''),
  },
})

const TICK = new Intl.NumberFormat('en', { maximumSignificantDigits: 9 })

const axisNumber = (value: number, { group, decimal }: NumberFormat): string =>
  TICK.formatToParts(value)
    .map((part) => ({ group, decimal })[part.type as 'group'] ?? part.value)
    .join('')

type AxisParam = { axisValue: number | string; dataIndex: number }

/** The exact values at the place under the mouse. */
function tooltipAt(plot: Plot, looks: Looks, params: unknown): HTMLElement | string {
  const [first] = (Array.isArray(params) ? params : [params]) as AxisParam[]
  if (first === undefined) return ''
  const ofTime = plot.x.labels === undefined
  const at = ofTime ? Math.round(first.axisValue as number) : first.dataIndex
  const all = plot.series.flatMap(({ values }) => values.map(({ x }) => x))
  const reach = ofTime ? (Math.max(...all) - Math.min(...all)) * NEAR_PART : 0
  const lines = plot.series.flatMap((series, index): Line[] => {
    const tone = looks.tones[toneOf(series, index) - 1] ?? looks.ink
    return series.values
      .filter(({ x }) => (series.kind === 'marks' ? Math.abs(x - at) <= reach : x === at))
      .slice(0, 5)
      .map(({ x, value, note }) => ({
        tone,
        name: series.name,
        value: `${formatAmount(value, looks.numbers)} ${plot.unit}`,
        note: [series.kind === 'marks' ? labelOf(plot, x) : undefined, note]
          .filter((part) => part !== undefined)
          .join(' · '),
      }))
  })
  return lines.length === 0 ? '' : tooltipOf(labelOf(plot, at), lines)
}
