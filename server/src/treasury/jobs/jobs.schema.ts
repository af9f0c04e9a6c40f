import type { JobId, JobRunId, TreasuryRouteId, WithdrawalId } from '../../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  currentVersion,
  notNegativeText,
  nullable,
  optional,
  READ_ONLY_FIELDS,
  record,
  text,
  time,
  Type,
  oneOf,
} from '../../http/index.ts'
import type { Moves } from '../../core/moves.ts'
import type { Static } from '../../http/index.ts'
import { SPEED_LEVELS } from '../withdrawals/withdrawals.schema.ts'

const CONDITION_TYPES = ['SWEEPING', 'PROVISION', 'CONDITIONAL'] as const
const INTERVALS = [15, 30, 60, 240, 720, 1440] as const
export const JOB_STATES = ['ACTIVE', 'INACTIVE'] as const
export type JobState = (typeof JOB_STATES)[number]

export const JOB_MOVES: Moves<JobState> = { ACTIVE: ['INACTIVE'], INACTIVE: ['ACTIVE'] }

export type ConditionType = (typeof CONDITION_TYPES)[number]

/**
 * TRANSFERRED has a withdrawal and no reason; each reason ends a run in one of the other states.
 */
export const RUN_STATES = ['TRANSFERRED', 'SKIPPED', 'FAILED'] as const
type RunState = (typeof RUN_STATES)[number]
export const STATE_OF_REASON = {
  BALANCE_NOT_DUE: 'SKIPPED',
  BELOW_MIN_QUANTITY: 'SKIPPED',
  CONDITION_NOT_MET: 'SKIPPED',
  INSUFFICIENT_SOURCE: 'SKIPPED',
  INSUFFICIENT_FEE_ASSET: 'SKIPPED',
  FEE_EXCEEDS_QUANTITY: 'SKIPPED',
  FEE_TOO_HIGH: 'SKIPPED',
  BELOW_VENUE_MINIMUM: 'SKIPPED',
  ABOVE_VENUE_MAXIMUM: 'SKIPPED',
  NOT_ALLOWLISTED: 'FAILED',
  VENUE_UNAVAILABLE: 'FAILED',
  IN_FLIGHT_UNKNOWN: 'SKIPPED',
  HALTED: 'SKIPPED',
  REFUSED: 'FAILED',
} as const satisfies Readonly<Record<string, Exclude<RunState, 'TRANSFERRED'>>>
export type RunReason = keyof typeof STATE_OF_REASON
const RUN_REASONS = Object.keys(STATE_OF_REASON) as [RunReason, ...RunReason[]]

const WARNING_CODES = ['BACK_AND_FORTH', 'SHARED_SOURCE'] as const
const MAXIMUM_CONDITIONS = 10

const measured = {
  asset: asset(),
  balance_from: nullable(decimalText('What was free at the source; null: not measured')),
  reserved: nullable(
    decimalText(
      "Own withdrawals that the source's venue does not show yet, with their fees; the source " +
        'is balance_from less this',
    ),
  ),
  balance_to: nullable(decimalText('Total at the destination; null: not measured or not known')),
  in_flight: nullable(
    decimalText('Own transfers in flight; the destination is balance_to plus this'),
  ),
  fee_estimate: nullable(decimalText()),
  fee_asset: nullable(asset()),
  quantity: nullable(decimalText('What was sent, or would have been')),
  state: oneOf(RUN_STATES),
  reason: nullable(oneOf(RUN_REASONS)),
  explanation: text(1000, 'The figures in words'),
}

export const JobRunRecord = record('JobRun', {
  id: id<JobRunId>(),
  job_id: id<JobId>(),
  scheduled_at: time('The scheduled time; missed runs are made up by one'),
  started_at: time(),
  finished_at: time(),
  ...measured,
  withdrawal_id: nullable(id<WithdrawalId>()),
})
export type JobRun = Static<typeof JobRunRecord>

export const DryRunShape = closed(
  { job_id: id<JobId>(), ...measured },
  { title: 'JobDryRun', description: 'What a run would record now' },
)
export type DryRun = Static<typeof DryRunShape>

const Condition = closed({
  target: optional(
    notNegativeText(
      'SWEEPING: what stays at the source. PROVISION: what the destination is filled up to',
    ),
  ),
  balance_side: optional(oneOf(['from', 'to'], 'CONDITIONAL: the source or the destination')),
  predicate: optional(oneOf(['GT', 'LT'], 'CONDITIONAL: strictly greater, strictly less')),
  quantity: optional(notNegativeText('CONDITIONAL: what the balance is compared with')),
})
export type ConditionBody = Static<typeof Condition>
const conditions = Type.Array(Condition, {
  minItems: 1,
  maxItems: MAXIMUM_CONDITIONS,
  description:
    'SWEEPING and PROVISION: one item with target. CONDITIONAL: items with balance_side, ' +
    'predicate and quantity, all of which must hold',
})

const minutes = Type.Unsafe<(typeof INTERVALS)[number]>({
  type: 'integer',
  enum: [...INTERVALS],
  description: 'Minutes between two runs',
})

const request = {
  route: id<TreasuryRouteId>('The treasury route the money takes'),
  condition_type: oneOf(CONDITION_TYPES),
  active: flag('An active job runs at once when it is created or activated, then every interval'),
  interval: minutes,
  speed_level: oneOf(SPEED_LEVELS),
  fee: optional(notNegativeText('With speed_level CUSTOM, and required there; else 0 or absent')),
  min_quantity: optional(
    notNegativeText(
      'SWEEPING and PROVISION: less is not moved; 0 where absent. CONDITIONAL: at most quantity',
    ),
  ),
  quantity: optional(
    notNegativeText('CONDITIONAL, and required there: what is moved; else 0 or absent'),
  ),
  conditions,
}
export const CreateJob = closed(request, { title: 'CreateTransferJob' })
export type JobBody = Static<typeof CreateJob>

export const ChangeJob = closed(
  {
    id: id<JobId>(),
    ...request,
    version: optional(currentVersion()),
  },
  {
    title: 'ChangeTransferJob',
    'x-read-only': [...READ_ONLY_FIELDS, 'next_run_at', 'last_run', 'warnings'],
  },
)
export type ChangeJobBody = Static<typeof ChangeJob>

export const JobRecord = record('TransferJob', {
  id: id<JobId>(),
  route: id<TreasuryRouteId>(),
  condition_type: oneOf(CONDITION_TYPES),
  active: flag(),
  interval: minutes,
  speed_level: oneOf(SPEED_LEVELS),
  fee: nullable(decimalText()),
  min_quantity: nullable(decimalText()),
  quantity: nullable(decimalText()),
  conditions,
  next_run_at: nullable(time('null: not active')),
  last_run: nullable(JobRunRecord),
  warnings: Type.Array(
    closed({
      code: oneOf(
        WARNING_CODES,
        'BACK_AND_FORTH: other jobs move the money back. SHARED_SOURCE: other jobs move ' +
          'money out of the same wallet',
      ),
      message: text(),
      job_ids: Type.Array(id<JobId>(), { description: 'The other jobs; the first few' }),
    }),
  ),
})
export type Job = Static<typeof JobRecord>
export type JobWarning = Job['warnings'][number]
