import { stateIn } from '../../store/states.ts'
import type { MatchingId } from '../../core/ids.ts'
import type { Clock } from '../../core/clock.ts'
import { closed, endpoint, id, listEndpoint, queryId } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { Db } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import { changeMatching, createMatching, deleteMatching, MATCHING_COLUMNS } from './matchings.ts'
import {
  ChangeMatching,
  CreateMatching,
  MATCHING_MOVES,
  MatchingRecord,
} from './matchings.schema.ts'

const EXAMPLE = {
  resource_id: '01a1fc75-ea2a-7589-aa8f-000000000001',
  type: 'SOURCE_WITHOUT_REFERENCE',
  details: {
    asset: 'EUR',
    is_withdrawal_matching: false,
    source_address: 'AT611904300234573201',
  },
}

type MatchingsApp = { db: Db; clock: Clock }

const tag = 'Matchings'

export function matchingsEndpoints(app: MatchingsApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listMatchings',
      personal: true,
      tagged: 'matching',
      path: '/accounts/matchings',
      origin: 'SPECIFIED',
      tag,
      summary: 'List matchings',
      permission: 'matchings.read',
      data: MatchingRecord,
      query: closed({ id: queryId(), account_id: queryId() }),
      list: ({ principal, query }) => ({
        select: sql`
          select ${MATCHING_COLUMNS}
          from matchings`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          sql`${stateIn(MATCHING_MOVES, 'ACTIVE')}`,
          ...(query.id === undefined ? [] : [sql`id = ${query.id}`]),
          ...(query.account_id === undefined ? [] : [sql`resource_id = ${query.account_id}`]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    ...writeEndpoints(app),
  ]
}

function writeEndpoints(app: MatchingsApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'createMatching',
      path: '/accounts/matchings',
      origin: 'SPECIFIED',
      tag,
      summary: 'Create a matching',
      permission: 'matchings.write',
      effect: 'transaction',
      description:
        'It assigns movements that become final from now on. Refused: DUPLICATE when ' +
        'an active one has the same asset, direction, type, address and reference.',
      body: CreateMatching,
      example: EXAMPLE,
      data: MatchingRecord,
      handle: ({ body, caller }, tx) => createMatching(caller, { tx, clock: app.clock }, body),
    }),
    endpoint({
      method: 'PUT',
      operation_id: 'changeMatching',
      path: '/accounts/matchings',
      origin: 'SPECIFIED',
      tag,
      summary: 'Change a matching',
      permission: 'matchings.write',
      effect: 'transaction',
      body: ChangeMatching,
      example: { id: '01a1fc75-ea2a-7589-aa8f-000000000008', ...EXAMPLE, version: 1 },
      data: MatchingRecord,
      handle: ({ body, caller }, tx) => changeMatching(caller, { tx, clock: app.clock }, body),
    }),
    endpoint({
      method: 'DELETE',
      operation_id: 'deleteMatching',
      path: '/accounts/matchings/:matching_id',
      origin: 'SPECIFIED',
      tag,
      summary: 'Delete a matching',
      permission: 'matchings.write',
      effect: 'transaction',
      params: closed({ matching_id: id<MatchingId>() }),
      data: MatchingRecord,
      handle: ({ params, caller }, tx) =>
        deleteMatching(caller, { tx, clock: app.clock }, params.matching_id),
    }),
  ]
}
