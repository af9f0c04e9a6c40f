/**
 * A picture with its title, what its colours mean, and the same figures as a table: for whoever
 * would rather read, and for screen readers always.
 */
import { Button } from 'antd'
import { lazy, Suspense, useMemo, useState } from 'react'
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { Loading } from '../states.tsx'
import { Amount, NOTHING } from '../values.tsx'
import { dashOf, rowsOf, summaryOf, toneOf } from './plot.ts'
import type { Plot } from './plot.ts'
import './chart.css'

const Canvas = lazy(async () => ({ default: (await import('./canvas.tsx')).Canvas }))

const USUAL_HEIGHT = 240

export function Picture({
  title,
  caption,
  plot,
  table = plot,
  height = USUAL_HEIGHT,
  tools,
}: {
  title: string
  /** Beside the title: the period, the unit, since when. */
  caption?: ReactNode
  plot: Plot
  /** What the table says, where it is less than what is drawn. */
  table?: Plot
  height?: number
  tools?: ReactNode
}): ReactNode {
  const [asTable, showTable] = useState(false)
  const drawing = useMemo(() => ({ plot }), [plot])
  return (
    <figure className="picture" aria-label={title}>
      <figcaption>
        <span className="picture-caption">{caption}</span>
        <span className="space" />
        {tools}
        <Button
          size="small"
          aria-pressed={asTable}
          onClick={() => {
            showTable(!asTable)
          }}
        >
          {asTable ? t('Show as picture') : t('Show as table')}
        </Button>
      </figcaption>
      {!asTable && <Legend plot={plot} />}
      {!asTable && (
        <Suspense fallback={<Loading />}>
          <Canvas drawing={drawing} label={summaryOf(title, plot)} height={height} />
        </Suspense>
      )}
      <div
        className={asTable ? 'picture-table' : 'hidden'}
        {...(asTable
          ? { tabIndex: 0, role: 'region', 'aria-label': t('{{title}}, as a table', { title }) }
          : {})}
      >
        <PlotTable title={title} plot={table} />
      </div>
    </figure>
  )
}

/** One series needs no legend: the title says what it is. */
function Legend({ plot }: { plot: Plot }): ReactNode {
  if (plot.series.length < 2) return null
  return (
    <ul className="legend">
      {plot.series.map((series, index) => (
        <li key={series.name} className={`tone-${toneOf(series, index)}`}>
          <span className={`swatch ${series.shape ?? series.kind} ${dashOf(index)}`} />
          {series.name}
        </li>
      ))}
    </ul>
  )
}

function PlotTable({ title, plot }: { title: string; plot: Plot }): ReactNode {
  return (
    <table>
      <caption className="hidden">{title}</caption>
      <thead>
        <tr>
          <th scope="col">{plot.x.title}</th>
          {plot.series.map(({ name }) => (
            <th key={name} scope="col" className="right">
              {name}
              {plot.unit !== '' && t(' in {{unit}}', { unit: plot.unit })}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rowsOf(plot).map(({ label, cells }, index) => (
          <tr key={index}>
            <th scope="row">{label}</th>
            {cells.map((cell, column) => (
              <td key={column} className="right">
                {cell.length === 0 && NOTHING}
                {cell.map(({ value, note }, index) => (
                  <span key={index} className="picture-value">
                    <Amount value={value} asset={plot.unit} bare price />
                    {note !== undefined && <small> {note}</small>}
                  </span>
                ))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
