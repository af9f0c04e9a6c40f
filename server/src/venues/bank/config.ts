/** How a bank is configured, and the account that follows from it. */
import { scaleOf, tryDecimal, ZERO, type Decimal } from '../../core/decimal.ts'
import { checkBic, checkIban } from '../addresses.ts'
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
  currency: 'EUR'
  /**
   * What the bank charges for a FOREIGN payment by agreement: the estimate. What it took is an
   * entry of its own.
   */
  foreign_fee?: Decimal
}

/** Our account at the bank. */
export type BankAccount = {
  iban: string
  bic: string
  currency: 'EUR'
  /** The holder in SEPA characters. */
  name: string
  foreign_fee: Decimal
}

/** The configuration from named texts. Throws RangeError naming what is missing. */
export function bankConfig(values: Record<string, string>): BankConfig {
  const text = (name: string) => {
    const value = values[name]
    if (value === undefined || value === '')
      throw new RangeError(`the bank's configuration lacks ${name}`)
    return value
  }
  const currency = text('currency')
  if (currency !== 'EUR') throw new RangeError(`the bank's currency must be EUR, not ${currency}`)
  const foreign_fee = tryDecimal(values['foreign_fee'] || '0')
  if (foreign_fee === undefined || foreign_fee < ZERO || scaleOf(foreign_fee) > DECIMALS)
    throw new RangeError("the bank's foreign_fee must be an amount with at most two decimals")
  return {
    outbox_dir: text('outbox_dir'),
    inbox_dir: text('inbox_dir'),
    iban: text('iban'),
    bic: text('bic'),
    name: text('name'),
    currency,
    foreign_fee,
  }
}

/** Throws RangeError when the configuration cannot be right. */
export function accountOf({ iban, bic, name, currency, foreign_fee }: BankConfig): BankAccount {
  if (checkIban(iban) !== 'valid' || checkBic(bic) !== 'valid')
    throw new RangeError(`bank account ${iban} at ${bic} is not valid`)
  const holder = sepaText(name)
  if (!holder || holder.length > MAXIMUM_NAME)
    throw new RangeError('the account holder has no name that fits a payment')
  return { iban, bic, currency, name: holder, foreign_fee: foreign_fee ?? ZERO }
}
