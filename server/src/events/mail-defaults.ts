/** The words of mails to customers where the workspace has none of its own. */
import type { MailKind, MailLanguage, MailTemplate } from '../access/index.ts'

type Sentences = Readonly<Record<MailKind, readonly [subject: string, ...said: string[]]>>
/** How a mail begins, what it says of the facts, and how it ends. */
type Frame = { greeting: string; facts: readonly string[]; end: readonly string[] }

const CORRECTED = {
  en: 'On {told_time} we wrote to you: “{told}”.',
  de: 'Am {told_time} haben wir Ihnen geschrieben: „{told}“.',
} as const

const ENGLISH: Sentences = {
  deposit_booked: [
    'Deposit of {amount}',
    '{amount} has been booked to your account.',
    '{came_back}',
  ],
  withdrawal_sent: [
    'Withdrawal of {amount} has been sent',
    'Your withdrawal of {amount} to {destination} has been sent.',
  ],
  withdrawal_failed: [
    'Withdrawal of {amount} has failed',
    'Your withdrawal of {amount} to {destination} has failed.',
    'The blocked amount is available again.',
  ],
  withdrawal_rejected: [
    'Withdrawal of {amount} was rejected',
    'Your withdrawal of {amount} to {destination} was rejected.',
    'The blocked amount is available again.',
  ],
  return_sent: [
    'Return of {amount} has been sent',
    'The return of {amount} to the sender of your deposit ({destination}) has been sent.',
  ],
  return_failed: [
    'Return of {amount} has failed',
    'The return of {amount} to the sender of your deposit ({destination}) has failed.',
    'The blocked amount is available again.',
  ],
  return_rejected: [
    'Return of {amount} was rejected',
    'The return of {amount} to the sender of your deposit ({destination}) was rejected.',
    'The blocked amount is available again.',
  ],
  transfer_given: [
    'Transfer of {amount}',
    'A transfer of {amount} to another customer was booked from your account.',
  ],
  transfer_received: [
    'Transfer of {amount}',
    'A transfer of {amount} from another customer was booked to your account.',
  ],
  order_filled: [
    'Your order to {side} {amount} is filled',
    'Your order to {side} {amount} against {against} is filled.',
    'Filled: {filled} for {volume} in total.',
  ],
  order_canceled: [
    'Your order to {side} {amount} was canceled',
    'Your order to {side} {amount} against {against} was canceled.',
    'Filled before: {filled} for {volume} in total.',
  ],
  order_expired: [
    'Your order to {side} {amount} has expired',
    'Your order to {side} {amount} against {against} has expired.',
    'Filled before: {filled} for {volume} in total.',
  ],
  order_failed: [
    'Your order to {side} {amount} has failed',
    'Your order to {side} {amount} against {against} has failed.',
    'Filled before: {filled} for {volume} in total.',
  ],
  correction_not_yours: [
    'Correction: {told}',
    CORRECTED.en,
    'That was a mistake. The booking on your account has been reversed.',
  ],
  correction_taken_back: [
    'Correction: {told}',
    CORRECTED.en,
    'The payment was taken back since then. The booking on your account has been reversed.',
  ],
  correction_not_sent: [
    'Correction: {told}',
    CORRECTED.en,
    'The payment was not carried out after all.',
    'We write to you again as soon as the amount is back on your account.',
  ],
  correction_sent: [
    'Correction: {told}',
    CORRECTED.en,
    'The payment was carried out after all. It has been booked from your account.',
  ],
  correction_order: [
    'Correction: {told}',
    CORRECTED.en,
    'The exchange has since reported another outcome. Your account shows what was traded.',
  ],
}

