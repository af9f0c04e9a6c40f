/** What arrived at OKX: it comes to the funding wallet. */
import type { Incoming } from '../../contract.ts'
import { exact, optionalText, text } from '../answers.ts'
import type { Row } from '../answers.ts'
import type { Terms } from '../../terms.ts'
import { ANONYMOUS } from '../withdrawals.ts'
import { depositState, milliseconds, termIn } from './vocabulary.ts'

/** None of what moves by a way that we do not use. */
export const depositsOf =
  (terms: Terms) =>
  (row: Row): Incoming[] => {
    const term = termIn(terms, row)
    if (term === undefined) return []
    const [address = null] = optionalText(row, 'to')?.split(':') ?? []
    return [
      {
        ...ANONYMOUS,
        foreign_id: text(row, 'depId'),
        state: depositState(row),
        asset: term.asset,
        protocol: term.protocol,
        quantity: exact(row, 'amt'),
        transaction_hash: optionalText(row, 'txId'),
        destination_address: address,
        occurred_at: milliseconds(row, 'ts'),
      },
    ]
  }
