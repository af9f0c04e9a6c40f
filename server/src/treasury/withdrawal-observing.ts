/**
 * Money that leaves a venue: what was sent from here is recognised by its reference and left to its own task; a charge for it is
 * taken in; all else was done outside and becomes a withdrawal of origin EXTERNAL, on SUSPENSE until it is matched or assigned.
 *
 * Each movement is stored for itself and how far was read comes last, so that a process that dies in between repeats without
 * effect. What cannot be told yet (the venue is not open, or it may be a transfer of ours whose reference is not known yet)
 * keeps the reading where it is.
 */
import { format } from '../core/decimal.ts'
import { newId } from '../core/ids.ts'
import { isFinal } from '../core/moves.ts'
import { assetsOf } from '../ledger/index.ts'
import type { Change } from '../ledger/index.ts'
import { only } from '../store/db.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import type { Outgoing, TransferReport, VenueRecord } from '../venues/index.ts'
import { onFreshRows } from './assignment-rows.ts'
import { addressKey } from './matching-rules.ts'
import { integrationOf, lateOutgoing, outgoingKey } from './opening.ts'
import { walletByVenueLocator } from './wallets.ts'
import type { TreasuryApp } from './wallets.ts'
import type { Wallet } from './wallets.schema.ts'
import { takeCharge } from './withdrawal-charges.ts'
import { ENDED_STATES, recordReport, TREASURY_WORKER } from './withdrawal-outcome.ts'
import { withdrawalEvent, withdrawalRow } from './withdrawals.ts'
import { LIVE_STATES, WITHDRAWAL_MOVES } from './withdrawals.schema.ts'
import type { Withdrawal, WithdrawalState } from './withdrawals.schema.ts'

type Known = Pick<Withdrawal, 'id' | 'external_id' | 'foreign_id' | 'origin' | 'state'>

/** Reads what is new of what leaves the venue and takes it in. Answers how many movements the venue showed. */
export async function pollOutgoing(app: TreasuryApp, workspace: string, venue_id: string): Promise<number> {
  const { venue, adapter } = await app.venues.connected(workspace, venue_id)
  const service = venue.services.find((each) => each.type === 'WOMS')
  if (adapter.transfers?.outgoing === undefined || service === undefined) return 0
  const from = await cursorOf(app.db, workspace, venue_id)
  const { movements, cursor } = await adapter.transfers.outgoing(from)
  const assets = await assetsOf(app.db, workspace)
  // Of several sights of one movement the last counts.
  const last = [...new Map(movements.map((movement) => [movement.foreign_id, movement])).values()].filter((each) => each.quantity > 0n && assets.has(each.asset))
  const known = await knownOf(app.db, workspace, venue_id, last)
  let complete = true
  for (const movement of last) complete = await take(app, venue, service.id, movement, known) && complete
  if (complete && cursor !== from) {
    await app.db.query(sql`
      insert into outgoing_cursors (workspace, venue_id, cursor, system_updated_at) values (${workspace}, ${venue_id}, ${cursor}, ${app.clock.now()})
      on conflict (workspace, venue_id) do update set cursor = excluded.cursor, system_updated_at = excluded.system_updated_at`)
  }
  return movements.length
}

async function cursorOf(reader: Reader, workspace: string, venue_id: string): Promise<string | null> {
  return only(await reader.query<{ cursor: string | null }>(sql`select cursor from outgoing_cursors where workspace = ${workspace} and venue_id = ${venue_id}`))?.cursor ?? null
}

async function knownOf(reader: Reader, workspace: string, venue_id: string, movements: readonly Outgoing[]): Promise<Known[]> {
  return reader.query<Known>(sql`
    select id, external_id, foreign_id, origin, state from withdrawals where workspace = ${workspace} and venue_id = ${venue_id} and external_id = any(${movements.flatMap((each) => each.external_id ?? [])}::text[])
    union select id, external_id, foreign_id, origin, state from withdrawals where workspace = ${workspace} and venue_id = ${venue_id} and foreign_id = any(${movements.map((each) => each.foreign_id)}::text[])`)
}

