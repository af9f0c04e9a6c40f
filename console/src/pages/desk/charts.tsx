/** Pictures of the desk: positions, exposure and breaks over days, and the flows of one day. */
import type { ReactNode } from 'react'
import { useMay } from '../../api/query.ts'
import { t } from '../../language/index.ts'
import { zoneName } from '../../parts/periods.ts'
import { Breaks } from './charts/breaks.tsx'
import { Exposure } from './charts/exposure.tsx'
import { Flows } from './charts/flows.tsx'
import { Choice, useChoice } from '../../parts/choice.tsx'
import { Positions } from './charts/positions.tsx'
import '../../parts/panels.css'
import './charts/charts.css'

const SPANS = [
  { value: '7', label: t('7 days') },
  { value: '30', label: t('30 days') },
  { value: '90', label: t('90 days') },
]
const USUAL_SPAN = '30'

export function Page(): ReactNode {
  const [asked, chooseDays] = useChoice('days')
  const mayBreaks = useMay('desk.read')
  const days = SPANS.some(({ value }) => value === asked) ? (asked ?? USUAL_SPAN) : USUAL_SPAN
  return (
    <section className="page" aria-label={t('Charts')}>
      <header className="page-head">
        <h1>{t('Charts')}</h1>
        <span className="space" />
        <span className="count">
          {t('Days begin at midnight in {{zone}}', { zone: zoneName() })}
        </span>
        <Choice label={t('Days shown')} value={days} options={SPANS} choose={chooseDays} />
      </header>
      <div className="charts">
        <Positions days={days} />
        <Exposure days={days} />
        <Flows />
        {mayBreaks && <Breaks days={days} />}
      </div>
    </section>
  )
}
