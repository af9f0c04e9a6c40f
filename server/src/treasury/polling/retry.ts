/**
 * Tries a record that was set aside once more, when a person asks. What arrived is booked in one
 * change with the end of the item. What left is recorded first, movement by movement as always; the
 * item ends last, so that a process that dies in between leaves it open and repeats nothing.
 */
import { refuse } from '../../core/errors.ts'
import type { SetAsideItemId } from '../../core/ids.ts'
import type { Caller } from '../../http/index.ts'
import { assetsOf } from '../../ledger/index.ts'
import type { Assets } from '../../ledger/index.ts'
import {
  assertOpen,
  isFaultOfMovement,
  itemById,
  keepItem,
  LONGEST_RAW,
  notBooked,
  resolveItem,
  setAside,
  withTimeLimit,
} from '../../venues/index.ts'
import type {
  Incoming,
  Outgoing,
  SetAsideItemDetail,
  SetAsideParts,
  SetAsideRecord,
  Venue,
  VenueRecord,
} from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { knownDeposits } from '../deposit-rows/rows.ts'
import { pollDraft } from './incoming.ts'
import { contradictionOf } from './known-deposits.ts'
import type { PollDraft, Reading } from './known-deposits.ts'
import type { Source } from './late.ts'
import { recordMovements } from './outgoing.ts'
import { addParts, reasonToWait } from './set-aside.ts'

type Person = Pick<Caller, 'workspace' | 'by'>
type Found = { incoming: Incoming[]; outgoing: Outgoing[]; set_aside?: SetAsideRecord[] }

/**
 * Answers the item: resolved, or still open with the reason of now. Throws 4004, 2003 when the
 * venue does not answer, and 3001 STATE_NOT_ALLOWED, or UNSUPPORTED_BY_VENUE for what cannot be
 * tried again.
 */
export async function retryItem(
  caller: Person,
  app: TreasuryApp,
  id: SetAsideItemId,
): Promise<SetAsideItemDetail> {
  const item = await itemById(app.db, caller.workspace, id)
  assertOpen(item)
  assertComplete(item)
  const { venue, adapter } = await app.venues.connect(caller.workspace, item.venue_id)
  const asked_at = app.clock.now()
  const answer = await withTimeLimit(rereadOf(adapter, venue)(item), venue.label)
  // Somebody may have dismissed it while the venue was asked.
  const open = await itemById(app.db, caller.workspace, id)
  assertOpen(open)
  const still =
    'still' in answer
      ? answer.still
      : await book(caller, app, { venue, item: open, asked_at }, answer)
  if (still !== undefined) {
    const stamp = { by: caller.by, now: app.clock.now() }
    await commit(caller, app, keepItem(venue, open, still, stamp))
  }
  return itemById(app.db, caller.workspace, id)
}

function assertComplete({ kind, raw, raw_length }: SetAsideItemDetail): void {
  if (kind === 'TRADE')
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'set_aside_item_id',
      'a trade is not tried again by hand: it is booked when the venue next lists it in a form ' +
        'that is understood',
    )
  if (raw.length > LONGEST_RAW)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'set_aside_item_id',
      `the record has ${raw_length} characters and is stored cut: it cannot be read again alone`,
    )
}

/** Every adapter has one behind the gate, which says why a record cannot be read alone. */
function rereadOf({ transfers }: Venue, { label }: VenueRecord) {
  if (transfers?.reread === undefined)
    throw refuse('UNSUPPORTED_BY_VENUE', 'set_aside_item_id', `${label} reports no movements`)
  return transfers.reread
}

type Retry = { venue: VenueRecord; item: SetAsideItemDetail; asked_at: number }

/** Answers why it cannot be booked yet, undefined once it is. */
async function book(
  caller: Person,
  app: TreasuryApp,
  { venue, item, asked_at }: Retry,
  found: Found,
): Promise<string | undefined> {
  const service_id = venue.services.find(({ type }) => type === 'WOMS')?.id
  if (service_id === undefined) return `${venue.label} has no service for transfers`
  const assets = await assetsOf(app.db, caller.workspace)
  const objection =
    (await objectionTo(app, { venue, item, asked_at }, assets, found)) ??
    (await objectionToNames(app, { venue, service_id }, found.incoming))
  if (objection !== undefined) return objection
  const source = { venue, service_id }
  const { by } = caller
  // In a file each record stands for itself, and nobody has decided about any of them yet.
  const decided = found.set_aside === undefined
  const { complete, refused } = await recordMovements(app, source, found.outgoing, { by, decided })
  if (decided && refused[0] !== undefined) return refused[0].reason
  if (!complete) return 'it may be a withdrawal of ours whose reference is not known yet'
  const now = app.clock.now()
  const reading: Reading = { app, venue, service_id, assets, now, asked_at, by, decided }
  const waiting = [...(found.set_aside ?? []), ...refused]
  return bookArrivals(caller, reading, item, { ...found, set_aside: waiting })
}

/** What is in the way of booking it, though it was understood. */
async function objectionTo(
  app: TreasuryApp,
  { venue, item }: Retry,
  assets: Assets,
  { incoming, outgoing }: Found,
): Promise<string | undefined> {
  const movements = [...incoming, ...outgoing]
  for (const movement of movements) {
    if (!assets.has(movement.asset)) return `the asset ${movement.asset} is not configured`
    if (movement.quantity <= 0n) return 'its quantity is not positive'
    const wait = await reasonToWait(app.db, venue, item, movement)
    if (wait !== undefined) return wait
  }
  return undefined
}

/** Another payment is booked under the name of one. */
async function objectionToNames(
  app: TreasuryApp,
  { venue, service_id }: Source,
  incoming: readonly Incoming[],
): Promise<string | undefined> {
  const names = incoming.map((movement) => movement.foreign_id)
  const known = await knownDeposits(app.db, venue.workspace, service_id, names)
  for (const movement of incoming) {
    const row = known.get(movement.foreign_id)
    const contradiction = row && contradictionOf(row, movement)
    if (contradiction !== undefined) return contradiction
  }
  return undefined
}

async function bookArrivals(
  caller: Person,
  reading: Reading,
  item: SetAsideItemDetail,
  { incoming, set_aside = [] }: Found,
): Promise<string | undefined> {
  const { app, venue, now } = reading
  const stamp = { by: caller.by, now }
  const open = await itemById(app.db, caller.workspace, item.id)
  // RESOLVED: what left had the id of the record, and has resolved it already.
  if (open.state !== 'RESOLVED') assertOpen(open)
  try {
    const draft = await pollDraft(reading, incoming)
    if (draft === 'not open') return `the opening balance of ${venue.label} is not booked yet`
    // What arrived with the id of the record resolves it already.
    if (open.state === 'OPEN' && !draft.guards.some((guard) => guard.id === item.id))
      addParts(draft, resolveItem(venue, open, stamp))
    // What waits inside it is read here for the only time.
    const inside = { kind: 'TRANSFER' as const, records: set_aside }
    addParts(draft, await setAside(app.db, venue, inside, stamp))
    await commit(caller, app, draft)
    return undefined
  } catch (error) {
    if (!isFaultOfMovement(error)) throw error
    return notBooked(error)
  }
}

async function commit(
  { workspace, by }: Person,
  app: TreasuryApp,
  parts: PollDraft | SetAsideParts,
): Promise<void> {
  if (parts.rows.length > 0) await app.lane.commit({ workspace, class: 'fact', by, ...parts })
}
