import type {
  DepositId,
  FillId,
  PartId,
  SettlementId,
  TreasuryRouteId,
  VenueId,
  WithdrawalId,
} from '../core/ids.ts'
import { statesBefore } from '../core/moves.ts'
import type { Moves } from '../core/moves.ts'
import {
  asset,
  closed,
  currentVersion,
  decimalText,
  id,
  integer,
  nullable,
  optional,
  optionalBlank,
  positiveText,
  record,
  requiredText,
  text,
  time,
  timeInput,
  Type,
  oneOf,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'

export const SETTLEMENT_STATES = [
  'PREPARING',
  'READY',
  'TRANSFERRING',
  'PARTIALLY_SETTLED',
  'SETTLED',
  'FAILED',
  'CANCELED',
] as const
export type SettlementState = (typeof SETTLEMENT_STATES)[number]

/**
 * PREPARING: its fills may change. READY: its parts cover what they come to. From then on its state
 * follows from its parts. SETTLED is left when a trade was busted and it is netted again.
 */
export const SETTLEMENT_MOVES: Moves<SettlementState> = {
  PREPARING: ['READY', 'CANCELED'],
  READY: ['PREPARING', 'TRANSFERRING', 'CANCELED'],
  TRANSFERRING: ['PARTIALLY_SETTLED', 'SETTLED', 'FAILED', 'CANCELED'],
  PARTIALLY_SETTLED: ['SETTLED', 'FAILED'],
  FAILED: ['TRANSFERRING', 'PARTIALLY_SETTLED', 'SETTLED', 'CANCELED'],
  SETTLED: ['TRANSFERRING', 'PARTIALLY_SETTLED'],
  CANCELED: [],
}

type InState = { state: SettlementState }

/** Nothing has moved, and its fills may still be released. */
export const isPrepared = ({ state }: InState): boolean =>
  state === 'PREPARING' || state === 'READY'
/** Until it is netted again. */
export const hasEnded = ({ state }: InState): boolean => state === 'SETTLED' || state === 'CANCELED'

export const OPEN_STATES = SETTLEMENT_STATES.filter((state) => !hasEnded({ state }))

export const PART_STATES = ['OPEN', 'INITIATED', 'SUCCESS', 'FAILED', 'CONFIRMED_MANUALLY'] as const
export type PartState = (typeof PART_STATES)[number]

export const PART_MOVES: Moves<PartState> = {
  OPEN: ['INITIATED', 'CONFIRMED_MANUALLY'],
  INITIATED: ['SUCCESS', 'FAILED', 'CONFIRMED_MANUALLY'],
  FAILED: ['INITIATED', 'CONFIRMED_MANUALLY'],
  SUCCESS: [],
  CONFIRMED_MANUALLY: [],
}
export const IDLE_PART_STATES = statesBefore(PART_MOVES, 'INITIATED')

type PartInState = { state: PartState }
export const isIdle = ({ state }: PartInState): boolean => IDLE_PART_STATES.includes(state)
export const hasMoved = ({ state }: PartInState): boolean =>
  state === 'SUCCESS' || state === 'CONFIRMED_MANUALLY'

/** INCOMING: the venue owes it to us. */
const DIRECTIONS = ['INCOMING', 'OUTGOING'] as const

const netFields = {
  venue_id: id<VenueId>(),
  asset: asset(),
  quantity: decimalText('Greater than zero'),
  direction: oneOf(DIRECTIONS, 'INCOMING: the venue owes it to us'),
}
const NetShape = closed(netFields, { title: 'SettlementNet' })

const CorrectionShape = closed(
  {
    ...netFields,
    fill_id: id<FillId>('The busted fill'),
    corrected_at: time(),
    corrected_by: text(),
  },
  { title: 'SettlementCorrection' },
)
export type Correction = Static<typeof CorrectionShape>

export const PartShape = closed(
  {
    id: id<PartId>(),
    venue_id: id<VenueId>(),
    asset: asset(),
    quantity: decimalText(),
    direction: oneOf(DIRECTIONS),
    route_id: nullable(
      id<TreasuryRouteId>(
        'The treasury route it takes; without one it can only be confirmed by hand',
      ),
    ),
    state: oneOf(PART_STATES),
    withdrawal_id: nullable(id<WithdrawalId>('What pays an outgoing part')),
    deposit_id: nullable(
      id<DepositId>('The deposit of an incoming part, or of the arrival of an outgoing one'),
    ),
    arrival: nullable(
      oneOf(
        ['EXPECTED', 'ARRIVED', 'DROPPED'],
        'Of the deposit of an incoming part that was initiated: waited for, ' +
          'also after a confirmation by hand; here; not waited for any more',
      ),
    ),
    reason: nullable(text(500, 'Why it has failed')),
    note: nullable(Type.String({ description: 'The evidence that it has moved' })),
    confirmed_by: nullable(text()),
    initiated_at: nullable(time()),
    completed_at: nullable(time()),
  },
  { title: 'SettlementPart' },
)
export type Part = Static<typeof PartShape>

export const SettlementRecord = record('Settlement', {
  id: id<SettlementId>(),
  state: oneOf(SETTLEMENT_STATES),
  timerange_from: time(),
  timerange_to: time(),
  nets: Type.Array(NetShape, { description: 'The nets of its fills, per venue and asset' }),
  corrections: Type.Array(CorrectionShape, {
    description: 'Lines that took busted fills out of the nets after it was initiated',
  }),
  uncorrected_fills: integer(
    0,
    10_000,
    'Fills that were busted after it was initiated and are still in the nets: net it again',
  ),
  parts: Type.Array(PartShape),
  reason: nullable(text(500, 'Why it was canceled')),
  completed_at: nullable(time()),
})
export type Settlement = Static<typeof SettlementRecord>

const timeOfRange = (description: string) =>
  timeInput(
    `${description}; an integer is read by its size (10 digits s, 13 ms, 16 µs, 19 ns), ` +
      'or ISO 8601',
  )

export const CreateSettlement = closed(
  {
    timerange_from: timeOfRange('From this time on, inclusive'),
    timerange_to: timeOfRange('Up to this time, exclusive'),
  },
  { title: 'CreateSettlement' },
)
export type CreateSettlementBody = Static<typeof CreateSettlement>

const version = optional(currentVersion())
export const MAXIMUM_FILLS = 10_000
const MAXIMUM_PARTS = 100

export const ChangeFills = closed(
  {
    take: optional(
      Type.Array(id<FillId>(), { maxItems: MAXIMUM_FILLS, description: 'Fills to add' }),
    ),
    leave: optional(
      Type.Array(id<FillId>(), { maxItems: MAXIMUM_FILLS, description: 'Fills to remove' }),
    ),
    version,
  },
  { title: 'ChangeSettlementFills' },
)
export type ChangeFillsBody = Static<typeof ChangeFills>

export const CoverSettlement = closed(
  {
    parts: optional(
      Type.Array(
        closed({
          venue_id: id<VenueId>(),
          asset: asset(),
          quantity: positiveText(),
          route_id: optionalBlank(id<TreasuryRouteId>()),
        }),
        {
          maxItems: MAXIMUM_PARTS,
          description:
            "Together what each net comes to at the asset's scale; " +
            'one part per net over its oldest route when absent; none: back to PREPARING',
        },
      ),
    ),
    version,
  },
  { title: 'CoverSettlement' },
)
export type CoverSettlementBody = Static<typeof CoverSettlement>

export const InitiateSettlement = closed(
  {
    part_ids: optional(
      Type.Array(id<PartId>(), {
        minItems: 1,
        maxItems: MAXIMUM_PARTS,
        description: 'Only these; every part that can be when absent',
      }),
    ),
  },
  { title: 'InitiateSettlement' },
)
export type InitiateSettlementBody = Static<typeof InitiateSettlement>

export const NetAgain = closed({ version }, { title: 'NetSettlementAgain' })
export type NetAgainBody = Static<typeof NetAgain>

export const ConfirmPart = closed(
  {
    note: requiredText(2000, 'The evidence'),
    deposit_id: optionalBlank(
      id<DepositId>('INCOMING: the deposit it came as, which nobody is assigned yet'),
    ),
  },
  { title: 'ConfirmSettlementPart' },
)
export type ConfirmPartBody = Static<typeof ConfirmPart>

export const NameArrival = closed(
  {
    deposit_id: id<DepositId>(
      'The deposit that it came as, which nobody is assigned yet; ' +
        'more or less than the part is allowed',
    ),
    note: requiredText(2000, 'The evidence'),
  },
  { title: 'NameSettlementArrival' },
)
export type NameArrivalBody = Static<typeof NameArrival>

export const DropArrival = closed(
  { note: requiredText(2000, 'The evidence') },
  { title: 'DropSettlementArrival' },
)
export type DropArrivalBody = Static<typeof DropArrival>

export const CancelSettlement = closed(
  { reason: optionalBlank(requiredText(500, 'Why')) },
  { title: 'CancelSettlement' },
)
export type CancelSettlementBody = Static<typeof CancelSettlement>

/** The state of a settlement whose transfers were begun, from its parts. */
export function stateOfParts(
  parts: readonly PartInState[],
): 'TRANSFERRING' | 'PARTIALLY_SETTLED' | 'SETTLED' | 'FAILED' {
  if (parts.every(hasMoved)) return 'SETTLED'
  const failed =
    parts.some((part) => part.state === 'FAILED') &&
    !parts.some((part) => part.state === 'INITIATED')
  if (failed) return 'FAILED'
  return parts.some(hasMoved) ? 'PARTIALLY_SETTLED' : 'TRANSFERRING'
}
