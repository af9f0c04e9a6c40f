import type { AccountId, BreakId } from '../../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  queryAssets,
  queryId,
  queryOneOf,
  Type,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import {
  AccountRecord,
  assetByCode,
  HALT_STATES,
  HaltRecord,
  freezeAccount,
  putHalt,
  PutHalt,
  SELECT_HALTS,
} from '../../ledger/index.ts'
import { columnIn, sql } from '../../store/sql.ts'
import { venueById } from '../../venues/index.ts'
import { closeBreak, listBreaks } from './breaks.ts'
import { dayEndpoints } from './days.http.ts'
import { listCustomerWallets } from './customer-wallets.ts'
import { CustomerWalletsQuery, CustomerWalletsRecord } from './customer-wallets.schema.ts'
import {
  BREAK_CAUSES,
  BREAK_STATES,
  BreakRecord,
  CloseBreak,
  FreezeAccount,
  PositionRecord,
} from './reconciliation.schema.ts'
import { positionsOf } from './positions.ts'
import { reconcileNow } from './reconciliation.ts'
import type { ReconciliationApp } from './reconciliation.ts'

const tag = 'Reconciliation'

export function reconciliationEndpoints(app: ReconciliationApp): Endpoint[] {
  return [
    ...comparisonEndpoints(app),
    ...breakEndpoints(app),
    ...dayEndpoints(app),
    customerWallets(app),
    ...haltsEndpoints(app),
  ]
}

function comparisonEndpoints(app: ReconciliationApp): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      operation_id: 'listPositions',
      path: '/desk/reconciliation',
      origin: { ours: 'venues and books side by side, as last compared' },
      tag,
      summary: 'Venues and books as last compared',
      permission: 'desk.read',
      effect: 'read',
      read_cost: 1_000,
      description:
        "Each venue's assets: what the books say, what the venue holds, what movements in " +
        'flight explain of the difference, and the rest. Compared every minute.',
      data: Type.Array(PositionRecord),
      handle: ({ principal }) => positionsOf(app.db, principal.workspace, app.clock.now()),
    }),
    endpoint({
      method: 'POST',
      operation_id: 'reconcile',
      path: '/desk/reconciliation/run',
      origin: { ours: 'compares venues and books now' },
      tag,
      summary: 'Compare venues and books now',
      permission: 'desk.read',
      effect: 'venue',
      description:
        'Answers every position. A difference seen for the first time is CHECKING, and looked ' +
        'at again after 15 seconds before it is a break. What does not stand still now, or ' +
        'whose venue does not answer, keeps its last comparison (`compared_at`). `not_compared` ' +
        'names the open order that an asset waits for.',
      data: Type.Array(PositionRecord),
      handle: ({ caller }) => reconcileNow(caller, app),
    }),
  ]
}

function breakEndpoints(app: ReconciliationApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listBreaks',
      tagged: 'break',
      path: '/desk/breaks',
      origin: { ours: 'where a venue and the books differ, since when and why' },
      tag,
      summary: 'List breaks',
      permission: 'desk.read',
      data: BreakRecord,
      query: closed({
        state: queryOneOf(BREAK_STATES),
        venue_id: queryId(),
        asset: queryAssets(),
        cause: queryOneOf(BREAK_CAUSES),
      }),
      list: ({ query, principal }) => listBreaks(app.clock, principal.workspace, query),
    }),
    endpoint({
      method: 'POST',
      operation_id: 'closeBreak',
      path: '/desk/breaks/:break_id/close',
      origin: { ours: 'a person takes responsibility for a difference' },
      tag,
      summary: 'Close a break with a note',
      permission: 'breaks.close',
      effect: 'transaction',
      description:
        'The same difference opens no new break; another difference does. Refused: ' +
        'STATE_NOT_ALLOWED.',
      params: closed({ break_id: id<BreakId>() }),
      body: CloseBreak,
      example: { note: 'A fee that the venue took in March' },
      data: BreakRecord,
      handle: ({ params, body, caller }, tx) =>
        closeBreak(caller, { tx, clock: app.clock }, params.break_id, body.note),
    }),
  ]
}

const customerWallets = (app: ReconciliationApp): Endpoint =>
  listEndpoint({
    operation_id: 'listCustomerWallets',
    personal: true,
    ordered_by: 'id and text',
    path: '/desk/customer-wallets',
    origin: { ours: 'shows whether what customers own lies in their own wallets' },
    tag,
    summary: "Customers' wallets beside their books",
    permission: 'desk.read',
    data: CustomerWalletsRecord,
    description:
      "Per customer and asset: what the customer's own wallets at venues hold, as the venues " +
      'say and as it is booked, what the customer has in the books, and what explains the ' +
      'difference.',
    query: CustomerWalletsQuery,
    list: ({ query, principal }) =>
      listCustomerWallets(app.db, principal.workspace, {
        customer_id: query.customer_id,
        assets: query.asset,
      }),
  })

function haltsEndpoints(app: ReconciliationApp): Endpoint[] {
  const tag = 'Halts'
  return [
    listEndpoint({
      operation_id: 'listHalts',
      tagged: 'halt',
      path: '/desk/halts',
      origin: { ours: 'shows what is halted, by whom and why' },
      tag,
      summary: 'List halts',
      permission: 'desk.read',
      data: HaltRecord,
      query: closed({ state: queryOneOf(HALT_STATES) }),
      list: ({ query, principal }) => ({
        select: SELECT_HALTS,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          ...(query.state === undefined ? [] : [columnIn('state', query.state)]),
        ],
        key: { column: 'id', type: 'uuid' },
      }),
    }),
    endpoint({
      method: 'PUT',
      operation_id: 'putHalt',
      path: '/desk/halts',
      origin: { ours: 'halts withdrawals or trading in an emergency' },
      tag,
      summary: 'Set or release a halt',
      permission: 'halts.write',
      effect: 'transaction',
      description:
        'Halts withdrawals or trading of the workspace, of one venue, of one asset, or of an ' +
        'asset at a venue. Commands are refused HALTED and withdrawals not sent yet wait; what ' +
        'has happened at a venue is booked all the same. Refused: STATE_NOT_ALLOWED when the ' +
        'halt to release is not set, UNKNOWN_ASSET.',
      body: PutHalt,
      example: { action: 'WITHDRAWALS', asset: 'BTC', halted: true, reason: 'The chain has split' },
      data: HaltRecord,
      handle: async ({ body, caller }, tx) => {
        if (body.venue_id !== undefined) await venueById(tx, caller.workspace, body.venue_id)
        if (body.asset !== undefined) await assetByCode(tx, caller.workspace, body.asset)
        return putHalt(caller, { tx, clock: app.clock }, body)
      },
    }),
    endpoint({
      method: 'PUT',
      operation_id: 'freezeAccount',
      path: '/accounts/:account_id/freeze',
      origin: { ours: 'stops everything that would be taken from an account' },
      tag,
      summary: "Freeze or release a customer's account",
      permission: 'halts.write',
      effect: 'transaction',
      description:
        'Requests that take or block an amount of a frozen account are refused FROZEN, and ' +
        'withdrawals not sent yet wait; what has happened at a venue is booked all the same.',
      params: closed({ account_id: id<AccountId>() }),
      body: FreezeAccount,
      example: { frozen: true, reason: 'Asked for by compliance' },
      data: AccountRecord,
      handle: ({ params, body, caller }, tx) =>
        freezeAccount(caller, { tx, clock: app.clock }, params.account_id, body),
    }),
  ]
}
