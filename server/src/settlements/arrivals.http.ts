/** A person decides which deposit pays a part that was confirmed by hand, or that none does. */
import type { PartId, SettlementId } from '../core/ids.ts'
import { closed, endpoint, id } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { dropArrival, nameArrival } from './arrivals.ts'
import type { SettlementsApp } from './rows.ts'
import { DropArrival, NameArrival, SettlementRecord } from './settlements.schema.ts'

const ofPart = {
  tag: 'Settlements',
  permission: 'settlements.initiate',
  method: 'POST',
  params: closed({ settlement_id: id<SettlementId>(), part_id: id<PartId>() }),
  data: SettlementRecord,
} as const

export function arrivalEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    endpoint({
      ...ofPart,
      effect: 'lane',
      operation_id: 'linkSettlementArrival',
      path: '/settlements/:settlement_id/parts/:part_id/arrival',
      origin: { ours: 'a person may know which deposit paid a confirmed part' },
      summary: 'Link a deposit to a part that was confirmed by hand',
      body: NameArrival,
      example: {
        deposit_id: '01a1fc75-ea2a-7589-aa8f-000000000014',
        note: 'Same amount and reference',
      },
      description:
        'The deposit may have any quantity: the difference stays with the venue. No further ' +
        'deposit is expected. Refused: STATE_NOT_ALLOWED (not an incoming part that was ' +
        'confirmed by hand; the deposit is not UNASSIGNED), ASSET_MISMATCH.',
      handle: ({ params, body, caller }) => nameArrival(caller, app, params, body),
    }),
    endpoint({
      ...ofPart,
      effect: 'lane',
      operation_id: 'dropSettlementArrival',
      path: '/settlements/:settlement_id/parts/:part_id/drop',
      origin: { ours: 'a person may know that a confirmed part will not be paid' },
      summary: 'Stop expecting payment of a part that was confirmed by hand',
      body: DropArrival,
      example: { note: 'The venue has set it off against its fees' },
      description:
        'Its amount stays booked with the venue: reconciliation shows a break unless the ' +
        'venue reports it too. Refused: STATE_NOT_ALLOWED (no deposit is expected).',
      handle: ({ params, body, caller }) => dropArrival(caller, app, params, body),
    }),
  ]
}
