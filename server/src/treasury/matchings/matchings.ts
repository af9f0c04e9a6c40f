/**
 * Matchings: which account movements from or to an address belong to. They move no money by
 * themselves. The rules of precedence are in rules.ts.
 */
import { stateIn } from '../../store/states.ts'
import type { AccountId, MatchingId, WalletId, WorkspaceId } from '../../core/ids.ts'
import { mustExist } from '../../core/assert.ts'
import type { Clock } from '../../core/clock.ts'
import { notFound, refuse } from '../../core/errors.ts'
import { newId } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { holderOfAccount, holdersOfAccounts } from '../../customers/index.ts'
import { asset, flag, nullable, text } from '../../http/index.ts'
import type { Caller } from '../../http/index.ts'
import {
  assertVersion,
  assetByCode,
  assetsOf,
  lockLane,
  publishEvents,
} from '../../ledger/index.ts'
import type { EventOf } from '../../ledger/index.ts'
import { constraintOf, only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { columnsOf, insertRow, tableOf, updateRow } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { MATCHING_MOVES, MATCHING_RULES, MatchingRecord } from './matchings.schema.ts'
import type { ChangeMatchingBody, CreateMatchingBody, Matching } from './matchings.schema.ts'
import { addressKey, isClaimed, matchMovement } from './rules.ts'
import type { Match, MatchingRule } from './rules.ts'

const MATCHINGS = tableOf('matchings', MatchingRecord, {
  inside: {
    asset: asset(),
    is_withdrawal_matching: flag(),
    destination_address: nullable(text()),
    source_address: nullable(text()),
    reference: nullable(text()),
    address_key: text(500, 'The address in the spelling that is compared'),
    reference_key: nullable(text(500, 'The reference in the spelling that is compared')),
  },
  computed: ['details'],
})
const details = sql`json_build_object(
  'asset', asset,
  'is_withdrawal_matching', is_withdrawal_matching,
  'destination_address', destination_address,
  'source_address', source_address,
  'reference', reference
)`
export const MATCHING_COLUMNS = columnsOf(MatchingRecord, { computed: { details } })

type Keys = { address: string; reference: string | null }
/** The wallet through which a matching is made, and where the matching stands in that request. */
type WalletSource = { wallet_id: WalletId; at: string }
/** An open transaction, and the time. */
type Parts = { tx: Tx; clock: Clock }
type Editor = Pick<Caller, 'workspace' | 'by'>

/** What is stored of a request: the same fields when it is created and when it is changed. */
const storedFields = ({ resource_id, type, details }: CreateMatchingBody, keys: Keys) => ({
  resource_id,
  type,
  asset: details.asset,
  is_withdrawal_matching: details.is_withdrawal_matching,
  destination_address: details.destination_address ?? null,
  source_address: details.source_address ?? null,
  reference: details.reference ?? null,
  address_key: keys.address,
  reference_key: keys.reference,
})

/**
 * Refuses DUPLICATE when a live matching has the same asset, direction, type, address and
 * reference.
 */
export async function createMatching(
  { workspace, by }: Editor,
  { tx, clock }: Parts,
  body: CreateMatchingBody,
  through?: WalletSource,
): Promise<Matching> {
  await lockLane(tx, workspace)
  const keys = await checkMatching(tx, workspace, body, through)
  const insert = insertRow(
    MATCHINGS,
    {
      workspace,
      id: newId(),
      state: 'ACTIVE',
      ...storedFields(body, keys),
      wallet_id: through?.wallet_id ?? null,
    },
    { by, now: clock.now() },
  )
  const matching = await refuseDuplicates(() => written(tx, insert), through?.at)
  return publishMatching(tx, clock, 'matching.created', matching)
}

/**
 * Replaces the matching's fields. One that was made through a wallet stays with it only while it
 * has the wallet's account.
 */
export async function changeMatching(
  { workspace, by }: Editor,
  { tx, clock }: Parts,
  body: ChangeMatchingBody,
): Promise<Matching> {
  await lockLane(tx, workspace)
  const known = await liveMatching(tx, workspace, body.id, 'id')
  assertVersion('matching', known, body.version)
  const keys = await checkMatching(tx, workspace, body)
  const update = updateRow(MATCHINGS, {
    where: { workspace, id: body.id },
    set: {
      ...storedFields(body, keys),
      wallet_id: body.resource_id === known.resource_id ? known.wallet_id : null,
    },
    by,
    now: clock.now(),
  })
  const matching = await refuseDuplicates(() => written(tx, update))
  return publishMatching(tx, clock, 'matching.changed', matching)
}

/** Answers the matching as it was deleted. What it matched before stays. */
export async function deleteMatching(
  { workspace, by }: Editor,
  { tx, clock }: Parts,
  id: MatchingId,
): Promise<Matching> {
  await lockLane(tx, workspace)
  const known = await liveMatching(tx, workspace, id, 'matching_id')
  const update = updateRow(MATCHINGS, {
    where: { workspace, id },
    move: move(MATCHING_MOVES, known.state, 'DELETED'),
    by,
    now: clock.now(),
  })
  return publishMatching(tx, clock, 'matching.deleted', await written(tx, update))
}

async function written(tx: Tx, write: Query): Promise<Matching> {
  const rows = await tx.query<Matching>(sql`
    ${write}
    returning ${MATCHING_COLUMNS}`)
  return mustExist(only(rows), 'a write returns its row')
}

async function publishMatching(
  tx: Tx,
  clock: Clock,
  type: `matching.${EventOf<'matching'>}`,
  matching: Matching,
): Promise<Matching> {
  await publishEvents({ workspace: matching.workspace }, { tx, clock }, [
    { type, resource_id: matching.id, data: matching },
  ])
  return matching
}

async function liveMatching(
  tx: Tx,
  workspace: WorkspaceId,
  id: MatchingId,
  path: string,
): Promise<Matching> {
  const matchings = await tx.query<Matching>(sql`
    select ${MATCHING_COLUMNS}
    from matchings
    where workspace = ${workspace}
      and id = ${id}
      and ${stateIn(MATCHING_MOVES, 'ACTIVE')}
    for update`)
  const matching = only(matchings)
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
  await holderOfAccount(reader, workspace, body.resource_id, owner)
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

type MovementToMatch = {
  asset: string
  is_withdrawal: boolean
  destination_address: string | null
  source_address: string | null
  tag: string | null
  reference_text: string | null
  wallet_account_id: AccountId | null
}

/**
 * The account this movement belongs to by the live matchings. Accounts of deleted customers match
 * nothing. `claimed`: one of the matchings names its reference or its source.
 */
export async function findMatch(
  reader: Reader,
  workspace: WorkspaceId,
  movement: MovementToMatch,
): Promise<Match & { claimed: boolean }> {
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
      and ${stateIn(MATCHING_MOVES, 'ACTIVE')}
    order by id`)
  const accounts = [
    ...rules.map((rule) => rule.resource_id),
    ...(movement.wallet_account_id === null ? [] : [movement.wallet_account_id]),
  ]
  const holders = await holdersOfAccounts(reader, workspace, accounts)
  const live = (account_id: AccountId) => holders.get(account_id)?.active === true
  const wallet_account_id =
    movement.wallet_account_id !== null && live(movement.wallet_account_id)
      ? movement.wallet_account_id
      : null
  const { tag, reference_text } = movement
  const known = { destination_key, source_key, tag, reference_text, wallet_account_id }
  const livingRules = rules.filter((rule) => live(rule.resource_id))
  return { ...matchMovement(known, livingRules), claimed: isClaimed(known, livingRules) }
}
