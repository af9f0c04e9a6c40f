/** The types that accounts have, in the order in which they are offered. */
import type { DataOf } from '@kontor/client'

type AccountType = DataOf<'get', '/accounts/{account_id}'>['type']

/** Of accounts that a user opens, for money of the house. */
export const NAMED_TYPES = ['INCOME', 'EXPENSE', 'HOUSE'] as const
export type NamedType = (typeof NAMED_TYPES)[number]

/** A record, so that a type that is missing does not compile. */
const EVERY: Readonly<Record<AccountType, true>> = {
  CUSTOMER: true,
  VENUE: true,
  TRADING: true,
  HOUSE: true,
  SUSPENSE: true,
  TRANSIT: true,
  MARGIN: true,
  RISK: true,
  FEE: true,
  ROUNDING: true,
  INCOME: true,
  EXPENSE: true,
}
export const ACCOUNT_TYPES = Object.keys(EVERY) as AccountType[]

export const isNamedType = (type: string): type is NamedType =>
  (NAMED_TYPES as readonly string[]).includes(type)
