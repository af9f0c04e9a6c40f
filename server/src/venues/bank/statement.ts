/** The balance at the end of a statement (camt.053) or report (camt.052). */
import { ZERO, type Decimal } from '../../core/decimal.ts'
import type { AccountEntry } from './account-entry.ts'
import { readTime, tryAmount, type BankTime } from './elements.ts'
import { all, first, text } from './xml.ts'
import type { Element } from './xml.ts'

export type Statement = { to: BankTime; closing: Decimal; entries: readonly AccountEntry[] }

type Balance = { quantity: Decimal; signed: boolean; at: BankTime | null }

/** Balances of what is booked, at the end and at the beginning; the surest first. */
const CLOSING = ['CLBD', 'ITBD']
const OPENING = ['OPBD', 'PRCD']
/** What can be used: a bank that names nothing else has no other balance. */
const AVAILABLE = 'CLAV'

/**
 * Null where it names no balance: of several pages only the last one has it. `complete` says that
 * all of its entries could be read.
 */
export function readStatement(
  part: Element,
  currency: string,
  entries: readonly AccountEntry[],
  complete: boolean,
): Statement | null {
  const moved = movedBy(entries)
  const opening = balanceOf(part, currency, OPENING)
  const named = balanceOf(part, currency, CLOSING)
  // A balance without a sign is one that its entries prove.
  const closing =
    named?.signed === false && opening?.quantity !== named.quantity - moved ? undefined : named
  const isSum = opening?.signed === true && complete && isLastPage(part)
  const balance =
    closing ??
    (isSum ? { ...opening, quantity: opening.quantity + moved, at: null } : undefined) ??
    balanceOf(part, currency, [AVAILABLE])
  if (balance === undefined) return null
  const to =
    readTime(part, 'FrToDt', 'ToDtTm') ?? balance.at ?? readTime(part, 'CreDtTm') ?? opening?.at
  return to == null ? null : { to, closing: balance.quantity, entries }
}

/** The bank repeats balances in other currencies, and page by page: the last one counts. */
function balanceOf(part: Element, currency: string, codes: readonly string[]): Balance | undefined {
  const balances = all(part, 'Bal').toReversed()
  for (const balance of codes.flatMap((code) => balances.filter((one) => codeOf(one) === code))) {
    const amount = tryAmount(first(balance, 'Amt'), currency)
    if (amount === undefined) continue
    const direction = text(balance, 'CdtDbtInd')
    const signed = direction !== null || amount === ZERO
    return {
      quantity: direction === 'DBIT' ? -amount : amount,
      signed,
      at: readTime(balance, 'Dt'),
    }
  }
  return undefined
}

const codeOf = (balance: Element): string | null =>
  text(balance, 'Tp', 'CdOrPrtry', 'Cd') ?? text(balance, 'Tp', 'Cd')

const isLastPage = (part: Element): boolean =>
  !all(part, 'StmtPgntn', 'LastPgInd')
    .concat(all(part, 'RptPgntn', 'LastPgInd'))
    .some((indicator) => indicator.text === 'false' || indicator.text === '0')

const movedBy = (entries: readonly AccountEntry[]): Decimal =>
  entries
    .filter((entry) => entry.booked)
    .reduce((moved, { direction, total }) => moved + (direction === 'CRDT' ? total : -total), ZERO)
