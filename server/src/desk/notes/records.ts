/** Which records take notes, and who may see them: those who may see the record. */
import { mustExist } from '../../core/assert.ts'
import { notFound, permissionRequired } from '../../core/errors.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import type { Principal } from '../../http/index.ts'
import type { Reader } from '../../store/db.ts'
import type { DeskFeed, Searchable } from '../../store/desk-feed.ts'
import { raw, sql } from '../../store/sql.ts'
import { allDeskFeeds } from '../overview/desk-feed.ts'

/** Each has a page of its own in the console. */
export const NOTED_KINDS = [
  'customer',
  'account',
  'deposit',
  'withdrawal',
  'payment',
  'batch',
  'set_aside_item',
  'execution',
  'quote',
  'fill',
  'settlement',
  'booking',
  'book_transfer',
  'job',
  'wallet',
  'route',
  'matching',
  'price_route',
  'venue',
  'break',
  'halt',
  'screening_case',
  'user',
  'api_key',
  'webhook',
] as const
export type NotedKind = (typeof NOTED_KINDS)[number]

type Place = Pick<Searchable, 'permission' | 'table'>
export type NotedPlaces = ReadonlyMap<string, Place>

/** What search does not find. */
const BESIDE_SEARCH: Readonly<Partial<Record<NotedKind, Place>>> = {
  halt: { permission: 'desk.read', table: 'brakes' },
  screening_case: { permission: 'screening.cases.read', table: 'screening_cases' },
  api_key: { permission: 'api-keys.write', table: 'api_keys' },
  webhook: { permission: 'webhooks.read', table: 'webhooks' },
}

/** `beside`: of modules on the desk's own floor. */
export function notedPlaces(beside: readonly DeskFeed[]): NotedPlaces {
  const { searchables } = allDeskFeeds(beside)
  return new Map<string, Place>([
    ...searchables.map((searchable) => [searchable.kind, searchable] as const),
    ...Object.entries(BESIDE_SEARCH),
  ])
}

type Viewer = Pick<Principal, 'workspace' | 'permissions'>

/** Throws 1003 for a kind that the caller may not see. */
export function assertSeesKind(
  places: NotedPlaces,
  { permissions }: Viewer,
  kind: NotedKind,
): Place {
  const place = mustExist(places.get(kind), kind)
  if (!permissions.has(place.permission)) throw permissionRequired(place.permission)
  return place
}

/** Throws 1003 and 4004. */
export async function assertSeesRecord(
  reader: Reader,
  places: NotedPlaces,
  viewer: Viewer,
  { kind, record_id }: { kind: NotedKind; record_id: string },
): Promise<void> {
  const { table } = assertSeesKind(places, viewer, kind)
  if (!(await exists(reader, viewer.workspace, table, record_id)))
    throw notFound(kind.replaceAll('_', ' '), record_id, 'record_id')
}

async function exists(
  reader: Reader,
  workspace: WorkspaceId,
  table: string,
  id: string,
): Promise<boolean> {
  const rows = await reader.query(sql`
    select 1
    from ${raw(table)}
    where workspace = ${workspace}
      and id = ${id}`)
  return rows.length > 0
}
