/** Amounts and times as ISO 20022 messages write them. */
import { scaleOf, tryDecimal, ZERO, type Decimal } from '../../core/decimal.ts'
import { decimalsOf } from './currency.ts'
import { first, required, text, UnreadableMessage } from './xml.ts'
import type { Element } from './xml.ts'

/** A point in time as precise as the bank names it: with a time of day, or the date alone. */
export type BankTime = { date: string; time: number | null }

/**
 * Of zero or more. Throws UnreadableMessage when it is none, of another currency, or finer than the
 * currency is.
 */
export function readAmount(amount: Element | undefined, currency: string): Decimal {
  const plain = required(amount).replace(/^\+?0*(?=[0-9])/, '')
  const value = tryDecimal(plain.endsWith('.') ? plain.slice(0, -1) : plain)
  if (value === undefined || value < ZERO)
    throw new UnreadableMessage(`not an amount: ${plain.slice(0, 40)}`)
  const named = amount?.attributes.get('Ccy')
  if (named !== currency)
    throw new UnreadableMessage(`an amount is in ${named ?? 'no currency'}, not in ${currency}`)
  if (scaleOf(value) > decimalsOf(currency))
    throw new UnreadableMessage(`an amount of ${currency} is too fine: ${plain.slice(0, 40)}`)
  return value
}

/** Undefined where `readAmount` throws. */
export function tryAmount(amount: Element | undefined, currency: string): Decimal | undefined {
  try {
    return readAmount(amount, currency)
  } catch (error) {
    if (error instanceof UnreadableMessage) return undefined
    throw error
  }
}

/** The time at the end of the path, null when there is none. */
export function readTime(element: Element | undefined, ...path: string[]): BankTime | null {
  const found = first(element, ...path)
  const iso = text(found, 'DtTm') ?? text(found, 'Dt') ?? text(found)
  return iso === null ? null : timeOf(iso)
}

const ISO_TIME = /^(\d{4}-\d{2}-\d{2})(?:T([\d:.]+))?(Z|[+-]\d{2}:\d{2})?$/

/** A time of day without a zone counts as UTC: what matters is the order within one bank. */
function timeOf(iso: string): BankTime {
  const [, date = '', time, zone = 'Z'] = ISO_TIME.exec(iso) ?? []
  const moment = time === undefined ? null : Date.parse(`${date}T${time}${zone}`)
  if (Number.isNaN(Date.parse(date)) || Number.isNaN(moment))
    throw new UnreadableMessage(`not a time: ${iso.slice(0, 40)}`)
  return { date, time: moment }
}

export const millisecondsOf = ({ date, time }: BankTime): number => time ?? Date.parse(date)
