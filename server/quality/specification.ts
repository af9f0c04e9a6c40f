/**
 * The operations of the interface specification as data, and whether the endpoints agree with it:
 * each endpoint declares that it is specified, or why we have it.
 */
import type { Endpoint } from '../src/http/index.ts'

/** By the specification's sections, in its order. */
const SPECIFICATION = {
  Authentication: ['POST /auth/login', 'POST /auth/refresh'],
  Deposits: [
    'GET /treasury/deposits',
    'GET /treasury/deposits/:deposit_id',
    'GET /treasury/deposits/:deposit_id/assignments',
    'POST /treasury/deposits/:deposit_id/assignments',
    'PATCH /treasury/deposits/:deposit_id/assignments',
    'GET /treasury/deposits/:deposit_id/rectifications',
    'POST /treasury/deposits/:deposit_id/rectifications',
    'GET /treasury/account/:account_id/deposits/assignments',
  ],
  'Treasury routes': [
    'GET /treasury/wallets/routes',
    'GET /treasury/wallets/routes/fields/:from_wallet_id/:protocol',
    'POST /treasury/wallets/routes',
    'PUT /treasury/wallets/routes/:route_id',
    'POST /treasury/wallets/routes/:route_id/estimate-fee',
    'PUT /treasury/wallets/routes/:route_id/allow',
  ],
  Settlements: [
    'GET /settlements',
    'GET /settlements/:settlement_id/available-fills',
    'GET /settlements/fills/:fill_id',
    'POST /settlements',
  ],
  'Transfer jobs': ['GET /treasury/jobs', 'POST /treasury/jobs', 'PUT /treasury/jobs'],
  Wallets: [
    'GET /treasury/wallets',
    'GET /treasury/wallets/:wallet_id',
    'GET /treasury/wallets/:wallet_id/balance',
    'POST /treasury/wallets',
    'PUT /treasury/wallets/:wallet_id',
  ],
  Withdrawals: [
    'GET /treasury/withdrawals',
    'GET /treasury/withdrawals/:withdrawals_id',
    'POST /treasury/wallets/routes/:treasury_route_id/withdrawals',
    'POST /treasury/withdrawals/batch/prepare',
    'POST /treasury/withdrawals/batch/submit',
    'GET /treasury/withdrawals/:withdrawal_id/assignments',
    'POST /treasury/withdrawals/:withdrawal_id/assignments',
    'PATCH /treasury/withdrawals/:withdrawal_id/assignments',
    'GET /treasury/withdrawals/:withdrawal_id/rectifications',
    'POST /treasury/withdrawals/:withdrawal_id/rectifications',
    'GET /treasury/account/:account_id/withdrawals/assignments',
  ],
  Executions: [
    'GET /executions',
    'GET /executions/:execution_id',
    'GET /executions/:execution_id/quote',
    'POST /executions',
    'DELETE /executions/:execution_id',
    'GET /executions/:execution_id/orders',
    'GET /executions/:execution_id/orders/fills',
    'GET /toms/:service_id/fills',
  ],
  'Quotes and price-stream routes': [
    'GET /price-stream/quotes',
    'POST /price-stream/quotes',
    'GET /price-stream/routes',
  ],
  'Accounts, balances and matchings': [
    'GET /accounts',
    'GET /bookings/accounts/:account_id/balance',
    'GET /accounts/matchings',
    'POST /accounts/matchings',
    'PUT /accounts/matchings',
    'DELETE /accounts/matchings/:matching_id',
  ],
  Customers: [
    'GET /customers',
    'GET /customers/:customer_id',
    'POST /customers',
    'PUT /customers',
    'DELETE /customers/:customer_id',
  ],
  Bookings: ['GET /bookings', 'GET /bookings/:booking_id', 'POST /bookings'],
  'Market data': [
    'GET /market-data/prices/v2/:asset',
    'POST /market-data/prices/v2/:asset',
    'GET /market-data/prices/v2/:asset/details',
    'POST /market-data/prices/v2/:asset/details',
  ],
  Venues: ['GET /venues', 'GET /venues/:venue_id/balances', 'GET /venues/:venue_id/protocols'],
} as const

export const OPERATIONS: readonly string[] = Object.values(SPECIFICATION).flat()

/** The name of a path parameter is ours to choose; its place is not. */
const place = (operation: string): string => operation.replaceAll(/:\w+/g, ':')

type Declaration = Pick<Endpoint, 'method' | 'path' | 'origin'>

/** Where the endpoints and the specification differ. */
export function disagreements(endpoints: readonly Declaration[]) {
  const specified = new Set(OPERATIONS.map(place))
  const served = new Set(endpoints.map(operationOf).map(place))
  const isSpecified = (endpoint: Declaration) => specified.has(place(operationOf(endpoint)))
  const ours = endpoints.filter(({ origin }) => origin !== 'SPECIFIED')
  const theirs = endpoints.filter(({ origin }) => origin === 'SPECIFIED')
  return {
    notServed: OPERATIONS.filter((operation) => !served.has(place(operation))),
    wronglySpecified: theirs.filter((endpoint) => !isSpecified(endpoint)).map(operationOf),
    wronglyOurs: ours.filter(isSpecified).map(operationOf),
  }
}

function operationOf({ method, path }: Declaration): string {
  return `${method} ${path}`
}
