/**
 * Every exception from a house rule, with its reason. One that is no longer needed fails the check.
 * `of` narrows it to lines, or names, that hold this text.
 */
export type Exception = { rule: string; file: string; of?: string; reason: string }

export const EXCEPTIONS: readonly Exception[] = [
  {
    rule: 'sql-inserts',
    file: 'server/src/store/rows.ts',
    reason: 'here insertRow writes its statement',
  },
  {
    rule: 'floating-point',
    file: 'server/src/http/measure.ts',
    reason: 'milliseconds in the log',
  },
  {
    rule: 'floating-point',
    file: 'server/src/store/embedded-logins.ts',
    reason: 'seconds in a progress line',
  },
  {
    rule: 'floating-point',
    file: 'server/src/venues/exchange/kraken/vocabulary.ts',
    reason: 'times in seconds with a fraction',
  },
  {
    rule: 'floating-point',
    file: 'server/src/venues/exchange/kraken/books.ts',
    reason: 'figures of the order book and its checksum, which arrive as JSON numbers',
  },
  {
    rule: 'floating-point',
    file: 'server/src/venues/exchange/bitstamp/vocabulary.ts',
    reason: 'very small amounts, which arrive as JSON numbers with an exponent',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/treasury/wallets/positions.ts',
    reason: 'adds to rows of one venue in one statement, joined to what was opened',
  },
  {
    rule: 'unused-export',
    file: 'client/src/index.ts',
    reason: 'the door of a package: integrators name its types',
  },
]
