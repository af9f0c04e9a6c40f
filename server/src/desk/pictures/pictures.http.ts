import {
  closed,
  endpoint,
  queryAsset,
  queryDay,
  queryInteger,
  queryTimeZone,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { breakDays } from './break-days.ts'
import { flowsOf } from './flows.ts'
import { BreakDaysRecord, FlowsRecord, PositionDaysRecord } from './pictures.schema.ts'
import { positionDays } from './positions.ts'
import type { PicturesApp } from './positions.ts'

const MOST_DAYS = 92
const USUAL_DAYS = 30

const DAYS =
  '`day` is the last day, by default today; days begin at midnight in `time_zone` (UTC by ' +
  'default). Refused: RANGE for a day in the future, FORMAT for an unknown time zone.'

const oneDay = { day: queryDay(), time_zone: queryTimeZone() }
const someDays = { ...oneDay, days: queryInteger(1, MOST_DAYS) }

export function picturesEndpoints(app: PicturesApp): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      operation_id: 'getPositionDays',
      path: '/desk/positions',
      origin: { ours: 'a desk sees how its positions and its exposure move from day to day' },
      tag: 'Overview',
      summary: 'Positions and exposure at the end of each day',
      permission: 'accounts.read',
      effect: 'read',
      read_cost: 1_000,
      description:
        'What the accounts of the house and its venues held at the end of each of `days` days ' +
        '(30 by default), and per asset what of it is its own: HOUSE, MARGIN, RISK, ROUNDING and ' +
        'INCOME less FEE and EXPENSE. With `value_in` also at the prices of now. By times of ' +
        `booking. ${DAYS}`,
      query: closed({ ...someDays, value_in: queryAsset() }),
      data: PositionDaysRecord,
      handle: ({ query: { days = USUAL_DAYS, ...query }, principal }) =>
        positionDays(app, principal.workspace, { days, ...query }),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getDayFlows',
      path: '/desk/flows',
      origin: { ours: 'a desk sees what came in, went out and was traded in each hour of a day' },
      tag: 'Overview',
      summary: 'Flows of a day, hour by hour',
      permission: 'authenticated',
      effect: 'read',
      read_cost: 1_000,
      description:
        'By when a movement was first known, as on the overview: what failed, or was taken back, ' +
        'is none. Each part needs the permission to see its records. ' +
        DAYS,
      query: closed(oneDay),
      data: FlowsRecord,
      handle: ({ query, principal }) => flowsOf(app, principal, query),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getBreakDays',
      path: '/desk/breaks/days',
      origin: { ours: 'a desk sees whether reconciliation gets better from day to day' },
      tag: 'Reconciliation',
      summary: 'Breaks by day and venue',
      permission: 'desk.read',
      effect: 'read',
      read_cost: 1_000,
      description: `Of \`days\` days, 30 by default. ${DAYS}`,
      query: closed(someDays),
      data: BreakDaysRecord,
      handle: ({ query: { days = USUAL_DAYS, ...query }, principal }) =>
        breakDays(app, principal.workspace, { days, ...query }),
    }),
  ]
}
