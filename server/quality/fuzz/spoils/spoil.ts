import type { Author } from '../author.ts'
import type { RequestPlan } from '../requests.ts'

/** Makes a sensible request wrong in one way. */
export type Spoil = (plan: RequestPlan, author: Author) => void

/** Text of any value that may stand in an address. */
export const wellFormed = (value: unknown) =>
  String(typeof value === 'object' ? JSON.stringify(value) : value).toWellFormed()
