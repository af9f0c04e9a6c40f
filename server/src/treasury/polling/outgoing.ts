/**
 * Money that leaves a venue: what was sent from here is recognised by its reference and left to its
 * own task until it has ended; a charge for it, a fee told later, and money that left after its end
 * (withdrawal-late.ts) are taken in; all else was done outside and becomes a withdrawal of origin
 * EXTERNAL, on SUSPENSE until it is matched or assigned.
 *
 * Each movement is stored for itself and how far was read comes last, so that a process that dies
 * in between repeats without effect. What cannot be told yet (the venue is not open, or it may be a
 * transfer of ours whose reference is not known yet) keeps the reading where it is.
 */
import { format } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { assetsOf, retryOnStale } from '../../ledger/index.ts'
import type { Change } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import type { Reader } from '../../store/db.ts'
import { raw, sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import type { Outgoing, TransferReport, VenueRecord } from '../../venues/index.ts'
import { ARRIVES_WITHIN_MILLISECONDS } from '../deposits/settling.ts'
import { addressKey } from '../matchings/rules.ts'
import {
  openingStatusOf,
  isBeforeOpening,
  earlierOutgoingChange,
  openingReversal,
  outgoingKey,
} from '../opening/opening.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import { walletById, walletByVenueLocator } from '../wallets/wallets.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { withoutBookedFee, recordCharge, recordFee } from '../withdrawals/charges.ts'
import {
  lateAssignments,
  lateWithdrawalEvent,
  lateWithdrawalOf,
  recordFailedAfterSuccess,
} from './late.ts'
import type { LateWithdrawal } from './late.ts'
import { recordReport } from '../withdrawals/outcome.ts'
import { withdrawalEvent, withdrawalRow } from '../withdrawals/rows.ts'
import type { WithdrawalRow } from '../withdrawals/rows.ts'
import {
  UNSUCCESSFUL_STATES,
  LIVE_STATES,
  WITHDRAWAL_MOVES,
} from '../withdrawals/withdrawals.schema.ts'
import type { Withdrawal, WithdrawalState } from '../withdrawals/withdrawals.schema.ts'

type KnownWithdrawal = Pick<
  WithdrawalRow,
  | 'id'
  | 'external_id'
  | 'foreign_id'
  | 'origin'
  | 'state'
  | 'quantity'
  | 'related_withdrawal_id'
  | 'submitted_at'
  | 'output'
  | 'outputs'
>
const KNOWN_COLUMNS = raw(
  'id, external_id, foreign_id, origin, state, quantity, related_withdrawal_id, submitted_at, output, outputs',
)

/**
 * Reads what is new of what leaves the venue and takes it in. Answers how many movements the venue
 * showed.
 */
export async function pollOutgoing(
  app: TreasuryApp,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<number> {
  const { venue, adapter } = await app.venues.connected(workspace, venue_id)
  const service = venue.services.find((service) => service.type === 'WOMS')
  const { outgoing } = adapter.transfers ?? {}
  if (outgoing === undefined || service === undefined) return 0
  const from = await cursorOf(app.db, workspace, venue_id)
  const { movements, cursor } = await withFailpoints('outgoing.read', venue_id, () =>
    outgoing(from),
  )
  const assets = await assetsOf(app.db, workspace)
  // Of several sights of one movement the last counts.
  const last = [
    ...new Map(movements.map((movement) => [movement.foreign_id, movement])).values(),
  ].filter((outgoing) => outgoing.quantity > 0n && assets.has(outgoing.asset))
  const known = await knownWithdrawals(app.db, workspace, venue_id, last)
  let complete = true
  for (const movement of last)
    complete = (await recordMovement(app, venue, service.id, movement, known)) && complete
  if (complete && cursor !== from) {
    await app.db.query(sql`
      insert into outgoing_cursors (workspace, venue_id, cursor, system_updated_at)
      values (${workspace}, ${venue_id}, ${cursor}, ${app.clock.now()})
      on conflict (workspace, venue_id) do update set cursor = excluded.cursor,
        system_updated_at = excluded.system_updated_at`)
  }
  return movements.length
}

async function cursorOf(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<string | null> {
  return (
    only(
      await reader.query<{ cursor: string | null }>(
        sql`
          select cursor
          from outgoing_cursors
          where workspace = ${workspace}
            and venue_id = ${venue_id}`,
      ),
    )?.cursor ?? null
  )
}

async function knownWithdrawals(
  reader: Reader,
  workspace: WorkspaceId,
  venue_id: string,
  movements: readonly Outgoing[],
): Promise<KnownWithdrawal[]> {
  return reader.query<KnownWithdrawal>(sql`
    select ${KNOWN_COLUMNS}
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and external_id = any(${movements.flatMap((movement) => movement.external_id ?? [])}::text[])
    union
    select ${KNOWN_COLUMNS}
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venue_id}
      and foreign_id = any(${movements.map((movement) => movement.foreign_id)}::text[])`)
}

/** False when it has to be looked at again later. */
async function recordMovement(
  app: TreasuryApp,
  venue: VenueRecord,
  service_id: string,
  movement: Outgoing,
  known: readonly KnownWithdrawal[],
): Promise<boolean> {
  const { workspace } = venue
  const first = known.filter((known) => known.related_withdrawal_id === null)
  const ours =
    movement.external_id === null
      ? undefined
      : findSentWithdrawal(
          first.filter((known) => known.external_id === movement.external_id),
          movement,
        )
  if (movement.kind === 'CHARGE' && ours !== undefined) {
    if (movement.state === 'SUCCESS') await recordCharge(app, workspace, ours.id, movement)
    return true
  }
  const same =
    ours ??
    findSentWithdrawal(
      first.filter((known) => known.foreign_id === movement.foreign_id),
      movement,
    )
  if (same !== undefined) {
    await recordKnownMovement(app, venue, service_id, movement, same, known)
    return true
  }
  if (isEnded(movement.state)) {
    // What failed before it was ever seen has moved nothing but what it cost, unless the opening
    // balance is without it.
    const reversal = await openingReversal(
      app.db,
      venue,
      outgoingKey(movement),
      movement.wallet,
      movement.fee === null
        ? []
        : [{ asset: movement.fee_asset ?? movement.asset, quantity: movement.fee }],
    )
    if (reversal !== undefined) await app.lane.commit(reversal)
    if (reversal !== undefined || movement.fee === null || movement.fee <= 0n) return true
  }
  const wallet = await walletByVenueLocator(
    app.db,
    workspace,
    venue.id,
    movement.wallet,
    movement.asset,
    movement.protocol,
  )
  const integration = await openingStatusOf(app.db, workspace, venue.id, wallet, {
    foreign_id: outgoingKey(movement),
    asset: movement.asset,
    occurred_at: movement.occurred_at,
  })
  if (integration === 'NOT_OPEN') return false
  if (integration === 'COUNTED') return true
  // Books opened before such fees were booked may contain this one: a person sees it as a break.
  if (isEnded(movement.state) && (await isBeforeOpening(app.db, venue, wallet, movement)))
    return true
  if (integration === 'OPENING') {
    if (isFinal(WITHDRAWAL_MOVES, movement.state))
      await app.lane.commit(await earlierOutgoingChange(app.db, venue, movement))
    return true
  }
  if (movement.external_id === null) {
    if (await mayBeOurs(app.db, venue, movement)) return false
    // Every other kind of venue tells our reference: without it the movement is not ours.
    if (
      venue.kind === 'EXCHANGE' &&
      (await linkResolvedWithdrawal(app, venue, service_id, movement))
    )
      return true
  }
  const id = newId()
  const change = await externalWithdrawalChange(app, venue, service_id, movement, wallet, id)
  await withFailpoints('outgoing.store', venue.id, () => app.lane.commit(change))
  await recordState(app, workspace, id, movement)
  return true
}

/**
 * Of several in one transaction that at this place of the order, of which one canceled before was
 * no part; else that of this quantity, best one that has not left.
 */
const findSentWithdrawal = (
  candidates: readonly KnownWithdrawal[],
  movement: Outgoing,
): KnownWithdrawal | undefined => {
  const sent = candidates
    .filter((candidate) => candidate.outputs === 1 || candidate.submitted_at !== null)
    .toSorted((a, b) => a.output - b.output)
  const alike = sent.filter((known) => known.quantity === format(movement.quantity))
  const placed = movement.output === undefined ? undefined : sent[movement.output]
  if (placed !== undefined && alike.includes(placed)) return placed
  return alike.find((known) => known.state !== 'SUCCESS') ?? alike[0] ?? candidates[0]
}

/**
 * A withdrawal that is known: one made outside goes on; one that has ended may have cost something
 * else, or have left after all.
 */
async function recordKnownMovement(
  app: TreasuryApp,
  venue: VenueRecord,
  service_id: string,
  movement: Outgoing,
  same: KnownWithdrawal,
  known: readonly KnownWithdrawal[],
): Promise<void> {
  const { workspace } = venue
  if (!isFinal(WITHDRAWAL_MOVES, same.state)) {
    if (same.origin === 'EXTERNAL') await recordState(app, workspace, same.id, movement)
    // Its own task, which may look again only much later, does so now.
    else if (movement.state !== same.state)
      await putTasks(app.db, [
        { workspace, kind: WITHDRAWAL_TASK, subject_id: same.external_id, due_at: app.clock.now() },
      ])
    return
  }
  if (!isEnded(same.state) || movement.state !== 'SUCCESS') {
    if (same.state === 'SUCCESS' && isEnded(movement.state) && !movement.left)
      await recordFailedAfterSuccess(app, workspace, service_id, same.id, movement)
    if (isFinal(WITHDRAWAL_MOVES, movement.state))
      await recordFee(app, workspace, same.id, movement)
    return
  }
  const late = known.find(
    (known) => known.related_withdrawal_id !== null && known.foreign_id === movement.foreign_id,
  )
  if (late === undefined) return addLateWithdrawal(app, venue, service_id, movement, same.id)
  const left = await withoutBookedFee(
    app,
    await withdrawalRow(app.db, workspace, same.id),
    movement,
  )
  if (isFinal(WITHDRAWAL_MOVES, late.state)) await recordFee(app, workspace, late.id, left)
  else await recordState(app, workspace, late.id, left)
}

async function addLateWithdrawal(
  app: TreasuryApp,
  venue: VenueRecord,
  service_id: string,
  movement: Outgoing,
  ended_id: string,
): Promise<void> {
  const { workspace } = venue
  const late = await lateWithdrawalOf(app, workspace, ended_id, movement)
  const wallet =
    late.ended.from_wallet_id === null
      ? undefined
      : await walletById(app.db, workspace, late.ended.from_wallet_id)
  const id = newId()
  await app.lane.commit(
    await externalWithdrawalChange(
      app,
      venue,
      service_id,
      {
        ...movement,
        destination_address: movement.destination_address ?? late.ended.destination_address,
      },
      wallet,
      id,
      late,
    ),
  )
  await recordState(app, workspace, id, await withoutBookedFee(app, late.ended, movement))
}

const isEnded = (state: WithdrawalState): boolean =>
  (UNSUCCESSFUL_STATES as readonly WithdrawalState[]).includes(state)

/**
 * A transfer of ours may have left whose reference at the venue is not known: its own task must
 * find it first.
 */
async function mayBeOurs(reader: Reader, venue: VenueRecord, movement: Outgoing): Promise<boolean> {
  const rows = await reader.query(sql`
    select 1
    from withdrawals
    where workspace = ${venue.workspace}
      and venue_id = ${venue.id}
      and asset = ${movement.asset}
      and quantity = ${format(movement.quantity)}
      and origin <> 'EXTERNAL'
      and submitted_at is not null
      and foreign_id is null
      and state = any(${[...LIVE_STATES]})
    limit 1`)
  return rows.length > 0
}

const DAY_MILLISECONDS = 86_400_000

/**
 * What a person resolved without naming the venue's reference is this movement, once: it takes the
 * reference, and the fee that the venue tells. What was resolved as FAILED may have left late;
 * whether what was resolved as SUCCESS is one that failed is for a person to say.
 */
async function linkResolvedWithdrawal(
  app: TreasuryApp,
  venue: VenueRecord,
  service_id: string,
  movement: Outgoing,
): Promise<boolean> {
  const { workspace } = venue
  const kind = (await assetsOf(app.db, workspace)).get(movement.asset)?.kind ?? 'CRYPTO'
  const candidates = await app.db.query<
    Pick<Withdrawal, 'id' | 'state' | 'destination_address'>
  >(sql`
    select id, state, destination_address
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${venue.id}
      and asset = ${movement.asset}
      and quantity = ${format(movement.quantity)}
      and origin <> 'EXTERNAL'
      and state in ('SUCCESS', 'FAILED')
      and foreign_id is null
      and resolved_at is not null
      and submitted_at <= ${movement.occurred_at + DAY_MILLISECONDS}
      and resolved_at >= ${movement.occurred_at - DAY_MILLISECONDS}
    order by state = ${isEnded(movement.state) ? 'FAILED' : 'SUCCESS'} desc, submitted_at, id`)
  const { destination_address } = movement
  const same = candidates.find((candidate) =>
    destination_address === null
      ? candidate.state === 'SUCCESS'
      : addressKey(kind, candidate.destination_address) === addressKey(kind, destination_address),
  )
  if (same === undefined) return false
  if (same.state === 'FAILED' && !isFinal(WITHDRAWAL_MOVES, movement.state)) return false
  if (same.state === 'SUCCESS' && isEnded(movement.state)) return true
  await app.db.query(sql`
    update withdrawals
    set foreign_id = ${movement.foreign_id},
      transaction_hash = coalesce(transaction_hash, ${movement.transaction_hash}),
      version = version + 1, system_updated_at = ${app.clock.now()},
      system_updated_by = ${TREASURY_WORKER}
    where workspace = ${workspace}
      and id = ${same.id}
      and foreign_id is null`)
  if (same.state === 'FAILED' && movement.state === 'SUCCESS')
    await addLateWithdrawal(app, venue, service_id, movement, same.id)
  else if (isFinal(WITHDRAWAL_MOVES, movement.state))
    await recordFee(app, workspace, same.id, movement)
  return true
}

/** Stored as under way; what the venue says of it is then recorded as of any other withdrawal. */
async function externalWithdrawalChange(
  app: TreasuryApp,
  venue: VenueRecord,
  service_id: string,
  movement: Outgoing,
  from: Wallet | undefined,
  id: string,
  late?: LateWithdrawal,
): Promise<Change> {
  const { workspace } = venue
  const now = app.clock.now()
  const to = movement.kind === 'CHARGE' ? undefined : await ownWallet(app.db, venue, movement)
  const own_transfer =
    to !== undefined &&
    to.type === 'VENUE' &&
    (late?.owners ?? []).length === 0 &&
    !(await hasArrived(app.db, workspace, to, movement))
  const shown = {
    id,
    state: 'PENDING' as const,
    asset: movement.asset,
    quantity: format(movement.quantity),
    account_id: soleOwner(late),
    destination_address: movement.destination_address ?? '',
    foreign_id: movement.foreign_id,
    transaction_hash: movement.transaction_hash,
    reason: null,
  }
  return {
    workspace,
    class: 'fact',
    by: TREASURY_WORKER,
    rows: [
      sql`
        insert into withdrawals (
          workspace, id, state, sub_state, origin, from_wallet_id, to_wallet_id, service_id,
          venue_id, asset, protocol, quantity, fee_borne_by, speed_level, destination_address,
          tag, reference_text, account_id, related_withdrawal_id, own_transfer, venue_charge,
          external_id, foreign_id, transaction_hash, source_wallet, transfer, recipient_name,
          submitted_at, system_created_at, system_created_by, system_updated_at, system_updated_by
        )
        values (
          ${workspace}, ${id}, 'PENDING', ${movement.sub_state}, 'EXTERNAL', ${from?.id ?? null},
          ${to?.id ?? null}, ${service_id}, ${venue.id}, ${movement.asset}, ${movement.protocol},
          ${shown.quantity}, ${late?.ended.fee_borne_by ?? 'HOUSE'}, 'DEFAULT',
          ${shown.destination_address}, ${movement.tag}, ${movement.reference_text},
          ${shown.account_id}, ${late?.ended.id ?? null}, ${own_transfer},
          ${movement.kind === 'CHARGE'}, ${id}, ${movement.foreign_id},
          ${movement.transaction_hash}, ${movement.wallet},
          ${JSON.stringify({ from: {}, to: {} })}::jsonb, ${movement.recipient_name},
          ${movement.occurred_at}, ${now}, ${TREASURY_WORKER}, ${now}, ${TREASURY_WORKER}
        )`,
      ...(late === undefined ? [] : lateAssignments(late, id, now, TREASURY_WORKER)),
    ],
    events: [
      withdrawalEvent('discovered', shown, {
        origin: 'EXTERNAL',
        charge: movement.kind === 'CHARGE',
        related_withdrawal_id: late?.ended.id ?? null,
      }),
      ...(late === undefined ? [] : [lateWithdrawalEvent(late, id)]),
    ],
  }
}

const soleOwner = (late: LateWithdrawal | undefined): string | null =>
  late?.owners.every((owner) => owner.account_id === late.owners[0]?.account_id) === true
    ? (late.owners[0]?.account_id ?? null)
    : null

/** Our wallet at a venue that this goes to. */
async function ownWallet(
  reader: Reader,
  venue: VenueRecord,
  { asset, destination_address }: Outgoing,
): Promise<Pick<Wallet, 'id' | 'type'> | undefined> {
  if (destination_address === null) return undefined
  const kind = (await assetsOf(reader, venue.workspace)).get(asset)?.kind ?? 'CRYPTO'
  const wallets = await reader.query<Pick<Wallet, 'id' | 'type' | 'address'>>(
    sql`
      select id, type, address
      from wallets
      where workspace = ${venue.workspace}
        and asset = ${asset}
        and venue_id is not null
        and address <> ''
      order by type = 'VENUE' desc, id`,
  )
  return wallets.find(
    (wallet) => addressKey(kind, wallet.address) === addressKey(kind, destination_address),
  )
}

/**
 * Its arrival was seen first and is booked as an ordinary deposit: then this is an ordinary
 * withdrawal. Money has no transaction to be known by: what is nobody's of just this quantity is
 * taken for it.
 */
async function hasArrived(
  reader: Reader,
  workspace: WorkspaceId,
  to: Pick<Wallet, 'id'>,
  { transaction_hash, quantity, occurred_at }: Outgoing,
): Promise<boolean> {
  const seen =
    transaction_hash === null
      ? sql`
        state = 'UNASSIGNED'
          and transaction_hash is null
          and related_withdrawal_id is null
          and quantity = ${format(quantity)}
          and occurred_at >= ${occurred_at - DAY_MILLISECONDS}
          and occurred_at < ${occurred_at + ARRIVES_WITHIN_MILLISECONDS}`
      : sql`
        lower(transaction_hash) = ${transaction_hash.toLowerCase()}
          and state not in ('PENDING', 'FAILED', 'REVERSED')`
  const rows = await reader.query(
    sql`
      select 1
      from deposits
      where workspace = ${workspace}
        and wallet_id = ${to.id}
        and not own_transfer
        and ${seen}
      limit 1`,
  )
  return rows.length > 0
}

const transferReport = (movement: Outgoing): TransferReport => ({
  foreign_id: movement.foreign_id,
  state: movement.state,
  sub_state: movement.sub_state,
  reason: null,
  transaction_hash: movement.transaction_hash,
  confirmations: null,
  fee: movement.fee,
  fee_asset: movement.fee_asset,
})

/** On the row as it is now: an assignment may have changed it meanwhile. */
async function recordState(
  app: TreasuryApp,
  workspace: WorkspaceId,
  id: string,
  movement: Outgoing,
): Promise<void> {
  await retryOnStale(async () => {
    const row = await withdrawalRow(app.db, workspace, id)
    if (!isFinal(WITHDRAWAL_MOVES, row.state))
      await recordReport(app, [row], transferReport(movement))
  })
}
