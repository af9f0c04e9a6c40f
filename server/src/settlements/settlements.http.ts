import type { FillId, PartId, SettlementId } from '../core/ids.ts'
import { refuse } from '../core/errors.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  queryFlag,
  queryId,
  queryOneOf,
  Type,
} from '../http/index.ts'
import type { Endpoint, ListQuery } from '../http/index.ts'
import { columnIn, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { isClaimableBy, FILL_COLUMNS, fillById, FillRecord, isClaimedBy } from '../trading/index.ts'
import type { Fill } from '../trading/index.ts'
import { venueById } from '../venues/index.ts'
import { dropArrival, nameArrival } from './arrivals.ts'
import { confirmPart } from './confirmations.ts'
import { coverSettlement } from './coverage.ts'
import { hasUnseenPart, SETTLEMENT_SELECT, settlementById, shapeSettlement } from './rows.ts'
import type { SettlementsApp } from './rows.ts'
import { cancelSettlement, changeFills, createSettlement } from './settlements.ts'
import {
  CancelSettlement,
  ChangeFills,
  ConfirmPart,
  CoverSettlement,
  CreateSettlement,
  DropArrival,
  InitiateSettlement,
  NameArrival,
  PartShape,
  SETTLEMENT_STATES,
  SettlementRecord,
} from './settlements.schema.ts'
import { initiateSettlement } from './transfers.ts'

const tag = 'Settlements'
const params = closed({ settlement_id: id<SettlementId>() })
const reading = { tag, permission: 'settlements.read' } as const
const preparing = {
  tag,
  permission: 'settlements.create',
  data: SettlementRecord,
} as const
const moving = { ...preparing, permission: 'settlements.initiate' } as const
const movingPart = {
  ...moving,
  method: 'POST',
  params: closed({ settlement_id: id<SettlementId>(), part_id: id<PartId>() }),
} as const

export function settlementsEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    ...readingEndpoints(app),
    ...fillEndpoints(app),
    partsEndpoint(app),
    ...preparingEndpoints(app),
    cancelEndpoint(app),
    ...movingEndpoints(app),
    ...arrivalEndpoints(app),
  ]
}

function readingEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    listEndpoint({
      ...reading,
      path: '/settlements',
      origin: 'SPECIFIED',
      summary: 'List settlements',
      data: SettlementRecord,
      query: closed({ state: queryOneOf(SETTLEMENT_STATES), unseen: queryFlag() }),
      description:
        '`unseen=true`: only those of which a part was confirmed by hand ' +
        'whose deposit is waited for.',
      list: ({ principal, query: { state, unseen } }) => ({
        select: SETTLEMENT_SELECT,
        key: { column: 's.id', type: 'uuid' },
        item: shapeSettlement,
        conditions: [
          sql`s.workspace = ${principal.workspace}`,
          ...(state === undefined ? [] : [columnIn('s.state', state)]),
          ...(unseen === undefined ? [] : [unseen ? hasUnseenPart : sql`not ${hasUnseenPart}`]),
        ],
      }),
    }),
    endpoint({
      ...reading,
      method: 'GET',
      path: '/settlements/:settlement_id',
      origin: { ours: 'one settlement with its nets and parts' },
      summary: 'One settlement',
      effect: 'read',
      params,
      data: SettlementRecord,
      handle: ({ params: { settlement_id }, principal }) =>
        settlementById(app.db, principal.workspace, settlement_id),
    }),
  ]
}

function fillEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    listEndpoint({
      ...reading,
      path: '/settlements/:settlement_id/available-fills',
      origin: 'SPECIFIED',
      summary: 'Fills of a venue that the settlement holds or may take',
      params,
      query: closed({ venue_id: queryId() }),
      data: FillRecord,
      description:
        'Those in its range that are not settled and that no other settlement holds; ' +
        '`settlement_id` tells its own from those that are free. `venue_id` is required.',
      list: async ({ params: { settlement_id }, query: { venue_id }, principal }) => {
        const { workspace } = principal
        const settlement = await settlementById(app.db, workspace, settlement_id)
        if (venue_id === undefined) throw refuse('REQUIRED', 'venue_id', 'venue_id is required')
        await venueById(app.db, workspace, venue_id)
        return fillsWhere([
          sql`workspace = ${workspace}`,
          sql`venue_id = ${venue_id}`,
          ...isClaimableBy(settlement),
        ])
      },
    }),
    endpoint({
      ...reading,
      method: 'GET',
      path: '/settlements/fills/:fill_id',
      origin: 'SPECIFIED',
      summary: 'One fill',
      effect: 'read',
      params: closed({ fill_id: id<FillId>() }),
      data: FillRecord,
      handle: ({ params: { fill_id }, principal }) =>
        fillById(app.db, principal.workspace, fill_id),
    }),
    listEndpoint({
      ...reading,
      path: '/settlements/:settlement_id/fills',
      origin: { ours: 'shows the fills that a settlement holds' },
      summary: 'Fills that the settlement holds',
      params,
      data: FillRecord,
      list: async ({ params: { settlement_id }, principal: { workspace } }) => {
        await settlementById(app.db, workspace, settlement_id)
        return fillsWhere([sql`workspace = ${workspace}`, isClaimedBy(settlement_id)])
      },
    }),
  ]
}

const fillsWhere = (conditions: Query[]): ListQuery<Fill> => ({
  select: sql`
    select ${FILL_COLUMNS}
    from fills`,
  conditions,
  key: { column: 'id', type: 'uuid' },
})

const partsEndpoint = (app: SettlementsApp): Endpoint =>
  endpoint({
    ...reading,
    method: 'GET',
    path: '/settlements/:settlement_id/parts',
    origin: { ours: 'shows how the nets are paid, and how far that is' },
    summary: 'Parts of a settlement',
    effect: 'read',
    params,
    data: Type.Array(PartShape),
    handle: async ({ params: { settlement_id }, principal }) =>
      (await settlementById(app.db, principal.workspace, settlement_id)).parts,
  })

function preparingEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    endpoint({
      ...preparing,
      effect: 'lane',
      method: 'POST',
      path: '/settlements',
      origin: 'SPECIFIED',
      summary: 'Claim unsettled fills and net them',
      body: CreateSettlement,
      example: { timerange_from: '2026-03-02T00:00:00Z', timerange_to: '2026-03-03T00:00:00Z' },
      description:
        'Takes every fill in the range at venues that settle after the trade which nobody ' +
        'settles yet. Refused: FORMAT, RANGE (no range, or nothing in it), ABOVE_MAXIMUM.',
      handle: ({ body, caller }) => createSettlement(caller, app, body),
    }),
    endpoint({
      ...preparing,
      effect: 'lane',
      method: 'PATCH',
      path: '/settlements/:settlement_id/fills',
      origin: { ours: 'fills can be taken in or left out while a settlement is prepared' },
      summary: 'Take fills in or leave them out',
      params,
      body: ChangeFills,
      example: {
        take: ['01a1fc75-ea2a-7589-aa8f-000000000012'],
        leave: ['01a1fc75-ea2a-7589-aa8f-000000000021'],
        version: 1,
      },
      description:
        'While it is PREPARING. Refused: STATE_NOT_ALLOWED, NOT_FOUND, CONFLICT (settled, ' +
        'held by another settlement, outside of the range, not held by this one), ' +
        'STALE_VERSION.',
      handle: ({ params: { settlement_id }, body, caller }) =>
        changeFills(caller, app, settlement_id, body),
    }),
    endpoint({
      ...preparing,
      effect: 'lane',
      method: 'PUT',
      path: '/settlements/:settlement_id/parts',
      origin: { ours: 'a person chooses the routes by which the nets are paid' },
      summary: 'Cover what it comes to by parts over treasury routes',
      params,
      body: CoverSettlement,
      example: {
        parts: [
          {
            venue_id: '01a1fc75-ea2a-7589-aa8f-000000000003',
            asset: 'EUR',
            quantity: '64493.11',
            route_id: '01a1fc75-ea2a-7589-aa8f-000000000006',
          },
        ],
        version: 1,
      },
      description:
        'Replaces the parts that are OPEN or FAILED. A settlement that was PREPARING is ' +
        'READY then, and PREPARING again with no parts. Refused: SUM_MISMATCH, SCALE, ' +
        'CONFLICT (the route does not fit), STATE_NOT_ALLOWED, STALE_VERSION.',
      handle: ({ params: { settlement_id }, body, caller }) =>
        coverSettlement(caller, app, settlement_id, body),
    }),
  ]
}

