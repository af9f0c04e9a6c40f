/**
 * The records that were set aside, as items that wait for a person. A record has one item however
 * often it is read. Whoever reads a venue stores its items together with the cursor, in one change:
 * what is gathered here are the parts of that change.
 */
import { createHash } from 'node:crypto'
import { mustExist } from '../../core/assert.ts'
import { notFound, refuse } from '../../core/errors.ts'
import type { SetAsideItemId, VenueId, WorkspaceId } from '../../core/ids.ts'
import { idAt } from '../../core/ids.ts'
import { move } from '../../core/moves.ts'
import { only } from '../../store/db.ts'
import type { Reader, Tx } from '../../store/db.ts'
import { allColumnsOf, insertRow, tableOf, updateGuardedRow, updateRow } from '../../store/rows.ts'
import type { Stamp } from '../../store/rows.ts'
import { sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import type { SetAsideRecord } from '../contract.ts'
import { RAW_COLUMN, SET_ASIDE_MOVES, SetAsideItemRecord } from './items.schema.ts'
import type {
  SetAsideItem,
  SetAsideItemDetail,
  SetAsideKind,
  SetAsideState,
} from './items.schema.ts'
import { putLikeness } from './likenesses.ts'
import { recordId } from './records.ts'
import { shortText, storableText } from './texts.ts'

const SET_ASIDE_ITEMS = tableOf('set_aside_items', SetAsideItemRecord, {
  inside: RAW_COLUMN,
})
const ALL_COLUMNS = allColumnsOf(SET_ASIDE_ITEMS)

export const LONGEST_RAW = 100_000
const LONGEST_REASON = 1_000

type Direction = SetAsideRecord['direction']

/** What is needed of an item to move it. */
export type KnownItem = Pick<
  SetAsideItem,
  | 'id'
  | 'state'
  | 'version'
  | 'venue_id'
  | 'foreign_id'
  | 'direction'
  | 'reason'
  | 'kind'
  | 'system_created_at'
>
type StoredItem = KnownItem & { hash: string }

/** The parts of a change; its guards and events fit the ledger's. */
export type SetAsideParts = {
  guards: {
    table: string
    resource: string
    id: string
    version: number
    from: readonly string[]
    to?: string
  }[]
  rows: Query[]
  events: {
    type: `set_aside_item.${'opened' | 'resolved' | 'dismissed'}`
    resource_id: string
    data: { [field: string]: string | boolean | null }
  }[]
}

type Place = { workspace: WorkspaceId; id: VenueId }

/**
 * Stores each record once. One that is known is kept as the venue reports it now; one that was
 * resolved opens again when it has changed since; one that a user dismissed stays dismissed.
 */
export async function setAside(
  reader: Reader,
  venue: Place,
  { kind, records }: { kind: SetAsideKind; records: readonly SetAsideRecord[] },
  stamp: Stamp,
): Promise<SetAsideParts> {
  const parts: SetAsideParts = { guards: [], rows: [], events: [] }
  if (records.length === 0) return parts
  const latest = new Map(
    records.map(storableRecord).map((record) => [keyOf(record), record] as const),
  )
  const ids = [...latest.values()].map((record) => record.foreign_id)
  const stored = await readItems(reader, venue, kind, ids)
  const known = new Map(stored.map((item) => [keyOf(item), item]))
  for (const [key, record] of latest) {
    const item = known.get(key)
    if (item === undefined) addItem(parts, venue, { kind, ...record }, stamp)
    else if (item.state === 'OPEN') refreshItem(parts, venue, item, record)
    else if (item.state === 'RESOLVED' && item.hash !== hashOf(record.raw))
      reopenItem(parts, venue, item, record)
  }
  return parts
}

const keyOf = ({ foreign_id, direction }: { foreign_id: string; direction: Direction }): string =>
  `${direction ?? ''} ${foreign_id}`

type StorableRecord = SetAsideRecord & { raw_length: number }

/** What a person sees of a record is all that can be stored of it. */
function storableRecord(record: SetAsideRecord): StorableRecord {
  const { raw, reason, occurred_at } = record
  const whole = storableText(raw)
  const cut = whole.length > LONGEST_RAW
  return {
    foreign_id: recordId(record.foreign_id, raw),
    direction: record.direction,
    reason: shortText(reason, LONGEST_REASON),
    raw: cut
      ? `${whole.slice(0, LONGEST_RAW).toWellFormed()}\n` +
        `(cut: the first ${LONGEST_RAW} of ${raw.length} characters)`
      : whole,
    raw_length: raw.length,
    occurred_at: Number.isSafeInteger(occurred_at) && Number(occurred_at) >= 0 ? occurred_at : null,
    ...(record.like === undefined ? {} : { like: record.like }),
  }
}

const hashOf = (raw: string): string => createHash('sha256').update(raw).digest('hex')

function addItem(
  parts: SetAsideParts,
  { workspace, id: venue_id }: Place,
  { like, ...record }: StorableRecord & { kind: SetAsideKind },
  stamp: Stamp,
): void {
  const item = {
    workspace,
    id: idAt<SetAsideItemId>(stamp.now),
    state: 'OPEN' as const,
    venue_id,
    ...record,
  }
  parts.rows.push(insertRow(SET_ASIDE_ITEMS, item, stamp))
  if (like !== undefined) parts.rows.push(putLikeness({ workspace, id: venue_id }, item.id, like))
  parts.events.push(itemEvent('opened', item, { alert: true }))
}

/** Nothing is written while neither the record nor what was not understood of it has changed. */
function refreshItem(
  parts: SetAsideParts,
  venue: Place,
  item: StoredItem,
  { raw, raw_length, reason, occurred_at, like }: StorableRecord,
): void {
  if (item.hash === hashOf(raw) && item.reason === reason) return
  parts.guards.push(guardOf(item, ['OPEN']))
  parts.rows.push(updateItem(venue.workspace, item, { raw, raw_length, reason, occurred_at }))
  if (like !== undefined) parts.rows.push(putLikeness(venue, item.id, like))
}

function reopenItem(
  parts: SetAsideParts,
  venue: Place,
  item: StoredItem,
  { raw, raw_length, reason, occurred_at, like }: StorableRecord,
): void {
  const { from, to } = move(SET_ASIDE_MOVES, 'RESOLVED', 'OPEN')
  parts.guards.push({ ...guardOf(item, from), to })
  const open = { closed_at: null, closed_by: null }
  parts.rows.push(
    updateItem(venue.workspace, item, { raw, raw_length, reason, occurred_at, ...open }),
  )
  if (like !== undefined) parts.rows.push(putLikeness(venue, item.id, like))
  parts.events.push(itemEvent('opened', { ...item, reason }, { alert: true }))
}

/** Its record was understood after all, and is taken into the books by the same change. */
export function resolveItem(
  { workspace }: Pick<Place, 'workspace'>,
  item: KnownItem,
  { by, now }: Stamp,
): SetAsideParts {
  const { from, to } = move(SET_ASIDE_MOVES, 'OPEN', 'RESOLVED')
  return {
    guards: [{ ...guardOf(item, from), to }],
    rows: [updateItem(workspace, item, { closed_at: now, closed_by: by })],
    events: [itemEvent('resolved', item, { closed_by: by })],
  }
}

/** It still waits, for this reason; `retried` when a user tried it again. */
export function keepItem(
  { workspace }: Pick<Place, 'workspace'>,
  item: KnownItem,
  reason: string | undefined,
  retried?: Stamp,
): SetAsideParts {
  const words = shortText(reason ?? item.reason, LONGEST_REASON)
  const isSame = words === item.reason && retried === undefined
  if (item.state !== 'OPEN' || isSame) return { guards: [], rows: [], events: [] }
  const by = retried && { retried_at: retried.now, retried_by: retried.by }
  return {
    guards: [guardOf(item, ['OPEN'])],
    rows: [updateItem(workspace, item, { reason: words, ...by })],
    events: [],
  }
}

/**
 * A user has decided that nothing is to be booked. Throws 4004, and 3001 STATE_NOT_ALLOWED for one
 * that does not wait any more.
 */
export async function dismissItem(
  tx: Tx,
  { workspace, by }: { workspace: WorkspaceId; by: string },
  id: SetAsideItemId,
  { note, now }: { note: string; now: number },
): Promise<{ item: SetAsideItemDetail; event: SetAsideParts['events'][number] }> {
  const known = await itemById(tx, workspace, id)
  assertOpen(known)
  const update = updateRow(SET_ASIDE_ITEMS, {
    where: { workspace, id },
    move: move(SET_ASIDE_MOVES, 'OPEN', 'DISMISSED'),
    set: { closed_at: now, closed_by: by, note },
    by,
    now,
  })
  const [item] = await tx.query<SetAsideItemDetail>(sql`${update} returning ${ALL_COLUMNS}`)
  return {
    item: mustExist(item, 'an open item is dismissed'),
    event: itemEvent('dismissed', known, { closed_by: by, note }),
  }
}

/** Throws 3001 STATE_NOT_ALLOWED. */
export function assertOpen({ id, state }: Pick<SetAsideItem, 'id' | 'state'>): void {
  if (state !== 'OPEN')
    throw refuse(
      'STATE_NOT_ALLOWED',
      'set_aside_item_id',
      `set-aside item ${id} is ${state}; this needs OPEN`,
    )
}

const guardOf = (
  { id, version }: Pick<KnownItem, 'id' | 'version'>,
  from: readonly SetAsideState[],
) => ({ table: SET_ASIDE_ITEMS.name, resource: 'set-aside item', id, version, from })

const updateItem = (
  workspace: WorkspaceId,
  { id }: Pick<KnownItem, 'id'>,
  set: Parameters<typeof updateGuardedRow<SetAsideItemDetail>>[1]['set'] & object,
): Query => updateGuardedRow(SET_ASIDE_ITEMS, { where: { workspace, id }, set })

const itemEvent = (
  type: 'opened' | 'resolved' | 'dismissed',
  item: Pick<KnownItem, 'id' | 'venue_id' | 'kind' | 'foreign_id' | 'direction' | 'reason'>,
  more: SetAsideParts['events'][number]['data'],
): SetAsideParts['events'][number] => {
  const { id, venue_id, kind, foreign_id, direction, reason } = item
  return {
    type: `set_aside_item.${type}`,
    resource_id: id,
    data: { venue_id, kind, foreign_id, direction, reason, ...more },
  }
}

/** The items of these records, by the venue's id; of one record that of its direction first. */
export async function itemsOf(
  reader: Reader,
  venue: Place,
  { kind, direction }: { kind: SetAsideKind; direction: Direction },
  foreign_ids: readonly string[],
): Promise<Map<string, KnownItem>> {
  if (foreign_ids.length === 0) return new Map()
  const items = (await readItems(reader, venue, kind, foreign_ids)).filter(
    (item) => item.direction === null || item.direction === direction,
  )
  const undirected = items.filter((item) => item.direction === null)
  const directed = items.filter((item) => item.direction !== null)
  return new Map([...undirected, ...directed].map((item) => [item.foreign_id, item]))
}

const readItems = (
  reader: Reader,
  { workspace, id }: Place,
  kind: SetAsideKind,
  foreign_ids: readonly string[],
): Promise<StoredItem[]> =>
  reader.query<StoredItem>(sql`
    select id, state, version, venue_id, kind, foreign_id, direction, reason, system_created_at,
      encode(sha256(convert_to(raw, 'UTF8')), 'hex') as hash
    from set_aside_items
    where workspace = ${workspace}
      and venue_id = ${id}
      and kind = ${kind}
      and foreign_id = any(${foreign_ids}::text[])`)

/** Throws 4004. */
export async function itemById(
  reader: Reader,
  workspace: WorkspaceId,
  id: SetAsideItemId,
): Promise<SetAsideItemDetail> {
  const rows = await reader.query<SetAsideItemDetail>(sql`
    select ${ALL_COLUMNS}
    from set_aside_items
    where workspace = ${workspace}
      and id = ${id}`)
  const item = only(rows)
  if (item === undefined) throw notFound('set-aside item', id, 'set_aside_item_id')
  return item
}
