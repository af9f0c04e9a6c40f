/** What the house itself owned at the end of each day, valued at the prices of now. */
import { addAmounts, isZero } from '@kontor/client'
import type { DataOf } from '@kontor/client'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { useGet } from '../../../api/query.ts'
import { t } from '../../../language/index.ts'
import { largest } from '../../../parts/chart/largest.ts'
import { Picture } from '../../../parts/chart/picture.tsx'
import { TONES } from '../../../parts/chart/plot.ts'
import type { Plot, Series } from '../../../parts/chart/plot.ts'
import { zoneName } from '../../../parts/periods.ts'
import { Empty } from '../../../parts/states.tsx'
import { Choice, useCurrencyChoice } from '../../../parts/choice.tsx'
import { Panel } from './panel.tsx'

type PositionDays = DataOf<'get', '/desk/positions'>
type Exposures = PositionDays['exposures']

const EVERY_MILLISECONDS = 60_000

export function Exposure({ days }: { days: string }): ReactNode {
  const { value: value_in, options, choose } = useCurrencyChoice('value-in')
  const reading = useGet(
    '/desk/positions',
    { query: { days, time_zone: zoneName(), ...(value_in === undefined ? {} : { value_in }) } },
    { every: EVERY_MILLISECONDS, keep: true, enabled: value_in !== undefined },
  )
  const { data } = reading
  const plot = useMemo(() => (data === undefined ? undefined : plotOf(data)), [data])
  const unpriced = (data?.exposures ?? [])
    .filter(({ price, totals }) => price === null && totals.some(isHeld))
    .map(({ asset }) => asset)
  return (
    <Panel
      title={t('Exposure')}
      reading={reading}
      choices={
        <Choice
          label={t('Exposure valued in')}
          value={value_in}
          options={options}
          choose={choose}
        />
      }
    >
      {plot === undefined || plot.series.length === 0 ? (
        <Empty title={t('No exposure')}>
          {t('The house itself owned nothing in these days that has a price now.')}
        </Empty>
      ) : (
        <Picture
          title={t('Exposure in {{unit}}', { unit: plot.unit })}
          caption={t('Own assets at the end of each day, in {{unit}} at current prices', {
            unit: plot.unit,
          })}
          plot={plot}
        />
      )}
      {unpriced.length > 0 && (
        <p className="soft">
          {t('Not shown, because there is no current price: {{unpriced}}.', {
            unpriced: unpriced.join(', '),
          })}
        </p>
      )}
    </Panel>
  )
}

const isHeld = (total: string | null): boolean => total !== null && !isZero(total)

function plotOf({ days, exposures, value_in }: PositionDays): Plot {
  const valued = exposures.filter(({ values }) => values.some(isHeld))
  const most = valued.length > TONES ? TONES - 1 : TONES
  const named = largest(valued, most, ({ values }) => values)
  const others = valued.filter((one) => !named.includes(one))
  return {
    x: { title: t('Day'), labels: days.map(({ day }) => day) },
    unit: value_in ?? '',
    fromZero: true,
    series: [
      ...named.map(({ asset, values, totals }) =>
        barsOf(asset, values, asset === value_in ? undefined : totals),
      ),
      ...(others.length === 0 ? [] : [barsOf(t('Others'), sumsOf(others, days.length))]),
    ],
  }
}

const barsOf = (
  name: string,
  values: readonly (string | null)[],
  totals?: readonly (string | null)[],
): Series => ({
  name,
  kind: 'bar',
  stack: 'exposure',
  values: values.flatMap((value, x) =>
    value === null
      ? []
      : [{ x, value, ...(totals === undefined ? {} : { note: `${totals[x] ?? ''} ${name}` }) }],
  ),
})

const sumsOf = (exposures: Exposures, days: number): (string | null)[] =>
  Array.from({ length: days }, (_none, day) =>
    exposures.reduce<string | null>((sum, { values }) => {
      const value = values[day] ?? null
      return sum === null || value === null ? null : addAmounts(sum, value)
    }, '0'),
  )
