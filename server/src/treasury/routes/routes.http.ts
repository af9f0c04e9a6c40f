import type { TreasuryRouteId, WalletId, WorkspaceId } from '../../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  queryId,
  queryText,
  queryOneOf,
  text,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import { allowRoute } from './allowlist.ts'
import { withCollection } from './collections.ts'
import { estimateFee } from './fees.ts'
import { changeRoute, createRoute } from './edits.ts'
import { ROUTE_COLUMNS, routeById, routeFields, routeShape, withWallets } from './routes.ts'
import type { RouteRow } from './routes.ts'
import {
  ALLOWLIST_STATES,
  AllowRoute,
  ChangeRoute,
  CreateRoute,
  EstimateFee,
  FeeEstimateShape,
  RouteFieldsShape,
  RouteShape,
} from './routes.schema.ts'
import type { TreasuryApp } from '../app.ts'

const MAXIMUM_PROTOCOL = 100
const routeParams = closed({ route_id: id<TreasuryRouteId>() })
const tag = 'Treasury routes'

const EXAMPLE = {
  from_wallet_id: '01a1fc75-ea2a-7589-aa8f-000000000004',
  to_wallet_id: '01a1fc75-ea2a-7589-aa8f-000000000005',
  protocol: 'BTC',
  label: 'BTC to Jonas Keller',
}

export function routesEndpoints(app: TreasuryApp): Endpoint[] {
  return [...readEndpoints(app), ...editEndpoints(app), ...venueEndpoints(app)]
}

function readEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    listEndpoint({
      operation_id: 'listTreasuryRoutes',
      personal: true,
      tagged: 'route',
      path: '/treasury/wallets/routes',
      origin: 'SPECIFIED',
      tag,
      summary: 'List treasury routes',
      permission: 'treasury.routes.read',
      data: RouteShape,
      query: closed({
        workspace: queryId<WorkspaceId>(),
        id: queryId(),
        from_wallet_id: queryId(),
        to_wallet_id: queryId(),
        protocol: queryText(MAXIMUM_PROTOCOL),
        allowlist_state: queryOneOf(ALLOWLIST_STATES),
      }),
      list: ({ query, principal }) => ({
        select: sql`
          select ${ROUTE_COLUMNS}
          from treasury_routes`,
        conditions: [
          sql`workspace = ${principal.workspace}`,
          // Another workspace has nothing to show here.
          ...(query.workspace === undefined ? [] : [sql`workspace = ${query.workspace}`]),
          ...(query.id === undefined ? [] : [sql`id = ${query.id}`]),
          ...(query.from_wallet_id === undefined
            ? []
            : [sql`from_wallet_id = ${query.from_wallet_id}`]),
          ...(query.to_wallet_id === undefined ? [] : [sql`to_wallet_id = ${query.to_wallet_id}`]),
          ...(query.protocol === undefined ? [] : [sql`protocol = ${query.protocol}`]),
          ...(query.allowlist_state === undefined
            ? []
            : [sql`allowlist_state = any(${query.allowlist_state})`]),
        ],
        key: { column: 'id', type: 'uuid' },
        enrich: async (rows: RouteRow[]) => (await withWallets(app.db, rows)).map(routeShape),
      }),
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getTreasuryRouteFields',
      path: '/treasury/wallets/routes/fields/:from_wallet_id/:protocol',
      origin: 'SPECIFIED',
      tag,
      summary: 'Fields that a route from this wallet needs',
      permission: 'treasury.routes.read',
      effect: 'read',
      params: closed({ from_wallet_id: id<WalletId>(), protocol: text(MAXIMUM_PROTOCOL) }),
      data: RouteFieldsShape,
      handle: ({ params, caller }) => routeFields(caller, app, params),
    }),
  ]
}

function editEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'createTreasuryRoute',
      path: '/treasury/wallets/routes',
      origin: 'SPECIFIED',
      tag,
      summary: 'Create a treasury route',
      permission: 'treasury.routes.write',
      effect: 'own',
      description:
        "Both wallets hold the same asset; the destination's address is valid for the " +
        'protocol, with a tag where that needs one (TAG_REQUIRED); `transfer` has the fields ' +
        'that the route fields name. Where the venue keeps an allow-list and ' +
        'transfer.from.destination_external_account_id is empty, the venue makes a ' +
        'collection and its id is kept: in the answer when the venue answered within 5 s, ' +
        'else as soon as it does (event route.collection_created).',
      body: CreateRoute,
      example: EXAMPLE,
      data: RouteShape,
      handle: async ({ body, caller }) =>
        routeShape(await withCollection(app, await createRoute(caller, app, body))),
    }),
    endpoint({
      method: 'PUT',
      operation_id: 'changeTreasuryRoute',
      path: '/treasury/wallets/routes/:route_id',
      origin: 'SPECIFIED',
      tag,
      summary: 'Change a treasury route',
      permission: 'treasury.routes.write',
      effect: 'venue',
      description:
        'Another destination takes the route off the allow-list until it is allowed again, ' +
        'and with an empty transfer.from.destination_external_account_id a collection is ' +
        'made for it; for the same destination the one that was made is kept.',
      params: routeParams,
      body: ChangeRoute,
      example: { ...EXAMPLE, label: 'Bitcoin to Jonas Keller', version: 1 },
      data: RouteShape,
      handle: async ({ params, body, caller }) => {
        const changed = await changeRoute(caller, app, { ...body, id: params.route_id })
        return routeShape(await withCollection(app, changed))
      },
    }),
  ]
}

function venueEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'estimateFee',
      path: '/treasury/wallets/routes/:route_id/estimate-fee',
      origin: 'SPECIFIED',
      tag,
      summary: 'Estimate the fee of a transfer',
      permission: 'treasury.routes.read',
      effect: 'venue',
      description:
        'Where a venue has no levels, all three are equal. A withdrawal within ten minutes ' +
        'may name the fee answered here.',
      params: routeParams,
      body: EstimateFee,
      example: { quantity: '0.25' },
      data: FeeEstimateShape,
      handle: async ({ params, body, principal }) =>
        estimateFee(
          app,
          await routeById(app.db, principal.workspace, params.route_id),
          body.quantity,
        ),
    }),
    endpoint({
      method: 'PUT',
      operation_id: 'allowTreasuryRoute',
      path: '/treasury/wallets/routes/:route_id/allow',
      origin: 'SPECIFIED',
      tag,
      summary: 'Request the allow-listing of the destination',
      permission: 'treasury.routes.allow',
      effect: 'venue',
      description:
        'Only where the venue has an allow-list (vault custody), else UNSUPPORTED_BY_VENUE. ' +
        'transfer.to shows the state. on_allowlist is true once the venue reports it, which may ' +
        'take its approval.',
      params: routeParams,
      body: AllowRoute,
      example: { version: 1 },
      data: RouteShape,
      handle: async ({ params, body, caller }) =>
        routeShape(await allowRoute(caller, app, params.route_id, body)),
    }),
  ]
}
