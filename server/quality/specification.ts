/**
 * The operations of the interface specification as data, and how far the service is with them: each
 * is either served or on the committed list of missing ones, which only shrinks. What we serve
 * beyond them is named here with its reason.
 */
import { readFileSync } from 'node:fs'
import type { Endpoint } from '../src/http/index.ts'

/** Relative to the repository. */
export const MISSING_FILE = 'server/quality/missing-operations.json'

/** By the specification's sections, in its order. */
export const SPECIFICATION = {
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

/** Endpoints of our own. */
export const ADDITIONS: Readonly<Record<string, string>> = {
  'POST /auth/password': 'changes the own password; the way out of error 1004',
  'GET /auth/me': 'who calls, and what the caller may do: how a program knows what to offer',
  'POST /auth/logout': 'ends a session before its time',
  'GET /events': 'what has happened, each event once and in commit order',
  'GET /events/stream': 'the same, live',
  'GET /bookings/accounts/:account_id/statement':
    "an account's bookings between its opening and its closing balance",
  'GET /bookings/trial-balance':
    'debit and credit balances by type of account, now or as of a time',
  'GET /mails': 'what was written to customers, and whether it was sent',
  'GET /users': 'who may log in, with which roles',
  'POST /users': 'adds somebody who may log in',
  'PUT /users': 'changes or disables somebody who may log in',
  'POST /treasury/withdrawals/:withdrawal_id/cancel': 'takes back a withdrawal that has not left',
  'POST /treasury/withdrawals/:withdrawal_id/resolve':
    'tells the outcome of a withdrawal that the venue does not tell, with evidence',
  'POST /treasury/withdrawals/:withdrawal_id/recheck': 'asks the venue about a withdrawal now',
  'GET /treasury/deposits/:deposit_id/suggestions': 'whose a deposit may be, with the reasons',
  'GET /treasury/assignments':
    'what belongs to whom, and what of it waits for a decision, in one list',
  'GET /treasury/jobs/:job_id/runs':
    'what each run of a transfer job measured, moved, or why it did not',
  'POST /treasury/jobs/:job_id/dry-run': 'what a run of the job would do now, and why',
  'GET /price-stream/routes/:route_id/history':
    'how its price moved: for the chart beside a ticket',
  'GET /price-stream/quotes/:quote_id': 'one quote, also when it can no longer be accepted',
  'GET /settlements/:settlement_id': 'one settlement with what it comes to and its parts',
  'GET /settlements/:settlement_id/fills': 'the fills it holds',
  'PATCH /settlements/:settlement_id/fills':
    'takes fills in or leaves them out while it is prepared',
  'GET /settlements/:settlement_id/parts': 'how what it comes to is paid, and how far that is',
  'PUT /settlements/:settlement_id/parts': 'says over which routes it is paid',
  'POST /settlements/:settlement_id/initiate': 'sends what we owe and waits for what is owed to us',
  'POST /settlements/:settlement_id/parts/:part_id/confirm': 'a person knows that a part has moved',
  'POST /settlements/:settlement_id/parts/:part_id/arrival':
    'a person knows as which deposit a confirmed part came',
  'POST /settlements/:settlement_id/parts/:part_id/drop':
    'a person knows that the money of a confirmed part does not come',
  'POST /settlements/:settlement_id/cancel': 'gives it up before anything has moved',
  'GET /overview': 'totals per asset, what needs a person now, and what has moved today',
  'GET /timeline/:kind/:id':
    'how a record came to be what it is, step by step with reasons and bookings',
  'GET /search': 'finds records by anything they are known by',
  'GET /desk/reconciliation': 'venues and books side by side, as last compared',
  'POST /desk/reconciliation/run': 'compares venues and books now',
  'GET /accounts/:account_id': 'one account, for who has its id',
  'GET /desk/breaks': 'where a venue and the books differ, since when and why',
  'POST /desk/breaks/:break_id/close': 'a person takes the responsibility for a difference',
  'GET /desk/halts': 'what is halted, by whom and why',
  'PUT /desk/halts': 'halts withdrawals or trading in an emergency',
  'PUT /accounts/:account_id/freeze': 'lets nothing be taken from an account any more',
  'POST /venues/:venue_id/push':
    'where a venue tells, by its own signature, that money is arriving',
}

export const OPERATIONS: readonly string[] = Object.values(SPECIFICATION).flat()

/** The name of a path parameter is ours to choose; its place is not. */
const place = (operation: string): string => operation.replaceAll(/:\w+/g, ':')

export type Coverage = {
  /** Operations on the committed list of missing ones. */
  missing: { operation: string; served: boolean }[]
  /** Neither served nor on the list. */
  forgotten: string[]
  /** Served, but neither specified nor one of our named additions. */
  unexplained: string[]
  /** Named additions that are not served, and listed ones that are not specified. */
  stale: string[]
}

/** Throws when the committed list cannot be read. */
export function coverage(endpoints: readonly Pick<Endpoint, 'method' | 'path'>[]): Coverage {
  const listed = JSON.parse(
    readFileSync(new URL('missing-operations.json', import.meta.url), 'utf8'),
  ) as string[]
  const served = new Set(endpoints.map(({ method, path }) => place(`${method} ${path}`)))
  const specified = new Set(OPERATIONS.map(place))
  const added = Object.keys(ADDITIONS)
  return {
    missing: listed.map((operation) => ({ operation, served: served.has(place(operation)) })),
    forgotten: OPERATIONS.filter(
      (operation) => !served.has(place(operation)) && !listed.includes(operation),
    ),
    unexplained: endpoints
      .map(({ method, path }) => `${method} ${path}`)
      .filter(
        (operation) =>
          !specified.has(place(operation)) &&
          !added.some((each) => place(each) === place(operation)),
      ),
    stale: [
      ...added.filter((operation) => !served.has(place(operation))),
      ...listed.filter((operation) => !OPERATIONS.includes(operation)),
    ],
  }
}
