/**
 * The foot of a list: what its rows amount to, by currency. With all rows loaded they are added up
 * here; otherwise the service adds up all that match the filters. Where it does not, the foot says
 * of how many rows the sums are.
 */
import type { PathOf } from '@kontor/client'
import { useMemo } from 'react'
import type { ReactNode } from 'react'
import { useEvents } from '../api/events.ts'
import type { Subject } from '../api/events.ts'
import { useGet } from '../api/query.ts'
import { t } from '../language/index.ts'
import { countText } from '../parts/number-format.ts'
import { Amount } from '../parts/values.tsx'
import { NEWS } from './state.ts'
import { totalsOf } from './sums.ts'
import type { Sum } from './sums.ts'

const PAUSE_MILLISECONDS = 5_000

export type TotalsPlan<Row> = {
  sums: readonly Sum<Row>[]
  /** What is left out of the sums. */
  note?: string
  /** The sums over all rows, beside the list. */
  path?: PathOf<'get'>
}

/** What `/totals` answers. */
type Answer = { rows: number; complete: boolean; totals: readonly unknown[] }

type Source<Row> = {
  plan: TotalsPlan<Row>
  params: object | undefined
  query: object
  live: readonly Subject[] | 'all'
  rows: readonly Row[]
  /** These are all rows. */
  complete: boolean
}

export function Totals<Row>({ plan, params, query, live, rows, complete }: Source<Row>): ReactNode {
  // It does not add up what is new.
  const asks = !complete && plan.path !== undefined && !(NEWS in query)
  const { data, refetch } = useGet((plan.path ?? '') as never, { params, query } as never, {
    enabled: asks,
    keep: true,
  })
  useEvents(live, () => (asks ? refetch() : undefined), PAUSE_MILLISECONDS)
  const answer = asks ? (data as Answer | undefined) : undefined
  const counted = asks ? ((answer?.totals ?? []) as readonly Row[]) : rows
  const totals = useMemo(() => totalsOf(plan.sums, counted), [plan, counted])
  if (asks && answer === undefined) return null
  const count = countText(answer?.rows ?? rows.length)
  const labels = [...new Set(totals.map(({ label }) => label))]
  return (
    <section className="totals" aria-label={t('Totals')}>
      <span className="count">
        {ofWords(complete || answer?.complete === true, asks, count)}
        {plan.note !== undefined && `, ${plan.note}`}
      </span>
      {labels.map((label) => (
        <span key={label} className="total">
          {label}{' '}
          {totals
            .filter((total) => total.label === label)
            .map(({ asset, amount }) => (
              <Amount key={asset} value={amount} asset={asset} />
            ))}
        </span>
      ))}
    </section>
  )
}

function ofWords(all: boolean, asked: boolean, count: string): string {
  if (count === '1') return t('Total of 1 row')
  if (all) return t('Total of all {{count}} rows', { count })
  return asked
    ? t('Total of the first {{count}} rows', { count })
    : t('Total of the {{count}} rows loaded', { count })
}
