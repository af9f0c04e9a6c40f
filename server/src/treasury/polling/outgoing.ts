/**
 * Money that leaves a venue. Each movement is one of these:
 *
 *   sent from here       known by our reference; its own task follows it until it has ended
 *   a charge or fee      of a withdrawal that has ended, told later
 *   left late            its withdrawal had ended here as not sent (late.ts)
 *   anything else        it was done outside (external-withdrawals.ts)
 *
 * Each movement is stored for itself, and how far was read comes last: a process that dies in
 * between repeats without effect. What cannot be decided yet keeps the reading where it is: the
 * venue is not open, or the movement may be a transfer of ours whose reference is not known yet.
 */
import { stateIn } from '../../store/states.ts'
import type { ServiceId, WithdrawalId, WorkspaceId } from '../../core/ids.ts'
import { format } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { newId } from '../../core/ids.ts'
import { isFinal } from '../../core/moves.ts'
import { assetsOf, retryOnStale } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { updateRow } from '../../store/rows.ts'
import { raw, sql } from '../../store/sql.ts'
import { putTasks } from '../../store/tasks.ts'
import type { Outgoing, TransferReport, VenueRecord } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import { addressKey } from '../matchings/rules.ts'
import {
  earlierOutgoingChange,
  isBeforeOpening,
  openingReversal,
  openingStatusOf,
  outgoingKey,
} from '../opening/movements.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import { walletById, walletByVenueLocator } from '../wallets/rows.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { recordCharge, recordFee, withoutBookedFee } from '../withdrawals/charges.ts'
import { recordReport } from '../withdrawals/outcome.ts'
import { withdrawalRow, WITHDRAWALS } from '../withdrawals/rows.ts'
import type { WithdrawalRow } from '../withdrawals/rows.ts'
import {
  LIVE_STATES,
  UNSUCCESSFUL_STATES,
  WITHDRAWAL_MOVES,
} from '../withdrawals/withdrawals.schema.ts'
import type { Withdrawal, WithdrawalState } from '../withdrawals/withdrawals.schema.ts'
import { cursorOf, storeCursor } from './cursors.ts'
import { externalWithdrawalChange } from './external-withdrawals.ts'
import { lateWithdrawalOf, recordFailedAfterSuccess } from './late.ts'

const DAY_MILLISECONDS = 86_400_000

/** The venue and the service of it whose movements are read. */
type Source = { venue: VenueRecord; service_id: ServiceId }

const KNOWN_FIELDS = [
  'id',
  'external_id',
  'foreign_id',
  'origin',
  'state',
  'quantity',
  'related_withdrawal_id',
  'submitted_at',
  'output',
  'outputs',
] as const
type KnownWithdrawal = Pick<WithdrawalRow, (typeof KNOWN_FIELDS)[number]>
const KNOWN_COLUMNS = raw(KNOWN_FIELDS.join(', '))

/** Answers how many movements the venue showed. */
export async function pollOutgoing(
  app: TreasuryApp,
  workspace: WorkspaceId,
  venue_id: string,
): Promise<number> {
  const { venue, adapter } = await app.venues.connect(workspace, venue_id)
  const service = venue.services.find(({ type }) => type === 'WOMS')
  const { outgoing } = adapter.transfers ?? {}
  if (outgoing === undefined || service === undefined) return 0
  const from = await cursorOf(app.db, 'outgoing_cursors', venue)
  const { movements, cursor } = await withFailpoints('outgoing.read', venue_id, () =>
    outgoing(from),
  )
  const assets = await assetsOf(app.db, workspace)
  // A movement may be reported several times in one reading: the last report counts.
  const latest = new Map(movements.map((movement) => [movement.foreign_id, movement]))
  const relevant = [...latest.values()].filter(
    ({ quantity, asset }) => quantity > 0n && assets.has(asset),
  )
  const known = await knownWithdrawals(app.db, venue, relevant)
  const source = { venue, service_id: service.id }
  let complete = true
  for (const movement of relevant)
    complete = (await recordMovement(app, source, movement, known)) && complete
  if (complete && cursor !== from) {
    const now = app.clock.now()
    await app.db.query(storeCursor('outgoing_cursors', venue, { cursor, now }))
  }
  return movements.length
}

