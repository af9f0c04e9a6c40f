/** The rows of the matrix that `npm test` runs. */
import { mustExist } from '../../../server/src/core/assert.ts'
import { nameOf, ROWS } from './matrix.ts'
import type { MatrixRow } from './matrix.ts'

/**
 * For `npm test`: each fault once and each sort of step that may be cut off once, spread over the
 * venues, which run beside each other. Settlements, collections and shared transactions have tests
 * of their own in which processes die.
 */
const SHOWN: readonly (readonly [flow: string, ...faults: string[]])[] = [
  [
    'withdrawal: vault',
    'killed at withdrawal.create.after',
    'killed at withdrawal.send.after',
    'silent for an hour',
  ],
  ['transfer job: vault to exchange', 'killed at job.assess.after'],
  ['wallet creation: vault', 'killed at wallet.create.after'],
  ['withdrawal: vault, numbered chain', 'drops the transaction'],
  ['withdrawal: vault, token', 'boosts the transaction'],
  ['deposit: vault', 'reports twice', 'freezes and releases'],
  [
    'withdrawal: exchange with keys',
    'the database is set back',
    'answers late',
    'refuses for its rate limit',
    'lists a record that cannot be read',
  ],
  ['deposit: exchange with keys', 'refuses to be read'],
  ['withdrawal: exchange without keys', 'connection cut'],
  ['withdrawal: exchange with two wallets', 'accepts and says nothing'],
  ['withdrawal: managed wallet', 'refuses', 'answers too late'],
  ['deposit: managed wallet', 'killed at deposit.store.after', 'reports late'],
  ['made outside: managed wallet', 'killed at outgoing.store.after'],
  [
    'withdrawal: bank SEPA',
    'database cut before COMMIT',
    'database cut after COMMIT',
    'answers twice',
    'books another amount',
  ],
  ['own transfer: bank to exchange', 'accepts and says nothing'],
  [
    'deposit: bank',
    'does not notify',
    'calls every entry NONREF',
    'notifies again under another name',
    'shows what cannot be read',
    'recalls',
  ],
  [
    'order: market, Kraken',
    'killed at execution.create.after',
    'killed at execution.send.after',
    'sends a gapped book',
    'silent for an hour',
  ],
  ['order: market, Bitstamp', 'accepts and says nothing', 'halts', 'sends a crossed book'],
  ['order: market, OKX', 'accepts and says nothing'],
  ['order: limit, Kraken', 'goes down mid-order'],
  ['order: canceled, Kraken', 'killed at execution.cancel.after'],
  ['order: filled after its cancel, Bitstamp', 'none'],
  ['order: taken back, Bitstamp', 'none'],
  ['order: stop, Kraken', 'the database is set back', 'killed at execution.trigger.after'],
  ['order: split, Kraken', 'killed at execution.record.after'],
  ['order: two hops, Kraken and Bitstamp', 'killed at execution.send.after:2'],
  ['settlement: bought', 'none'],
]

export const SELECTED: readonly MatrixRow[] = SHOWN.flatMap(([name, ...faults]) =>
  faults.map((fault) =>
    mustExist(
      ROWS.find((row) => row.flow.name === name && nameOf(row) === fault),
      `a row of ${name} and ${fault}`,
    ),
  ),
)
