/** Brakes as they are shown, and the rule by which one stops a command. */
import { refuse } from '../core/errors.ts'
import type { ApiError } from '../core/errors.ts'
import {
  asset,
  closed,
  flag,
  id,
  nullable,
  optional,
  optionalBlank,
  record,
  requiredText,
  text,
  time,
  oneOf,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'

export const BRAKE_ACTIONS = ['WITHDRAWALS', 'TRADING'] as const
export type BrakeAction = (typeof BRAKE_ACTIONS)[number]

export const BRAKE_STATES = ['SET', 'RELEASED'] as const

export const BrakeRecord = record('Brake', {
  state: oneOf(BRAKE_STATES),
  action: oneOf(BRAKE_ACTIONS),
  venue_id: nullable(id('null: every venue')),
  asset: nullable(asset('null: every asset')),
  reason: text(),
  set_by: text(),
  set_at: time(),
  released_by: nullable(text()),
  released_at: nullable(time()),
  release_reason: nullable(text()),
})
export type Brake = Static<typeof BrakeRecord>

export const PutBrake = closed(
  {
    action: oneOf(BRAKE_ACTIONS),
    venue_id: optionalBlank(id('Only at this venue')),
    asset: optional(asset('Only this asset')),
    halted: flag('true sets the brake, false releases it'),
    reason: requiredText(),
  },
  { title: 'PutBrake' },
)
export type PutBrakeBody = Static<typeof PutBrake>

/** What a command is about to do, and where. */
export type Braked = {
  action: BrakeAction
  venue_ids: readonly string[]
  assets: readonly string[]
}

/** A brake that is set, as the lane reads it. */
export type SetBrake = Pick<Brake, 'action' | 'venue_id' | 'asset' | 'reason'>

/** The first brake that stops this, the widest one before the others. */
export function brakeOn(brakes: readonly SetBrake[], asked: Braked): SetBrake | undefined {
  const width = (brake: SetBrake) => Number(brake.venue_id === null) + Number(brake.asset === null)
  return brakes
    .filter(
      (brake) =>
        brake.action === asked.action &&
        (brake.venue_id === null || asked.venue_ids.includes(brake.venue_id)) &&
        (brake.asset === null || asked.assets.includes(brake.asset)),
    )
    .toSorted((a, b) => width(b) - width(a))[0]
}

/** 3001 BRAKED. */
export function braked(brake: SetBrake): ApiError {
  const where = [brake.asset ?? '', brake.venue_id === null ? '' : `at venue ${brake.venue_id}`]
    .filter((each) => each !== '')
    .join(' ')
  return refuse(
    'BRAKED',
    '',
    `${brake.action === 'TRADING' ? 'trading' : 'withdrawals'}${where === '' ? '' : ` of ${where}`} halted: ${brake.reason}`,
  )
}
