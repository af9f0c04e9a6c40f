/** Draws a picture. It lies in a file of its own, together with the library. */
import { useEffect, useRef, useSyncExternalStore } from 'react'
import type { ReactNode } from 'react'
import { useNumbers } from '../number-format.ts'
import { init } from './library.ts'
import type { ChartHandle, ChartOption } from './library.ts'
import { plotOption } from './options.ts'
import type { Looks } from './options.ts'
import { TONES } from './plot.ts'
import type { Plot } from './plot.ts'
import { storyOption } from './story.ts'
import type { Story } from './story-steps.ts'

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

function coloursNow(): Omit<Looks, 'numbers'> {
  const styles = getComputedStyle(document.documentElement)
  const colour = (name: string): string => styles.getPropertyValue(`--${name}`).trim()
  return {
    ink: colour('ink'),
    soft: colour('soft'),
    line: colour('line'),
    sheet: colour('sheet'),
    tones: Array.from({ length: TONES }, (_none, index) => colour(`tone-${index + 1}`)),
  }
}

export function Canvas({
  drawing,
  label,
  height,
}: {
  drawing: { plot: Plot } | { story: Story }
  label: string
  height: number
}): ReactNode {
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<ChartHandle>(undefined)
  const theme = useDocumentTheme()
  const { format } = useNumbers()

  useEffect(() => {
    if (place.current === null) return
    const made = init(place.current, null, { renderer: 'canvas' })
    chart.current = made
    const watcher = new ResizeObserver(() => {
      made.resize()
    })
    watcher.observe(place.current)
    return () => {
      watcher.disconnect()
      chart.current = undefined
      made.dispose()
    }
  }, [])

  useEffect(() => {
    const looks = { ...coloursNow(), numbers: format }
    const option: ChartOption =
      'plot' in drawing ? plotOption(drawing.plot, looks) : storyOption(drawing.story, looks)
    // What stays is moved, not made again: a tooltip that is open stays open.
    chart.current?.setOption(option, { replaceMerge: ['series'] })
  }, [drawing, theme, format])

  return <div ref={place} className="chart" style={{ height }} role="img" aria-label={label} />
}
