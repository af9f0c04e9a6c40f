/** What arrived at OKX: it comes to the funding wallet. */
import type { Incoming } from '../../contract.ts'
import { exact, optionalText, text } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { Terms } from '../../terms.ts'
import { ANONYMOUS } from '../withdrawals.ts'
import { depositState, destinationOf, milliseconds, termIn } from './vocabulary.ts'

/** Also over a chain that we do not use: it is in the pot. None of an asset that is not ours. */
export const depositsOf =
  (terms: Terms) =>
  (row: Row): Incoming[] => {
    const asset = terms.byNative(text(row, 'ccy'))?.asset
    if (asset === undefined) return []
    const term = termIn(terms, row)
    return [
      {
        ...ANONYMOUS,
        foreign_id: text(row, 'depId'),
        state: depositState(row),
        asset,
        protocol: term?.protocol ?? null,
        quantity: exact(row, 'amt'),
        transaction_hash: optionalText(row, 'txId'),
        destination_address: destinationOf(row, term).address,
        occurred_at: milliseconds(row, 'ts'),
      },
    ]
  }
