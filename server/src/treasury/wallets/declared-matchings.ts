/**
 * The matchings that an edit of a wallet makes for the wallet's account. They are replaced as a
 * whole; a matching that stays the same keeps its id.
 */
import { stateIn } from '../../store/states.ts'
import { MATCHING_MOVES } from '../matchings/matchings.schema.ts'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '../../core/clock.ts'
import type { Caller } from '../../http/index.ts'
import type { Tx } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { createMatching, deleteMatching, MATCHING_COLUMNS } from '../matchings/matchings.ts'
import type { Matching, MatchingConfiguration } from '../matchings/matchings.schema.ts'
import type { Wallet } from './wallets.schema.ts'

/**
 * Without `wanted` the matchings stay, and follow the wallet to another account. Refused as
 * matchings are, under `matching_configurations[n]`; RANGE at account_id when the account is not a
 * customer's.
 */
export async function replaceMatchings(
  caller: Pick<Caller, 'workspace' | 'by'>,
  app: { tx: Tx; clock: Clock },
  wallet: Pick<Wallet, 'id' | 'account_id'>,
  wanted: readonly MatchingConfiguration[] | undefined,
): Promise<void> {
  const known = await app.tx.query<Matching>(sql`
    select ${MATCHING_COLUMNS}
    from matchings
    where workspace = ${caller.workspace}
      and wallet_id = ${wallet.id}
      and ${stateIn(MATCHING_MOVES, 'ACTIVE')}
    order by id`)
  const configured: readonly ConfiguredMatching[] = wanted ?? known
  const stays = (matching: Matching) =>
    matching.resource_id === wallet.account_id &&
    configured.some((configuration) => isSame(configuration, matching))
  for (const matching of known) if (!stays(matching)) await deleteMatching(caller, app, matching.id)
  const left = known.filter(stays)
  for (const [index, { type, details }] of configured.entries()) {
    const same = left.findIndex((matching) => isSame(matching, { type, details }))
    if (same >= 0) left.splice(same, 1)
    else
      await createMatching(
        caller,
        app,
        { resource_id: wallet.account_id, type, details: withoutNulls(details) },
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

const isSame = (one: ConfiguredMatching, other: ConfiguredMatching): boolean =>
  isDeepStrictEqual(matchingKey(one), matchingKey(other))

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