/** False when it has to be looked at again later. */
async function take(app: TreasuryApp, venue: VenueRecord, service_id: string, movement: Outgoing, known: readonly Known[]): Promise<boolean> {
  const { workspace } = venue
  const ours = movement.external_id === null ? undefined : known.find((each) => each.external_id === movement.external_id)
  if (movement.kind === 'CHARGE' && ours !== undefined) {
    if (movement.state === 'SUCCESS') await takeCharge(app, workspace, ours.id, movement)
    return true
  }
  const same = ours ?? known.find((each) => each.foreign_id === movement.foreign_id)
  if (same !== undefined) {
    if (same.origin === 'EXTERNAL' && !isFinal(WITHDRAWAL_MOVES, same.state)) await record(app, workspace, same.id, movement)
    return true
  }
  // What failed before it was ever seen has moved nothing.
  if (isEnded(movement.state)) return true
  const wallet = await walletByVenueLocator(app.db, workspace, venue.id, movement.wallet, movement.asset, movement.protocol)
  const integration = await integrationOf(app.db, workspace, venue.id, wallet, { foreign_id: outgoingKey(movement), asset: movement.asset, occurred_at: movement.occurred_at })
  if (integration === 'NOT_OPEN') return false
  if (integration === 'COUNTED') return true
  if (integration === 'OPENING') {
    if (movement.state === 'SUCCESS') await app.lane.commit(await lateOutgoing(app.db, venue, movement))
    return true
  }
  if (movement.external_id === null) {
    if (await mayBeOurs(app.db, venue, movement)) return false
    // Every other kind of venue tells our reference: without it the movement is not ours.
    if (venue.kind === 'EXCHANGE' && await isResolved(app, venue, movement)) return true
  }
  const id = newId()
  await app.lane.commit(await integratedChange(app, venue, service_id, movement, wallet, id))
  await record(app, workspace, id, movement)
  return true
}

const isEnded = (state: WithdrawalState): boolean => (ENDED_STATES as readonly WithdrawalState[]).includes(state)

/** A transfer of ours may have left whose reference at the venue is not known: its own task must find it first. */
async function mayBeOurs(reader: Reader, venue: VenueRecord, movement: Outgoing): Promise<boolean> {
  const rows = await reader.query(sql`
    select 1 from withdrawals where workspace = ${venue.workspace} and venue_id = ${venue.id} and asset = ${movement.asset} and quantity = ${format(movement.quantity)}
      and origin <> 'EXTERNAL' and submitted_at is not null and foreign_id is null and state = any(${[...LIVE_STATES]}) limit 1`)
  return rows.length > 0
}

const DAY_MILLISECONDS = 86_400_000
const ARRIVES_WITHIN_MILLISECONDS = 14 * DAY_MILLISECONDS

/** What a person resolved as SUCCESS without naming the venue's reference is this movement, once: it takes the reference, and the fee where none was told. */
async function isResolved(app: TreasuryApp, venue: VenueRecord, movement: Outgoing): Promise<boolean> {
  const { workspace } = venue
  const kind = (await assetsOf(app.db, workspace)).get(movement.asset)?.kind ?? 'CRYPTO'
  const candidates = await app.db.query<Pick<Withdrawal, 'id' | 'fee' | 'destination_address'>>(sql`
    select id, fee, destination_address from withdrawals where workspace = ${workspace} and venue_id = ${venue.id} and asset = ${movement.asset} and quantity = ${format(movement.quantity)}
      and origin <> 'EXTERNAL' and state = 'SUCCESS' and foreign_id is null and resolved_at is not null
      and submitted_at <= ${movement.occurred_at + DAY_MILLISECONDS} and resolved_at >= ${movement.occurred_at - DAY_MILLISECONDS} order by submitted_at, id`)
  const same = candidates.find((each) => movement.destination_address === null || addressKey(kind, each.destination_address) === addressKey(kind, movement.destination_address))
  if (same === undefined) return false
  if (same.fee === null && movement.fee !== null && movement.fee > 0n) await takeCharge(app, workspace, same.id, { ...movement, kind: 'CHARGE', asset: movement.fee_asset ?? movement.asset, quantity: movement.fee })
  await app.db.query(sql`
    update withdrawals set foreign_id = ${movement.foreign_id}, transaction_hash = coalesce(transaction_hash, ${movement.transaction_hash}), version = version + 1, system_updated_at = ${app.clock.now()}, system_updated_by = ${TREASURY_WORKER}
    where workspace = ${workspace} and id = ${same.id} and foreign_id is null`)
  return true
}

