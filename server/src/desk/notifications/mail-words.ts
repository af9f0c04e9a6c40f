/** The words of mails with notifications: those that the console has, in German too. */
import type { MailLanguage } from '../../access/index.ts'
import { amountText, inOneLine, shortReference, timeText } from '../../events/index.ts'
import type { MailReader } from '../../events/index.ts'
import type { NotedKind } from '../notes/records.ts'
import type { Facts } from './facts.ts'
import type { NotificationKind } from './kinds.ts'
import type { Notification } from './notifications.schema.ts'
import { isListedOnly, PAGE_OF } from './pages.ts'

type Parts = { facts: Facts; reader: MailReader; console_url: string | undefined }

const SUBJECT: Readonly<Record<MailLanguage, (count: number) => string>> = {
  en: (count) => (count === 1 ? 'Kontor: one notification' : `Kontor: ${count} notifications`),
  de: (count) =>
    count === 1 ? 'Kontor: eine Benachrichtigung' : `Kontor: ${count} Benachrichtigungen`,
}

const END: Readonly<Record<MailLanguage, string>> = {
  en: 'You choose what you are told by mail in Kontor, under the bell, Preferences.',
  de: 'Was Sie per E-Mail erhalten, wählen Sie in Kontor unter der Glocke, Einstellungen.',
}

/** Of a storm the mail tells the newest. */
const MAXIMUM_BLOCKS = 20
const MORE: Readonly<Record<MailLanguage, (count: number) => string>> = {
  en: (count) => `${count} more ${count === 1 ? 'is' : 'are'} in Kontor, under the bell.`,
  de: (count) =>
    `${count} ${count === 1 ? 'weitere steht' : 'weitere stehen'} in Kontor unter der Glocke.`,
}

const SOMEBODY = { en: 'Somebody', de: 'Jemand' } as const

/** `who`: who wrote a comment. `count`: of what is counted. */
type Words = (parts: { who: string; count: number }) => string

const KINDS: Readonly<Record<MailLanguage, Readonly<Record<NotificationKind, Words>>>> = {
  en: {
    mention: ({ who }) => `${who} mentions you in a comment`,
    comment: ({ who }) => `${who} has written a comment`,
    deposit_unassigned: counted('A deposit came without an owner', 'deposits came without one'),
    assignment_pending: counted('An assignment was requested', 'assignments were requested'),
    approval_waiting: counted('Your approval is asked for', 'approvals are asked for'),
    held_for_review: counted('A payment was held for review', 'payments were held for review'),
    outcome_unknown: counted('An outcome was not known', 'outcomes were not known'),
    payment_failed: counted(
      'A payment has failed or come back',
      'payments have failed or come back',
    ),
    break_opened: counted('A venue and the books differed', 'differences of venues and books'),
    halt_set: counted('Withdrawals or trading were halted', 'halts were set'),
    set_aside: counted('A record of a venue was set aside', 'records of venues were set aside'),
    venue_silent: counted('A venue did not answer', 'times a venue did not answer'),
    setting_drifts: counted(
      'A setting differed from the configuration file',
      'settings differed from the configuration file',
    ),
    declaration_drifts: counted(
      'A venue, an asset or a price route differed from the configuration file',
      'venues, assets or price routes differed from the configuration file',
    ),
    went_wrong: counted('Something has gone wrong', 'things have gone wrong'),
  },
  de: {
    mention: ({ who }) => `${who} erwähnt Sie in einem Kommentar`,
    comment: ({ who }) => `${who} hat einen Kommentar geschrieben`,
    deposit_unassigned: counted(
      'Eine Einzahlung kam ohne Inhaber an',
      'Einzahlungen kamen ohne Inhaber an',
    ),
    assignment_pending: counted('Eine Zuordnung wurde beantragt', 'Zuordnungen wurden beantragt'),
    approval_waiting: counted('Ihre Freigabe wird erbeten', 'Freigaben werden erbeten'),
    held_for_review: counted(
      'Eine Zahlung wurde zur Prüfung angehalten',
      'Zahlungen wurden zur Prüfung angehalten',
    ),
    outcome_unknown: counted('Ein Ausgang war ungewiss', 'Ausgänge waren ungewiss'),
    payment_failed: counted(
      'Eine Zahlung ist fehlgeschlagen oder zurückgekommen',
      'Zahlungen sind fehlgeschlagen oder zurückgekommen',
    ),
    break_opened: counted(
      'Eine Gegenstelle und die Bücher wichen voneinander ab',
      'Differenzen zwischen Gegenstellen und Büchern',
    ),
    halt_set: counted('Auszahlungen oder Handel wurden gesperrt', 'Sperren wurden gesetzt'),
    set_aside: counted(
      'Ein Datensatz einer Gegenstelle wurde zurückgestellt',
      'Datensätze von Gegenstellen wurden zurückgestellt',
    ),
    venue_silent: counted(
      'Eine Gegenstelle hat nicht geantwortet',
      'Mal hat eine Gegenstelle nicht geantwortet',
    ),
    setting_drifts: counted(
      'Eine Einstellung wich von der Konfigurationsdatei ab',
      'Einstellungen wichen von der Konfigurationsdatei ab',
    ),
    declaration_drifts: counted(
      'Eine Gegenstelle, ein Asset oder eine Kursroute wich von der Konfigurationsdatei ab',
      'Gegenstellen, Assets oder Kursrouten wichen von der Konfigurationsdatei ab',
    ),
    went_wrong: counted('Ein Vorgang ist fehlgeschlagen', 'Vorgänge sind fehlgeschlagen'),
  },
}

