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
    rule: 'sql-inserts',
    file: 'server/src/store/calls.ts',
    reason: 'some of its columns are worked out by the database, when the row is inserted',
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
    file: 'server/src/ledger/policy/policies.ts',
    reason: 'each version is a row of its own, and stays as it is',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/store/row-archive.ts',
    reason: 'rows of every table, as they were',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/venues/lease/nonces.ts',
    reason: "a range of nonces begins above the last one and above the database's time",
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/venues/lease/questions.ts',
    reason: 'a question is no record, and is stored only while somebody holds the lease',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/ledger/reports/position-marks.ts',
    reason: 'sums of the legs, which no request has and nobody reads as rows',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/desk/reconciliation/day-taking.ts',
    reason: 'copies of what was compared, made in one statement',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/desk/proofs/proofs.ts',
    reason: 'what one statement reads of the balances, which no request has',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/desk/proofs/trees.ts',
    reason: 'nodes that are hashed from those below, where they are',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/treasury/wallets/positions.ts',
    reason: 'adds to rows of one venue in one statement, joined to what was opened',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/trading/quotes/taken-quotes.ts',
    reason: 'copies a row as it is, with who made it and when',
  },
  {
    rule: 'unused-export',
    file: 'client/src/index.ts',
    reason: 'the door of a package: integrators name its types',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/ledger/lane/writes.ts',
    reason: 'the lane writes the rows of a whole batch in one statement per table',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/ledger/reports/marks.ts',
    reason: 'a mark is computed by the database from what is booked',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/ledger/accounts/accounts.ts',
    of: 'insert into lanes',
    reason: 'a lane is no record: nothing shows it, and it has no audit columns',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/ledger/assets.ts',
    reason: 'an asset is no record: it has no audit columns',
  },
  {
    rule: 'sql-inserts',
    file: 'server/src/desk/reconciliation/stored-lines.ts',
    reason: 'all lines of an asset are inserted or replaced in one statement',
  },
  {
    rule: 'line-length',
    file: 'console/index.html',
    reason: 'the icon, which is one attribute',
  },
]
