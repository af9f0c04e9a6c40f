/**
 * The matchings that an edit of a wallet makes for the wallet's account: replaced as a whole, what
 * stays the same stays itself.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../core/clock.ts'
import type { Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { createMatching, deleteMatching, MATCHING_COLUMNS } from '../matchings/matchings.ts'
import type { Matching, MatchingConfiguration } from '../matchings/matchings.schema.ts'
import type { Wallet } from './wallets.schema.ts'

/**
 * Absent: those there are, which follow the wallet to another account. Refused as matchings are,
 * under `matching_configurations[n]`; RANGE at account_id when the wallet is no customer's.
 */
export async function replaceMatchings(
  tx: Tx,
  clock: Clock,
  wallet: Pick<Wallet, 'workspace' | 'id' | 'account_id'>,
  given: readonly MatchingConfiguration[] | undefined,
  by: string,
): Promise<void> {
  const { workspace } = wallet
  const known = await tx.query<Matching>(
    sql`
      select ${MATCHING_COLUMNS}
      from matchings
      where workspace = ${workspace}
        and wallet_id = ${wallet.id}
        and state = 'ACTIVE'
      order by id`,
  )
  const wanted: readonly ConfiguredMatching[] = given ?? known
  const stays = (each: Matching) =>
    each.resource_id === wallet.account_id &&
    wanted.some((one) => isDeepStrictEqual(matchingKey(one), matchingKey(each)))
  for (const each of known)
    if (!stays(each)) await deleteMatching(tx, clock, workspace, each.id, by)
  const left = known.filter(stays)
  for (const [index, { type, details }] of wanted.entries()) {
    const same = left.findIndex((each) =>
      isDeepStrictEqual(matchingKey(each), matchingKey({ type, details })),
    )
    if (same >= 0) left.splice(same, 1)
    else
      await createMatching(
        tx,
        clock,
        workspace,
        { resource_id: wallet.account_id, type, details: withoutNulls(details) },
        by,
        { wallet_id: wallet.id, at: `matching_configurations[${index}].` },
      )
  }
}

type Address = 'destination_address' | 'source_address' | 'reference'
type ConfiguredMatching = Pick<Matching, 'type'> & {
  details: Pick<Matching['details'], 'asset' | 'is_withdrawal_matching'> & {
    [Name in Address]?: string | null
  }
}

const matchingKey = ({
  type,
  details: { asset, is_withdrawal_matching, destination_address, source_address, reference },
}: ConfiguredMatching) => [
  type,
  asset,
  is_withdrawal_matching,
  destination_address ?? null,
  source_address ?? null,
  reference ?? null,
]

const withoutNulls = ({
  asset,
  is_withdrawal_matching,
  ...texts
}: ConfiguredMatching['details']): MatchingConfiguration['details'] => ({
  asset,
  is_withdrawal_matching,
  ...Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== null)),
})
