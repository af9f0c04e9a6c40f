import { closed, listEndpoint, queryOneOf } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { columnIn, sql } from '../store/sql.ts'
import { LIST_NAMES, ScreeningListRecord } from './lists.schema.ts'
import { LIST_COLUMNS } from './lists.ts'

export function listsEndpoints(): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listScreeningLists',
      path: '/screening/lists',
      origin: { ours: 'what movements are screened with is kept and shown' },
      tag: 'Screening',
      summary: 'List the versions of sanctions lists',
      description:
        'Each version that the operator has loaded (`npm run screening -- load`), with the hashes ' +
        'of its files, what it changed, and the records that could not be read.',
      permission: 'screening.read',
      query: closed({ list: queryOneOf(LIST_NAMES) }),
      data: ScreeningListRecord,
      list: ({ principal, query }) => ({
        select: sql`
          select ${LIST_COLUMNS}
          from screening_lists`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          ...(query.list === undefined ? [] : [columnIn('list', query.list)]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
  ]
}
