/** How a bank is configured, and the account that follows from it. */
import { ZERO, type Decimal } from '../../core/decimal.ts'
import { bareIban, checkAba, checkBankAccount, checkBic, checkIban } from '../addresses.ts'
import { calendarOf, type BankCalendar } from './calendar.ts'
import { sharingTerms, type SharingTerms } from './collecting.ts'
import { isCurrency } from './currency.ts'
import { FOREIGN_MESSAGES, type ForeignMessage } from './foreign-file.ts'
import { instantTerms, type InstantTerms } from './instant.ts'
import { ENTRY_KINDS, type Profile } from './messages.ts'
import { amountOf, mustHaveText } from './options.ts'
import { ADDRESS_NAMES, addressOf, type PostalAddress } from './postal-address.ts'
import { MAXIMUM_NAME, sepaText } from './reference.ts'
import { sftpSettings, type SftpSettings } from './sftp/settings.ts'

export type BankConfig = {
  /** Payment files are put here, and moved to `done` below it when they are handed over. */
  outbox_dir: string
  /** The bank's messages appear here. */
  inbox_dir: string
  /** How the files come and go; without it another program carries them. */
  sftp?: SftpSettings
  /** The account, or its number where it has no IBAN. */
  iban?: string
  account_number?: string
  bic?: string
  /** Routing number of an American bank. */
  aba?: string
  /** The account holder as the bank knows it. */
  name: string
  /** The holder's address; empty without one. */
  address?: PostalAddress
  /** ISO 4217. */
  currency: string
  /** The message for payments outside SEPA. */
  foreign_message?: ForeignMessage
  /** When the bank executes payments; default that of its currency. */
  calendar?: BankCalendar
  /**
   * What the bank charges for a FOREIGN payment by agreement: the estimate. What it took is an
   * entry of its own.
   */
  foreign_fee?: Decimal
  /** Absent where the bank has no instant payments. */
  instant?: InstantTerms
  /** Absent where each payment has a file of its own. */
  sharing?: SharingTerms
  /** How the bank names the account in its messages where it does not by the IBAN. */
  account_id?: string
  /** The kinds of messages that book; the others are read to compare. */
  books?: Profile
}

/** Our account at the bank. */
export type BankAccount = {
  /** IBAN or account number. */
  number: string
  bic: string | null
  aba: string | null
  currency: string
  foreign_message: ForeignMessage
  calendar: BankCalendar
  /** The holder in SEPA characters. */
  name: string
  address: PostalAddress
  foreign_fee: Decimal
  instant: InstantTerms | null
  account_id: string | null
  books: Profile
}

/** A notification books at once, and a statement what was not notified. */
const DEFAULT_PROFILE: Profile = new Set(['camt.053', 'camt.054'])

/** Taken as they are given, where they are; only an IBAN may have spaces. */
const OPTIONAL_TEXTS = ['account_id', 'iban', 'account_number', 'bic', 'aba'] as const

/** The configuration from named texts. Throws RangeError naming what is missing. */
export function bankConfig(values: Record<string, string>): BankConfig {
  const text = (name: string) => mustHaveText(values, name)
  const currency = text('currency')
  if (!isCurrency(currency))
    throw new RangeError(`the bank's currency must be a code of ISO 4217, not ${currency}`)
  const foreign_fee = amountOf(values, 'foreign_fee', currency) ?? ZERO
  const texts = OPTIONAL_TEXTS.flatMap((name) => {
    const value = values[name]
    return value ? [[name, name === 'iban' ? bareIban(value) : value] as const] : []
  })
  const foreign_message = values['foreign_message']
  const sftp = sftpSettings(values)
  const instant = instantTerms(values, currency)
  const sharing = sharingTerms(values)
  return {
    ...(sftp === undefined ? {} : { sftp }),
    ...(instant === undefined ? {} : { instant }),
    ...(sharing === undefined ? {} : { sharing }),
    ...Object.fromEntries(texts),
    ...(values['books'] ? { books: profileOf(values['books']) } : {}),
    ...(foreign_message ? { foreign_message: messageOf(foreign_message) } : {}),
    outbox_dir: text('outbox_dir'),
    inbox_dir: text('inbox_dir'),
    name: text('name'),
    address: holderAddress(values),
    currency,
    calendar: calendarOf(values, currency),
    foreign_fee,
  }
}

function holderAddress(values: Record<string, string>): PostalAddress {
  const own = ADDRESS_NAMES.map((name) => [name, values[`holder_${name}`]] as const)
  const address = addressOf(Object.fromEntries(own))
  if ('objection' in address) throw new RangeError(`of the account holder ${address.objection}`)
  return address
}

function messageOf(name: string): ForeignMessage {
  const found = FOREIGN_MESSAGES.find((message) => message === name)
  if (found === undefined)
    throw new RangeError(
      `the bank's foreign_message must be ${FOREIGN_MESSAGES.join(' or ')}, not ${name}`,
    )
  return found
}

function profileOf(names: string): Profile {
  const kinds = names.split(',').map((name) => name.trim())
  const known = ENTRY_KINDS.filter((kind) => kinds.includes(kind))
  if (kinds.some((kind) => !known.some((one) => one === kind)))
    throw new RangeError(
      `the bank's books must name ${ENTRY_KINDS.join(', ')} or several of them, not ${names}`,
    )
  return new Set(known)
}

/** Throws RangeError when the configuration cannot be right. */
export function accountOf(config: BankConfig): BankAccount {
  const { name, currency, foreign_fee = ZERO } = config
  const holder = sepaText(name)
  if (!holder || holder.length > MAXIMUM_NAME)
    throw new RangeError('the account holder has no name that fits a payment')
  const {
    account_id = null,
    books = DEFAULT_PROFILE,
    foreign_message = FOREIGN_MESSAGES[0],
    calendar = calendarOf({}, currency),
    address = {},
  } = config
  return {
    ...placeOf(config),
    currency,
    name: holder,
    address,
    foreign_fee,
    instant: config.instant ?? null,
    foreign_message,
    calendar,
    account_id,
    books,
  }
}

/** An account with an IBAN is at a bank with a BIC; one without is at a bank with either number. */
function placeOf(config: BankConfig): Pick<BankAccount, 'number' | 'bic' | 'aba'> {
  const { iban, account_number, bic = null, aba = null } = config
  const number = iban ?? account_number
  if (number === undefined || (iban !== undefined && account_number !== undefined))
    throw new RangeError('the bank account needs either iban or account_number')
  if (iban === undefined ? checkBankAccount(number) !== 'valid' : checkIban(iban) !== 'valid')
    throw new RangeError(`bank account ${number} is not valid`)
  // A payment in SEPA names the account by its IBAN alone.
  if (iban === undefined && config.currency === 'EUR')
    throw new RangeError('a bank account in EUR needs an IBAN')
  if (bic === null && (iban !== undefined || aba === null))
    throw new RangeError(`bank account ${number} needs the BIC of its bank`)
  if (bic !== null && checkBic(bic) !== 'valid')
    throw new RangeError(`bank account ${number} at ${bic} is not valid`)
  if (aba !== null && checkAba(aba) !== 'valid')
    throw new RangeError(`bank account ${number} at ${aba} is not valid`)
  return { number, bic, aba }
}
