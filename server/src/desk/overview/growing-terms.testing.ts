/** What stands in the rows of growing-rows.testing.ts, and what search finds of them. */

const DAY = 86_400_000
/** The time of the overview. */
export const NOW = 20_000 * DAY + DAY / 2
/** How many rows of each table are of today. */
const TODAY = 20

/** The id of the row with this number. */
export const key = (letter: string, number = 'n') => `md5('${letter}' || (${number}))::uuid`
export const today = (open: string, ended: string) =>
  `case when n <= ${TODAY} then '${open}' else '${ended}' end`
export const AT = `case when n <= ${TODAY} then ${NOW}::bigint else n end`
/** Half of all executions are one customer's. */
export const BUSY = 'case n % 2 when 0 then 8 else n % 500 end'

/** Kind, term, id and field of what search finds of row `n`. */
export const TERMS = [
  ["'customer'", "'customer ' || n", key('c'), "'label'"],
  ["'customer'", 'n::text', key('c'), "'label'"],
  ["'wallet'", "'wallet ' || n", key('w'), "'label'"],
  ["'wallet'", "'iban' || n", key('w'), "'address'"],
  ["'deposit'", "'invoice ' || n", key('d'), "'reference_text'"],
  ["'deposit'", "'iban' || n % 7", key('d'), "'source_address'"],
  ["'deposit'", "'=1;'", key('d'), "'quantity'"],
  ["'deposit'", "'vip'", key('d'), "'record_tag'"],
  ["'payment'", "'rent ' || n", key('p'), "'reference'"],
  ["'payment'", "'=1;'", key('p'), "'quantity'"],
  ["'withdrawal'", "'e' || n", key('x'), "'external_id'"],
]
