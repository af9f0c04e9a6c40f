/** A line of prices. The chart draws by floating point; what stands in words beside it are the exact digits. */
import { ColorType, createChart, LineSeries } from 'lightweight-charts'
import type { IChartApi, ISeriesApi, UTCTimestamp } from 'lightweight-charts'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'

/** `at` in Unix milliseconds. */
export type Point = { at: number; price: string }

/** The theme as it stands on the document. */
function useDocumentTheme(): string {
  return useSyncExternalStore(
    (tell) => {
      const watcher = new MutationObserver(tell)
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
  const drawn = useRef<{ chart: IChartApi; line: ISeriesApi<'Line'>; fitted: string | undefined }>(
    undefined,
  )
  const theme = useDocumentTheme()

  useEffect(() => {
    if (place.current === null) return
    const chart = createChart(place.current, {
      autoSize: true,
      handleScroll: true,
      handleScale: true,
      layout: { attributionLogo: false, fontFamily: 'system-ui, sans-serif' },
      timeScale: { timeVisible: true, secondsVisible: false, borderVisible: false },
      rightPriceScale: { borderVisible: false },
      // A browser may call its language what its own formats refuse (en-US@posix); what they settle on is a good one.
      localization: {
        locale: new Intl.DateTimeFormat().resolvedOptions().locale,
        timeFormatter: (time: number) => new Date(time * 1000).toISOString().slice(11, 19),
      },
    })
    drawn.current = {
      chart,
      line: chart.addSeries(LineSeries, { lineWidth: 2, priceLineVisible: true }),
      fitted: undefined,
    }
    return () => {
      drawn.current = undefined
      chart.remove()
    }
  }, [])

  useEffect(() => {
    drawn.current?.chart.applyOptions({
      layout: {
        background: { type: ColorType.Solid, color: 'transparent' },
        textColor: colour('soft'),
      },
      grid: { vertLines: { color: colour('line') }, horzLines: { color: colour('line') } },
    })
    drawn.current?.line.applyOptions({ color: colour('link') })
  }, [theme])

  useEffect(() => {
    const { current } = drawn
    if (current === undefined) return
    const zone = new Date().getTimezoneOffset() * 60
    const decimals = Math.min(
      8,
      Math.max(0, ...points.slice(-20).map(({ price }) => price.split('.')[1]?.length ?? 0)),
    )
    current.line.applyOptions({
      priceFormat: { type: 'price', precision: decimals, minMove: 1 / 10 ** decimals },
    })
    // Where a price lies on the screen may be a number; what is read of it elsewhere is the exact text.
    // The library knows UTC alone: local times are given as if they were.
    current.line.setData(
      points.map(({ at, price }) => ({
        time: (Math.floor(at / 1000) - zone) as UTCTimestamp,
        value: Number(price),
      })),
    )
    if (current.fitted === label || points.length === 0) return
    current.fitted = label
    current.chart.timeScale().fitContent()
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
