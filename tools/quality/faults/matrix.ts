/** The matrix as data: which fault each flow meets. Rows are built here and run by run.ts. */
import type { FaultKind } from '../../../server/src/venues/sandbox-process.testing.ts'
import type { CutAt } from './database-proxy.ts'
import { COLLECTION_FLOWS } from './collections.ts'
import { BATCHES } from './batches.ts'
import { DEPOSITS } from './deposits.ts'
import { SET_BACK } from './flow.ts'
import type { Expectation, Flow } from './flow.ts'
import { JOBS } from './jobs.ts'
import { OUTSIDE_FLOWS } from './outside.ts'
import { SETTLEMENT_FLOWS } from './settlements.ts'
import { BOOST, DROP, RECALL, RELEASE, TAKEN_BACK, WRONG_AMOUNT } from './surprises.ts'
import type { Surprise } from './surprises.ts'
import { SWEEPING_FLOWS } from './sweeping.ts'
import { TRADES } from './trades.ts'
import { WALLET_CREATIONS } from './wallet-creations.ts'
import { OWN_TRANSFERS, WITHDRAWALS } from './withdrawals.ts'
import { SEND } from './transfers.ts'
import { LISTS } from './venue-faults.ts'
import { PACE } from './world.ts'

/**
 * `operation`: `send` is the flow's own; `list` those that list movements; `*` all the venue is
 * asked. `times`: how often; absent while rows of it run.
 */
type Setting = { operation: string; kind: FaultKind; times?: number; delay_seconds?: number }

/**
 * What the venue does; `also` beside it, `order` in its place for orders, `notice` what the bank
 * does with notices of what arrives. `statement`: what the bank did not notify stands in its next
 * statement. `halt`: the exchange takes no orders from when they have been asked for. `habits`: how
 * the bank writes. `surprise`: what somebody at the venue does with each movement.
 */
export type VenueFault = {
  name: string
  set?: Setting
  also?: Setting
  bank?: Setting
  notice?: Setting
  order?: Setting
  expected: Expectation
  of: (flow: Flow) => boolean
  statement?: true
  habits?: Readonly<Record<string, unknown>>
  surprise?: Surprise
  hour?: true
  halt?: true
  setBack?: true
}

export const FLOWS: readonly Flow[] = [
  ...WITHDRAWALS,
  ...BATCHES,
  ...JOBS,
  ...OWN_TRANSFERS,
  ...WALLET_CREATIONS,
  ...DEPOSITS,
  ...OUTSIDE_FLOWS,
  ...COLLECTION_FLOWS,
  ...SWEEPING_FLOWS,
  ...TRADES,
  ...SETTLEMENT_FLOWS,
]

/** What happens to the service meanwhile. */
type ServiceFault = { name: string; point?: string; api?: true; cut?: CutAt }

export type MatrixRow = { flow: Flow; venue: VenueFault; service: ServiceFault }

const sends = (flow: Flow): boolean => flow.send !== undefined
const arrives = (flow: Flow): boolean => flow.send === undefined
const everything = (): boolean => true
const ordered = (flow: Flow): boolean => flow.order !== undefined
const atMarket = (flow: Flow): boolean => flow.order?.market === true
const EXCHANGES: readonly string[] = ['kraken', 'bitstamp', 'okx', 'prime']
/** A custodian sends it, by a transaction of its own. */
const leavesCustody = ({ venue, send }: Flow): boolean =>
  (venue === 'fireblocks' || venue === 'managed') && send === SEND[venue]
const isNumbered = (flow: Flow): boolean => flow.numbered === true
const atBank = (flow: Flow): boolean => flow.venue === 'bank'
/**
 * What a job or a person begins while the row runs is not in the copy: it left, it is shown, and it
 * is not made up. Tests of their own show that.
 */
const isInCopy = ({ name }: Flow): boolean => !/^(transfer job|settlement):/.test(name)
const bankArrives = (flow: Flow): boolean => arrives(flow) && atBank(flow)

/**
 * Seconds here are seconds of the wall clock: shorter and longer than the service waits for an
 * answer.
 */
const IN_TIME = 1
const TOO_LATE = 3

