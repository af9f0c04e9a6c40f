/** Halts as they are shown, and the rule by which one stops a command. */
import type { VenueId } from '../core/ids.ts'
import { refuse } from '../core/errors.ts'
import type { ApiError } from '../core/errors.ts'
import type { Moves } from '../core/moves.ts'
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

export const HALT_ACTIONS = ['WITHDRAWALS', 'TRADING'] as const
type HaltAction = (typeof HALT_ACTIONS)[number]

export const HALT_STATES = ['SET', 'RELEASED'] as const
type HaltState = (typeof HALT_STATES)[number]

export const HALT_MOVES: Moves<HaltState> = { SET: ['RELEASED'], RELEASED: [] }

export const HaltRecord = record('Halt', {
  state: oneOf(HALT_STATES),
  action: oneOf(HALT_ACTIONS),
  venue_id: nullable(id<VenueId>('null: every venue')),
  asset: nullable(asset('null: every asset')),
  reason: text(),
  set_by: text(),
  set_at: time(),
  released_by: nullable(text()),
  released_at: nullable(time()),
  release_reason: nullable(text()),
})
export type Halt = Static<typeof HaltRecord>

export const PutHalt = closed(
  {
    action: oneOf(HALT_ACTIONS),
    venue_id: optionalBlank(id<VenueId>('Only at this venue')),
    asset: optional(asset('Only this asset')),
    halted: flag('true sets the halt, false releases it'),
    reason: requiredText(),
  },
  { title: 'PutHalt' },
)
export type PutHaltBody = Static<typeof PutHalt>

/** What a command is about to do, and where. */
export type HaltScope = {
  action: HaltAction
  venue_ids: readonly VenueId[]
  assets: readonly string[]
}

/** A halt that is set, as the lane reads it. */
export type ActiveHalt = Pick<Halt, 'action' | 'venue_id' | 'asset' | 'reason' | 'set_by'>

/** The first halt that stops this, the widest one before the others. */
export function haltFor(halts: readonly ActiveHalt[], scope: HaltScope): ActiveHalt | undefined {
  const width = (halt: ActiveHalt) => Number(halt.venue_id === null) + Number(halt.asset === null)
  return halts
    .filter(
      (halt) =>
        halt.action === scope.action &&
        (halt.venue_id === null || scope.venue_ids.includes(halt.venue_id)) &&
        (halt.asset === null || scope.assets.includes(halt.asset)),
    )
    .toSorted((a, b) => width(b) - width(a))[0]
}

/** 3001 HALTED. */
export function haltedError({ action, venue_id, asset, reason }: ActiveHalt): ApiError {
  const what = action === 'TRADING' ? 'trading' : 'withdrawals'
  const where = [asset ?? '', venue_id === null ? '' : `at venue ${venue_id}`]
    .filter((place) => place !== '')
    .join(' ')
  return refuse('HALTED', '', `${what}${where === '' ? '' : ` of ${where}`} halted: ${reason}`)
}
