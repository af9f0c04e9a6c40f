/**
 * Matchings: which account movements from or to an address belong to. They move no money by
 * themselves.
 */
import { customersOfAccounts } from '../../customers/index.ts'
import type { Clock } from '../../core/clock.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { accountById, assetByCode, assetsOf, lockLane, publishEvents } from '../../ledger/index.ts'
import type { EventOf } from '../../ledger/index.ts'
import { constraintOf, only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import { addressKey, matchMovement } from './rules.ts'
import type { Match, MatchingRule } from './rules.ts'
import { MATCHING_RULES } from './matchings.schema.ts'
import type { ChangeMatchingBody, CreateMatchingBody, Matching } from './matchings.schema.ts'

export const MATCHING_COLUMNS = raw(`
  id, workspace, resource_id, type, state, wallet_id,
    json_build_object(
      'asset', asset, 'is_withdrawal_matching', is_withdrawal_matching, 'destination_address',
      destination_address, 'source_address', source_address, 'reference', reference
    ) as details, system_created_at, system_created_by, system_updated_at, system_updated_by,
    version`)

/** The wallet through which a matching is made, and where it stands in that request. */
type WalletSource = { wallet_id: string; at: string }

/**
 * Refuses DUPLICATE when a live matching has the same asset, direction, type, address and
 * reference.
 */
export async function createMatching(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  body: CreateMatchingBody,
  by: string,
  through?: WalletSource,
): Promise<Matching> {
  const { details } = body
  await lockLane(tx, workspace)
  const keys = await checkMatching(tx, workspace, body, through)
  const now = clock.now()
  const rows = await refuseDuplicates(
    () =>
      tx.query<Matching>(sql`
        insert into matchings (
          workspace, id, state, resource_id, type, asset, is_withdrawal_matching,
          destination_address, source_address, reference, address_key, reference_key, wallet_id,
          system_created_at, system_created_by, system_updated_at, system_updated_by
        )
        values (
          ${workspace}, ${newId()}, 'ACTIVE', ${body.resource_id}, ${body.type}, ${details.asset},
          ${details.is_withdrawal_matching}, ${details.destination_address ?? null},
          ${details.source_address ?? null}, ${details.reference ?? null}, ${keys.address},
          ${keys.reference}, ${through?.wallet_id ?? null}, ${now}, ${by}, ${now}, ${by}
        )
        returning ${MATCHING_COLUMNS}`),
    through?.at,
  )
  return publishMatching(tx, clock, 'matching.created', rows[0] as Matching)
}

/**
 * Replaces the matching's fields. One that a wallet made is no longer the wallet's when it is given
 * to another account.
 */
export async function changeMatching(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  body: ChangeMatchingBody,
  by: string,
): Promise<Matching> {
  const { details } = body
  await lockLane(tx, workspace)
  const known = await liveMatching(tx, workspace, body.id, 'id')
  if (body.version !== undefined && body.version !== known.version)
    throw refuse(
      'STALE_VERSION',
      'version',
      `matching ${body.id} has version ${known.version}, not ${body.version}`,
    )
  const keys = await checkMatching(tx, workspace, body)
  const rows = await refuseDuplicates(() =>
    tx.query<Matching>(sql`
      update matchings
      set resource_id = ${body.resource_id}, type = ${body.type}, asset = ${details.asset},
        is_withdrawal_matching = ${details.is_withdrawal_matching},
        destination_address = ${details.destination_address ?? null},
        source_address = ${details.source_address ?? null},
        reference = ${details.reference ?? null}, address_key = ${keys.address},
        reference_key = ${keys.reference},
        wallet_id = case when resource_id = ${body.resource_id} then wallet_id end,
        system_updated_at = ${clock.now()}, system_updated_by = ${by}, version = version + 1
      where workspace = ${workspace}
        and id = ${body.id}
      returning ${MATCHING_COLUMNS}`),
  )
  return publishMatching(tx, clock, 'matching.changed', rows[0] as Matching)
}

/** Answers the matching as it was deleted; what it matched before stays. */
export async function deleteMatching(
  tx: Tx,
  clock: Clock,
  workspace: WorkspaceId,
  id: string,
  by: string,
): Promise<Matching> {
  await lockLane(tx, workspace)
  await liveMatching(tx, workspace, id, 'matching_id')
  const rows = await tx.query<Matching>(sql`
    update matchings
    set state = 'DELETED', system_updated_at = ${clock.now()}, system_updated_by = ${by},
      version = version + 1
    where workspace = ${workspace}
      and id = ${id}
    returning ${MATCHING_COLUMNS}`)
  return publishMatching(tx, clock, 'matching.deleted', rows[0] as Matching)
}

async function publishMatching(
  tx: Tx,
  clock: Clock,
  type: `matching.${EventOf<'matching'>}`,
  matching: Matching,
): Promise<Matching> {
  await publishEvents(tx, clock, matching.workspace, [
    { type, resource_id: matching.id, data: matching },
  ])
  return matching
}

async function liveMatching(
  tx: Tx,
  workspace: WorkspaceId,
  id: string,
  path: string,
): Promise<Matching> {
  const matching = only(
    await tx.query<Matching>(
      sql`
        select ${MATCHING_COLUMNS}
        from matchings
        where workspace = ${workspace}
          and id = ${id}
          and state = 'ACTIVE'
        for update`,
    ),
  )
  if (matching === undefined) throw notFound('matching', id, path)
  return matching
}

async function checkMatching(
  reader: Reader,
  workspace: WorkspaceId,
  body: CreateMatchingBody,
  through?: WalletSource,
): Promise<{ address: string; reference: string | null }> {
  if (body.workspace !== undefined && body.workspace !== workspace)
    throw notFound('workspace', body.workspace, 'workspace')
  const rule = MATCHING_RULES[body.type]
  const [at, owner] = through === undefined ? ['', 'resource_id'] : [through.at, 'account_id']
  const address = body.details[rule.address]
  if (address === undefined)
    throw refuse(
      'REQUIRED',
      `${at}details.${rule.address}`,
      `details.${rule.address} is required for ${body.type}`,
    )
  if (rule.reference && body.details.reference === undefined)
    throw refuse(
      'REQUIRED',
      `${at}details.reference`,
      `details.reference is required for ${body.type}`,
    )
  const asset = await assetByCode(reader, workspace, body.details.asset, `${at}details.asset`)
  const account = await accountById(reader, workspace, body.resource_id, owner)
  const customer = (await customersOfAccounts(reader, workspace, [account.id])).get(account.id)
  if (customer === undefined)
    throw refuse(
      'RANGE',
      owner,
      `account ${account.id} is ${account.type}: only customers' accounts are matched`,
    )
  if (customer.state !== 'ACTIVE')
    throw refuse('NOT_ACTIVE', owner, `customer ${customer.id} was deleted`)
  return {
    address: addressKey(asset.kind, address),
    reference: rule.reference ? (body.details.reference?.trim().toLowerCase() ?? null) : null,
  }
}

async function refuseDuplicates<T>(write: () => Promise<T>, at = ''): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (constraintOf(error) === 'matchings_distinct')
      throw refuse(
        'DUPLICATE',
        `${at}details`,
        'a matching with the same asset, direction, type, address and reference exists',
      )
    throw error
  }
}

