import type { JobId } from '../../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryId, queryOneOf } from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { columnIn, sql } from '../../store/sql.ts'
import { dryRun } from './runs.ts'
import {
  changeJob,
  createJob,
  JOB_COLUMNS,
  jobRow,
  JOBS_WITH_SCHEDULES,
  jobShapes,
  RUN_COLUMNS,
} from './jobs.ts'
import type { JobRow } from './jobs.ts'
import {
  ChangeJob,
  CreateJob,
  DryRunShape,
  JOB_STATES,
  JobRecord,
  JobRunRecord,
} from './jobs.schema.ts'
import type { TreasuryApp } from '../app.ts'

const tag = 'Transfer jobs'
const params = closed({ job_id: id<JobId>() })
const REFUSALS =
  'Refused: SCALE, REQUIRED, RANGE, CONFLICT (a field of another kind of job), ' +
  "UNSUPPORTED_BY_VENUE (the source cannot send, or nothing reports the destination's " +
  'balance, no CUSTOM fee).'

const EXAMPLE = {
  route: '01a1fc75-ea2a-7589-aa8f-000000000006',
  condition_type: 'SWEEPING',
  active: true,
  interval: 60,
  speed_level: 'DEFAULT',
  min_quantity: '0.1',
  conditions: [{ target: '2' }],
}

export function jobsEndpoints(app: TreasuryApp): Endpoint[] {
  return [...jobEndpoints(app), ...runEndpoints(app)]
}

function jobEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listTransferJobs',
      tagged: 'job',
      path: '/treasury/jobs',
      origin: 'SPECIFIED',
      tag,
      summary: 'List transfer jobs',
      permission: 'treasury.jobs.read',
      data: JobRecord,
      query: closed({ id: queryId(), state: queryOneOf(JOB_STATES) }),
      list: ({ principal, query }) => ({
        select: sql`
          select ${JOB_COLUMNS}
          from ${JOBS_WITH_SCHEDULES}`,
        conditions: [
          sql`j.workspace = ${principal.workspace}`,
          ...(query.id === undefined ? [] : [sql`j.id = ${query.id}`]),
          ...(query.state === undefined ? [] : [columnIn('j.state', query.state)]),
        ],
        key: { column: 'j.id', type: 'uuid' },
        enrich: (rows: JobRow[]) => jobShapes(app.db, rows),
      }),
    }),
    endpoint({
      method: 'POST',
      operation_id: 'createTransferJob',
      path: '/treasury/jobs',
      origin: 'SPECIFIED',
      tag,
      summary: 'Create a transfer job',
      permission: 'treasury.jobs.write',
      effect: 'lane',
      body: CreateJob,
      example: EXAMPLE,
      data: JobRecord,
      description:
        'SWEEPING moves what the source has above the target, PROVISION fills the destination ' +
        `up to it, CONDITIONAL moves exactly quantity when every condition holds. ${REFUSALS}`,
      handle: ({ body, caller }) => createJob(caller, app, body),
    }),
    endpoint({
      method: 'PUT',
      operation_id: 'changeTransferJob',
      path: '/treasury/jobs',
      origin: 'SPECIFIED',
      tag,
      summary: 'Change, activate or stop a transfer job',
      permission: 'treasury.jobs.write',
      effect: 'lane',
      body: ChangeJob,
      example: {
        id: '01a1fc75-ea2a-7589-aa8f-000000000009',
        ...EXAMPLE,
        active: false,
        version: 1,
      },
      data: JobRecord,
      description:
        'An activated job runs at once. A new interval counts from the last run. A withdrawal ' +
        `that was made is not affected. ${REFUSALS} STALE_VERSION when version is given and ` +
        'no longer the current one.',
      handle: ({ body, caller }) => changeJob(caller, app, body),
    }),
  ]
}

function runEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listTransferJobRuns',
      path: '/treasury/jobs/:job_id/runs',
      origin: { ours: 'shows what each run measured and moved, or why it moved nothing' },
      tag,
      summary: 'Runs of a transfer job',
      permission: 'treasury.jobs.read',
      params,
      data: JobRunRecord,
      list: async ({ params: { job_id }, principal: { workspace } }) => {
        await jobRow(app.db, workspace, job_id)
        return {
          select: sql`
            select ${RUN_COLUMNS}
            from job_runs`,
          conditions: [sql`workspace = ${workspace}`, sql`job_id = ${job_id}`],
          key: { column: 'id', type: 'uuid' },
        }
      },
    }),
    endpoint({
      method: 'POST',
      operation_id: 'previewTransferJob',
      path: '/treasury/jobs/:job_id/dry-run',
      origin: { ours: 'previews a run of the job, with reasons' },
      tag,
      summary: 'Preview a run of the job',
      permission: 'treasury.jobs.read',
      effect: 'venue',
      params,
      data: DryRunShape,
      description:
        'Asks the venues as a run does and makes the same decision, active or not; nothing ' +
        'is sent or stored. TRANSFERRED: a withdrawal of this quantity would be made.',
      handle: ({ params, caller }) => dryRun(caller, app, params.job_id),
    }),
  ]
}