function counted(one: string, several: string): Words {
  return ({ count }) => (count === 1 ? one : `${count} ${several}`)
}

type RecordKind = NotedKind | 'approval'
const RECORDS: Readonly<Record<MailLanguage, Readonly<Record<RecordKind, string>>>> = {
  en: {
    customer: 'Customer',
    account: 'Account',
    deposit: 'Deposit',
    withdrawal: 'Withdrawal',
    payment: 'Payment',
    batch: 'Batch',
    set_aside_item: 'Set-aside item',
    execution: 'Execution',
    quote: 'Quote',
    fill: 'Account trade',
    settlement: 'Settlement',
    booking: 'Booking',
    book_transfer: 'Book transfer',
    job: 'Transfer job',
    wallet: 'Wallet',
    route: 'Treasury route',
    matching: 'Matching',
    price_route: 'Price route',
    venue: 'Venue',
    break: 'Break',
    halt: 'Halt',
    screening_case: 'Screening case',
    user: 'User',
    api_key: 'API key',
    webhook: 'Webhook',
    approval: 'Approval request',
  },
  de: {
    customer: 'Kunde',
    account: 'Konto',
    deposit: 'Einzahlung',
    withdrawal: 'Auszahlung',
    payment: 'Zahlung',
    batch: 'Sammelauftrag',
    set_aside_item: 'Zurückgestellter Datensatz',
    execution: 'Ausführung',
    quote: 'Quote',
    fill: 'Kontogeschäft',
    settlement: 'Abwicklung',
    booking: 'Buchung',
    book_transfer: 'Umbuchung',
    job: 'Transferjob',
    wallet: 'Wallet',
    route: 'Treasury-Route',
    matching: 'Zuordnungsregel',
    price_route: 'Kursroute',
    venue: 'Gegenstelle',
    break: 'Differenz',
    halt: 'Sperre',
    screening_case: 'Prüffall',
    user: 'Benutzer',
    api_key: 'API-Schlüssel',
    webhook: 'Webhook',
    approval: 'Freigabeanfrage',
  },
}

export function mailText(
  rows: readonly Notification[],
  parts: Parts,
): { subject: string; body: string } {
  const { console_url, reader } = parts
  const { language } = reader
  const blocks = rows.slice(0, MAXIMUM_BLOCKS).map((row) => blockOf(row, parts).join('\n'))
  const more = rows.length - blocks.length
  if (more > 0)
    blocks.push(
      [MORE[language](more), ...(console_url === undefined ? [] : [console_url])].join('\n'),
    )
  return {
    subject: SUBJECT[language](rows.reduce((sum, { count }) => sum + count, 0)),
    body: `${[...blocks, END[language]].join('\n\n')}\n`,
  }
}

/** Of several only the last is named; the link leads to their list. */
function blockOf(row: Notification, { facts, reader, console_url }: Parts): string[] {
  const { language } = reader
  const { kind, record_kind, record_id, count } = row
  // Names from before names were lines may have several.
  const who = inOneLine(facts.authors.get(row.author_id ?? '') ?? SOMEBODY[language])
  const at = timeText(row.system_updated_at, reader)
  const isOne = count === 1 && !isListedOnly(record_kind)
  const page = `${PAGE_OF[record_kind]}${isOne ? `/${record_id}` : ''}`
  return [
    `${KINDS[language][kind]({ who, count })}.`,
    isOne ? `${recordText(record_kind, record_id, { facts, reader })}, ${at}` : at,
    ...(console_url === undefined ? [] : [`${console_url}${page}`]),
  ]
}

function recordText(
  kind: RecordKind,
  id: string,
  { facts, reader }: Pick<Parts, 'facts' | 'reader'>,
): string {
  const amount = facts.amounts.get(id)
  return [
    RECORDS[reader.language][kind],
    shortReference(kind, id),
    ...(amount === undefined ? [] : [amountText(amount.quantity, amount.asset, reader)]),
  ].join(' ')
}
