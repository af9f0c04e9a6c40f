/**
 * Money that leaves a venue. Each movement is one of these:
 *
 *   sent from here       known by our reference; its own task follows it until it has ended
 *   a charge or fee      of a withdrawal that has ended, told later
 *   left late            its withdrawal had ended here as not sent (late.ts)
 *   anything else        it was done outside (external-withdrawals.ts)
 *
 * What cannot be decided yet is read again: the venue is not open, or the movement may be a
 * transfer of ours whose reference is not known yet (unreferenced.ts).
 */
import type { WorkspaceId } from '../../core/ids.ts'
import { format } from '../../core/decimal.ts'
import { isFinal } from '../../core/moves.ts'
import { assetsOf } from '../../ledger/index.ts'
import { putTasks } from '../../store/tasks.ts'
import {
  findDismissedLike,
  isFaultOfMovement,
  itemsOf,
  keepItem,
  notBooked,
  resolveItem,
  setAsideMovement,
} from '../../venues/index.ts'
import type { KnownItem, Outgoing, SetAsideRecord, VenueRecord } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import type { TreasuryApp } from '../app.ts'
import {
  earlierOutgoingChange,
  isBeforeOpening,
  openingReversal,
  openingStatusOf,
  outgoingKey,
} from '../opening/movements.ts'
import { WITHDRAWAL_TASK } from '../tasks.ts'
import { walletByVenueLocator } from '../wallets/rows.ts'
import { recordFee, recordSharedCharge, withoutBookedFee } from '../withdrawals/fee-reports.ts'
import { isTransaction, withdrawalRow } from '../withdrawals/rows.ts'
import { isUnsuccessful, WITHDRAWAL_MOVES } from '../withdrawals/withdrawals.schema.ts'
import { addExternalWithdrawal, addLateWithdrawal } from './external-withdrawals.ts'
import { recordState, recordTransaction, recordValueDate } from './outgoing-reports.ts'
import { recordFailedAfterSuccess } from './late.ts'
import type { Source } from './late.ts'
import { reasonToWait } from './set-aside.ts'
import { linkResolvedWithdrawal, mayBeOurs } from './unreferenced.ts'
import {
  findSentWithdrawal,
  haveTransactionInCommon,
  knownWithdrawals,
} from './known-withdrawals.ts'
import type { KnownWithdrawal } from './known-withdrawals.ts'

/**
 * `complete`: none must be looked at again later. `refused`: what cannot be booked, to be set
 * aside; the others are recorded all the same.
 */
type RecordedMovements = { complete: boolean; refused: SetAsideRecord[] }

export async function recordMovements(
  app: TreasuryApp,
  source: Source,
  movements: readonly Outgoing[],
  { by = TREASURY_WORKER, decided = false }: { by?: string; decided?: boolean } = {},
): Promise<RecordedMovements> {
  const { venue } = source
  const assets = await assetsOf(app.db, venue.workspace)
  // A movement may be reported several times in one reading: the last report counts.
  const latest = new Map(movements.map((movement) => [movement.foreign_id, movement]))
  const relevant = [...latest.values()].filter(
    ({ quantity, asset }) => quantity > 0n && assets.has(asset),
  )
  const known = await knownWithdrawals(app.db, venue, relevant)
  const ids = relevant.map((movement) => movement.foreign_id)
  const items = await itemsOf(app.db, venue, { kind: 'TRANSFER', direction: 'OUT' }, ids)
  const recorded: RecordedMovements = { complete: true, refused: [] }
  const undecided = decided ? [] : relevant
  const doubles = await findDoubles(app, source, undecided, known)
  for (const movement of relevant) {
    try {
      const item = items.get(movement.foreign_id)
      const double = item?.state === 'DISMISSED' ? undefined : doubles.get(movement.foreign_id)
      if (double !== undefined) {
        recorded.refused.push(setAsideMovement('OUT', movement, double))
        continue
      }
      if (!(await recordOnce(app, source, movement, { known, item, by }))) recorded.complete = false
    } catch (error) {
      if (!isFaultOfMovement(error)) throw error
      recorded.refused.push(setAsideMovement('OUT', movement, notBooked(error)))
    }
  }
  return recorded
}

const isKnownTo = (
  known: readonly KnownWithdrawal[],
  { external_id, foreign_id }: Outgoing,
): boolean =>
  known.some((sent) => sent.external_id === external_id || sent.foreign_id === foreign_id)

/**
 * What may be the money of a record that a user has dismissed waits too. Whoever tries just this
 * record again has decided that it is not.
 */
async function findDoubles(
  app: TreasuryApp,
  { venue }: Source,
  movements: readonly Outgoing[],
  known: readonly KnownWithdrawal[],
): Promise<Map<string, string>> {
  const fresh = movements.filter(
    (movement) => !isKnownTo(known, movement) && !isUnsuccessful(movement.state),
  )
  return findDismissedLike(app.db, venue, 'OUT', fresh)
}

/** `by`: who resolves the item that the movement had become. */
type Found = { known: readonly KnownWithdrawal[]; item: KnownItem | undefined; by: string }

