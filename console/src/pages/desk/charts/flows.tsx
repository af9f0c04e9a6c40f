/** What came in, went out, was moved and was traded in each hour of a day. */
import { isZero } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { Button } from 'antd'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { useGet } from '../../../api/query.ts'
import { t } from '../../../language/index.ts'
import { Picture } from '../../../parts/chart/picture.tsx'
import type { Plot, Series } from '../../../parts/chart/plot.ts'
import { dayOf, useDay, zoneName } from '../../../parts/periods.ts'
import { Empty } from '../../../parts/states.tsx'
import { clockTime } from '../../../parts/values.tsx'
import { Choice, optionsOf, useChoice } from '../../../parts/choice.tsx'
import { Panel } from './panel.tsx'

type DayFlows = DataOf<'get', '/desk/flows'>

const EVERY_MILLISECONDS = 30_000
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** What comes in stands upon each other, and so does what goes out. */
const KINDS = [
  { key: 'deposits', name: t('Deposits'), stack: 'in', tone: 3 },
  { key: 'bought', name: t('Bought for customers'), stack: 'in', tone: 6 },
  { key: 'withdrawals', name: t('Withdrawals'), stack: 'out', tone: 2 },
  { key: 'sold', name: t('Sold for customers'), stack: 'out', tone: 5 },
  { key: 'transfers', name: t('Own transfers'), stack: 'own', tone: 1 },
] as const

export function Flows(): ReactNode {
  const today = dayOf(useDay())
  const [asked, chooseDay] = useChoice('day')
  const [asset, chooseAsset] = useChoice('flow')
  const day = asked !== null && DAY.test(asked) && asked <= today ? asked : today
  const reading = useGet(
    '/desk/flows',
    { query: { day, time_zone: zoneName() } },
    { every: EVERY_MILLISECONDS, keep: true },
  )
  const { data } = reading
  const options = optionsOf(
    data === undefined
      ? []
      : KINDS.flatMap(({ key }) => (data[key] ?? []).map((flow) => flow.asset)),
  )
  const shown = options.find(({ value }) => value === asset)?.value ?? options[0]?.value
  const plot = useMemo(() => plotOf(data, shown), [data, shown])
  const step = (by: number): void => {
    chooseDay(new Date(Date.parse(day) + by * 86_400_000).toISOString().slice(0, 10))
  }
  return (
    <Panel
      title={t('Flows of a day')}
      reading={reading}
      choices={
        <>
          <Button size="small" aria-label={t('The day before')} onClick={() => step(-1)}>
            ‹
          </Button>
          <span className="time">{day}</span>
          <Button
            size="small"
            aria-label={t('The day after')}
            disabled={day === today}
            onClick={() => step(1)}
          >
            ›
          </Button>
          <Choice
            label={t('Asset of flows')}
            value={shown}
            options={options}
            choose={chooseAsset}
          />
        </>
      }
    >
      {plot === undefined ? (
        <Empty title={t('Nothing moved on this day')}>
          {t('Deposits, withdrawals, own transfers and trades are shown by the hour.')}
        </Empty>
      ) : (
        <Picture
          title={t('Flows of {{day}} in {{unit}}', { day, unit: plot.unit })}
          caption={t('{{unit}} per hour, by when a movement was first known', { unit: plot.unit })}
          plot={plot}
        />
      )}
    </Panel>
  )
}

function plotOf(data: DayFlows | undefined, asset: string | undefined): Plot | undefined {
  if (data === undefined || asset === undefined) return undefined
  return {
    x: { title: t('Hour'), labels: data.hours.map((at) => clockTime(at)) },
    unit: asset,
    fromZero: true,
    series: KINDS.flatMap(({ key, ...kind }): Series[] => {
      const flow = (data[key] ?? []).find((flow) => flow.asset === asset)
      if (flow === undefined) return []
      const values = flow.quantities.flatMap((value, x) => (isZero(value) ? [] : [{ x, value }]))
      return [{ ...kind, kind: 'bar', values }]
    }),
  }
}
