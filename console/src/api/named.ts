/**
 * What tells a record from others of the same name: of a customer, and of a customer's account,
 * the reference and the end of the customer's id.
 */

import { wordFor } from '../language/index.ts'

export type Named = {
  name: string
  /** Whose it is, where the name does not say it, and the reference. */
  marks: readonly string[]
  /** The end of the customer's id. */
  short?: string
  /** What a picker finds it by. */
  sought: string
}

const SHORT_LENGTH = 6

/** The end of an id: its beginning is a time, which customers who are made together share. */
export const shortId = (id: string): string => `…${id.slice(-SHORT_LENGTH)}`

/** Of an account, as papers have it: read out on the phone. */
export const paperNumber = (account_id: string): string => `A-${account_id.slice(-8)}`.toUpperCase()

type Row = { id: string; foreign_id?: string | null; customer_id?: string | null }

/** `holder`: the customer whose account it is, where the caller may see customers. */
export function namedOf(
  { id, foreign_id, customer_id }: Row,
  { name, of, holder }: { name: string; of: string; holder?: Named | undefined },
): Named {
  const customer = of === 'customer' ? id : (customer_id ?? undefined)
  const told = of === 'account' || of === 'customer'
  const reference = told ? (foreign_id ?? '') : ''
  const marks = (holder === undefined ? [reference] : [holder.name, ...holder.marks]).filter(
    (mark) => mark !== '' && mark !== name,
  )
  const short = told && customer !== undefined ? { short: shortId(customer) } : {}
  const sought = [name, ...marks, id, customer ?? ''].join(' ').toLowerCase()
  return { name, marks, ...short, sought }
}

/** An account of the books is named as its type is, as long as nobody names it otherwise. */
export function accountName({
  label,
  type = '',
}: {
  label?: string | null
  type?: string
}): string | null | undefined {
  const own = type.charAt(0) + type.slice(1).toLowerCase()
  return label === own ? (wordFor(type) ?? label) : label
}

/** In one line of text. */
export const nameWords = ({ name, marks, short }: Named): string =>
  [name, ...marks, ...(short === undefined ? [] : [short])].join(' · ')

/** Whether each word that was typed is in it; the sign before a short id is no word. */
export const isSought = (typed: string, { sought }: Pick<Named, 'sought'>): boolean =>
  typed
    .toLowerCase()
    .split(/[\s…·]+/)
    .every((word) => sought.includes(word))
