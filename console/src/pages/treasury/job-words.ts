/** Transfer jobs in words: what a job moves, on which conditions, and how often. */
import type { RowOf } from '../../list/work-list.tsx'

export type Job = RowOf<'/treasury/jobs'>
export type JobType = Job['condition_type']
export type Condition = Job['conditions'][number]

export const TYPE_WORDS = {
  SWEEPING: 'Sweep: move everything above a target from the source',
  PROVISION: 'Provision: fill the destination up to a target',
  CONDITIONAL: 'Conditional: move a fixed amount when conditions hold',
} as const satisfies Record<JobType, string>

const MINUTES_OF_HOUR = 60
const MINUTES_OF_DAY = 1440

/** What follows “every”: `4 hours`. */
export function intervalWords(minutes: number): string {
  if (minutes < MINUTES_OF_HOUR) return `${minutes} minutes`
  if (minutes === MINUTES_OF_HOUR) return 'hour'
  return minutes === MINUTES_OF_DAY ? 'day' : `${minutes / MINUTES_OF_HOUR} hours`
}

export function conditionWords(conditions: readonly Condition[], asset: string): string {
  return conditions
    .map(({ balance_side, predicate, quantity }) => {
      const side = balance_side === 'to' ? 'destination' : 'source'
      const comparison = predicate === 'LT' ? 'less' : 'more'
      return `the ${side} holds ${comparison} than ${quantity ?? '0'} ${asset}`
    })
    .join(' and ')
}

/** What the job does, in one line. */
export function jobWords(
  { condition_type, conditions, quantity, min_quantity }: Job,
  asset: string,
): string {
  const target = `${conditions[0]?.target ?? '0'} ${asset}`
  const least = min_quantity === null ? '' : `, at least ${min_quantity} ${asset}`
  switch (condition_type) {
    case 'SWEEPING':
      return `Everything above ${target} at the source${least}`
    case 'PROVISION':
      return `Fill the destination up to ${target}${least}`
    case 'CONDITIONAL':
      return `${quantity ?? '0'} ${asset} when ${conditionWords(conditions, asset)}`
  }
}
