/** Transfer jobs in words: what a job moves, on which conditions, and how often. */
import { t } from '../../language/index.ts'
import { amountWords } from '../../parts/amount-words.ts'
import type { RowOf } from '../../list/work-list.tsx'

export type Job = RowOf<'/treasury/jobs'>
export type JobType = Job['condition_type']
export type Condition = Job['conditions'][number]

export const TYPE_WORDS = {
  SWEEPING: t('Sweep: move everything above a target from the source'),
  PROVISION: t('Provision: fill the destination up to a target'),
  CONDITIONAL: t('Conditional: move a fixed amount when conditions hold'),
} as const satisfies Record<JobType, string>

const MINUTES_OF_HOUR = 60
const MINUTES_OF_DAY = 1440

/** `4 hours`. */
export function intervalWords(minutes: number): string {
  if (minutes < MINUTES_OF_HOUR) return t('{{count}} minutes', { count: minutes })
  return minutes === MINUTES_OF_DAY
    ? t('{{count}} days', { count: 1 })
    : t('{{count}} hours', { count: minutes / MINUTES_OF_HOUR })
}

/** `Every 4 hours`. */
export function everyWords(minutes: number): string {
  if (minutes < MINUTES_OF_HOUR) return t('Every {{count}} minutes', { count: minutes })
  return minutes === MINUTES_OF_DAY
    ? t('Every {{count}} days', { count: 1 })
    : t('Every {{count}} hours', { count: minutes / MINUTES_OF_HOUR })
}

/** Keys of texts. */
const HOLDS = {
  to: {
    less: t('the destination holds less than {{amount}}'),
    more: t('the destination holds more than {{amount}}'),
  },
  from: {
    less: t('the source holds less than {{amount}}'),
    more: t('the source holds more than {{amount}}'),
  },
} as const

export function conditionWords(conditions: readonly Condition[], asset: string): string {
  return conditions
    .map(({ balance_side, predicate, quantity }) =>
      t(HOLDS[balance_side === 'to' ? 'to' : 'from'][predicate === 'LT' ? 'less' : 'more'], {
        amount: amountWords(quantity ?? '0', asset),
      }),
    )
    .join(t(' and '))
}

/** What the job does, in one line. */
export function jobWords(
  { condition_type, conditions, quantity, min_quantity }: Job,
  asset: string,
): string {
  const target = amountWords(conditions[0]?.target ?? '0', asset)
  const least =
    min_quantity === null
      ? ''
      : t(', at least {{amount}}', { amount: amountWords(min_quantity, asset) })
  switch (condition_type) {
    case 'SWEEPING':
      return t('Everything above {{target}} at the source{{least}}', { target, least })
    case 'PROVISION':
      return t('Fill the destination up to {{target}}{{least}}', { target, least })
    case 'CONDITIONAL':
      return t('{{amount}} when {{conditions}}', {
        amount: amountWords(quantity ?? '0', asset),
        conditions: conditionWords(conditions, asset),
      })
  }
}
