/** What the ways to send money are called. */
import { t } from '../../language/index.ts'

const PROTOCOLS: Readonly<Record<string, string>> = {
  SEPA_INSTANT: t('SEPA instant'),
  FOREIGN: t('Foreign payment'),
}

export const protocolWords = (protocol: string): string => PROTOCOLS[protocol] ?? protocol
