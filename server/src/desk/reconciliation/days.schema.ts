import type { BreakId, ReconciliationDayId, VenueId, WorkspaceId } from '../../core/ids.ts'
import type { Moves } from '../../core/moves.ts'
import {
  asset,
  closed,
  dateText,
  decimalText,
  id,
  integer,
  nullable,
  oneOf,
  optionalBlank,
  record,
  requiredText,
  text,
  time,
  Type,
} from '../../http/index.ts'
import type { Static } from '../../http/index.ts'
import { tableOf } from '../../store/rows.ts'
import { BreakRecord, LINE_STATES } from './reconciliation.schema.ts'

export const DAY_STATES = ['OPEN', 'SIGNED_OFF'] as const
type DayState = (typeof DAY_STATES)[number]
export const DAY_MOVES: Moves<DayState> = { OPEN: ['SIGNED_OFF'], SIGNED_OFF: ['OPEN'] }

const count = (description: string) => integer(0, 1_000_000, description)

export const DayRecord = record('ReconciliationDay', {
  id: id<ReconciliationDayId>(),
  venue_id: id<VenueId>(),
  day: dateText('UTC'),
  state: oneOf(DAY_STATES),
  compared_at: nullable(time('The last comparison on that day; null: there was none')),
  line_count: count('Assets, and wallets where they are known'),
  differing_count: count('Lines on which the venue and the books differ'),
  unexplained_count: count(
    'Breaks of that time that are still open, and differences that are still being checked; the ' +
      'day is signed off once there are none',
  ),
  signed_off_by: nullable(text()),
  signed_off_at: nullable(time()),
})
export type Day = Static<typeof DayRecord>

export const DAYS = tableOf('reconciliation_days', DayRecord, {
  inside: { ends_at: time('The midnight after it') },
  computed: ['unexplained_count'],
})

/** A line with what became of its difference. */
export const DayLine = closed(
  {
    line_no: integer(1, Number.MAX_SAFE_INTEGER),
    asset: asset(),
    wallet: nullable(text(500, 'Null: what lies in no wallet, or is not known by wallet')),
    state: oneOf(LINE_STATES, 'As on that day'),
    ledger: decimalText('What the books said'),
    venue: decimalText('What the venue held'),
    on_the_way: decimalText('The part of the difference that movements in flight explained'),
    difference: decimalText('venue less ledger less on_the_way'),
    since: time('Since when exactly this difference was seen'),
    compared_at: time('When venue and books were read; before the day: not compared on it'),
    break_id: nullable(id<BreakId>()),
    break_state: nullable(BreakRecord.properties.state),
    explanation: nullable(text(500, 'What the comparison found')),
    note: nullable(text(500, 'What a person found')),
    explained_by: nullable(text()),
    explained_at: nullable(time()),
  },
  { title: 'ReconciliationLine' },
)
export type DayLine = Static<typeof DayLine>

export const SIGNATURE_ACTIONS = ['SIGNED_OFF', 'REOPENED'] as const

const Signature = closed({
  action: oneOf(SIGNATURE_ACTIONS),
  signed_by: text(),
  signed_at: time(),
  note: nullable(text(500, 'The reason, when it was reopened')),
})

export const SIGNATURES = tableOf('reconciliation_signatures', Signature, {
  inside: { workspace: id<WorkspaceId>(), id: id(), day_id: id<ReconciliationDayId>() },
})

/** `breaks`: those that were open on the day, and those over which a difference was accepted. */
export const ShownDay = closed(
  {
    ...DayRecord.properties,
    lines: Type.Array(DayLine),
    breaks: Type.Array(BreakRecord),
    signatures: Type.Array(Signature, { description: 'The first one first' }),
  },
  { title: 'ReconciliationDayDetails' },
)
export type ShownDay = Static<typeof ShownDay>

export const SignOff = closed(
  { note: optionalBlank(requiredText(500, 'Needed for a day on which nothing was compared')) },
  { title: 'SignOffReconciliationDay' },
)

export const Reopen = closed(
  { reason: requiredText(500, 'Why it must be looked at again') },
  { title: 'ReopenReconciliationDay' },
)