const GERMAN: Sentences = {
  deposit_booked: [
    'Gutschrift über {amount}',
    'Auf Ihrem Konto wurden {amount} gutgeschrieben.',
    '{came_back}',
  ],
  withdrawal_sent: [
    'Auszahlung über {amount} ausgeführt',
    'Ihre Auszahlung über {amount} an {destination} wurde ausgeführt.',
  ],
  withdrawal_failed: [
    'Auszahlung über {amount} fehlgeschlagen',
    'Ihre Auszahlung über {amount} an {destination} ist fehlgeschlagen.',
    'Der reservierte Betrag ist wieder verfügbar.',
  ],
  withdrawal_rejected: [
    'Auszahlung über {amount} abgelehnt',
    'Ihre Auszahlung über {amount} an {destination} wurde abgelehnt.',
    'Der reservierte Betrag ist wieder verfügbar.',
  ],
  return_sent: [
    'Rückzahlung über {amount} ausgeführt',
    'Die Rückzahlung über {amount} an den Absender Ihrer Einzahlung ({destination}) wurde ' +
      'ausgeführt.',
  ],
  return_failed: [
    'Rückzahlung über {amount} fehlgeschlagen',
    'Die Rückzahlung über {amount} an den Absender Ihrer Einzahlung ({destination}) ist ' +
      'fehlgeschlagen.',
    'Der reservierte Betrag ist wieder verfügbar.',
  ],
  return_rejected: [
    'Rückzahlung über {amount} abgelehnt',
    'Die Rückzahlung über {amount} an den Absender Ihrer Einzahlung ({destination}) wurde ' +
      'abgelehnt.',
    'Der reservierte Betrag ist wieder verfügbar.',
  ],
  transfer_given: [
    'Übertrag über {amount}',
    'Ein Übertrag über {amount} an einen anderen Kunden wurde von Ihrem Konto abgebucht.',
  ],
  transfer_received: [
    'Übertrag über {amount}',
    'Ein Übertrag über {amount} von einem anderen Kunden wurde Ihrem Konto gutgeschrieben.',
  ],
  order_filled: [
    'Auftrag ausgeführt: {side} {amount}',
    'Ihr Auftrag ({side} {amount} gegen {against}) wurde ausgeführt.',
    'Ausgeführt: {filled} für insgesamt {volume}.',
  ],
  order_canceled: [
    'Auftrag storniert: {side} {amount}',
    'Ihr Auftrag ({side} {amount} gegen {against}) wurde storniert.',
    'Zuvor ausgeführt: {filled} für insgesamt {volume}.',
  ],
  order_expired: [
    'Auftrag abgelaufen: {side} {amount}',
    'Ihr Auftrag ({side} {amount} gegen {against}) ist abgelaufen.',
    'Zuvor ausgeführt: {filled} für insgesamt {volume}.',
  ],
  order_failed: [
    'Auftrag fehlgeschlagen: {side} {amount}',
    'Ihr Auftrag ({side} {amount} gegen {against}) ist fehlgeschlagen.',
    'Zuvor ausgeführt: {filled} für insgesamt {volume}.',
  ],
  correction_not_yours: [
    'Korrektur: {told}',
    CORRECTED.de,
    'Das war ein Irrtum. Die Buchung auf Ihrem Konto wurde rückgängig gemacht.',
  ],
  correction_taken_back: [
    'Korrektur: {told}',
    CORRECTED.de,
    'Die Zahlung wurde inzwischen zurückgeholt. Die Buchung auf Ihrem Konto wurde rückgängig ' +
      'gemacht.',
  ],
  correction_not_sent: [
    'Korrektur: {told}',
    CORRECTED.de,
    'Die Zahlung wurde doch nicht ausgeführt.',
    'Wir schreiben Ihnen wieder, sobald der Betrag zurück auf Ihrem Konto ist.',
  ],
  correction_sent: [
    'Korrektur: {told}',
    CORRECTED.de,
    'Die Zahlung wurde doch ausgeführt. Sie wurde von Ihrem Konto abgebucht.',
  ],
  correction_order: [
    'Korrektur: {told}',
    CORRECTED.de,
    'Die Börse hat inzwischen ein anderes Ergebnis gemeldet. Ihr Konto zeigt, was gehandelt wurde.',
  ],
}

const FRAMES: Readonly<Record<MailLanguage, Frame>> = {
  en: {
    greeting: 'Dear {customer},',
    facts: ['Purpose: {purpose}', 'Reason: {reason}', 'Transaction: {transaction}'],
    end: ['Time: {time}', 'Our reference: {reference}', '', '{bank}'],
  },
  de: {
    greeting: 'Guten Tag {customer},',
    facts: ['Verwendungszweck: {purpose}', 'Grund: {reason}', 'Transaktion: {transaction}'],
    end: ['Zeit: {time}', 'Unsere Referenz: {reference}', '', '{bank}'],
  },
}

/** A fact that a kind of mail does not have is empty for it, and its line is left out. */
export function defaultTemplate(language: MailLanguage, kind: MailKind): MailTemplate {
  const [subject, ...said] = (language === 'de' ? GERMAN : ENGLISH)[kind]
  const { greeting, facts, end } = FRAMES[language]
  return { subject, body: [greeting, '', ...said, '', ...facts, ...end].join('\n') }
}
