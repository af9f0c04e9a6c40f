import { closed, endpoint, listEndpoint, queryOneOf, Type } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import type { Db } from '../store/db.ts'
import { columnIn, sql } from '../store/sql.ts'
import { EntriesQuery, findEntries, FoundEntryShape } from './entries.ts'
import { LIST_NAMES, ScreeningListRecord } from './lists.schema.ts'
import { LIST_COLUMNS } from './lists.ts'

const common = { tag: 'Screening', permission: 'screening.read' } as const

export function listsEndpoints({ db }: { db: Db }): Endpoint[] {
  return [
    endpoint({
      ...common,
      method: 'GET',
      operation_id: 'findScreeningEntries',
      path: '/screening/entries',
      origin: { ours: 'whoever decides about a customer looks up a name or an address by hand' },
      summary: 'Find a name, an address or a BIC in the sanctions lists',
      description:
        'Compares as screening does: exactly, once both sides are written in one way ' +
        '(docs/operations.md, Sanctions lists). In the versions that count now; at most 200.',
      effect: 'read',
      query: EntriesQuery,
      data: Type.Array(FoundEntryShape),
      handle: ({ caller, query }) => findEntries(db, caller.workspace, query.q),
    }),
    listEndpoint({
      ...common,
      operation_id: 'listScreeningLists',
      path: '/screening/lists',
      origin: { ours: 'what movements are screened with is kept and shown' },
      summary: 'List the versions of sanctions lists',
      description:
        'Each version that the operator has loaded (`npm run screening -- load`), with the ' +
        'hashes of its files, what it changed, and the records that could not be read.',
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