export const VENUE_FAULTS: readonly VenueFault[] = [
  { name: 'none', expected: 'done', of: everything },
  { name: 'refuses', set: { operation: 'send', kind: 'REFUSE' }, expected: 'refused', of: sends },
  {
    name: 'accepts and says nothing',
    set: { operation: 'send', kind: 'TIMEOUT_AFTER_ACCEPT' },
    expected: 'done',
    of: sends,
  },
  {
    name: 'connection cut',
    set: { operation: 'send', kind: 'DOWN', times: 2 },
    expected: 'done',
    of: sends,
  },
  {
    name: 'answers twice',
    set: { operation: '*', kind: 'TWICE' },
    bank: { operation: 'payment', kind: 'TWICE' },
    expected: 'done',
    of: sends,
  },
  {
    name: 'answers late',
    set: { operation: '*', kind: 'LATE', delay_seconds: IN_TIME },
    order: { operation: 'send', kind: 'LATE', delay_seconds: IN_TIME },
    bank: { operation: 'payment', kind: 'LATE', delay_seconds: IN_TIME },
    expected: 'done',
    of: sends,
  },
  {
    name: 'answers too late',
    set: { operation: 'send', kind: 'LATE', delay_seconds: TOO_LATE },
    expected: 'done',
    of: sends,
  },
  {
    name: 'refuses to be read',
    set: { operation: '*', kind: 'REFUSE', times: 3 },
    expected: 'done',
    of: (flow) => arrives(flow) && flow.venue !== 'bank',
  },
  {
    name: 'reports twice',
    set: { operation: '*', kind: 'TWICE' },
    bank: { operation: 'notification', kind: 'TWICE' },
    expected: 'done',
    of: arrives,
  },
  {
    name: 'reports late',
    set: { operation: '*', kind: 'LATE', delay_seconds: IN_TIME },
    bank: { operation: 'notification', kind: 'LATE', delay_seconds: TOO_LATE },
    expected: 'done',
    of: arrives,
  },
  {
    name: 'does not notify',
    set: { operation: 'notification', kind: 'TIMEOUT_AFTER_ACCEPT' },
    expected: 'done',
    of: bankArrives,
    statement: true,
  },
  {
    name: 'calls every entry NONREF',
    habits: { references: 'NONREF' },
    expected: 'done',
    of: atBank,
  },
  {
    name: 'notifies again under another name',
    habits: { notifications: 'AGAIN' },
    expected: 'done',
    of: atBank,
  },
  {
    name: 'shows what cannot be read',
    habits: { other_currency: true },
    expected: 'done',
    of: atBank,
  },
  {
    name: 'goes down mid-order',
    set: { operation: 'send', kind: 'CUT' },
    also: { operation: '*', kind: 'DOWN', times: 8 },
    expected: 'done',
    of: ordered,
  },
  {
    name: 'refuses for its rate limit',
    set: { operation: 'send', kind: 'LIMIT', times: 2 },
    order: { operation: 'send', kind: 'LIMIT', times: 2 },
    also: { operation: '*', kind: 'LIMIT', times: 6 },
    expected: 'done',
    of: (flow) => EXCHANGES.includes(flow.venue),
  },
  {
    name: 'lists a record that cannot be read',
    set: { operation: 'list', kind: 'ODD' },
    expected: 'done',
    of: (flow) =>
      flow.venue in LISTS &&
      flow.order === undefined &&
      (sends(flow) || /^(deposit|settlement):/.test(flow.name)),
  },
  { name: 'boosts the transaction', surprise: BOOST, expected: 'done', of: leavesCustody },
  { name: 'drops the transaction', surprise: DROP, expected: 'dropped', of: isNumbered },
  {
    name: 'freezes and releases',
    set: { operation: 'screening', kind: 'REFUSE' },
    surprise: RELEASE,
    expected: 'done',
    of: (flow) => arrives(flow) && flow.venue === 'fireblocks',
  },
  {
    name: 'recalls',
    surprise: RECALL,
    expected: 'recalled',
    of: (flow) => flow.name.startsWith('deposit:') && flow.venue in TAKEN_BACK,
  },
  {
    name: 'books another amount',
    habits: { booked_amount: WRONG_AMOUNT.amount },
    surprise: WRONG_AMOUNT.surprise,
    expected: 'short',
    // Of an own transfer a person has to say what arrived in its place.
    of: (flow) => sends(flow) && /^(withdrawal|batch): bank/.test(flow.name),
  },
  { name: 'halts', expected: 'refused', of: atMarket, halt: true },
  {
    name: 'sends a crossed book',
    set: { operation: 'crossed', kind: 'REFUSE', times: 3 },
    expected: 'done',
    of: atMarket,
  },
  {
    name: 'sends a gapped book',
    set: { operation: 'book', kind: 'REFUSE', times: 3 },
    expected: 'done',
    of: atMarket,
  },
  { name: SET_BACK, expected: 'done', of: isInCopy, setBack: true },
  {
    name: 'silent for an hour',
    set: { operation: '*', kind: 'DOWN' },
    bank: { operation: 'payment', kind: 'DOWN', delay_seconds: 3_600 / PACE },
    notice: { operation: 'notification', kind: 'LATE', delay_seconds: 3_600 / PACE },
    expected: 'late',
    of: everything,
    hour: true,
  },
]

const NOTHING: ServiceFault = { name: '' }
const killed = (point: string): ServiceFault => ({ name: `killed at ${point}`, point })
const killedApi = (point: string): ServiceFault => ({
  name: `killed at ${point}`,
  point,
  api: true,
})
const CUTS: readonly ServiceFault[] = (['before COMMIT', 'after COMMIT'] as const).map((cut) => ({
  name: `database cut ${cut}`,
  cut,
}))

function serviceFaults(flow: Flow, { name }: VenueFault): ServiceFault[] {
  if (name === 'none')
    return [NOTHING, ...(flow.api ?? []).map(killedApi), ...flow.points.map(killed), ...CUTS]
  if (name === 'refuses') return [NOTHING, ...(flow.refused ?? []).map(killed)]
  if (name === 'accepts and says nothing')
    return [
      NOTHING,
      ...[...(flow.order === undefined ? flow.points : []), ...(flow.lost ?? [])]
        .filter((point, index, all) => all.indexOf(point) === index && !point.startsWith('job.'))
        .map(killed),
    ]
  return [NOTHING]
}

export function nameOf({ venue, service }: MatrixRow): string {
  if (service.name === '') return venue.name
  return venue.name === 'none' ? service.name : `${venue.name}, ${service.name}`
}

export const ROWS: readonly MatrixRow[] = FLOWS.flatMap((flow) =>
  VENUE_FAULTS.filter(
    (venue) => venue.of(flow) && flow.meets?.includes(venue.name) !== false,
  ).flatMap((venue) => serviceFaults(flow, venue).map((service) => ({ flow, venue, service }))),
)
