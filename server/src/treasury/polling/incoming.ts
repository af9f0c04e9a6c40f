/**
 * Money that arrives at a venue. Each movement is a new deposit or belongs to one that is known
 * (known-deposits.ts); a movement that is reported again changes nothing. A deposit that is final
 * at its venue is settled by a task of its own (deposits/settling.ts).
 *
 * While the venue's opening balance of an asset is not booked, nothing is stored and the same
 * movements are read again: then it is known whether the opening balance contains them.
 */
import type { WalletId } from '../../core/ids.ts'
import { format } from '../../core/decimal.ts'
import { withFailpoints } from '../../core/failpoint.ts'
import { idAt } from '../../core/ids.ts'
import type { Change } from '../../ledger/index.ts'
import type { Stamp } from '../../store/rows.ts'
import type { Query } from '../../store/sql.ts'
import {
  findDismissedLike,
  isFaultOfMovement,
  itemsOf,
  keepItem,
  notBooked,
  resolveItem,
  setAside,
  setAsideMovement,
} from '../../venues/index.ts'
import type { Incoming, SetAsideRecord } from '../../venues/index.ts'
import { TREASURY_WORKER } from '../app.ts'
import { assignablePart } from '../bookings.ts'
import { depositEvent, insertDeposit, knownDeposits } from '../deposit-rows/rows.ts'
import { earlierIncomingChange, openingReversal, openingStatusOf } from '../opening/movements.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { SETTLE_TASK } from '../tasks.ts'
import { walletByVenueLocator } from '../wallets/rows.ts'
import { addDepositChange, contradictionOf, hasFailed, reviewReason } from './known-deposits.ts'
import type { PollDraft, Reading } from './known-deposits.ts'
import { addParts, reasonToWait } from './set-aside.ts'

/** 'not open' while the opening balance that may contain one of them is not booked. */
export async function pollDraft(
  reading: Reading,
  movements: readonly Incoming[],
): Promise<PollDraft | 'not open'> {
  const { app, venue, service_id } = reading
  const draft: PollDraft = { guards: [], ledger: [], rows: [], events: [], tasks: [] }
  // A movement may be reported several times in one reading: the last report counts.
  const latest = new Map(movements.map((movement) => [movement.foreign_id, movement]))
  const ids = [...latest.keys()]
  const known = await knownDeposits(app.db, venue.workspace, service_id, ids)
  const items = await itemsOf(app.db, venue, { kind: 'TRANSFER', direction: 'IN' }, ids)
  const doubtful: SetAsideRecord[] = []
  const doubles = await findDoubles(reading, [...latest.values()], known)
  const ended = [...latest.values()]
    .filter((movement) => hasFailed(movement))
    .flatMap(({ foreign_id }) => known.get(foreign_id)?.id ?? [])
  for (const movement of latest.values()) {
    const row = known.get(movement.foreign_id)
    const item = items.get(movement.foreign_id)
    const wait =
      row === undefined && item !== undefined
        ? await reasonToWait(app.db, venue, item, movement)
        : undefined
    if (item !== undefined && wait !== undefined) {
      addParts(draft, keepItem(venue, item, wait))
      continue
    }
    const contradiction = row && contradictionOf(row, movement)
    if (contradiction !== undefined) {
      doubtful.push(contradictingRecord(movement, contradiction))
      continue
    }
    const double = doubles.get(movement.foreign_id)
    if (double !== undefined) {
      doubtful.push(setAsideMovement('IN', movement, double))
      continue
    }
    if (row !== undefined) await addDepositChange(reading, draft, { row, ended }, movement)
    else if (!(await addNewDeposit(reading, draft, movement))) return 'not open'
    if (item?.state === 'OPEN') addParts(draft, resolveItem(venue, item, stampOf(reading)))
  }
  const records = { kind: 'TRANSFER' as const, records: doubtful }
  addParts(draft, await setAside(app.db, venue, records, stampOf(reading)))
  return draft
}

/**
 * What may be the money of a record that a user has dismissed waits too. Whoever tries just this
 * record again has decided that it is not.
 */
async function findDoubles(
  { app, venue, assets, decided = false }: Reading,
  movements: readonly Incoming[],
  known: ReadonlyMap<string, DepositRow>,
): Promise<Map<string, string>> {
  if (decided) return new Map()
  const fresh = movements.filter(
    (movement) =>
      !known.has(movement.foreign_id) &&
      !hasFailed(movement) &&
      movement.quantity > 0n &&
      assets.has(movement.asset),
  )
  return findDismissedLike(app.db, venue, 'IN', fresh)
}

/** Its quantity tells it from the deposit of its name. */
const contradictingRecord = (movement: Incoming, reason: string): SetAsideRecord => ({
  ...setAsideMovement('IN', movement, reason),
  foreign_id: `${movement.foreign_id} of ${format(movement.quantity)}`,
})

