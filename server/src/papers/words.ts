/** What stands on papers in each language, beside what the records themselves say. */
import type { MailLanguage } from '../access/index.ts'
import type { AccountType, BookingType } from '../ledger/index.ts'

export type SheetWords = { page(number: number, of: number): string }

/** What a line of a statement is. `who`: name, and account or address. */
type ToldWords = {
  from(who: string): string
  to(who: string): string
  came_back(who: string): string
  sent_back(who: string): string
  reference(text: string): string
  purpose(text: string): string
  fee(of: string): string
  taken_back(what: string): string
  mistake: string
  mistake_corrected: string
  bought(amount: string, volume: string, price: string): string
  sold(amount: string, volume: string, price: string): string
  /** Where what was traded is not known in one piece. */
  trade(base: string, quote: string): string
}

export type Words = SheetWords & {
  /** At the foot of every page. */
  made(at: string): string
  times(zone: string): string
  statement: string
  trial_balance: string
  payment: string
  deposit: string
  contract_note: string
  customer: string
  customer_number: string
  account: string
  our_reference: string
  period: string
  period_of(from: string, to: string): string
  as_of: string
  /** Titles of columns. */
  booked: string
  value_date: string
  entry: string
  description: string
  debit: string
  credit: string
  balance: string
  asset: string
  accounts: string
  opening: string
  closing: string
  sum: string
  nothing_booked: string
  /** Facts of a confirmation. */
  amount: string
  payee: string
  paid_to: string
  payer: string
  paid_from: string
  reference: string
  purpose: string
  way: string
  executed: string
  received: string
  transaction: string
  payment_made: string
  deposit_booked: string
  /** Facts of a contract note. */
  side: string
  sides: Readonly<Record<'BUY' | 'SELL', string>>
  order_type: string
  order_types: Readonly<Record<'MARKET' | 'LIMIT' | 'STOP_MARKET', string>>
  quantity: string
  price: string
  paid: string
  got: string
  price_is_all: string
  order_executed: string
  entries: Readonly<Record<BookingType, string>>
  told: ToldWords
  types: Readonly<Record<AccountType, string>>
}

const ENGLISH: Words = {
  page: (number, of) => `Page ${number} of ${of}`,
  made: (at) => `Made on ${at}`,
  times: (zone) => `times in ${zone}`,
  statement: 'Statement of account',
  trial_balance: 'Trial balance',
  payment: 'Confirmation of payment',
  deposit: 'Confirmation of deposit',
  contract_note: 'Contract note',
  customer: 'Customer',
  customer_number: 'Customer number',
  account: 'Account',
  our_reference: 'Our reference',
  period: 'Period',
  period_of: (from, to) => `${from} to ${to}`,
  as_of: 'As of',
  booked: 'Booked',
  value_date: 'Value date',
  entry: 'Entry',
  description: 'Description',
  debit: 'Debit',
  credit: 'Credit',
  balance: 'Balance',
  asset: 'Asset',
  accounts: 'Accounts',
  opening: 'Opening balance',
  closing: 'Closing balance',
  sum: 'Sum',
  nothing_booked: 'Nothing was booked on this account in this period.',
  amount: 'Amount',
  payee: 'Payee',
  paid_to: 'Paid to',
  payer: 'Payer',
  paid_from: 'Paid from',
  reference: 'Reference',
  purpose: 'Purpose',
  way: 'Sent by',
  executed: 'Executed',
  received: 'Received',
  transaction: 'Transaction',
  payment_made: 'We confirm that this payment has been made.',
  deposit_booked: 'We confirm that this deposit has been booked.',
  side: 'Order',
  sides: { BUY: 'Buy', SELL: 'Sell' },
  order_type: 'Type of order',
  order_types: { MARKET: 'Market', LIMIT: 'Limit', STOP_MARKET: 'Stop' },
  quantity: 'Quantity',
  price: 'Price of one',
  paid: 'Paid in all',
  got: 'Received in all',
  price_is_all: 'The price contains all that we and the venue have charged.',
  order_executed: 'We confirm that this order has been executed for you, and booked.',
  entries: {
    OPENING: 'Opening',
    DEPOSIT: 'Deposit',
    DEPOSIT_ASSIGNMENT: 'Deposit',
    WITHDRAWAL: 'Withdrawal',
    WITHDRAWAL_ASSIGNMENT: 'Withdrawal',
    WITHDRAWAL_FEE: 'Withdrawal fee',
    TRANSFER: 'Own transfer',
    TRANSFER_FEE: 'Transfer fee',
    BOOK_TRANSFER: 'Transfer',
    EXECUTION: 'Trade',
    TRADING_FEE: 'Trading fee',
    SETTLEMENT: 'Settlement',
    RECTIFICATION: 'Correction',
    REVERSAL: 'Correction',
    ROUNDING: 'Rounding',
    MANUAL: 'Manual booking',
  },
  told: {
    from: (who) => (who === '' ? 'Deposit' : `From ${who}`),
    to: (who) => `To ${who}`,
    came_back: (who) => `Your payment to ${who} has come back`,
    sent_back: (who) => `Sent back to ${who}`,
    reference: (text) => `reference ${text}`,
    purpose: (text) => `purpose ${text}`,
    fee: (of) => `Fee: ${of}`,
    taken_back: (what) => `Taken back: ${what}`,
    mistake: 'Booked by mistake, and corrected',
    mistake_corrected: 'Correction of a booking that was made by mistake',
    bought: (amount, volume, price) => `Bought ${amount} at ${price}, ${volume} in all`,
    sold: (amount, volume, price) => `Sold ${amount} at ${price}, ${volume} in all`,
    trade: (base, quote) => `Trade of ${base} against ${quote}`,
  },
  types: {
    CUSTOMER: 'Customers',
    VENUE: 'Venues',
    TRADING: 'Trading',
    HOUSE: 'House',
    SUSPENSE: 'Suspense',
    TRANSIT: 'Transit',
    MARGIN: 'Margin',
    RISK: 'Risk',
    FEE: 'Fees',
    ROUNDING: 'Rounding',
    INCOME: 'Income',
    EXPENSE: 'Expense',
  },
}

