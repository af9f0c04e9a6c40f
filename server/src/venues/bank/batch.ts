/**
 * What the payments of one entry were worth. The entry's amount counts; its payments explain it
 * when their amounts add up to it, with the charges that the bank took out of it or put on top.
 */
import { sum, ZERO, type Decimal } from '../../core/decimal.ts'
import { tryAmount } from './elements.ts'
import { all, first, text } from './xml.ts'
import type { Element } from './xml.ts'

export type Direction = 'CRDT' | 'DBIT'

/** What an entry says of itself as a whole. */
export type EntryTotal = { direction: Direction; total: Decimal; currency: string }

type Payment = { detail: Element; direction: Direction; quantity: Decimal }

/** `charges`: what the bank took for its service, as a part of the entry. */
type Breakdown = { payments: Payment[]; charges: Decimal }

/** Where the amount of a payment may stand, the best place first. */
export const AMOUNTS = [
  ['Amt'],
  ['AmtDtls', 'TxAmt', 'Amt'],
  ['AmtDtls', 'InstdAmt', 'Amt'],
  ['AmtDtls', 'CntrValAmt', 'Amt'],
]

/**
 * The payments of an entry that shows all of them. Undefined when it shows none or only some: then
 * the entry is one movement, and nobody can say of whom.
 */
export function breakDown(entry: Element, whole: EntryTotal): Breakdown | undefined {
  const details = all(entry, 'NtryDtls', 'TxDtls')
  const [detail, ...further] = details
  if (detail === undefined) return undefined
  const charges = chargesOf(entry, details, whole.currency)
  if (further.length > 0) return breakDownBatch(details, whole, charges)
  const isMore = all(entry, 'NtryDtls', 'Btch', 'NbOfTxs').some((count) => Number(count.text) > 1)
  return isMore ? undefined : breakDownSingle(detail, whole, charges)
}

/** Of one payment out, its price may be on top. One that came in is what arrived. */
function breakDownSingle(detail: Element, whole: EntryTotal, charges: Decimal): Breakdown {
  const { direction, total, currency } = whole
  const isOnTop =
    direction === 'DBIT' &&
    charges > ZERO &&
    AMOUNTS.some((path) => tryAmount(first(detail, ...path), currency) === total - charges)
  const taken = isOnTop ? charges : ZERO
  return { payments: [{ detail, direction, quantity: total - taken }], charges: taken }
}

/** Some batches mix credits and debits: then the entry is what is left of them. */
function breakDownBatch(
  details: readonly Element[],
  whole: EntryTotal,
  charges: Decimal,
): Breakdown | undefined {
  const charged = whole.direction === 'DBIT' ? charges : -charges
  for (const path of AMOUNTS) {
    const payments = paymentsBy(details, whole, path)
    if (payments === undefined) continue
    const signed = payments.map((payment) => ({
      ...payment,
      direction: directionOf(payment.detail) ?? whole.direction,
    }))
    for (const candidates of [payments, signed]) {
      const net = sum(candidates.map((payment) => signedBy(whole.direction, payment)))
      if (net === whole.total) return { payments: candidates, charges: ZERO }
      if (net + charged === whole.total) return { payments: candidates, charges }
    }
  }
  return undefined
}

/** Undefined unless each of them names an amount there. */
function paymentsBy(
  details: readonly Element[],
  { direction, currency }: EntryTotal,
  path: readonly string[],
): Payment[] | undefined {
  const payments = details.flatMap((detail) => {
    const quantity = tryAmount(first(detail, ...path), currency)
    return quantity === undefined ? [] : [{ detail, direction, quantity }]
  })
  return payments.length === details.length ? payments : undefined
}

const signedBy = (whole: Direction, { direction, quantity }: Payment): Decimal =>
  direction === whole ? quantity : -quantity

function directionOf(detail: Element): Direction | undefined {
  const direction = text(detail, 'CdtDbtInd')
  return direction === 'CRDT' || direction === 'DBIT' ? direction : undefined
}

/** Some banks name the charges with the payments, some with the entry, some in both places. */
function chargesOf(entry: Element, details: readonly Element[], currency: string): Decimal {
  const own = all(entry, 'Chrgs')
  const ofPayments = details.flatMap((detail) => all(detail, 'Chrgs'))
  const charges = sum(
    (ofPayments.length > 0 ? ofPayments : own).map((charge) => chargeOf(charge, currency)),
  )
  return charges > ZERO ? charges : ZERO
}

/** Versions up to .02 name the amount itself, later ones a record of each and their total. */
function chargeOf(charge: Element, currency: string): Decimal {
  const records = all(charge, 'Rcrd')
  if (records.length === 0)
    return tryAmount(first(charge, 'Amt') ?? first(charge, 'TtlChrgsAndTaxAmt'), currency) ?? ZERO
  return sum(
    records.map((record) => {
      const amount = tryAmount(first(record, 'Amt'), currency) ?? ZERO
      return directionOf(record) === 'CRDT' ? -amount : amount
    }),
  )
}
