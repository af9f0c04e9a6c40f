/** A line of prices. Only the drawing uses floating point; texts show the exact digits. */
import { ColorType, createChart, LineSeries } from 'lightweight-charts'
import type { IChartApi, ISeriesApi, UTCTimestamp } from 'lightweight-charts'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'

/** `at` in Unix milliseconds. */
export type Point = { at: number; price: string }

/** The theme that is set on the document. */
function useDocumentTheme(): string {
  return useSyncExternalStore(
    (notify) => {
      const watcher = new MutationObserver(notify)
      watcher.observe(document.documentElement, { attributeFilter: ['data-theme'] })
      return () => {
        watcher.disconnect()
      }
    },
    () => document.documentElement.dataset['theme'] ?? 'light',
  )
}

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim()

type Drawing = { chart: IChartApi; line: ISeriesApi<'Line'>; fitted: string | undefined }

export function Chart({
  points,
  label,
  height = 220,
}: {
  points: readonly Point[]
  label: string
  height?: number
}): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const drawing = useRef<Drawing>(undefined)
  const theme = useDocumentTheme()

  useEffect(() => {
    if (place.current === null) return
    const chart = newChart(place.current)
    const line = chart.addSeries(LineSeries, {
      lineWidth: 2,
      // Its tag would cover a label of the axis; the caption has the price.
      lastValueVisible: false,
    })
    drawing.current = { chart, line, fitted: undefined }
    return () => {
      drawing.current = undefined
      chart.remove()
    }
  }, [])

  useEffect(() => {
    if (drawing.current !== undefined) applyColours(drawing.current)
  }, [theme])

  useEffect(() => {
    if (drawing.current === undefined) return
    draw(drawing.current, points)
    if (drawing.current.fitted === label || points.length === 0) return
    drawing.current.fitted = label
    drawing.current.chart.timeScale().fitContent()
  }, [points, label])

  const last = points.at(-1)
  return (
    <div
      ref={place}
      className="chart"
      style={{ height }}
      role="img"
      aria-label={
        last === undefined
          ? `${label}: no prices yet`
          : `${label}: ${points.length} prices, the last ${last.price}`
      }
    />
  )
}

function newChart(place: HTMLElement): IChartApi {
  return createChart(place, {
    autoSize: true,
    handleScroll: true,
    handleScale: true,
    layout: { attributionLogo: false, fontFamily: 'system-ui, sans-serif' },
    timeScale: { timeVisible: true, secondsVisible: true, borderVisible: false },
    rightPriceScale: { borderVisible: false },
    localization: {
      // Some browsers name a language that their own formats refuse (en-US@posix).
      locale: new Intl.DateTimeFormat().resolvedOptions().locale,
      timeFormatter: (time: number) => new Date(time * 1000).toISOString().slice(11, 19),
    },
  })
}

function applyColours({ chart, line }: Drawing): void {
  chart.applyOptions({
    layout: {
      background: { type: ColorType.Solid, color: 'transparent' },
      textColor: colour('soft'),
    },
    grid: { vertLines: { color: colour('line') }, horzLines: { color: colour('line') } },
  })
  line.applyOptions({ color: colour('link') })
}

/** The library knows only UTC, so local times are passed as if they were UTC. */
function draw({ line }: Drawing, points: readonly Point[]): void {
  const zoneSeconds = new Date().getTimezoneOffset() * 60
  const decimals = Math.min(
    8,
    Math.max(0, ...points.slice(-20).map(({ price }) => price.split('.')[1]?.length ?? 0)),
  )
  line.applyOptions({
    priceFormat: { type: 'price', precision: decimals, minMove: 1 / 10 ** decimals },
  })
  line.setData(
    points.map(({ at, price }) => ({
      time: (Math.floor(at / 1000) - zoneSeconds) as UTCTimestamp,
      value: Number(price),
    })),
  )
}
