/** The matrix as data: which fault each flow meets. Rows are built here and run by run.ts. */
import type { FaultKind } from '../../server/src/venues/sandbox-process.ts'
import type { CutAt } from './database-proxy.ts'
import { FLOWS } from './flows.ts'
import type { Expectation, Flow } from './flows.ts'
import { PACE } from './world.ts'
import type { VenueKey } from './world.ts'

/** `operation`: `send` is the flow's own; `*` all the venue is asked. `times`: so often; absent while rows of it run. */
type Setting = { operation: string; kind: FaultKind; times?: number; delay_seconds?: number }

/** What the venue does. `statement`: what the bank did not notify stands in its next statement. */
export type VenueFault = { name: string; set?: Setting; bank?: Setting; expected: Expectation; of: (flow: Flow) => boolean; statement?: true; hour?: true }

/** What happens to the service meanwhile. */
export type ServiceFault = { name: string; point?: string; api?: true; cut?: CutAt }

export type MatrixRow = { flow: Flow; venue: VenueFault; service: ServiceFault }

const sends = (flow: Flow): boolean => flow.send !== undefined
const arrives = (flow: Flow): boolean => flow.send === undefined
const everything = (): boolean => true
const bankArrives = (flow: Flow): boolean => arrives(flow) && flow.venue === 'bank'

/** Seconds here are seconds of the wall clock: shorter and longer than the service waits for an answer. */
const IN_TIME = 1
const TOO_LATE = 3

export const VENUE_FAULTS: readonly VenueFault[] = [
  { name: 'none', expected: 'done', of: everything },
  { name: 'refuses', set: { operation: 'send', kind: 'REFUSE' }, expected: 'refused', of: sends },
  { name: 'accepts and says nothing', set: { operation: 'send', kind: 'TIMEOUT_AFTER_ACCEPT' }, expected: 'done', of: sends },
  { name: 'connection cut', set: { operation: 'send', kind: 'DOWN', times: 2 }, expected: 'done', of: sends },
  { name: 'answers twice', set: { operation: '*', kind: 'TWICE' }, bank: { operation: 'payment', kind: 'TWICE' }, expected: 'done', of: sends },
  { name: 'answers late', set: { operation: '*', kind: 'LATE', delay_seconds: IN_TIME }, bank: { operation: 'payment', kind: 'LATE', delay_seconds: IN_TIME }, expected: 'done', of: sends },
  { name: 'answers too late', set: { operation: 'send', kind: 'LATE', delay_seconds: TOO_LATE }, expected: 'done', of: sends },
  { name: 'refuses to be read', set: { operation: '*', kind: 'REFUSE', times: 3 }, expected: 'done', of: (flow) => arrives(flow) && flow.venue !== 'bank' },
  { name: 'tells twice', set: { operation: '*', kind: 'TWICE' }, bank: { operation: 'notification', kind: 'TWICE' }, expected: 'done', of: arrives },
  { name: 'tells late', set: { operation: '*', kind: 'LATE', delay_seconds: IN_TIME }, bank: { operation: 'notification', kind: 'LATE', delay_seconds: TOO_LATE }, expected: 'done', of: arrives },
  { name: 'does not notify', set: { operation: 'notification', kind: 'TIMEOUT_AFTER_ACCEPT' }, expected: 'done', of: bankArrives, statement: true },
  { name: 'silent for an hour', set: { operation: '*', kind: 'DOWN' }, bank: { operation: 'payment', kind: 'DOWN', delay_seconds: 3_600 / PACE }, expected: 'done', of: (flow) => sends(flow) || flow.venue !== 'bank', hour: true },
]

const NOTHING: ServiceFault = { name: '' }
const killed = (point: string): ServiceFault => ({ name: `killed at ${point}`, point })
const killedApi = (point: string): ServiceFault => ({ name: `killed at ${point}`, point, api: true })
const CUTS: readonly ServiceFault[] = (['before COMMIT', 'after COMMIT'] as const).map((cut) => ({ name: `database cut ${cut}`, cut }))

function serviceFaults(flow: Flow, { name }: VenueFault): ServiceFault[] {
  if (name === 'none') return [NOTHING, ...(flow.api ?? []).map(killedApi), ...flow.points.map(killed), ...CUTS]
  if (name === 'refuses') return [NOTHING, ...(flow.refused ?? []).map(killed)]
  if (name === 'accepts and says nothing') return [NOTHING, ...[...flow.points, ...flow.lost ?? []].filter((point, index, all) => all.indexOf(point) === index && !point.startsWith('job.')).map(killed)]
  return [NOTHING]
}

export const nameOf = ({ venue, service }: MatrixRow): string => (service.name === '' ? venue.name : venue.name === 'none' ? service.name : `${venue.name}, ${service.name}`)

export const ROWS: readonly MatrixRow[] = FLOWS.flatMap((flow) => VENUE_FAULTS.filter((venue) => venue.of(flow)).flatMap((venue) => serviceFaults(flow, venue).map((service) => ({ flow, venue, service }))))

/** Where a fault is shown in `npm test`: spread over the venues, which run beside each other. */
const SHOWN_AT: Readonly<Record<string, VenueKey>> = {
  refuses: 'managed', 'connection cut': 'bitstamp', 'answers twice': 'bank', 'answers late': 'kraken', 'answers too late': 'managed',
  'refuses to be read': 'kraken', 'tells twice': 'bitstamp', 'tells late': 'managed', 'does not notify': 'bank', 'silent for an hour': 'fireblocks',
}

/** For `npm test`: each flow killed once after what it sends or reads and unanswered once, and each fault once. */
export const SELECTED: readonly MatrixRow[] = ROWS.filter((row) => {
  const { flow, venue, service } = row
  if (service.point !== undefined) return venue.name === 'none' && (service.api === true || ['withdrawal.send.after', 'job.assess.after', 'wallet.create.after', 'deposit.store.after'].includes(service.point))
  if (service.cut !== undefined) return flow.name === 'withdrawal: bank SEPA' || flow.name === 'deposit: managed wallet'
  if (venue.name === 'accepts and says nothing') return true
  return row === ROWS.find((each) => each.venue === venue && each.service.name === '' && each.flow.venue === SHOWN_AT[venue.name])
})