const GERMAN: Words = {
  page: (number, of) => `Seite ${number} von ${of}`,
  made: (at) => `Erstellt am ${at}`,
  times: (zone) => `Zeiten in ${zone}`,
  statement: 'Kontoauszug',
  trial_balance: 'Saldenliste',
  payment: 'Zahlungsbestätigung',
  deposit: 'Bestätigung einer Einzahlung',
  contract_note: 'Abrechnung',
  customer: 'Kunde',
  customer_number: 'Kundennummer',
  account: 'Konto',
  our_reference: 'Unsere Referenz',
  period: 'Zeitraum',
  period_of: (from, to) => `${from} bis ${to}`,
  as_of: 'Stand',
  booked: 'Gebucht',
  value_date: 'Valuta',
  entry: 'Vorgang',
  description: 'Beschreibung',
  debit: 'Soll',
  credit: 'Haben',
  balance: 'Saldo',
  asset: 'Asset',
  accounts: 'Konten',
  opening: 'Anfangssaldo',
  closing: 'Endsaldo',
  sum: 'Summe',
  nothing_booked: 'In diesem Zeitraum wurde auf diesem Konto nichts gebucht.',
  amount: 'Betrag',
  payee: 'Empfänger',
  paid_to: 'Gezahlt an',
  payer: 'Absender',
  paid_from: 'Gezahlt von',
  reference: 'Referenz',
  purpose: 'Verwendungszweck',
  way: 'Gesendet über',
  executed: 'Ausgeführt',
  received: 'Eingegangen',
  transaction: 'Transaktion',
  payment_made: 'Wir bestätigen, dass diese Zahlung ausgeführt wurde.',
  deposit_booked: 'Wir bestätigen, dass diese Einzahlung gebucht wurde.',
  side: 'Auftrag',
  sides: { BUY: 'Kauf', SELL: 'Verkauf' },
  order_type: 'Auftragsart',
  order_types: { MARKET: 'Market', LIMIT: 'Limit', STOP_MARKET: 'Stop' },
  quantity: 'Menge',
  price: 'Kurs',
  paid: 'Gezahlt insgesamt',
  got: 'Erhalten insgesamt',
  price_is_all: 'Der Kurs enthält alles, was wir und der Handelsplatz berechnet haben.',
  order_executed: 'Wir bestätigen, dass dieser Auftrag für Sie ausgeführt und gebucht wurde.',
  entries: {
    OPENING: 'Eröffnung',
    DEPOSIT: 'Einzahlung',
    DEPOSIT_ASSIGNMENT: 'Einzahlung',
    WITHDRAWAL: 'Auszahlung',
    WITHDRAWAL_ASSIGNMENT: 'Auszahlung',
    WITHDRAWAL_FEE: 'Gebühr einer Auszahlung',
    TRANSFER: 'Eigener Übertrag',
    TRANSFER_FEE: 'Gebühr eines Übertrags',
    BOOK_TRANSFER: 'Übertrag',
    EXECUTION: 'Handel',
    TRADING_FEE: 'Handelsgebühr',
    SETTLEMENT: 'Abwicklung',
    RECTIFICATION: 'Berichtigung',
    REVERSAL: 'Berichtigung',
    ROUNDING: 'Rundung',
    MANUAL: 'Manuelle Buchung',
  },
  told: {
    from: (who) => (who === '' ? 'Einzahlung' : `Von ${who}`),
    to: (who) => `An ${who}`,
    came_back: (who) => `Ihre Zahlung an ${who} ist zurückgekommen`,
    sent_back: (who) => `Zurückgesendet an ${who}`,
    reference: (text) => `Referenz ${text}`,
    purpose: (text) => `Verwendungszweck ${text}`,
    fee: (of) => `Gebühr: ${of}`,
    taken_back: (what) => `Zurückgenommen: ${what}`,
    mistake: 'Irrtümlich gebucht und berichtigt',
    mistake_corrected: 'Berichtigung einer irrtümlichen Buchung',
    bought: (amount, volume, price) => `Kauf von ${amount} zu ${price}, insgesamt ${volume}`,
    sold: (amount, volume, price) => `Verkauf von ${amount} zu ${price}, insgesamt ${volume}`,
    trade: (base, quote) => `Handel von ${base} gegen ${quote}`,
  },
  types: {
    CUSTOMER: 'Kunden',
    VENUE: 'Verwahrstellen und Banken',
    TRADING: 'Handel',
    HOUSE: 'Eigenbestand',
    SUSPENSE: 'Ungeklärte Posten',
    TRANSIT: 'Unterwegs',
    MARGIN: 'Marge',
    RISK: 'Risiko',
    FEE: 'Gebühren',
    ROUNDING: 'Rundung',
    INCOME: 'Erträge',
    EXPENSE: 'Aufwände',
  },
}

export const WORDS: Readonly<Record<MailLanguage, Words>> = { en: ENGLISH, de: GERMAN }
