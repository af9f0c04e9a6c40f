/** Reconciliation by day: breaks that opened, that closed, and that were open at the end. */
import type { DataOf } from '@kontor/client'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useGet } from '../../../api/query.ts'
import { t } from '../../../language/index.ts'
import { Picture } from '../../../parts/chart/picture.tsx'
import type { Plot, Series } from '../../../parts/chart/plot.ts'
import { zoneName } from '../../../parts/periods.ts'
import { Empty } from '../../../parts/states.tsx'
import { Choice, useChoice } from '../../../parts/choice.tsx'
import { Panel } from './panel.tsx'

type BreakDays = DataOf<'get', '/desk/breaks/days'>
type Counts = Pick<BreakDays['venues'][number], 'opened' | 'closed' | 'open'>

const EVERY_MILLISECONDS = 60_000
const ALL = 'all'

export function Breaks({ days }: { days: string }): ReactNode {
  const [asked, choose] = useChoice('venue')
  const reading = useGet(
    '/desk/breaks/days',
    { query: { days, time_zone: zoneName() } },
    { every: EVERY_MILLISECONDS, keep: true },
  )
  const { data } = reading
  const options = [
    { value: ALL, label: t('All venues') },
    ...(data?.venues ?? []).map(({ venue_id, label }) => ({ value: venue_id, label })),
  ]
  const venue = options.find(({ value }) => value === asked) ?? options[0]
  const plot = useMemo(() => plotOf(data, venue?.value), [data, venue?.value])
  const none = data?.venues.length === 0
  return (
    <Panel
      title={t('Reconciliation by day')}
      reading={reading}
      choices={
        <>
          {!none && (
            <Choice
              label={t('Venue of breaks')}
              value={venue?.value}
              options={options}
              choose={choose}
            />
          )}
          <Link className="link-button" to="/desk/breaks">
            {t('All breaks')}
          </Link>
        </>
      }
    >
      {none || plot === undefined ? (
        <Empty title={t('No breaks in these days')}>
          {t('Every venue agreed with the books.')}
        </Empty>
      ) : (
        <Picture
          title={t('Breaks by day, {{label}}', { label: venue?.label ?? '' })}
          caption={t('Number of breaks, by day')}
          plot={plot}
        />
      )}
    </Panel>
  )
}

function plotOf(data: BreakDays | undefined, venue: string | undefined): Plot | undefined {
  if (data === undefined) return undefined
  const venues = data.venues.filter(({ venue_id }) => venue === ALL || venue_id === venue)
  const countsOf = (key: keyof Counts) =>
    data.days.map((_day, x) => ({
      x,
      value: String(venues.reduce((sum, counts) => sum + (counts[key][x] ?? 0), 0)),
    }))
  const series: readonly Series[] = [
    { name: t('Opened', { context: 'break' }), kind: 'bar', tone: 2, values: countsOf('opened') },
    { name: t('Closed'), kind: 'bar', tone: 3, values: countsOf('closed') },
    { name: t('Open at the end'), kind: 'line', tone: 1, values: countsOf('open') },
  ]
  return {
    x: { title: t('Day'), labels: data.days.map(({ day }) => day) },
    unit: '',
    fromZero: true,
    series,
  }
}
