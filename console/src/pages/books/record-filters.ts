import { t } from '../../language/index.ts'

export const PERIOD_FILTERS = [
  { name: 'from', label: t('Since'), kind: 'time' },
  { name: 'to', label: t('Until'), kind: 'time' },
] as const