/** Stored as under way; what the venue says of it is then recorded as of any other withdrawal. */
async function integratedChange(app: TreasuryApp, venue: VenueRecord, service_id: string, movement: Outgoing, from: Wallet | undefined, id: string): Promise<Change> {
  const { workspace } = venue
  const now = app.clock.now()
  const to = movement.kind === 'CHARGE' ? undefined : await ownWallet(app.db, venue, movement)
  const own_transfer = to !== undefined && to.type === 'VENUE' && !(await hasArrived(app.db, workspace, to, movement))
  const shown = {
    id, state: 'PENDING' as const, asset: movement.asset, quantity: format(movement.quantity), account_id: null, destination_address: movement.destination_address ?? '',
    foreign_id: movement.foreign_id, transaction_hash: movement.transaction_hash, reason: null,
  }
  return {
    workspace, class: 'fact', by: TREASURY_WORKER,
    rows: [sql`
      insert into withdrawals (workspace, id, state, sub_state, origin, from_wallet_id, to_wallet_id, service_id, venue_id, asset, protocol, quantity, fee_borne_by, speed_level, destination_address, tag, reference_text,
        own_transfer, venue_charge, external_id, foreign_id, transaction_hash, source_wallet, transfer, recipient_name, submitted_at, system_created_at, system_created_by, system_updated_at, system_updated_by)
      values (${workspace}, ${id}, 'PENDING', ${movement.sub_state}, 'EXTERNAL', ${from?.id ?? null}, ${to?.id ?? null}, ${service_id}, ${venue.id}, ${movement.asset}, ${movement.protocol}, ${shown.quantity}, 'HOUSE', 'DEFAULT',
        ${shown.destination_address}, ${movement.tag}, ${movement.reference_text}, ${own_transfer}, ${movement.kind === 'CHARGE'}, ${id}, ${movement.foreign_id}, ${movement.transaction_hash}, ${movement.wallet},
        ${JSON.stringify({ from: {}, to: {} })}::jsonb, ${movement.recipient_name}, ${movement.occurred_at}, ${now}, ${TREASURY_WORKER}, ${now}, ${TREASURY_WORKER})`],
    events: [withdrawalEvent('integrated', shown, { origin: 'EXTERNAL', charge: movement.kind === 'CHARGE' })],
  }
}

/** Our wallet at a venue that this goes to. */
async function ownWallet(reader: Reader, venue: VenueRecord, { asset, destination_address }: Outgoing): Promise<Pick<Wallet, 'id' | 'type'> | undefined> {
  if (destination_address === null) return undefined
  const kind = (await assetsOf(reader, venue.workspace)).get(asset)?.kind ?? 'CRYPTO'
  const wallets = await reader.query<Pick<Wallet, 'id' | 'type' | 'address'>>(sql`select id, type, address from wallets where workspace = ${venue.workspace} and asset = ${asset} and venue_id is not null and address <> '' order by type = 'VENUE' desc, id`)
  return wallets.find((each) => addressKey(kind, each.address) === addressKey(kind, destination_address))
}

/** Its arrival was seen first and is booked as an ordinary deposit: then this is an ordinary withdrawal. Money has no transaction to be known by: what is nobody's of just this quantity is taken for it. */
async function hasArrived(reader: Reader, workspace: string, to: Pick<Wallet, 'id'>, { transaction_hash, quantity, occurred_at }: Outgoing): Promise<boolean> {
  const seen = transaction_hash === null
    ? sql`state = 'UNASSIGNED' and transaction_hash is null and related_withdrawal_id is null and quantity = ${format(quantity)} and occurred_at >= ${occurred_at - DAY_MILLISECONDS} and occurred_at < ${occurred_at + ARRIVES_WITHIN_MILLISECONDS}`
    : sql`lower(transaction_hash) = ${transaction_hash.toLowerCase()} and state not in ('PENDING', 'FAILED', 'REVERSED')`
  const rows = await reader.query(sql`select 1 from deposits where workspace = ${workspace} and wallet_id = ${to.id} and not own_transfer and ${seen} limit 1`)
  return rows.length > 0
}

const reportOf = (movement: Outgoing): TransferReport => ({
  foreign_id: movement.foreign_id, state: movement.state, sub_state: movement.sub_state, reason: null, transaction_hash: movement.transaction_hash, confirmations: null, fee: movement.fee, fee_asset: movement.fee_asset,
})

/** On the row as it is now: an assignment may have changed it meanwhile. */
async function record(app: TreasuryApp, workspace: string, id: string, movement: Outgoing): Promise<void> {
  await onFreshRows(async () => {
    const row = await withdrawalRow(app.db, workspace, id)
    if (!isFinal(WITHDRAWAL_MOVES, row.state)) await recordReport(app, [row], reportOf(movement))
  })
}
