import type { PartId, SettlementId } from '../core/ids.ts'
import { closed, endpoint, id, listEndpoint, queryFlag, queryOneOf, Type } from '../http/index.ts'
import type { Endpoint } from '../http/index.ts'
import { columnIn, sql } from '../store/sql.ts'
import type { Query } from '../store/sql.ts'
import { confirmPart } from './confirmations.ts'
import { coverSettlement } from './coverage.ts'
import { fillEndpoints } from './fills.http.ts'
import { netAgain } from './net-again.ts'
import {
  hasUncorrectedFill,
  hasUnseenPart,
  SETTLEMENT_SELECT,
  settlementById,
  shapeSettlement,
} from './rows.ts'
import type { SettlementsApp } from './rows.ts'
import { cancelSettlement, changeFills, createSettlement } from './settlements.ts'
import {
  CancelSettlement,
  ChangeFills,
  ConfirmPart,
  CoverSettlement,
  CreateSettlement,
  InitiateSettlement,
  NetAgain,
  PartShape,
  SETTLEMENT_STATES,
  SettlementRecord,
} from './settlements.schema.ts'
import { initiateSettlement } from './transfers.ts'
import { arrivalEndpoints } from './arrivals.http.ts'

const tag = 'Settlements'
const params = closed({ settlement_id: id<SettlementId>() })
const reading = { tag, permission: 'settlements.read' } as const
const preparing = {
  tag,
  permission: 'settlements.create',
  data: SettlementRecord,
} as const
const moving = { ...preparing, permission: 'settlements.initiate' } as const

export function settlementsEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    ...readingEndpoints(app),
    ...fillEndpoints(app),
    partsEndpoint(app),
    ...preparingEndpoints(app),
    netAgainEndpoint(app),
    cancelEndpoint(app),
    ...movingEndpoints(app),
    ...arrivalEndpoints(app),
  ]
}

function readingEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    listEndpoint({
      ...reading,
      operation_id: 'listSettlements',
      tagged: 'settlement',
      path: '/settlements',
      origin: 'SPECIFIED',
      summary: 'List settlements',
      data: SettlementRecord,
      query: closed({
        state: queryOneOf(SETTLEMENT_STATES),
        unseen: queryFlag(),
        uncorrected: queryFlag(),
      }),
      description:
        '`unseen=true`: only settlements with a part that was confirmed by hand, or whose ' +
        'deposit was taken back, and that still expects its deposit. `uncorrected=true`: only ' +
        'those with a fill that was busted after they were initiated and is still in their nets.',
      list: ({ principal, query: { state, unseen, uncorrected } }) => ({
        select: SETTLEMENT_SELECT,
        key: { column: 's.id', type: 'uuid' },
        item: shapeSettlement,
        conditions: [
          sql`s.workspace = ${principal.workspace}`,
          ...(state === undefined ? [] : [columnIn('s.state', state)]),
          ...flagCondition(hasUnseenPart, unseen),
          ...flagCondition(hasUncorrectedFill, uncorrected),
        ],
      }),
    }),
    endpoint({
      ...reading,
      method: 'GET',
      operation_id: 'getSettlement',
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

function flagCondition(condition: Query, wanted: boolean | undefined): Query[] {
  if (wanted === undefined) return []
  return [wanted ? sql`(${condition})` : sql`not (${condition})`]
}

const partsEndpoint = (app: SettlementsApp): Endpoint =>
  endpoint({
    ...reading,
    method: 'GET',
    operation_id: 'listSettlementParts',
    path: '/settlements/:settlement_id/parts',
    origin: { ours: 'shows how the nets are paid, and what has moved' },
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
      operation_id: 'createSettlement',
      path: '/settlements',
      origin: 'SPECIFIED',
      summary: 'Claim unsettled fills and net them',
      body: CreateSettlement,
      example: { timerange_from: '2026-03-02T00:00:00Z', timerange_to: '2026-03-03T00:00:00Z' },
      description:
        'Claims every fill in the range that is at a post-trade venue and in no settlement ' +
        'yet. Refused: FORMAT, RANGE (no range, or nothing in it), ABOVE_MAXIMUM.',
      handle: ({ body, caller }) => createSettlement(caller, app, body),
    }),
    endpoint({
      ...preparing,
      effect: 'lane',
      method: 'PATCH',
      operation_id: 'changeSettlementFills',
      path: '/settlements/:settlement_id/fills',
      origin: { ours: 'fills can be added and removed while a settlement is prepared' },
      summary: 'Add or remove fills',
      params,
      body: ChangeFills,
      example: {
        take: ['01a1fc75-ea2a-7589-aa8f-000000000012'],
        leave: ['01a1fc75-ea2a-7589-aa8f-000000000021'],
        version: 1,
      },
      description:
        'While it is PREPARING. Refused: STATE_NOT_ALLOWED, NOT_FOUND, CONFLICT (settled, ' +
        'claimed by another settlement, outside the range, not claimed by this one), ' +
        'STALE_VERSION.',
      handle: ({ params: { settlement_id }, body, caller }) =>
        changeFills(caller, app, settlement_id, body),
    }),
    endpoint({
      ...preparing,
      effect: 'lane',
      method: 'PUT',
      operation_id: 'coverSettlement',
      path: '/settlements/:settlement_id/parts',
      origin: { ours: 'a person chooses the routes by which the nets are paid' },
      summary: 'Cover the nets by parts over treasury routes',
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
        'Replaces the parts that are OPEN or FAILED. The settlement becomes READY, or ' +
        'PREPARING again without parts. Refused: SUM_MISMATCH, SCALE, CONFLICT (the route ' +
        'does not fit), STATE_NOT_ALLOWED, STALE_VERSION.',
      handle: ({ params: { settlement_id }, body, caller }) =>
        coverSettlement(caller, app, settlement_id, body),
    }),
  ]
}

