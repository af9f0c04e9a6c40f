/** The withdrawals that a movement out of a venue may be, found by its references. */
import { format } from '../../core/decimal.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import type { Outgoing, VenueRecord } from '../../venues/index.ts'
import type { WithdrawalRow } from '../withdrawals/rows.ts'

const KNOWN_FIELDS = [
  'id',
  'external_id',
  'foreign_id',
  'transaction_hash',
  'former_transactions',
  'origin',
  'state',
  'quantity',
  'related_withdrawal_id',
  'submitted_at',
  'output',
  'outputs',
  'value_date',
] as const
export type KnownWithdrawal = Pick<WithdrawalRow, (typeof KNOWN_FIELDS)[number]>
const KNOWN_COLUMNS = raw(KNOWN_FIELDS.join(', '))

export async function knownWithdrawals(
  reader: Reader,
  { workspace, id }: VenueRecord,
  movements: readonly Outgoing[],
): Promise<KnownWithdrawal[]> {
  const external_ids = movements.flatMap((movement) => movement.external_id ?? [])
  const foreign_ids = movements.flatMap(({ foreign_id, former = [] }) => [
    foreign_id,
    ...former.map((transaction) => transaction.foreign_id),
  ])
  return reader.query<KnownWithdrawal>(sql`
    select ${KNOWN_COLUMNS}
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${id}
      and external_id = any(${external_ids}::text[])
    union
    select ${KNOWN_COLUMNS}
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${id}
      and foreign_id = any(${foreign_ids}::text[])
    union
    select ${KNOWN_COLUMNS}
    from unnest(${foreign_ids}::text[]) as moved (moved_id)
    join withdrawals
      on former_transactions @> jsonb_build_array(jsonb_build_object('foreign_id', moved_id))
    where workspace = ${workspace}
      and venue_id = ${id}
      and former_transactions <> '[]'`)
}

/** By the venue's references, of the transaction that stands for it or of a former one. */
export function haveTransactionInCommon(
  withdrawal: Pick<KnownWithdrawal, 'foreign_id' | 'former_transactions'>,
  { foreign_id, former = [] }: Outgoing,
): boolean {
  return (
    [foreign_id, ...former.map((transaction) => transaction.foreign_id)].includes(
      withdrawal.foreign_id ?? '',
    ) || withdrawal.former_transactions.some((one) => one.foreign_id === foreign_id)
  )
}

/**
 * Of several in one transaction: the one at this place, if its quantity fits; one that was canceled
 * before had no part in it. Else one of this quantity, best one that has not succeeded.
 */
export const findSentWithdrawal = (
  candidates: readonly KnownWithdrawal[],
  movement: Outgoing,
): KnownWithdrawal | undefined => {
  const sent = candidates
    .filter((candidate) => candidate.outputs === 1 || candidate.submitted_at !== null)
    .toSorted((a, b) => a.output - b.output)
  const alike = sent.filter((candidate) => candidate.quantity === format(movement.quantity))
  const placed = movement.output === undefined ? undefined : sent[movement.output]
  if (placed !== undefined && alike.includes(placed)) return placed
  return alike.find((candidate) => candidate.state !== 'SUCCESS') ?? alike[0] ?? candidates[0]
}
