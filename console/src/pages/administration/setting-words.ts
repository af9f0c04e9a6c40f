/** What is said of a setting beside its value. */
import { t } from '../../language/index.ts'
import { LIST_NAMES } from '../../parts/list-names.ts'
import { localTime } from '../../parts/local-time.ts'
import { told } from '../../parts/refusal-words.ts'
import { inWords } from '../../parts/status.tsx'
import type { Setting } from './setting-shape.ts'

const GROUPS: Readonly<Record<string, string>> = {
  margins: t('Margins'),
  trading: t('Prices'),
  treasury: t('Fees'),
  compliance: t('Compliance'),
  period: t('Books'),
  calendars: t('Calendars of banks'),
  brand: t('Brand'),
  mails: t('Mail to customers'),
  'sign-in': t('Sign-in'),
}

/** Settings that the same people may change stand together. */
export function groupsOf(settings: readonly Setting[]): { title: string; settings: Setting[] }[] {
  const groups = Map.groupBy(settings, ({ permission }) => permission)
  return [...groups].map(([permission, settings]) => {
    const [, area = permission] = permission.split('.')
    return { title: GROUPS[area] ?? inWords(area), settings }
  })
}

const WORDS: Readonly<Record<string, string>> = {
  HOUSE: t('The house'),
  CUSTOMER: t('The customer'),
  EVERYBODY: t('Everybody'),
  ADMINISTRATORS: t('Administrators alone'),
  TARGET2: t('The holidays of the euro system too (TARGET2)'),
  LISTED: t('Only the listed days'),
  MON: t('Monday'),
  TUE: t('Tuesday'),
  WED: t('Wednesday'),
  THU: t('Thursday'),
  FRI: t('Friday'),
  SAT: t('Saturday'),
  SUN: t('Sunday'),
  weekend_days: t('Closed days of the week'),
  holidays: t('Further closed days'),
  cut_off: t('Cut-off time'),
  calendar: t('Closed on'),
  accounts: t('Numbers of accounts'),
  datev: t('DATEV'),
  consultant: t('Consultant number'),
  client: t('Client number'),
  account_length: t('Length of account numbers'),
  fiscal_year_start: t('Start of the fiscal year'),
  en: t('English'),
  de: t('German'),
  ...LIST_NAMES,
}
/** Of a choice, or of a part of a setting. */
export const optionWords = (word: string): string => WORDS[word] ?? inWords(word)

/** The API speaks of factors; people read percent. */
const HELP: Readonly<Record<string, string>> = {
  margins: t(
    'What is added to a price, by the category of the customer. A customer whose ' +
      'category is missing here gets the margin of DEFAULT',
  ),
  default_risk: t('Risk of a firm quote while there is too little data to compute one'),
  slippage: t('Largest distance of a price from the top of the book'),
  reference_deviation: t('Largest distance of the price of a route from the market data'),
  brand: t(
    'Name, address, colour and logo: in the console, on papers and in mails. What ' +
      'is not set is the name of the workspace, or is not shown',
  ),
  second_factor_roles: t(
    'Whoever has one of these roles signs in with a password and a second factor, and is asked ' +
      'for both again before dangerous commands. It counts at once: who has no second factor yet ' +
      'is led through setting one up. With any role here, nobody sets the password of another ' +
      'person any more: people get a link by mail. Without a role, nobody needs one',
  ),
  passwords: t(
    'Who signs in with a password. With Administrators alone, everybody else signs in by a ' +
      'provider of single sign-on; sessions that were begun before go on',
  ),
  job_fee_share: t('Largest fee of a transfer job, of the amount that it moves'),
}

export const helpOf = ({ key, description }: Setting): string =>
  HELP[key] ?? told(description.replace(/; null:/, '. Empty:'))

type Changed = Pick<Setting, 'changed_at' | 'changed_by_name' | 'hand'>

/** `Anna Adler, 2026-11-29 10:03:12`. */
export function byWords({ changed_at, changed_by_name, hand }: Changed): string {
  const who = hand === 'FILE' ? t('the configuration file') : (changed_by_name ?? 'Kontor')
  return changed_at === null ? who : `${who}, ${localTime(changed_at)}`
}

export const lastWords = (changed: Changed): string =>
  changed.changed_at === null
    ? t('Never changed')
    : t('Last change: {{changed}}', { changed: byWords(changed) })