async function knownWithdrawals(
  reader: Reader,
  { workspace, id }: VenueRecord,
  movements: readonly Outgoing[],
): Promise<KnownWithdrawal[]> {
  const external_ids = movements.flatMap((movement) => movement.external_id ?? [])
  const foreign_ids = movements.map((movement) => movement.foreign_id)
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
      and foreign_id = any(${foreign_ids}::text[])`)
}

/** False when the movement must be looked at again later. */
async function recordMovement(
  app: TreasuryApp,
  source: Source,
  movement: Outgoing,
  known: readonly KnownWithdrawal[],
): Promise<boolean> {
  const { workspace } = source.venue
  const { external_id, foreign_id } = movement
  const sent = known.filter((withdrawal) => withdrawal.related_withdrawal_id === null)
  const byReference = sent.filter(
    (withdrawal) => external_id !== null && withdrawal.external_id === external_id,
  )
  const ours = findSentWithdrawal(byReference, movement)
  if (movement.kind === 'CHARGE' && ours !== undefined) {
    if (movement.state === 'SUCCESS') await recordCharge(app, workspace, ours.id, movement)
    return true
  }
  const byForeignId = sent.filter((withdrawal) => withdrawal.foreign_id === foreign_id)
  const same = ours ?? findSentWithdrawal(byForeignId, movement)
  if (same === undefined) return recordUnknownMovement(app, source, movement)
  await recordKnownMovement(app, source, movement, { same, known })
  return true
}

/**
 * Of several in one transaction: the one at this place, if its quantity fits; one that was canceled
 * before had no part in it. Else one of this quantity, best one that has not succeeded.
 */
const findSentWithdrawal = (
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

/** A movement that is no withdrawal here yet. */
async function recordUnknownMovement(
  app: TreasuryApp,
  source: Source,
  movement: Outgoing,
): Promise<boolean> {
  const { venue } = source
  const hasEnded = isEnded(movement.state)
  // It has moved nothing but its fee, unless the opening balance is without it.
  if (hasEnded && (await reverseOpening(app, venue, movement))) return true
  if (hasEnded && (movement.fee === null || movement.fee <= 0n)) return true
  const wallet = await walletByVenueLocator(app.db, venue, {
    ...movement,
    address: null,
    tag: null,
  })
  const { asset, occurred_at } = movement
  const foreign_id = outgoingKey(movement)
  const status = await openingStatusOf(app.db, venue, wallet, { foreign_id, asset, occurred_at })
  if (status === 'NOT_OPEN') return false
  if (status === 'COUNTED') return true
  // Books opened before such fees were booked may contain this one: a person sees it as a break.
  if (hasEnded && (await isBeforeOpening(app.db, venue, wallet, movement))) return true
  if (status === 'OPENING') {
    if (isFinal(WITHDRAWAL_MOVES, movement.state))
      await app.lane.commit(await earlierOutgoingChange(app.db, venue, movement))
    return true
  }
  if (movement.external_id === null) {
    if (await mayBeOurs(app.db, venue, movement)) return false
    // Every other kind of venue names our reference: without it the movement is not ours.
    if (venue.kind === 'EXCHANGE' && (await linkResolvedWithdrawal(app, source, movement)))
      return true
  }
  await addExternalWithdrawal(app, source, movement, wallet)
  return true
}

async function reverseOpening(
  app: TreasuryApp,
  venue: VenueRecord,
  movement: Outgoing,
): Promise<boolean> {
  const { wallet, fee, fee_asset, asset } = movement
  const kept = fee === null ? [] : [{ asset: fee_asset ?? asset, quantity: fee }]
  const reversal = await openingReversal(app.db, venue, outgoingKey(movement), { wallet, kept })
  if (reversal !== undefined) await app.lane.commit(reversal)
  return reversal !== undefined
}

async function addExternalWithdrawal(
  app: TreasuryApp,
  { venue, service_id }: Source,
  movement: Outgoing,
  from: Wallet | undefined,
): Promise<void> {
  const id = newId()
  const change = await externalWithdrawalChange(app, venue, { id, service_id, movement, from })
  await withFailpoints('outgoing.store', venue.id, () => app.lane.commit(change))
  await recordState(app, venue.workspace, id, movement)
}

/**
 * A withdrawal that is known. An external one goes on. One that has ended may have cost another
 * fee, or have left after all.
 */
async function recordKnownMovement(
  app: TreasuryApp,
  source: Source,
  movement: Outgoing,
  { same, known }: { same: KnownWithdrawal; known: readonly KnownWithdrawal[] },
): Promise<void> {
  const { workspace } = source.venue
  if (!isFinal(WITHDRAWAL_MOVES, same.state)) return recordOpen(app, workspace, movement, same)
  if (isEnded(same.state) && movement.state === 'SUCCESS') {
    const late = known.find(
      ({ related_withdrawal_id, foreign_id }) =>
        related_withdrawal_id !== null && foreign_id === movement.foreign_id,
    )
    if (late === undefined) return addLateWithdrawal(app, source, movement, same.id)
    const ended = await withdrawalRow(app.db, workspace, same.id)
    const left = await withoutBookedFee(app, ended, movement)
    if (isFinal(WITHDRAWAL_MOVES, late.state)) return recordFee(app, workspace, late.id, left)
    return recordState(app, workspace, late.id, left)
  }
  if (same.state === 'SUCCESS' && isEnded(movement.state) && !movement.left)
    await recordFailedAfterSuccess(app, source, same.id, movement)
  if (isFinal(WITHDRAWAL_MOVES, movement.state)) await recordFee(app, workspace, same.id, movement)
}

async function recordOpen(
  app: TreasuryApp,
  workspace: WorkspaceId,
  movement: Outgoing,
  { id, origin, state, external_id }: KnownWithdrawal,
): Promise<void> {
  if (origin === 'EXTERNAL') return recordState(app, workspace, id, movement)
  // Its own task, which may be due only much later, looks now.
  if (movement.state !== state)
    await putTasks(app.db, [
      { workspace, kind: WITHDRAWAL_TASK, subject_id: external_id, due_at: app.clock.now() },
    ])
}

async function addLateWithdrawal(
  app: TreasuryApp,
  { venue, service_id }: Source,
  movement: Outgoing,
  ended_id: WithdrawalId,
): Promise<void> {
  const { workspace } = venue
  const late = await lateWithdrawalOf(app, workspace, ended_id, movement)
  const { from_wallet_id } = late.ended
  const from =
    from_wallet_id === null ? undefined : await walletById(app.db, workspace, from_wallet_id)
  const id = newId()
  const destination_address = movement.destination_address ?? late.ended.destination_address
  const change = await externalWithdrawalChange(app, venue, {
    id,
    service_id,
    movement: { ...movement, destination_address },
    from,
    late,
  })
  await app.lane.commit(change)
  await recordState(app, workspace, id, await withoutBookedFee(app, late.ended, movement))
}

const isEnded = (state: WithdrawalState): boolean =>
  (UNSUCCESSFUL_STATES as readonly WithdrawalState[]).includes(state)

/** It may be a transfer of ours whose reference at the venue its own task must find first. */
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

/**
 * A withdrawal that a person resolved without the venue's reference may be this movement. It takes
 * the reference, once, and the fee. One that was resolved as FAILED may have left late. Whether one
 * that was resolved as SUCCESS is a movement that failed is for a person to say.
 */
async function linkResolvedWithdrawal(
  app: TreasuryApp,
  source: Source,
  movement: Outgoing,
): Promise<boolean> {
  const { workspace } = source.venue
  const same = await findResolved(app, source.venue, movement)
  if (same === undefined) return false
  if (same.state === 'FAILED' && !isFinal(WITHDRAWAL_MOVES, movement.state)) return false
  if (same.state === 'SUCCESS' && isEnded(movement.state)) return true
  const transaction_hash = sql`coalesce(transaction_hash, ${movement.transaction_hash})`
  const update = updateRow(WITHDRAWALS, {
    where: { workspace, id: same.id, foreign_id: null },
    set: { foreign_id: movement.foreign_id, transaction_hash },
    by: TREASURY_WORKER,
    now: app.clock.now(),
  })
  await app.db.query(update)
  if (same.state === 'FAILED' && movement.state === 'SUCCESS')
    await addLateWithdrawal(app, source, movement, same.id)
  else if (isFinal(WITHDRAWAL_MOVES, movement.state))
    await recordFee(app, workspace, same.id, movement)
  return true
}

async function findResolved(
  app: TreasuryApp,
  { workspace, id }: VenueRecord,
  movement: Outgoing,
): Promise<Pick<Withdrawal, 'id' | 'state'> | undefined> {
  const { asset, occurred_at, destination_address } = movement
  const likely = isEnded(movement.state) ? 'FAILED' : 'SUCCESS'
  const candidates = await app.db.query<
    Pick<Withdrawal, 'id' | 'state' | 'destination_address'>
  >(sql`
    select id, state, destination_address
    from withdrawals
    where workspace = ${workspace}
      and venue_id = ${id}
      and asset = ${asset}
      and quantity = ${format(movement.quantity)}
      and origin <> 'EXTERNAL'
      and ${stateIn(WITHDRAWAL_MOVES, ['SUCCESS', 'FAILED'])}
      and foreign_id is null
      and resolved_at is not null
      and submitted_at <= ${occurred_at + DAY_MILLISECONDS}
      and resolved_at >= ${occurred_at - DAY_MILLISECONDS}
    order by state = ${likely} desc, submitted_at, id`)
  if (destination_address === null)
    return candidates.find((candidate) => candidate.state === 'SUCCESS')
  const kind = (await assetsOf(app.db, workspace)).get(asset)?.kind ?? 'CRYPTO'
  const key = addressKey(kind, destination_address)
  return candidates.find((candidate) => addressKey(kind, candidate.destination_address) === key)
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
  id: WithdrawalId,
  movement: Outgoing,
): Promise<void> {
  await retryOnStale(async () => {
    const row = await withdrawalRow(app.db, workspace, id)
    if (isFinal(WITHDRAWAL_MOVES, row.state)) return
    await recordReport(app, [row], transferReport(movement))
  })
}
