import type { VenueId } from '../core/ids.ts'
import { closed, endpoint, id, listEndpoint, Type } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { sql } from '../store/sql.ts'
import { balancesOfVenue } from './balances.ts'
import { protocolsOfVenue } from './protocols.ts'
import { VENUE_COLUMNS } from './rows.ts'
import type { SnapshotApp } from './snapshots.ts'
import { AssetProtocolsShape, VenueBalancesShape, VenueShape } from './venues.schema.ts'

export function venuesEndpoints(app: SnapshotApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listVenues',
      tagged: 'venue',
      path: '/venues',
      origin: 'SPECIFIED',
      tag: 'Venues',
      summary: 'List integrated venues',
      permission: 'venues.read',
      data: VenueShape,
      list: ({ principal }) => ({
        select: sql`
          select ${VENUE_COLUMNS}
          from venues v`,
        conditions: [sql`v.workspace = ${principal.workspace}`],
        key: { column: 'v.id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getVenueBalances',
      path: '/venues/:venue_id/balances',
      origin: 'SPECIFIED',
      tag: 'Venues',
      summary: 'What a venue holds for us, by asset',
      permission: 'venues.read',
      effect: 'read',
      read_cost: 1_000,
      description:
        'Asks the venue; who asks often gets its answer of some seconds ago, as `timestamp` ' +
        'says. When it does not answer within 5 s, its last snapshot is given with ' +
        '`stale: true`. A figure that the venue does not report is null.',
      params: closed({ venue_id: id<VenueId>() }),
      data: VenueBalancesShape,
      handle: ({ params, principal }) => balancesOfVenue(app, principal.workspace, params.venue_id),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getVenueProtocols',
      errors: ['VenueUnreachable'],
      path: '/venues/:venue_id/protocols',
      origin: 'SPECIFIED',
      tag: 'Venues',
      summary: 'Assets of a venue and their protocols',
      permission: 'venues.read',
      effect: 'read',
      read_cost: 1_000,
      description:
        'Asks the venue. When it does not answer within 5 s, its last answer is given; 2003 ' +
        'when there is none.',
      params: closed({ venue_id: id<VenueId>() }),
      data: Type.Array(AssetProtocolsShape),
      handle: ({ params, principal }) =>
        protocolsOfVenue(app, principal.workspace, params.venue_id),
    }),
  ]
}
