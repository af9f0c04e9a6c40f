/** What can be done with a settlement and with its parts, by state; and what comes next. */
import { t } from '../../language/index.ts'
import type { RowOf } from '../../list/work-list.tsx'

export type Settlement = RowOf<'/settlements'>
export type Part = Settlement['parts'][number]
/** A part with the settlement that it belongs to. */
export type PartRow = Part & { settlement: Settlement }

type State = Settlement['state']
type PartState = Part['state']
/** Why something cannot be done, by state. It can in the states that are missing. */
type Obstacles = Readonly<Partial<Record<State, string>>>

export const SETTLEMENT_STATES = [
  'PREPARING',
  'READY',
  'TRANSFERRING',
  'PARTIALLY_SETTLED',
  'FAILED',
  'SETTLED',
  'CANCELED',
] as const satisfies readonly State[]

const ENDED = t('The settlement has ended')
const IF_ENDED: Obstacles = { SETTLED: ENDED, CANCELED: ENDED }
const IF_NOT_COVERED: Obstacles = { ...IF_ENDED, PREPARING: t('Cover the settlement first') }
const BUSTED = t('A trade was busted. Net the settlement again first.')
const NO_OPEN_PART = t('Every part is in flight or has moved')

const OPEN: readonly PartState[] = ['OPEN', 'FAILED']
const MOVED: readonly PartState[] = ['SUCCESS', 'CONFIRMED_MANUALLY']

/** It has not moved, and can be changed and initiated. */
export const isOpen = ({ state }: Part): boolean => OPEN.includes(state)
export const hasMoved = ({ state }: Part): boolean => MOVED.includes(state)
/** Open and with a route, so that it can be initiated. */
export const canInitiate = (part: Part): boolean => isOpen(part) && part.route_id !== null
/** A deposit that somebody confirmed by hand. */
export const isConfirmedArrival = ({ state, direction }: Part): boolean =>
  direction === 'INCOMING' && state === 'CONFIRMED_MANUALLY'

export function whyNotCover(settlement: Settlement): string | undefined {
  const { state, nets, parts } = settlement
  if (nets.length === 0) return IF_ENDED[state] ?? t('The settlement has no trades to pay for')
  const isNettedFirst = parts.every(hasMoved) && whyNotNetAgain(settlement) === undefined
  return IF_ENDED[state] ?? (isNettedFirst ? BUSTED : undefined)
}

export function whyNotChangeParts({ state, parts }: Settlement): string | undefined {
  return IF_NOT_COVERED[state] ?? (parts.some(isOpen) ? undefined : NO_OPEN_PART)
}

const MOVING = t('Some parts have begun to move, or the settlement has ended')
const WHY_NOT_UNCOVER: Readonly<Record<State, string | undefined>> = {
  READY: undefined,
  PREPARING: t('The settlement is already being prepared'),
  TRANSFERRING: MOVING,
  PARTIALLY_SETTLED: MOVING,
  FAILED: MOVING,
  SETTLED: MOVING,
  CANCELED: MOVING,
}
export const whyNotUncover = ({ state }: Settlement): string | undefined => WHY_NOT_UNCOVER[state]

export function whyNotInitiate({
  state,
  parts,
  uncorrected_fills,
}: Settlement): string | undefined {
  const obstacle = IF_NOT_COVERED[state]
  if (obstacle !== undefined || state === 'READY') return obstacle
  if (uncorrected_fills > 0) return BUSTED
  if (!parts.some(isOpen)) return NO_OPEN_PART
  return parts.some(canInitiate)
    ? undefined
    : t('The open parts have no route. Choose one under Change parts, or confirm them by hand.')
}

export function whyNotNetAgain({ state, uncorrected_fills }: Settlement): string | undefined {
  if (state === 'PREPARING' || state === 'READY') return t('Cover the settlement again instead')
  return uncorrected_fills === 0
    ? t('No trade was busted since the settlement was netted')
    : undefined
}

export function whyNotCancel({ state, parts }: Settlement): string | undefined {
  const mayHaveLeft = (part: Part): boolean =>
    hasMoved(part) || (part.state === 'INITIATED' && part.direction === 'OUTGOING')
  return (
    IF_ENDED[state] ??
    (parts.some(mayHaveLeft) ? t('A part has moved or may have left') : undefined)
  )
}

export function whyNotInitiatePart(part: PartRow): string | undefined {
  const obstacle = IF_NOT_COVERED[part.settlement.state]
  if (obstacle !== undefined) return obstacle
  if (!isOpen(part)) return t('The part is in flight or has moved')
  if (part.settlement.uncorrected_fills > 0) return BUSTED
  return part.route_id === null
    ? t('The part has no route. Choose one under Change parts.')
    : undefined
}

const WHY_NOT_CONFIRM: Obstacles = {
  PREPARING: t('Cover the settlement first'),
  READY: t('Initiate the settlement first'),
  CANCELED: t('The settlement is canceled'),
}
export const whyNotConfirmPart = (part: PartRow): string | undefined =>
  hasMoved(part) ? t('The part has moved') : WHY_NOT_CONFIRM[part.settlement.state]

export const whyNotLinkDeposit = (part: PartRow): string | undefined =>
  isConfirmedArrival(part) ? undefined : t('Only for incoming parts that were confirmed by hand')

export const whyNotStopExpecting = (part: PartRow): string | undefined =>
  whyNotLinkDeposit(part) ??
  (part.arrival === 'EXPECTED' ? undefined : t('No payment is expected for this part'))

const NEXT: Readonly<Record<State, string>> = {
  PREPARING: t('Review the trades, then cover the settlement'),
  READY: t('Initiate the settlement to move the money'),
  TRANSFERRING: t('Wait for the parts in flight. Confirm parts without a route by hand.'),
  PARTIALLY_SETTLED: t('Wait for the other parts. Confirm parts without a route by hand.'),
  FAILED: t('See which part failed and why, then initiate again'),
  SETTLED: t('Nothing'),
  CANCELED: t('Nothing. Its trades can be settled again.'),
}

export function nextStep({ state, parts, uncorrected_fills }: Settlement): string {
  if (uncorrected_fills > 0)
    return t('A trade was busted after its netting. Net the settlement again.')
  const isExpected = parts.some(
    (part) => part.state === 'CONFIRMED_MANUALLY' && part.arrival === 'EXPECTED',
  )
  return state === 'SETTLED' && isExpected
    ? t('A payment that was confirmed by hand is still expected. See the parts.')
    : NEXT[state]
}

/** Amounts are paid in whole units of their asset: the digits behind are cut. */
export function payableOf(quantity: string, scale: number | undefined): string {
  const [whole = '', fraction = ''] = quantity.split('.')
  const kept = scale === undefined ? fraction : fraction.slice(0, scale)
  return kept === '' ? whole : `${whole}.${kept}`
}
