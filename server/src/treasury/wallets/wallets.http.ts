import type { WalletId } from '../../core/ids.ts'
import {
  closed,
  endpoint,
  id,
  listEndpoint,
  queryId,
  queryReference,
  queryOneOf,
  Type,
} from '../../http/index.ts'
import type { Endpoint } from '../../http/index.ts'
import { sql } from '../../store/sql.ts'
import { balanceOfWallet } from './balance.ts'
import { WALLET_COLUMNS, walletById } from './rows.ts'
import { changeWallet, createWallet } from './wallets.ts'
import type { TreasuryApp } from '../app.ts'
import {
  ChangeWallet,
  CreateWallet,
  WALLET_STATES,
  WalletBalanceShape,
  WalletShape,
} from './wallets.schema.ts'

const MAXIMUM_FILTER = 500
const walletParams = closed({ wallet_id: id<WalletId>() })

const EXAMPLE = {
  type: 'CUSTOMER',
  asset: 'BTC',
  address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
  label: 'Jonas Keller, own address',
  account_id: '01a1fc75-ea2a-7589-aa8f-000000000001',
  customer_id: '01a1fc75-ea2a-7589-aa8f-000000000002',
  access_type: 'EXTERNAL',
}

export function walletsEndpoints(app: TreasuryApp): Endpoint[] {
  return [listWallets, ...readEndpoints(app), ...editEndpoints(app)]
}

const listWallets = listEndpoint({
  operation_id: 'listWallets',
  tagged: 'wallet',
  path: '/treasury/wallets',
  origin: 'SPECIFIED',
  tag: 'Wallets',
  summary: 'List wallets',
  permission: 'treasury.wallets.read',
  data: WalletShape,
  query: closed({
    id: queryId(),
    address: queryReference(MAXIMUM_FILTER),
    reference_text: queryReference(MAXIMUM_FILTER),
    foreign_id: queryReference(MAXIMUM_FILTER),
    service_id: queryId(),
    venue_id: queryId(),
    customer_id: queryId(),
    state: queryOneOf(WALLET_STATES),
  }),
  list: ({ query, principal }) => ({
    select: sql`
      select ${WALLET_COLUMNS}
      from wallets`,
    conditions: [
      sql`workspace = ${principal.workspace}`,
      ...(query.id === undefined ? [] : [sql`id = ${query.id}`]),
      ...(query.address === undefined ? [] : [sql`address = ${query.address}`]),
      ...(query.reference_text === undefined
        ? []
        : [sql`reference_text = ${query.reference_text}`]),
      ...(query.foreign_id === undefined ? [] : [sql`foreign_id = ${query.foreign_id}`]),
      ...(query.service_id === undefined ? [] : [sql`service_id = ${query.service_id}`]),
      ...(query.venue_id === undefined ? [] : [sql`venue_id = ${query.venue_id}`]),
      ...(query.customer_id === undefined ? [] : [sql`customer_id = ${query.customer_id}`]),
      ...(query.state === undefined ? [] : [sql`state = any(${query.state})`]),
    ],
    key: { column: 'id', type: 'uuid' },
  }),
})

function readEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    endpoint({
      method: 'GET',
      operation_id: 'getWallet',
      path: '/treasury/wallets/:wallet_id',
      origin: 'SPECIFIED',
      tag: 'Wallets',
      summary: 'Get a wallet, as an array of one',
      permission: 'treasury.wallets.read',
      effect: 'read',
      params: walletParams,
      data: Type.Array(WalletShape),
      handle: async ({ params, principal }) => [
        await walletById(app.db, principal.workspace, params.wallet_id),
      ],
    }),
    endpoint({
      method: 'GET',
      operation_id: 'getWalletBalance',
      errors: ['VenueUnreachable'],
      path: '/treasury/wallets/:wallet_id/balance',
      origin: 'SPECIFIED',
      tag: 'Wallets',
      summary: 'Current balance of a wallet at its venue',
      permission: 'treasury.wallets.read',
      effect: 'read',
      read_cost: 1_000,
      description:
        'An EXTERNAL wallet is refused with UNSUPPORTED_BY_VENUE; 2003 when the venue does ' +
        'not answer within 5 s. A figure the venue does not give is null. Who asks often gets ' +
        'the answer of some seconds ago.',
      params: walletParams,
      data: WalletBalanceShape,
      handle: ({ params, caller }) => balanceOfWallet(caller, app, params.wallet_id),
    }),
  ]
}

function editEndpoints(app: TreasuryApp): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      operation_id: 'createWallet',
      path: '/treasury/wallets',
      origin: 'SPECIFIED',
      tag: 'Wallets',
      summary: 'Create a wallet',
      permission: 'treasury.wallets.write',
      effect: 'transaction',
      description:
        'A VENUE wallet needs venue_id and service_id. A CUSTOMER wallet with them is ' +
        'INTERNAL, without them EXTERNAL. The address must be valid for a protocol of the ' +
        'asset (INVALID_ADDRESS). With configuration.create_external_wallet the venue makes ' +
        'it: CREATING until the venue has answered, then ACTIVE with address and place ' +
        'stored, or FAILED with the reason.',
      body: CreateWallet,
      example: EXAMPLE,
      data: WalletShape,
      handle: ({ body, caller }, tx) => createWallet(caller, { tx, clock: app.clock }, body),
    }),
    endpoint({
      method: 'PUT',
      operation_id: 'changeWallet',
      path: '/treasury/wallets/:wallet_id',
      origin: 'SPECIFIED',
      tag: 'Wallets',
      summary: 'Change a wallet',
      permission: 'treasury.wallets.write',
      effect: 'transaction',
      description:
        'What routes rely on cannot change while they use the wallet (IN_USE). A customer keeps ' +
        'a wallet through which anything has moved (IN_USE). A new address ' +
        'takes routes to this wallet off the allow-list until they are allowed again. Of a ' +
        'wallet that its venue made, only label, type, customer and account are changed; all ' +
        'else is ignored. matching_configurations replaces the matchings made through the ' +
        'wallet for its account, refused as matchings are (DUPLICATE, REQUIRED, RANGE); ' +
        'absent they stay, and go with the wallet to another account.',
      params: walletParams,
      body: ChangeWallet,
      example: { ...EXAMPLE, label: 'Jonas Keller, cold wallet', version: 1 },
      data: WalletShape,
      handle: ({ params, body, caller }, tx) =>
        changeWallet(caller, { tx, clock: app.clock }, { ...body, id: params.wallet_id }),
    }),
  ]
}
