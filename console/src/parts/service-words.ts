/** What the services of venues are called. */
import type { DataOf } from '@kontor/client'
import { t } from '../language/index.ts'

export type ServiceType = DataOf<'get', '/venues'>[number]['services'][number]['type']

export const SERVICE_WORDS: Readonly<Record<ServiceType, string>> = {
  TOMS: t('Trading'),
  WOMS: t('Wallets'),
  PRICE_STREAM: t('Prices'),
}