const netAgainEndpoint = (app: SettlementsApp): Endpoint =>
  endpoint({
    ...preparing,
    effect: 'lane',
    method: 'POST',
    operation_id: 'netSettlementAgain',
    path: '/settlements/:settlement_id/net-again',
    origin: { ours: 'a venue can bust a trade after its settlement was initiated' },
    summary: 'Take busted fills out of the nets of an initiated settlement',
    params,
    body: NetAgain,
    example: { version: 7 },
    description:
      'Adds a correcting line for each busted fill. Parts that have not moved are replaced by ' +
      'what is still owed; what was paid too much comes back by a further part. A SETTLED ' +
      'settlement goes on until that has moved. Refused: STATE_NOT_ALLOWED (not initiated, ' +
      'canceled, or no fill was busted since), STALE_VERSION.',
    handle: ({ params: { settlement_id }, body, caller }) =>
      netAgain(caller, app, settlement_id, body),
  })

const cancelEndpoint = (app: SettlementsApp): Endpoint =>
  endpoint({
    ...preparing,
    effect: 'lane',
    method: 'POST',
    operation_id: 'cancelSettlement',
    path: '/settlements/:settlement_id/cancel',
    origin: { ours: 'a settlement can be canceled before anything has moved' },
    summary: 'Cancel settlement',
    params,
    body: CancelSettlement,
    example: { reason: 'Wrong period' },
    description:
      'Its fills can be claimed again. Refused: STATE_NOT_ALLOWED once a part has moved or ' +
      'may have left.',
    handle: ({ params: { settlement_id }, body, caller }) =>
      cancelSettlement(caller, app, settlement_id, body),
  })

function movingEndpoints(app: SettlementsApp): Endpoint[] {
  return [
    endpoint({
      ...moving,
      effect: 'lane',
      method: 'POST',
      operation_id: 'initiateSettlement',
      path: '/settlements/:settlement_id/initiate',
      origin: { ours: 'sends what we owe and waits for what is owed to us' },
      summary: 'Initiate the parts of a settlement',
      params,
      body: InitiateSettlement,
      example: { part_ids: ['01a1fc75-ea2a-7589-aa8f-000000000013'] },
      description:
        'An outgoing part becomes a withdrawal of origin SETTLEMENT, an incoming part ' +
        'expects its deposit. All or none. A FAILED part is initiated again, one with an ' +
        'unknown outcome is not. Refused: CONFLICT (a fill was busted since it was covered), ' +
        'STATE_NOT_ALLOWED, REQUIRED (no route), and as any withdrawal.',
      handle: ({ params: { settlement_id }, body, caller }) =>
        initiateSettlement(caller, app, settlement_id, body),
    }),
    endpoint({
      ...moving,
      effect: 'lane',
      method: 'POST',
      operation_id: 'confirmSettlementPart',
      path: '/settlements/:settlement_id/parts/:part_id/confirm',
      origin: { ours: 'a person may know that a part has moved' },
      summary: 'Confirm by hand that a part has moved',
      params: closed({ settlement_id: id<SettlementId>(), part_id: id<PartId>() }),
      body: ConfirmPart,
      example: {
        note: 'The venue wrote that it has arrived',
        deposit_id: '01a1fc75-ea2a-7589-aa8f-000000000014',
      },
      description:
        'Stores who confirmed it and by what evidence. Until the money itself is seen it ' +
        "counts as held by the venue. Refused: STATE_NOT_ALLOWED, CONFLICT (a withdrawal's " +
        'outcome decides; it has arrived), ASSET_MISMATCH, ABOVE_MAXIMUM.',
      handle: ({ params, body, caller }) => confirmPart(caller, app, params, body),
    }),
  ]
}
