import type { ReconciliationDayId, VenueId } from '../../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  queryDay,
  queryId,
  queryOneOf,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { reopenDay, signOffDay } from './day-sign-off.ts'
import { listDays, listLines, showDay } from './days.ts'
import { DAY_STATES, DayLine, DayRecord, Reopen, ShownDay, SignOff } from './days.schema.ts'
import type { ReconciliationApp } from './reconciliation.ts'

const tag = 'Reconciliation'
const params = closed({ day_id: id<ReconciliationDayId>() })

export function dayEndpoints(app: ReconciliationApp): Endpoint[] {
  return [...readingEndpoints(app), ...signingEndpoints(app)]
}

function readingEndpoints({ db, clock }: ReconciliationApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listReconciliationDays',
      path: '/desk/reconciliation/days',
      origin: { ours: 'each day of each venue is signed off by a second person' },
      tag,
      summary: 'List reconciled days',
      description:
        'A day (UTC) of a venue, as venue and books were last compared on it. It appears when ' +
        'the day is over, also where nothing was compared.',
      permission: 'desk.read',
      data: DayRecord,
      query: closed({
        state: queryOneOf(DAY_STATES),
        venue_id: queryId<VenueId>(),
        day: queryDay(),
      }),
      list: ({ query, principal }) => listDays(principal.workspace, query),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getReconciliationDay',
      path: '/desk/reconciliation/days/:day_id',
      origin: { ours: 'what a venue and the books said on a day, and who has signed it' },
      tag,
      summary: 'A reconciled day',
      description: 'With its lines, the breaks of that day, and who signed or reopened it.',
      permission: 'desk.read',
      effect: 'read',
      read_cost: 1_000,
      params,
      data: ShownDay,
      handle: ({ params, principal }) =>
        showDay(db, principal.workspace, params.day_id, clock.now()),
    }),
    listEndpoint({
      operation_id: 'listReconciliationLines',
      ordered_by: 'sequence',
      path: '/desk/reconciliation/days/:day_id/lines',
      origin: { ours: 'a reconciled day as a table' },
      tag,
      summary: 'The lines of a reconciled day',
      description:
        'What the venue held and the books said, asset by asset, and how each difference was ' +
        'explained. CSV by `Accept: text/csv`.',
      permission: 'desk.read',
      params,
      data: DayLine,
      list: ({ params, principal }) => listLines(db, principal.workspace, params.day_id),
    }),
  ]
}

function signingEndpoints({ clock }: ReconciliationApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'signOffReconciliationDay',
      path: '/desk/reconciliation/days/:day_id/sign-off',
      origin: { ours: 'a second person confirms that the differences of a day are explained' },
      tag,
      summary: 'Sign off a reconciled day',
      description:
        'Refused: STATE_NOT_ALLOWED while a break of the day is open, ANOTHER_PERSON for who ' +
        'closed one of its breaks and for programs, REQUIRED without a note where nothing was ' +
        'compared.',
      permission: 'reconciliation.sign-off',
      effect: 'transaction',
      params,
      body: SignOff,
      example: { note: 'Checked against the statement of the venue' },
      data: ShownDay,
      handle: ({ params, body, caller }, tx) =>
        signOffDay(caller, { tx, clock }, params.day_id, body.note),
    }),
    endpoint({
      method: 'POST',
      operation_id: 'reopenReconciliationDay',
      path: '/desk/reconciliation/days/:day_id/reopen',
      origin: { ours: 'a day that was signed off too early is looked at again' },
      tag,
      summary: 'Reopen a reconciled day',
      description:
        'The earlier signature stays in `signatures`. Refused: STATE_NOT_ALLOWED for a day that ' +
        'is not signed off, ANOTHER_PERSON for programs.',
      permission: 'reconciliation.sign-off',
      effect: 'transaction',
      params,
      body: Reopen,
      example: { reason: 'The venue has sent another statement' },
      data: ShownDay,
      handle: ({ params, body, caller }, tx) =>
        reopenDay(caller, { tx, clock }, params.day_id, body.reason),
    }),
  ]
}