export type MovementToMatch = {
  asset: string
  is_withdrawal: boolean
  destination_address: string | null
  source_address: string | null
  tag: string | null
  reference_text: string | null
  wallet_account_id: string | null
}

/**
 * The account this movement belongs to by the live matchings. Accounts of deleted customers match
 * nothing.
 */
export async function findMatch(
  reader: Reader,
  workspace: WorkspaceId,
  movement: MovementToMatch,
): Promise<Match> {
  const kind = (await assetsOf(reader, workspace)).get(movement.asset)?.kind ?? 'CRYPTO'
  const keyOf = (address: string | null) =>
    address === null || address === '' ? null : addressKey(kind, address)
  const destination_key = keyOf(movement.destination_address)
  const source_key = keyOf(movement.source_address)
  const keys = [destination_key, source_key].filter((key) => key !== null)
  const rules = await reader.query<MatchingRule>(sql`
    select id, resource_id, type, address_key, reference
    from matchings
    where workspace = ${workspace}
      and asset = ${movement.asset}
      and is_withdrawal_matching = ${movement.is_withdrawal}
      and address_key = any(${keys}::text[])
      and state = 'ACTIVE'
    order by id`)
  const accounts = [
    ...rules.map((rule) => rule.resource_id),
    ...(movement.wallet_account_id === null ? [] : [movement.wallet_account_id]),
  ]
  const customers = await customersOfAccounts(reader, workspace, accounts)
  const live = (account_id: string) => customers.get(account_id)?.state === 'ACTIVE'
  const wallet_account_id =
    movement.wallet_account_id !== null && live(movement.wallet_account_id)
      ? movement.wallet_account_id
      : null
  return matchMovement(
    {
      destination_key,
      source_key,
      tag: movement.tag,
      reference_text: movement.reference_text,
      wallet_account_id,
    },
    rules.filter((rule) => live(rule.resource_id)),
  )
}
