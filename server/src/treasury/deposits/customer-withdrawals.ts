/**
 * The customer's withdrawal that a deposit is the arrival of, by its transaction or by our
 * reference. It went into a wallet of ours, and no relation says whose it is now: a person decides.
 */
import type { AccountId, WithdrawalId } from '../../core/ids.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import { ASSIGNMENT_MOVES } from '../assignments/assignments.schema.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'
import { carriedReferences, SENT_STATES } from './own-transfers.ts'
import type { Clue } from './suggestions.schema.ts'

const MAXIMUM_EXAMINED = 50

/**
 * With the same allowance for a fee on the way as an own transfer has, where none of them is of
 * just this quantity.
 */
export async function fromWithdrawals(reader: Reader, row: DepositRow): Promise<Clue[]> {
  const { workspace, wallet_id, asset, quantity, transaction_hash } = row
  if (wallet_id === null) return []
  const hashes = transaction_hash === null ? [] : spellings(transaction_hash)
  const sent = await reader.query<{
    id: WithdrawalId
    account_id: AccountId
    same_transaction: boolean
    same_quantity: boolean
  }>(sql`
    select distinct w.id, a.account_id,
      coalesce(w.transaction_hash = any(${hashes}::text[]), false) as same_transaction,
      w.quantity = ${quantity}::numeric as same_quantity
    from (
      select id
      from withdrawals
      where workspace = ${workspace}
        and transaction_hash = any(${hashes}::text[])
      union
      select named.id
      from venues v
      cross join lateral (
        select id
        from withdrawals
        where workspace = v.workspace
          and venue_id = v.id
          and external_id = any(${carriedReferences(row)}::text[])
      ) as named
      where v.workspace = ${workspace}
      limit ${MAXIMUM_EXAMINED}
    ) as known
    join withdrawals w on w.workspace = ${workspace}
      and w.id = known.id
    join assignments a on a.workspace = ${workspace}
      and a.withdrawal_id = w.id
    where w.to_wallet_id = ${wallet_id}
      and w.asset = ${asset}
      and w.transfer_quantity < w.quantity
      and w.submitted_at is not null
      and ${stateIn(WITHDRAWAL_MOVES, SENT_STATES, 'w.state')}
      and (
        w.quantity = ${quantity}::numeric
        or (w.outputs = 1 and w.quantity > ${quantity}::numeric)
      )
      and ${stateIn(ASSIGNMENT_MOVES, ['PENDING', 'SUCCESSFUL'], 'a.state')}
      and a.rectification_id is null`)
  const whole = sent.filter((withdrawal) => withdrawal.same_quantity)
  return (whole.length > 0 ? whole : sent).map(({ id, account_id, same_transaction }) => ({
    account_id,
    withdrawal_id: id,
    code: 'ITS_WITHDRAWAL',
    explanation: same_transaction
      ? `its withdrawal ${id} went to this wallet, in this transaction`
      : `its withdrawal ${id} went to this wallet, and the deposit carries its reference`,
  }))
}

/** Venues write hashes in small or in capital letters. */
const spellings = (hash: string): string[] => [
  ...new Set([hash, hash.toLowerCase(), hash.toUpperCase()]),
]
