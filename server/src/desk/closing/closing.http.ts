import type { Clock } from '../../core/clock.ts'
import type { PeriodId } from '../../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryOneOf } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import type { Db } from '../../store/db.ts'
import { closePeriod, reopenPeriod } from './closing.ts'
import { listPeriods, showPeriod } from './periods.ts'
import {
  ClosePeriod,
  PERIOD_STATES,
  PeriodRecord,
  ReopenPeriod,
  ShownPeriod,
} from './periods.schema.ts'

const tag = 'Bookings'
const params = closed({ period_id: id<PeriodId>() })

type ClosingApp = { db: Db; clock: Clock }

export const closingEndpoints = (app: ClosingApp): Endpoint[] => [
  ...readingEndpoints(app),
  ...closingAndReopening(app),
]

function readingEndpoints({ db }: ClosingApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listPeriods',
      path: '/periods',
      origin: { ours: 'auditors see which periods are closed, by whom, and what was reopened' },
      tag,
      summary: 'List closed periods',
      permission: 'bookings.read',
      data: PeriodRecord,
      query: closed({ state: queryOneOf(PERIOD_STATES) }),
      list: ({ query, principal }) => listPeriods(principal.workspace, query),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getPeriod',
      path: '/periods/:period_id',
      origin: { ours: 'the trial balance of a closed period, as it was frozen' },
      tag,
      summary: 'A closed period',
      description: 'With its trial balance, and the text whose hash stands in the chain of events.',
      permission: 'bookings.read',
      effect: 'read',
      params,
      data: ShownPeriod,
      handle: ({ params, principal }) => showPeriod(db, principal.workspace, params.period_id),
    }),
  ]
}

function closingAndReopening({ clock }: ClosingApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'closePeriod',
      path: '/periods',
      origin: { ours: 'what has been reported is not changed by later bookings' },
      tag,
      summary: 'Close a period',
      description:
        'Freezes the trial balance of everything that is booked by now with a value date up to ' +
        '`last_day`, and moves the open period behind it: what comes later belongs to the open ' +
        'period. Refused: RANGE for a day that is not over, PERIOD_CLOSED for one that is ' +
        'closed, ANOTHER_PERSON for programs.',
      permission: 'periods.close',
      effect: 'transaction',
      body: ClosePeriod,
      example: { last_day: '2026-11-30', note: 'November' },
      data: ShownPeriod,
      handle: ({ body, caller }, tx) => closePeriod(caller, { tx, clock }, body),
    }),
    endpoint({
      method: 'POST',
      operation_id: 'reopenPeriod',
      path: '/periods/:period_id/reopen',
      origin: { ours: 'a period that was closed too early is opened again, for all to see' },
      tag,
      summary: 'Reopen the last closed period',
      description:
        'Its record stays, with what was frozen, who reopened it and why. Refused: ' +
        'STATE_NOT_ALLOWED for one that is not the last closed one, ANOTHER_PERSON for programs.',
      permission: 'periods.close',
      effect: 'transaction',
      params,
      body: ReopenPeriod,
      example: { reason: 'The invoice of November is missing' },
      data: ShownPeriod,
      handle: ({ params, body, caller }, tx) =>
        reopenPeriod(caller, { tx, clock }, params.period_id, body.reason),
    }),
  ]
}
