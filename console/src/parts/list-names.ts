/** Sanctions lists as people call them. */
import { t } from '../language/index.ts'

export const LIST_NAMES: Readonly<Record<string, string>> = {
  OFAC_SDN: t('OFAC: SDN list'),
  OFAC_CONSOLIDATED: t('OFAC: consolidated list'),
  EU_CONSOLIDATED: t('EU: consolidated list'),
}