const stampOf = ({ now, by = TREASURY_WORKER }: Reading): Stamp => ({ by, now })

/**
 * Stores what a reading found, with the cursor, in one change. When one of the movements cannot be
 * stored, each is stored for itself, what fails is set aside, and the cursor comes last. False,
 * and nothing is stored, while the venue is not open.
 */
export async function storeIncoming(
  reading: Reading,
  { movements, set_aside = [] }: { movements: readonly Incoming[]; set_aside?: SetAsideRecord[] },
  cursor: Query | undefined,
): Promise<boolean> {
  try {
    return await storeAtOnce(reading, { movements, set_aside }, cursor)
  } catch (error) {
    if (!isFaultOfMovement(error)) throw error
  }
  const refused: SetAsideRecord[] = []
  for (const movement of movements) {
    try {
      if (!(await storeAtOnce(reading, { movements: [movement], set_aside: [] }, undefined)))
        return false
    } catch (error) {
      if (!isFaultOfMovement(error)) throw error
      refused.push(setAsideMovement('IN', movement, notBooked(error)))
    }
  }
  return storeAtOnce(reading, { movements: [], set_aside: [...set_aside, ...refused] }, cursor)
}

async function storeAtOnce(
  reading: Reading,
  found: { movements: readonly Incoming[]; set_aside: readonly SetAsideRecord[] },
  cursor: Query | undefined,
): Promise<boolean> {
  const { app, venue } = reading
  const draft = await pollDraft(reading, found.movements)
  if (draft === 'not open') return false
  const records = { kind: 'TRANSFER' as const, records: found.set_aside }
  addParts(draft, await setAside(app.db, venue, records, stampOf(reading)))
  const { workspace } = venue
  if (draft.rows.length > 0 || draft.guards.length > 0) {
    const rows = [...draft.rows, ...(cursor === undefined ? [] : [cursor])]
    const change: Change = { workspace, class: 'fact', by: TREASURY_WORKER, ...draft, rows }
    await withFailpoints('deposit.store', venue.id, () => app.lane.commit(change))
  } else if (cursor !== undefined) await app.db.query(cursor)
  return true
}

/** False while the venue's opening balance of this asset is not booked yet. */
async function addNewDeposit(
  reading: Reading,
  draft: PollDraft,
  movement: Incoming,
): Promise<boolean> {
  const { app, venue, assets } = reading
  if (hasFailed(movement)) {
    // It has moved nothing, unless the opening balance contains it.
    addChange(draft, await openingReversal(app.db, venue, movement.foreign_id, movement))
    return true
  }
  // An asset that is not configured is not in the books at all.
  if (movement.quantity <= 0n || !assets.has(movement.asset)) return true
  const address = movement.destination_address
  const wallet = await walletByVenueLocator(app.db, venue, { ...movement, address })
  const status = await openingStatusOf(app.db, venue, wallet, movement)
  if (status === 'NOT_OPEN') return false
  if (status === 'DEPOSIT') addDeposit(reading, draft, movement, wallet?.id ?? null)
  if (status === 'OPENING' && movement.state === 'FINAL')
    addChange(draft, await earlierIncomingChange(app.db, venue, movement))
  return true
}

function addChange(draft: PollDraft, change: Change | undefined): void {
  draft.ledger.push(...(change?.ledger ?? []))
  draft.rows.push(...(change?.rows ?? []))
  draft.events.push(...(change?.events ?? []))
}

function addDeposit(
  { venue, service_id, assets, now }: Reading,
  draft: PollDraft,
  movement: Incoming,
  wallet_id: WalletId | null,
): void {
  const id = idAt(now)
  const final_at = movement.state === 'FINAL' ? now : null
  const state = movement.state === 'PENDING_REVIEW' ? 'PENDING_REVIEW' : 'PENDING'
  const { asset, foreign_id, transaction_hash } = movement
  draft.rows.push(
    insertDeposit(
      {
        workspace: venue.workspace,
        id,
        service_id,
        venue_id: venue.id,
        wallet_id,
        assignable: assignablePart(assets, movement),
        final_at,
        movement,
        state,
        ...reviewReason(state),
      },
      { by: TREASURY_WORKER, now },
    ),
  )
  const shown = {
    id,
    state,
    asset,
    quantity: format(movement.quantity),
    wallet_id,
    foreign_id,
    transaction_hash,
    related_withdrawal_id: null,
  } as const
  draft.events.push(depositEvent('detected', shown))
  if (state === 'PENDING_REVIEW') draft.events.push(depositEvent('frozen', shown, { alert: true }))
  if (final_at !== null) draft.tasks.push({ kind: SETTLE_TASK, subject_id: id, due_at: now })
}
