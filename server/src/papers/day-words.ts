/** What stands on the paper of a reconciled day, in each language. */
import type { MailLanguage } from '../access/index.ts'

export type DayWords = {
  title: string
  venue: string
  day: string
  compared: string
  not_compared: string
  state: string
  open: string
  signed_off: string
  reopened: string
  lines: string
  wallet: string
  venue_held: string
  books: string
  in_flight: string
  difference: string
  explained: string
  explained_by(who: string, at: string): string
  resolved(at: string): string
  still_open: string
  went_away: string
  signatures: string
  by: string
  at: string
  note: string
  none_compared: string
}

const ENGLISH: DayWords = {
  title: 'Reconciliation',
  venue: 'Venue',
  day: 'Day (UTC)',
  compared: 'Last compared',
  not_compared: 'not on this day',
  state: 'State',
  open: 'Open',
  signed_off: 'Signed off',
  reopened: 'Reopened',
  lines: 'Venue and books',
  wallet: 'Wallet',
  venue_held: 'Venue held',
  books: 'Books',
  in_flight: 'In flight',
  difference: 'Difference',
  explained: 'Explanation',
  explained_by: (who, at) => `${who}, ${at}`,
  resolved: (at) => `Balanced again on ${at}`,
  still_open: 'Not explained yet',
  went_away: 'Balanced before it was a break',
  signatures: 'Signatures',
  by: 'By',
  at: 'Time',
  note: 'Note or reason',
  none_compared: 'Nothing was compared on this day.',
}

const GERMAN: DayWords = {
  title: 'Abstimmung',
  venue: 'Gegenstelle',
  day: 'Tag (UTC)',
  compared: 'Zuletzt verglichen',
  not_compared: 'nicht an diesem Tag',
  state: 'Status',
  open: 'Offen',
  signed_off: 'Abgezeichnet',
  reopened: 'Wieder geöffnet',
  lines: 'Gegenstelle und Bücher',
  wallet: 'Wallet',
  venue_held: 'Gegenstelle',
  books: 'Bücher',
  in_flight: 'Unterwegs',
  difference: 'Abweichung',
  explained: 'Erklärung',
  explained_by: (who, at) => `${who}, ${at}`,
  resolved: (at) => `Wieder ausgeglichen am ${at}`,
  still_open: 'Noch nicht erklärt',
  went_away: 'Ausgeglichen, bevor es eine Differenz war',
  signatures: 'Unterschriften',
  by: 'Von',
  at: 'Zeit',
  note: 'Notiz oder Grund',
  none_compared: 'An diesem Tag wurde nichts verglichen.',
}

export const DAY_WORDS: Readonly<Record<MailLanguage, DayWords>> = { en: ENGLISH, de: GERMAN }
