import { closed, endpoint, id, listEndpoint, queryId, queryOneOf } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import {
  CASE_COLUMNS,
  CASE_STATES,
  caseRow,
  CASES,
  DecideCase,
  SCREENING_COLUMNS,
  ScreeningCaseRecord,
  ScreeningRecord,
} from '../screening/index.ts'
import { shownOf } from '../store/rows.ts'
import { columnIn, sql } from '../store/sql.ts'
import type { TreasuryApp } from '../treasury/index.ts'
import { decideCase } from './decisions.ts'

const tag = 'Screening'
const params = closed({ case_id: id() })

export const complianceEndpoints = (app: TreasuryApp): Endpoint[] => [
  listCases,
  readCase(app),
  decide(app),
  listScreenings,
]

const listCases = listEndpoint({
  operation_id: 'listScreeningCases',
  path: '/screening/cases',
  origin: { ours: 'people decide about movements whose parties a sanctions list may name' },
  tag,
  summary: 'List cases',
  permission: 'screening.cases.read',
  description:
    'A case opens when a withdrawal that is about to be sent, or a deposit that is about to be ' +
    'assigned, has a name, an address or a BIC of a sanctions list. The movement waits until it ' +
    'is decided. `record_id`: of this movement.',
  personal: true,
  tagged: 'screening_case',
  query: closed({ state: queryOneOf(CASE_STATES), record_id: queryId() }),
  data: ScreeningCaseRecord,
  list: ({ principal: { workspace }, query: { state, record_id } }) => ({
    select: sql`
      select ${CASE_COLUMNS}
      from screening_cases`,
    conditions: [
      sql`workspace = ${workspace}`,
      ...(state === undefined ? [] : [columnIn('state', state)]),
      ...(record_id === undefined ? [] : [sql`record_id = ${record_id}`]),
    ],
    key: { column: 'id', type: 'uuid' },
  }),
})

const readCase = (app: TreasuryApp) =>
  endpoint({
    method: 'GET',
    operation_id: 'getScreeningCase',
    path: '/screening/cases/:case_id',
    origin: { ours: 'who decides sees what was looked for, what was found, and in which list' },
    tag,
    summary: 'One case',
    permission: 'screening.cases.read',
    effect: 'read',
    personal: true,
    params,
    data: ScreeningCaseRecord,
    handle: async ({ params: { case_id }, principal: { workspace } }) =>
      shownOf(CASES, await caseRow(app.db, workspace, case_id)),
  })

const decide = (app: TreasuryApp) =>
  endpoint({
    method: 'POST',
    operation_id: 'decideScreeningCase',
    path: '/screening/cases/:case_id/decision',
    origin: { ours: 'a person tells the listed one from somebody of the same name' },
    tag,
    summary: 'Clear or refuse a case',
    permission: 'screening.cases.decide',
    confirmed: true,
    description:
      'CLEAR: the movement goes on; it is screened again, and waits once more only for what was ' +
      'not cleared. REFUSE: a withdrawal is canceled, and what was blocked is free; a deposit is ' +
      'kept, neither assigned nor sent back, until its refused case is cleared after all. All ' +
      'else is final. Refused: STATE_NOT_ALLOWED once it is decided, or while it is not known ' +
      'whether the withdrawal has left; STALE_VERSION when more was found since it was read.',
    effect: 'lane',
    params,
    body: DecideCase,
    example: { decision: 'CLEAR', reason: 'Another date of birth: passport of 12 March 2026' },
    data: ScreeningCaseRecord,
    handle: ({ params: { case_id }, body, caller }) => decideCase(caller, app, case_id, body),
  })

const listScreenings = listEndpoint({
  operation_id: 'listScreenings',
  path: '/screening/results',
  origin: { ours: 'that a movement was screened, and with what, can be shown later' },
  tag,
  summary: 'List screenings',
  permission: 'screening.cases.read',
  description:
    'What was looked for, with which version of each list, and what was found. `record_id`: of ' +
    'this movement; `case_id`: that led to this case.',
  personal: true,
  query: closed({ record_id: queryId(), case_id: queryId() }),
  data: ScreeningRecord,
  list: ({ principal: { workspace }, query: { record_id, case_id } }) => ({
    select: sql`
      select ${SCREENING_COLUMNS}
      from screenings`,
    conditions: [
      sql`workspace = ${workspace}`,
      ...(record_id === undefined ? [] : [sql`record_id = ${record_id}`]),
      ...(case_id === undefined ? [] : [sql`case_id = ${case_id}`]),
    ],
    key: { column: 'id', type: 'uuid' },
  }),
})