/**
 * One whose record had been set aside is not set aside any more once it is recorded, or is left to
 * a person. False when the movement must be looked at again later.
 */
async function recordOnce(
  app: TreasuryApp,
  source: Source,
  movement: Outgoing,
  { known, item, by }: Found,
): Promise<boolean> {
  const { venue } = source
  if (item === undefined) return recordMovement(app, source, movement, known)
  const wait = isKnownTo(known, movement)
    ? undefined
    : await reasonToWait(app.db, venue, item, movement)
  if (wait === undefined && !(await recordMovement(app, source, movement, known))) return false
  const stamp = { by, now: app.clock.now() }
  const isOpen = item.state === 'OPEN'
  const parts =
    wait === undefined && isOpen ? resolveItem(venue, item, stamp) : keepItem(venue, item, wait)
  if (parts.rows.length > 0)
    await app.lane.commit({ workspace: venue.workspace, class: 'fact', by: stamp.by, ...parts })
  return true
}

/** False when the movement must be looked at again later. */
async function recordMovement(
  app: TreasuryApp,
  source: Source,
  movement: Outgoing,
  known: readonly KnownWithdrawal[],
): Promise<boolean> {
  const { workspace } = source.venue
  const { external_id } = movement
  const sent = known.filter((withdrawal) => withdrawal.related_withdrawal_id === null)
  const byReference = sent.filter(
    (withdrawal) => external_id !== null && withdrawal.external_id === external_id,
  )
  const ours = findSentWithdrawal(byReference, movement)
  if (movement.kind === 'CHARGE' && ours !== undefined) {
    const sentTogether = byReference.filter((withdrawal) => withdrawal.submitted_at !== null)
    const ids = sentTogether.length > 1 ? sentTogether.map(({ id }) => id) : [ours.id]
    if (movement.state === 'SUCCESS') await recordSharedCharge(app, workspace, ids, movement)
    return true
  }
  const byForeignId = sent.filter((withdrawal) => haveTransactionInCommon(withdrawal, movement))
  const same = ours ?? findSentWithdrawal(byForeignId, movement)
  if (same === undefined) return recordUnknownMovement(app, source, movement)
  await recordKnownMovement(app, source, movement, { same, known })
  return same !== ours || !waitsForPerson(same, movement)
}

/**
 * Another amount left than was sent, and a person has not decided yet. When it is resolved as
 * FAILED, what left is booked as a movement of its own.
 */
const waitsForPerson = (sent: KnownWithdrawal, { state, quantity }: Outgoing): boolean =>
  state === 'SUCCESS' &&
  sent.outputs === 1 &&
  !isFinal(WITHDRAWAL_MOVES, sent.state) &&
  sent.quantity !== format(quantity)

/** A movement that is no withdrawal here yet. */
async function recordUnknownMovement(
  app: TreasuryApp,
  source: Source,
  movement: Outgoing,
): Promise<boolean> {
  const { venue } = source
  const hasEnded = isUnsuccessful(movement.state)
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
    if (await mayBeOurs(app, venue, movement)) return false
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
  if (isOutdated(same, movement)) return
  if (!isFinal(WITHDRAWAL_MOVES, same.state)) return recordOpen(app, workspace, movement, same)
  if (isUnsuccessful(same.state) && movement.state === 'SUCCESS') {
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
  if (same.state === 'SUCCESS' && isUnsuccessful(movement.state) && !movement.left)
    await recordFailedAfterSuccess(app, source, same.id, movement)
  if (isFinal(WITHDRAWAL_MOVES, movement.state)) await recordFee(app, workspace, same.id, movement)
  if (same.state === 'SUCCESS' && same.value_date === null)
    await recordValueDate(app, workspace, same.id, movement)
}

/**
 * A transaction that lost its place tells nothing any more, unless it has ended while the
 * withdrawal goes on.
 */
function isOutdated(same: KnownWithdrawal, movement: Outgoing): boolean {
  const { transaction_hash, former = [] } = movement
  const isFormer = same.former_transactions.some((one) => isTransaction(one, transaction_hash))
  const namesShown = former.some((one) => isTransaction(one, same.transaction_hash))
  const mayDecide =
    !isFinal(WITHDRAWAL_MOVES, same.state) && isFinal(WITHDRAWAL_MOVES, movement.state)
  return isFormer && !namesShown && !mayDecide
}

async function recordOpen(
  app: TreasuryApp,
  workspace: WorkspaceId,
  movement: Outgoing,
  { id, origin, state, external_id, transaction_hash, outputs }: KnownWithdrawal,
): Promise<void> {
  if (origin === 'EXTERNAL') return recordState(app, workspace, id, movement)
  const former = movement.former ?? []
  const isReplacement =
    outputs === 1 && former.length > 0 && movement.transaction_hash !== transaction_hash
  if (isReplacement) await recordTransaction(app, workspace, id, movement)
  // Its own task, which may be due only much later, looks now.
  if (movement.state !== state)
    await putTasks(app.db, [
      { workspace, kind: WITHDRAWAL_TASK, subject_id: external_id, due_at: app.clock.now() },
    ])
}