const cancelEndpoint = (app: SettlementsApp): Endpoint =>
  endpoint({
    ...preparing,
    effect: 'lane',
    method: 'POST',
    path: '/settlements/:settlement_id/cancel',
    origin: { ours: 'a settlement can be cancelled before anything has moved' },
    summary: 'Give it up before anything has moved',
    params,
    body: CancelSettlement,
    example: { reason: 'Wrong period' },
    description:
      'Its fills are free again. Refused: STATE_NOT_ALLOWED once a part has moved or may ' +
      'have left.',
    handle: ({ params: { settlement_id }, body, caller }) =>
      cancelSettlement(caller, app, settlement_id, body),
  })

function movingEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    endpoint({
      ...moving,
      effect: 'lane',
      method: 'POST',
      path: '/settlements/:settlement_id/initiate',
      origin: { ours: 'sends what we owe and waits for what is owed to us' },
      summary: 'Send its parts and wait for those that come',
      params,
      body: InitiateSettlement,
      example: { part_ids: ['01a1fc75-ea2a-7589-aa8f-000000000013'] },
      description:
        'An outgoing part becomes a withdrawal of origin SETTLEMENT, an incoming one waits ' +
        'for its deposit. All or none. A part that failed is initiated again, one whose ' +
        'outcome is not known is not. Refused: CONFLICT (a fill was taken back since it ' +
        'was covered), STATE_NOT_ALLOWED, REQUIRED (no route), and as any withdrawal.',
      handle: ({ params: { settlement_id }, body, caller }) =>
        initiateSettlement(caller, app, settlement_id, body),
    }),
    endpoint({
      ...movingPart,
      effect: 'lane',
      path: '/settlements/:settlement_id/parts/:part_id/confirm',
      origin: { ours: 'a person may know that a part has moved' },
      summary: 'Confirm by hand that a part has moved',
      body: ConfirmPart,
      example: {
        note: 'The venue wrote that it has arrived',
        deposit_id: '01a1fc75-ea2a-7589-aa8f-000000000014',
      },
      description:
        'Stores who said so and by what it is known. Until the money itself is seen it ' +
        'counts as lying with the venue. Refused: STATE_NOT_ALLOWED, CONFLICT (a ' +
        "withdrawal's outcome decides; it has arrived), ASSET_MISMATCH, ABOVE_MAXIMUM.",
      handle: ({ params, body, caller }) => confirmPart(caller, app, params, body),
    }),
  ]
}

function arrivalEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    endpoint({
      ...movingPart,
      effect: 'lane',
      path: '/settlements/:settlement_id/parts/:part_id/arrival',
      origin: { ours: 'a person may know as which deposit a confirmed part came' },
      summary: 'Name a deposit as the money of a part that was confirmed by hand',
      body: NameArrival,
      example: {
        deposit_id: '01a1fc75-ea2a-7589-aa8f-000000000014',
        note: 'Same amount and reference',
      },
      description:
        'Of whatever quantity: it is taken from what lies with the venue, where more or ' +
        'less than the part then stands. None is waited for any more. Refused: ' +
        'STATE_NOT_ALLOWED (not an incoming part that was confirmed by hand; the deposit ' +
        'is not UNASSIGNED), ASSET_MISMATCH.',
      handle: ({ params, body, caller }) => nameArrival(caller, app, params, body),
    }),
    endpoint({
      ...movingPart,
      effect: 'lane',
      path: '/settlements/:settlement_id/parts/:part_id/drop',
      origin: { ours: 'a person may know that the money of a confirmed part does not come' },
      summary: 'Wait no more for the money of a part that was confirmed by hand',
      body: DropArrival,
      example: { note: 'The venue has set it off against its fees' },
      description:
        'Its amount goes on lying with the venue: reconciliation names it unless the venue ' +
        'says so too. Refused: STATE_NOT_ALLOWED (nothing is waited for).',
      handle: ({ params, body, caller }) => dropArrival(caller, app, params, body),
    }),
  ]
}
