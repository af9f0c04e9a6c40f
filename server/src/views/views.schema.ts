/** Saved views: filters, columns and sort of a list in the console, under a name. */
import type { UserId, ViewId } from '../core/ids.ts'
import {
  closed,
  currentVersion,
  flag,
  id,
  nullable,
  optional,
  READ_ONLY_FIELDS,
  record,
  requiredText,
  text,
  Type,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'

export const MAXIMUM_LIST = 100
const MAXIMUM_NAME = 80
const MAXIMUM_QUERY = 4_000

const list = Type.String({
  minLength: 2,
  maxLength: MAXIMUM_LIST,
  pattern: '^/[a-z0-9/-]+$',
  description: 'The address of the list in the console',
  'x-kind': 'list of the console',
  'x-form': 'must be the address of a page of the console',
})
const name = requiredText(MAXIMUM_NAME, 'Unique among those of its user for this list')
const query = Type.String({
  maxLength: MAXIMUM_QUERY,
  pattern: '^[!-~]*$',
  description: 'Filters, sort and columns, as they stand in the address behind the question mark',
  'x-kind': 'query of the console',
  'x-form': 'must be written as in an address, without spaces',
})

export const ViewRecord = record('View', {
  id: id<ViewId>(),
  user_id: id<UserId>('Whose it is'),
  user_name: nullable(text(500, 'Of whose it is; null outside of lists')),
  list,
  name,
  query,
  shared: flag('Everybody in the workspace sees it; only its user changes it'),
})
export type View = Static<typeof ViewRecord>

export const SaveView = closed(
  { list, name, query, shared: optional(flag('Default false')) },
  { title: 'NewView' },
)
export type SaveViewBody = Static<typeof SaveView>

export const ChangeView = closed(
  {
    name: optional(name),
    query: optional(query),
    shared: optional(flag()),
    version: optional(currentVersion()),
  },
  { title: 'ViewChange', 'x-read-only': [...READ_ONLY_FIELDS, 'user_id', 'user_name', 'list'] },
)
export type ChangeViewBody = Static<typeof ChangeView>
