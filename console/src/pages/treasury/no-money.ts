/** States in which a movement has brought or taken nothing, and what is said of them. */
import { t } from '../../language/index.ts'

export const NOTHING_ARRIVED = {
  PENDING: t('The deposit is not final at the venue yet'),
  PENDING_REVIEW: t('The venue keeps the deposit frozen'),
  FAILED: t('The deposit failed'),
  REVERSED: t('The deposit was reversed'),
} as const

const NOTHING_SENT = t('Nothing was sent')
export const NOTHING_LEFT = {
  FAILED: NOTHING_SENT,
  REJECTED: NOTHING_SENT,
  CANCELED: NOTHING_SENT,
} as const
