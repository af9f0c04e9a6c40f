/**
 * Records that were set aside, as a reading of the venue meets them: it stores new ones, and
 * resolves those that the venue reports in a form that is understood. Some are left to a person.
 */
import type { EventDraft, Guard } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { Incoming, KnownItem, SetAsideParts, VenueRecord } from '../../venues/index.ts'

type Gathered = { guards: Guard[]; rows: Query[]; events: EventDraft[] }

export function addParts(draft: Gathered, { guards, rows, events }: SetAsideParts): void {
  draft.guards.push(...guards)
  draft.rows.push(...rows)
  draft.events.push(...events)
}

/**
 * Why a person must decide about a movement whose record was set aside. Undefined when it is booked
 * as any other.
 */
export async function reasonToWait(
  reader: Reader,
  venue: VenueRecord,
  item: KnownItem,
  movement: Pick<Incoming, 'asset'>,
): Promise<string | undefined> {
  if (item.state === 'DISMISSED') return 'a user has dismissed it'
  return (await wasSetAsideAtOpening(reader, venue, item, movement))
    ? `it waited when the opening balance of ${movement.asset} at ${venue.label} was read, which ` +
        'may contain it: compare the balances, book by hand what is missing, and dismiss it'
    : undefined
}

/**
 * Whether a record waited, not understood, when the opening balance of this asset was read: then
 * nobody knows whether the balance contains it.
 */
async function wasSetAsideAtOpening(
  reader: Reader,
  { workspace, id }: VenueRecord,
  { system_created_at }: Pick<KnownItem, 'system_created_at'>,
  { asset }: Pick<Incoming, 'asset'>,
): Promise<boolean> {
  const rows = await reader.query(sql`
    select 1
    from venue_openings
    where workspace = ${workspace}
      and venue_id = ${id}
      and asset = ${asset}
      and opened_at >= ${system_created_at}`)
  return rows.length > 0
}
