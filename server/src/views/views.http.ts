import type { Clock } from '../core/clock.ts'
import type { ViewId } from '../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryReference } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { ChangeView, MAXIMUM_LIST, SaveView, ViewRecord } from './views.schema.ts'
import type { View } from './views.schema.ts'
import {
  changeView,
  deleteView,
  MAXIMUM_VIEWS,
  saveView,
  VIEW_COLUMNS,
  withUserNames,
} from './views.ts'

type ViewsApp = { db: Db; clock: Clock }

const common = {
  tag: 'Saved views',
  permission: 'authenticated',
  origin: { ours: 'people come back to the same filters, from whatever computer' },
} as const
const ofOne = {
  ...common,
  path: '/views/:view_id',
  params: closed({ view_id: id<ViewId>() }),
  data: ViewRecord,
  effect: 'transaction',
} as const

export function viewsEndpoints({ db, clock }: ViewsApp): Endpoint[] {
  return [
    listEndpoint({
      ...common,
      operation_id: 'listViews',
      path: '/views',
      summary: 'List saved views',
      description: 'The own ones and those that others share. `list`: those of this list.',
      data: ViewRecord,
      query: closed({ list: queryReference(MAXIMUM_LIST) }),
      list: ({ principal: { workspace, user_id }, query: { list } }) => ({
        select: sql`
          select ${VIEW_COLUMNS}
          from views`,
        conditions: [
          sql`workspace = ${workspace}`,
          sql`(user_id = ${user_id} or shared)`,
          ...(list === undefined ? [] : [sql`list = ${list}`]),
        ],
        key: { column: 'id', type: 'uuid' },
        enrich: (views: View[]) => withUserNames(db, workspace, views),
      }),
    }),
    endpoint({
      ...common,
      method: 'POST',
      operation_id: 'saveView',
      path: '/views',
      summary: 'Save a view',
      effect: 'transaction',
      description:
        `A user keeps at most ${MAXIMUM_VIEWS}. Refused: DUPLICATE when the user has one of this ` +
        'name for this list, ABOVE_MAXIMUM.',
      body: SaveView,
      example: {
        list: '/treasury/deposits',
        name: 'Unassigned today',
        query: 'period=today&sort=-quantity&state=UNASSIGNED',
        shared: true,
      },
      data: ViewRecord,
      handle: ({ body, principal }, tx) => saveView(principal, { tx, clock }, body),
    }),
    endpoint({
      ...ofOne,
      method: 'PUT',
      operation_id: 'changeView',
      summary: 'Rename, share or save a view anew',
      description:
        'A field that is left out stays. Refused: CONFLICT when it is of somebody else, ' +
        'DUPLICATE, STALE_VERSION.',
      body: ChangeView,
      example: { name: 'Unassigned', version: 1 },
      handle: ({ params, body, principal }, tx) =>
        changeView(principal, { tx, clock }, { ...body, id: params.view_id }),
    }),
    endpoint({
      ...ofOne,
      method: 'DELETE',
      operation_id: 'deleteView',
      errors: ['PermissionDenied'],
      summary: 'Delete a view',
      description:
        'One that somebody else shares: only with the permission users.write. Answers the view ' +
        'as it was.',
      handle: ({ params, principal }, tx) => deleteView(principal, tx, params.view_id),
    }),
  ]
}
