/** What a bank says about a payee's name, of the external codes of ISO 20022. */
import { t } from '../../language/index.ts'
const WORDS: Readonly<Record<string, string>> = {
  RCVC: t('the name matches'),
  RVNC: t('the name was not to be checked'),
  RVCM: t('the name of at least one payee does not match'),
  RCVM: t('the name of at least one payee does not match'),
  RVMC: t('the name is almost that of the account'),
  RVNM: t('the name is not that of the account'),
  RVNA: t('the name could not be checked'),
}

/** How far an account statement has it. */
const STATES: Readonly<Record<string, string>> = {
  BOOK: t('Booked by the bank'),
  PDNG: t('Noted by the bank, not booked yet'),
}

/** The code with its words; any other term of a venue stays as it is. */
export const payeeCheckWords = (code: string): string =>
  WORDS[code] === undefined ? (STATES[code] ?? code) : `${code}: ${WORDS[code]}`
