/** Which venues answer, and how much of what they let us call is used. */
import type { Clock } from '../core/clock.ts'
import { figures } from '../core/figures.ts'
import type { Figures } from '../core/figures.ts'
import type { VenueId } from '../core/ids.ts'
import type { Reader } from '../store/db.ts'
import { sql } from '../store/sql.ts'
import { stateNotIn } from '../store/states.ts'
import type { VenueKind } from './contract.ts'
import type { Venues } from './registry.ts'
import { VENUE_MOVES, VENUE_STATES } from './venues.schema.ts'

const SHOWN_STATES = VENUE_STATES.filter((state) => state !== 'DISABLED')

type VenueRow = { id: VenueId; kind: VenueKind; state: string; seen_at: number }

export const venueFigures = (reader: Reader, clock: Clock, venues: Venues): Figures[] => [
  venueStates(reader, clock),
  venueCalls(venues),
]

/** DISABLED venues are left out. */
function venueStates(reader: Reader, clock: Clock): Figures {
  return figures({
    name: 'venues',
    gauges: {
      kontor_venue_state: {
        help: '1 for the state that the venue is in',
        labels: ['venue', 'kind', 'state'],
      },
      kontor_venue_seen_age_seconds: {
        help: 'How long ago the venue last answered',
        labels: ['venue', 'kind'],
      },
    },
    async read() {
      const rows = await reader.query<VenueRow>(sql`
        select id, kind, state, coalesce(last_seen_at, connected_at, system_created_at) as seen_at
        from venues
        where ${stateNotIn(VENUE_MOVES, 'DISABLED')}`)
      const now = clock.now()
      return {
        kontor_venue_state: rows.flatMap(({ id, kind, state }) =>
          SHOWN_STATES.map((name) => ({
            labels: { venue: id, kind, state: name },
            value: state === name ? 1 : 0,
          })),
        ),
        kontor_venue_seen_age_seconds: rows.map(({ id, kind, seen_at }) => ({
          labels: { venue: id, kind },
          value: Math.max(0, now - seen_at) / 1000,
        })),
      }
    },
  })
}

/** Of venues that count calls, by this process alone. */
function venueCalls(venues: Venues): Figures {
  const labels = ['venue', 'kind']
  return figures({
    name: 'venue_calls',
    gauges: {
      kontor_venue_calls_used_ratio: {
        help: 'How much of what the venue allows now is used, from 0 to 1',
        labels,
      },
      kontor_venue_calls_waiting: { help: 'Calls that wait for their turn', labels },
    },
    async read() {
      const budgets = venues.budgets()
      const of = (name: 'used' | 'waiting') =>
        budgets.map(({ venue, budget }) => ({
          labels: { venue: venue.id, kind: venue.kind },
          value: budget[name],
        }))
      return {
        kontor_venue_calls_used_ratio: of('used'),
        kontor_venue_calls_waiting: of('waiting'),
      }
    },
  })
}
