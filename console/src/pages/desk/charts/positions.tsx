/** What venues held for us, or accounts of the house had, at the end of each day. */
import type { DataOf } from '@kontor/client'
import { Segmented } from 'antd'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { useGet } from '../../../api/query.ts'
import { t } from '../../../language/index.ts'
import { largest } from '../../../parts/chart/largest.ts'
import { Picture } from '../../../parts/chart/picture.tsx'
import type { Plot } from '../../../parts/chart/plot.ts'
import { zoneName } from '../../../parts/periods.ts'
import { Empty } from '../../../parts/states.tsx'
import { Choice, optionsOf, useChoice } from '../../../parts/choice.tsx'
import { Panel } from './panel.tsx'

type PositionDays = DataOf<'get', '/desk/positions'>
type Account = PositionDays['accounts'][number]

const EVERY_MILLISECONDS = 60_000
const SIDES = [
  { value: 'venues', label: t('Venues') },
  { value: 'house', label: t('House') },
] as const
type Side = (typeof SIDES)[number]['value']
type Plots = { plot: Plot; table: Plot }
/** More lines than colours cannot be told apart: the smallest are left to the table. */
const MOST_LINES = 8

export function Positions({ days }: { days: string }): ReactNode {
  const [asset, chooseAsset] = useChoice('asset')
  const [side, chooseSide] = useChoice('of')
  const reading = useGet(
    '/desk/positions',
    { query: { days, time_zone: zoneName() } },
    { every: EVERY_MILLISECONDS, keep: true },
  )
  const { data } = reading
  const of: Side = side === 'house' ? 'house' : 'venues'
  const accounts = useMemo(() => accountsOf(data, of), [data, of])
  const options = optionsOf(accounts.map((account) => account.asset))
  const shown = options.find(({ value }) => value === asset)?.value ?? options[0]?.value
  const plots = useMemo(() => plotsOf(data, accounts, shown), [data, accounts, shown])
  return (
    <Panel
      title={t('Positions')}
      reading={reading}
      choices={
        <>
          <Segmented
            size="small"
            aria-label={t('Held by')}
            options={[...SIDES]}
            value={of}
            onChange={chooseSide}
          />
          <Choice
            label={t('Asset of positions')}
            value={shown}
            options={options}
            choose={chooseAsset}
          />
        </>
      }
    >
      {shown === undefined || plots === undefined ? (
        <Empty title={t('No positions yet')}>
          {of === 'house'
            ? t('The accounts of the house held nothing in these days.')
            : t('The venues held nothing in these days.')}
        </Empty>
      ) : (
        <Picture
          title={t('Positions in {{shown}}', { shown })}
          caption={captionOf(shown, plots)}
          {...plots}
        />
      )}
    </Panel>
  )
}

function captionOf(asset: string, { plot, table }: Plots): string {
  const said = t('Balance in {{asset}} at the end of each day, as booked', { asset })
  const [drawn, all] = [plot.series.length, table.series.length]
  return drawn === all
    ? said
    : t('{{said}}: the {{drawn}} largest of {{all}}, the table has all', { said, drawn, all })
}

function accountsOf(data: PositionDays | undefined, side: Side): readonly Account[] {
  return (data?.accounts ?? []).filter(({ type }) => (type === 'VENUE') === (side === 'venues'))
}

function plotsOf(
  data: PositionDays | undefined,
  accounts: readonly Account[],
  asset: string | undefined,
): Plots | undefined {
  if (data === undefined || asset === undefined) return undefined
  const plotOf = (some: readonly Account[]): Plot => ({
    x: { title: t('Day'), labels: data.days.map(({ day }) => day) },
    unit: asset,
    fromZero: true,
    series: some.map(({ label, totals }) => ({
      name: label,
      kind: 'line',
      values: totals.flatMap((value, x) => (value === null ? [] : [{ x, value }])),
    })),
  })
  const mine = accounts.filter((account) => account.asset === asset)
  const drawn = largest(mine, MOST_LINES, ({ totals }) => totals)
  return { plot: plotOf(drawn), table: plotOf(mine) }
}
