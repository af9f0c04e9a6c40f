/**
 * Records whose ids are none that their venue gave them. A later message may show the same money
 * properly, under an id of its own. What is known of the record finds what a user has decided of
 * it: then a person looks at the movement too, and nothing is booked twice.
 */
import { decimal, format } from '../../core/decimal.ts'
import type { SetAsideItemId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { closed, decimalText, id, nullable, text, Type } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import { insertRow, tableOf } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { stateIn } from '../../store/states.ts'
import type { Incoming, Outgoing, SetAsideLikeness } from '../contract.ts'
import { SET_ASIDE_MOVES } from './items.schema.ts'
import { LATEST_TIME } from './texts.ts'

const MAXIMUM_EXAMINED = 1_000
/** Banks date one entry differently in different messages; a weekend may lie between. */
const DAYS_APART = [-3, -2, -1, 0, 1, 2, 3]
const DAY_MILLISECONDS = 86_400_000

type Place = { workspace: WorkspaceId; id: VenueId }

const LIKENESSES = tableOf(
  'set_aside_likenesses',
  closed({
    workspace: id<WorkspaceId>(),
    item_id: id<SetAsideItemId>(),
    venue_id: id<VenueId>(),
    day: text(),
    quantity: nullable(decimalText()),
    names: Type.Array(text()),
  }),
)

export function putLikeness(
  { workspace, id: venue_id }: Place,
  item_id: SetAsideItemId,
  { day, quantity, names }: SetAsideLikeness,
): Query {
  const known = quantity === null ? null : format(quantity)
  const row = { workspace, item_id, venue_id, day, quantity: known, names }
  return sql`
    ${insertRow(LIKENESSES, row, { by: null, now: 0 })}
    on conflict (workspace, item_id) do update
    set day = excluded.day, quantity = excluded.quantity, names = excluded.names`
}

type Dismissed = {
  id: string
  direction: 'IN' | 'OUT' | null
  day: string
  quantity: string | null
  names: string[]
  note: string | null
}

/**
 * Why movements must wait, by their ids: each may be the money of a record that a user has
 * dismissed. Of about the same day and the same direction, and of the same quantity; where the
 * record's could not be read, of the same reference.
 */
export async function findDismissedLike(
  reader: Reader,
  { workspace, id: venue_id }: Place,
  direction: 'IN' | 'OUT',
  movements: readonly (Incoming | Outgoing)[],
): Promise<Map<string, string>> {
  const days = [...new Set(movements.flatMap(daysOf))]
  if (days.length === 0) return new Map()
  const quantities = [...new Set(movements.map(({ quantity }) => format(quantity)))]
  const dismissed = await reader.query<Dismissed>(sql`
    select i.id, i.direction, i.note, l.day, l.quantity, l.names
    from set_aside_likenesses l
    join set_aside_items i on i.workspace = l.workspace
      and i.id = l.item_id
    where l.workspace = ${workspace}
      and l.venue_id = ${venue_id}
      and l.day = any(${days}::text[])
      and (l.quantity is null or l.quantity = any(${quantities}::numeric[]))
      and ${stateIn(SET_ASIDE_MOVES, 'DISMISSED', 'i.state')}
    order by i.id desc
    limit ${MAXIMUM_EXAMINED}`)
  const waiting = new Map<string, string>()
  for (const movement of movements) {
    const item = dismissed.find(
      (known) =>
        (known.direction === null || known.direction === direction) && isLike(known, movement),
    )
    if (item !== undefined) waiting.set(movement.foreign_id, reasonOf(item))
  }
  return waiting
}

function isLike({ day, quantity, names }: Dismissed, movement: Incoming | Outgoing): boolean {
  const isSame =
    quantity === null
      ? namesOf(movement).some((name) => names.includes(name))
      : decimal(quantity) === movement.quantity
  return isSame && daysOf(movement).includes(day)
}

const reasonOf = ({ id, note }: Dismissed): string =>
  `it may be the money of set-aside item ${id}, which a user has dismissed` +
  `${note === null ? '' : ` (${note})`}: if it was booked by hand, dismiss this record too; ` +
  'if not, try it again, and it is booked'

/** Those about its day in UTC, and about its value date as the venue wrote it. */
function daysOf({ occurred_at, value_date }: Incoming | Outgoing): string[] {
  const dates = [occurred_at, ...(typeof value_date === 'string' ? [Date.parse(value_date)] : [])]
  const times = dates.flatMap((date) => DAYS_APART.map((days) => date + days * DAY_MILLISECONDS))
  return times.map((time) => new Date(Math.min(time, LATEST_TIME)).toISOString().slice(0, 10))
}

/** The venue's name of an entry may have a suffix that we gave it. */
function namesOf(movement: Incoming | Outgoing): string[] {
  const [entry = ''] = movement.foreign_id.split(/[~/]/)
  return [movement.foreign_id, entry, ...referencesOf(movement)]
}

function referencesOf(movement: Incoming | Outgoing): string[] {
  const named =
    'kind' in movement
      ? [movement.external_id]
      : [movement.carried_external_id, movement.related_external_id]
  return named.flatMap((reference) => reference ?? [])
}
