import type { ServiceId, VenueId } from '../core/ids.ts'
import {
  asset,
  closed,
  decimalText,
  flag,
  id,
  nullable,
  record,
  text,
  time,
  Type,
  oneOf,
} from '../http/index.ts'
import type { Static } from '../http/index.ts'
import type { Moves } from '../core/moves.ts'
import type { VenueKind } from './contract.ts'

const VENUE_KINDS = [
  'EXCHANGE',
  'CUSTODY_VAULT',
  'MANAGED_WALLET',
  'BANK',
] as const satisfies readonly VenueKind[]
export const SETTLEMENTS = ['PREFUNDED', 'POST_TRADE'] as const
/**
 * CONNECTING until what the venue holds is in the books; DISABLED when the configuration no longer
 * names it.
 */
export const VENUE_STATES = ['CONNECTING', 'CONNECTED', 'UNREACHABLE', 'DISABLED'] as const
type VenueState = (typeof VENUE_STATES)[number]

/**
 * CONNECTING ends only when the opening balance is booked (treasury); DISABLED and back is the
 * configuration's.
 */
export const VENUE_MOVES: Moves<VenueState> = {
  CONNECTING: ['CONNECTED', 'DISABLED'],
  CONNECTED: ['UNREACHABLE', 'DISABLED'],
  UNREACHABLE: ['CONNECTED', 'DISABLED'],
  DISABLED: ['CONNECTING', 'CONNECTED'],
}

export const SERVICE_TYPES = ['TOMS', 'WOMS', 'PRICE_STREAM'] as const
export const SERVICE_STATES = ['RUNNING', 'DEGRADED', 'STOPPED'] as const
type ServiceState = (typeof SERVICE_STATES)[number]

/** DEGRADED while the venue does not answer; STOPPED when the configuration leaves it out. */
export const SERVICE_MOVES: Moves<ServiceState> = {
  RUNNING: ['DEGRADED', 'STOPPED'],
  DEGRADED: ['RUNNING', 'STOPPED'],
  STOPPED: ['RUNNING'],
}

export const CAPABILITIES = [
  'balances',
  'protocols',
  'transfers',
  'allowlist',
  'wallets',
  'trading',
  'prices',
] as const

export type ServiceType = (typeof SERVICE_TYPES)[number]

export const ServiceShape = closed(
  { id: id<ServiceId>(), type: oneOf(SERVICE_TYPES), state: oneOf(SERVICE_STATES) },
  { title: 'Service' },
)

/** Of the words for it. */
export const MAXIMUM_FAULT = 500

const UnservedShape = closed(
  {
    asset: asset(),
    protocol: nullable(text(100, 'null: any protocol, or its markets')),
    reason: text(500, 'Why the venue cannot serve it'),
  },
  { title: 'Unserved' },
)
export type Unserved = Static<typeof UnservedShape>

export const VenueShape = record('Venue', {
  id: id<VenueId>(),
  label: text(),
  kind: oneOf(VENUE_KINDS),
  settlement: oneOf(SETTLEMENTS),
  state: oneOf(VENUE_STATES),
  services: Type.Array(ServiceShape),
  capabilities: Type.Array(oneOf(CAPABILITIES)),
  unserved: Type.Array(UnservedShape, {
    description: 'What the configuration needs of the venue and the venue cannot serve',
  }),
  fault: nullable(
    text(MAXIMUM_FAULT, 'Why it does not answer or cannot be connected; null while it answers'),
  ),
  fault_since: nullable(time()),
  connected_at: nullable(time('When its opening balance was booked')),
  last_seen_at: nullable(time('When it last answered')),
})
export type VenueRecord = Static<typeof VenueShape>

const figure = () => nullable(decimalText('null: the venue does not report it'))

export const VenueBalancesShape = closed(
  {
    venue_id: id<VenueId>(),
    timestamp: nullable(time('When the venue reported it; null when it never did')),
    stale: flag('The venue did not answer now: this is its last snapshot'),
    balances: Type.Unsafe<
      Record<
        string,
        { free: string | null; used: string | null; total: string | null; protocol: string | null }
      >
    >({
      type: 'object',
      additionalProperties: closed({
        free: figure(),
        used: figure(),
        total: figure(),
        protocol: nullable(text()),
      }),
    }),
  },
  { title: 'VenueBalances' },
)
export type VenueBalances = Static<typeof VenueBalancesShape>

export const AssetProtocolsShape = closed(
  {
    asset: asset(),
    protocols: Type.Array(
      closed({
        protocol: text(),
        native: text(500, "The venue's own term"),
        decimals: Type.Integer({ minimum: 0 }),
        tag_required: flag(),
        min_withdrawal: nullable(decimalText()),
        max_withdrawal: nullable(decimalText()),
        deposit: flag(),
        withdraw: flag(),
      }),
    ),
    unserved: Type.Array(
      closed({ protocol: text(), reason: text(500, 'Why the venue does not move it') }),
      { description: 'What it should move, by the configuration or what is shipped, and does not' },
    ),
  },
  { title: 'Assets' },
)
export type AssetProtocolsRecord = Static<typeof AssetProtocolsShape>
