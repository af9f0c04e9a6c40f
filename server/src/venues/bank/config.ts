/** How a bank is configured, and the account that follows from it. */
import { scaleOf, tryDecimal, ZERO, type Decimal } from '../../core/decimal.ts'
import { checkBic, checkIban } from '../addresses.ts'
import { ENTRY_KINDS, type Profile } from './messages.ts'
import { DECIMALS, MAXIMUM_NAME } from './payment-file.ts'
import { sepaText } from './reference.ts'

export type BankConfig = {
  /** Payment files are put here; the bank moves them to `done` below it. */
  outbox_dir: string
  /** The bank's messages appear here. */
  inbox_dir: string
  iban: string
  bic: string
  /** The account holder as the bank knows it. */
  name: string
  /** ISO code of a currency with cents. */
  currency: string
  /**
   * What the bank charges for a FOREIGN payment by agreement: the estimate. What it took is an
   * entry of its own.
   */
  foreign_fee?: Decimal
  /** How the bank names the account in its messages where it does not by the IBAN. */
  account_id?: string
  /** The kinds of messages that book; the others are read to compare. */
  books?: Profile
}

/** Our account at the bank. */
export type BankAccount = {
  iban: string
  bic: string
  currency: string
  /** The holder in SEPA characters. */
  name: string
  foreign_fee: Decimal
  account_id: string | null
  books: Profile
}

/** A notification books at once, and a statement what was not notified. */
const DEFAULT_PROFILE: Profile = new Set(['camt.053', 'camt.054'])

/** The configuration from named texts. Throws RangeError naming what is missing. */
export function bankConfig(values: Record<string, string>): BankConfig {
  const text = (name: string) => {
    const value = values[name]
    if (value === undefined || value === '')
      throw new RangeError(`the bank's configuration lacks ${name}`)
    return value
  }
  const currency = text('currency')
  if (!isCurrency(currency))
    throw new RangeError(`the bank's currency must be a code like EUR, with cents, not ${currency}`)
  const foreign_fee = tryDecimal(values['foreign_fee'] || '0')
  if (foreign_fee === undefined || foreign_fee < ZERO || scaleOf(foreign_fee) > DECIMALS)
    throw new RangeError("the bank's foreign_fee must be an amount with at most two decimals")
  const account_id = values['account_id']
  return {
    ...(account_id ? { account_id } : {}),
    ...(values['books'] ? { books: profileOf(values['books']) } : {}),
    outbox_dir: text('outbox_dir'),
    inbox_dir: text('inbox_dir'),
    iban: text('iban'),
    bic: text('bic'),
    name: text('name'),
    currency,
    foreign_fee,
  }
}

function isCurrency(currency: string): boolean {
  if (!/^[A-Z]{3}$/.test(currency)) return false
  const { maximumFractionDigits } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  return maximumFractionDigits === DECIMALS
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
  const { iban, bic, name, currency, foreign_fee = ZERO } = config
  if (checkIban(iban) !== 'valid' || checkBic(bic) !== 'valid')
    throw new RangeError(`bank account ${iban} at ${bic} is not valid`)
  const holder = sepaText(name)
  if (!holder || holder.length > MAXIMUM_NAME)
    throw new RangeError('the account holder has no name that fits a payment')
  const { account_id = null, books = DEFAULT_PROFILE } = config
  return { iban, bic, currency, name: holder, foreign_fee, account_id, books }
}
