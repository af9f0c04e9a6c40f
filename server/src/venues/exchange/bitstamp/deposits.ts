/** What arrived at Bitstamp: coins have a list of their own, money is among all movements. */
import { format } from '../../../core/decimal.ts'
import type { Incoming } from '../../contract.ts'
import { readRows } from '../../set-aside/records.ts'
import { exact, optionalText, text, word } from '../answers.ts'
import type { Row } from '../answers.ts'
import { ANONYMOUS } from '../withdrawals.ts'
import { isMoney, termMeant } from '../../terms.ts'
import type { Terms } from '../../terms.ts'
import { datetimeOf, unixTimeOf } from './lists.ts'
import type { BitstampLists } from './lists.ts'
import { amount, depositState, isWord } from './vocabulary.ts'

type DepositRow = { coin: Row } | { money: Row }

/** Newest first. */
export async function readDeposits(lists: BitstampLists, since: number | null) {
  const rows: DepositRow[] = [
    ...(await lists.coins(since)).map((coin) => ({ coin })),
    ...(await lists.movements(since)).map((money) => ({ money })),
  ]
  const { movements, set_aside } = readRows(rows, {
    direction: 'IN',
    idOf: (row) => ('coin' in row ? row.coin['id'] : `transaction ${String(row.money['id'])}`),
    read: depositsOf(lists.terms),
  })
  return { movements: movements.toSorted((a, b) => b.occurred_at - a.occurred_at), set_aside }
}

export const depositsOf =
  (terms: Terms) =>
  (row: DepositRow): Incoming[] =>
    'coin' in row ? coinOf(terms, row.coin) : moneyOf(terms, row.money)

/** A type of `user_transactions`; Bitstamp's documents write it as a text and as a number. */
const DEPOSIT = '0'

function coinOf({ all }: Terms, row: Row): Incoming[] {
  const ofAsset = all.filter((term) => !isMoney(term) && isWord(term, row['currency']))
  const [first] = ofAsset
  if (first === undefined) return []
  const txid = text(row, 'txid')
  const quantity = amount(row, 'amount')
  return [
    {
      ...ANONYMOUS,
      foreign_id: row['id'] === undefined ? `${txid} ${format(quantity)}` : word(row, 'id'),
      state: depositState(row),
      asset: first.asset,
      // The pot has it too when it came over a network that is none of ours.
      protocol: termMeant(ofAsset, row['network'])?.protocol ?? null,
      quantity,
      transaction_hash: txid,
      destination_address: optionalText(row, 'destinationAddress'),
      occurred_at: unixTimeOf(row),
    },
  ]
}

/**
 * Money is listed among all movements of the account, when it has been credited; coins are listed
 * there again.
 */
function moneyOf({ all }: Terms, row: Row): Incoming[] {
  if (word(row, 'type') !== DEPOSIT) return []
  const entry = all.find(
    (term) => isMoney(term) && row[term.native] !== undefined && exact(row, term.native) > 0n,
  )
  if (entry === undefined) return []
  return [
    {
      ...ANONYMOUS,
      foreign_id: `transaction ${word(row, 'id')}`,
      state: 'FINAL',
      asset: entry.asset,
      protocol: entry.protocol,
      quantity: exact(row, entry.native),
      transaction_hash: null,
      destination_address: null,
      occurred_at: datetimeOf(row),
    },
  ]
}
