import type { PeriodId } from '../../core/ids.ts'
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
import { ACCOUNT_TYPES } from '../../ledger/index.ts'
import { tableOf } from '../../store/rows.ts'

export const PERIOD_STATES = ['CLOSED', 'REOPENED'] as const
type PeriodState = (typeof PERIOD_STATES)[number]
export const PERIOD_MOVES: Moves<PeriodState> = { CLOSED: ['REOPENED'], REOPENED: [] }

const HASH = { pattern: '^[0-9a-f]{64}$', maxLength: 64 }

const number = (description: string) => integer(0, Number.MAX_SAFE_INTEGER, description)

export const PeriodRecord = record('Period', {
  id: id<PeriodId>(),
  last_day: dateText('The last day of the period, UTC'),
  state: oneOf(PERIOD_STATES, 'A reopened period is closed again as another record'),
  note: nullable(text(500)),
  closed_by: text(),
  closed_at: time(),
  last_sequence: number('The last booking of then; later ones belong to the open period'),
  batch_no: number('Where the chain of bookings stood'),
  chain_hash: Type.String({ ...HASH, description: 'The hash of that batch' }),
  hash: Type.String({
    ...HASH,
    description: 'SHA-256 of `frozen`. The event `period.closed` has it, too: the chain of events',
  }),
  reopened_by: nullable(text()),
  reopened_at: nullable(time()),
  reason: nullable(text(500, 'Why it was reopened')),
})
export type Period = Static<typeof PeriodRecord>

export const PERIODS = tableOf('periods', PeriodRecord, {
  inside: {
    ends_at: time('The midnight after it'),
    frozen: text(),
    opened_from: nullable(time('The open period of before')),
  },
})

const FrozenAsset = closed({
  asset: asset(),
  debit: decimalText('Sum of the column; equal to credit'),
  credit: decimalText('Sum of the column; equal to debit'),
  lines: Type.Array(
    closed({ type: oneOf(ACCOUNT_TYPES), debit: decimalText(), credit: decimalText() }),
  ),
})

export const ShownPeriod = closed(
  {
    ...PeriodRecord.properties,
    assets: Type.Array(FrozenAsset, {
      description:
        'The trial balance: what was booked until then with a value date before the end of ' +
        'the period',
    }),
    frozen: Type.String({ description: 'The text that was hashed: the same as JSON' }),
  },
  { title: 'PeriodDetails' },
)
export type ShownPeriod = Static<typeof ShownPeriod>

export const FROZEN_FORMAT = 'kontor-period-1'

export const ClosePeriod = closed(
  {
    last_day: dateText('The last day of the period, UTC; it must be over'),
    note: optionalBlank(requiredText(500)),
  },
  { title: 'ClosePeriod' },
)

export const ReopenPeriod = closed(
  { reason: requiredText(500, 'Why something must be booked in it') },
  { title: 'ReopenPeriod' },
)
