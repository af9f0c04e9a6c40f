/** The lists with their main filters, in groups of those whose rows are made together. */
import type { Kind } from './columns.ts'
import type { RowsName } from './rows.ts'

/** The id of the i-th row of a kind. */
type Ids = (kind: Kind, i: number) => Promise<string>
/**
 * `queries` beside the plain list; `deep`: the key of the row in the middle, unless the list is one
 * of few rows.
 */
export type List = {
  path(id: Ids, n: number): Promise<string> | string
  queries?: (id: Ids, n: number) => Promise<string[]>
  deep?: (id: Ids, n: number) => Promise<string> | string
}
type Group = { fills: RowsName[]; lists: Record<string, List> }

const middle = (kind: Kind) => (id: Ids, n: number) => id(kind, n / 2)
/** The moment at which this share of the ninety days has passed. */
const day = (share: number) => Math.floor(Date.now() - 90 * 86_400_000 * (1 - share))
const words =
  (...queries: string[]) =>
  async () =>
    queries
const window = (from: string, to: string) => words(`${from}=${day(0.48)}&${to}=${day(0.52)}`)
const several =
  (...parts: ((id: Ids, n: number) => Promise<string[]>)[]) =>
  async (id: Ids, n: number) =>
    (await Promise.all(parts.map((part) => part(id, n)))).flat()

/** The filters that deposits and withdrawals have in common, each by itself. */
const ofMovements =
  (asset: string, wallet: number) =>
  async (id: Ids): Promise<string[]> => [
    `asset=${asset}`,
    `account_id=${await id('account', 7)}`,
    `customer_id=${await id('customer', 7)}`,
    `wallet_id=${await id('wallet', wallet)}`,
    'quantity_from=150&quantity_to=150',
    'quantity_from=150',
    'quantity_to=100000&quantity_from=1099',
  ]

export const GROUPS: Group[] = [
  {
    fills: ['users'],
    lists: {
      '/users': {
        path: () => '/users',
        queries: words('state=ACTIVE', 'state=DISABLED', 'email=bench77@example.org'),
        deep: middle('other'),
      },
    },
  },
  {
    fills: [],
    lists: {
      '/customers': {
        path: () => '/customers',
        queries: words('state=ACTIVE', 'state=DELETED'),
        deep: middle('customer'),
      },
      '/accounts': { path: () => '/accounts', deep: middle('account') },
    },
  },
  {
    fills: ['deposits', 'deposit_assignments', 'deposit_rectifications'],
    lists: {
      '/treasury/deposits': {
        path: () => '/treasury/deposits',
        queries: several(
          words('state=SUCCESSFUL', 'state=PENDING', 'foreign_id=D777'),
          ofMovements('EUR', 10),
          window('system_created_at_from', 'system_created_at_to'),
        ),
        deep: middle('deposit'),
      },
      '/treasury/deposits/:id/assignments': {
        path: async (id, n) => `/treasury/deposits/${await id('deposit', n / 2)}/assignments`,
      },
      '/treasury/deposits/:id/rectifications': {
        path: async (id, n) => `/treasury/deposits/${await id('deposit', n / 2)}/rectifications`,
      },
      '/treasury/account/:id/deposits/assignments': {
        path: async (id) => `/treasury/account/${await id('account', 7)}/deposits/assignments`,
        deep: middle('other'),
      },
    },
  },
  {
    fills: ['withdrawals', 'withdrawal_assignments', 'withdrawal_rectifications'],
    lists: {
      '/treasury/withdrawals': {
        path: () => '/treasury/withdrawals',
        queries: several(
          words('state=SUCCESS', 'state=PENDING', 'stuck=true', 'stuck=false'),
          ofMovements('BTC', 11),
        ),
        deep: middle('withdrawal'),
      },
      '/treasury/withdrawals/:id/assignments': {
        path: async (id, n) => `/treasury/withdrawals/${await id('withdrawal', n / 2)}/assignments`,
      },
      '/treasury/withdrawals/:id/rectifications': {
        path: async (id, n) =>
          `/treasury/withdrawals/${await id('withdrawal', n / 2)}/rectifications`,
      },
      '/treasury/account/:id/withdrawals/assignments': {
        path: async (id) => `/treasury/account/${await id('account', 7)}/withdrawals/assignments`,
        deep: middle('other'),
      },
    },
  },
  {
    fills: ['wallets', 'routes', 'jobs', 'schedules', 'runs', 'matchings'],
    lists: {
      '/treasury/wallets': {
        path: () => '/treasury/wallets',
        queries: several(
          words('address=bc1q777', 'reference_text=R777', 'foreign_id=F777'),
          async (id) => [
            `customer_id=${await id('customer', 7)}`,
            `venue_id=${await id('venue', 2)}`,
          ],
        ),
        deep: middle('wallet'),
      },
      '/treasury/wallets/routes': {
        path: () => '/treasury/wallets/routes',
        queries: several(words('protocol=BTC'), async (id) => [
          `from_wallet_id=${await id('wallet', 70)}`,
          `to_wallet_id=${await id('wallet', 777)}`,
        ]),
        deep: middle('route'),
      },
      '/accounts/matchings': {
        path: () => '/accounts/matchings',
        queries: async (id) => [`account_id=${await id('account', 7)}`],
        deep: middle('other'),
      },
      '/treasury/jobs': {
        path: () => '/treasury/jobs',
        queries: words('state=ACTIVE'),
        deep: middle('job'),
      },
      '/treasury/jobs/:id/runs': {
        path: async (id) => `/treasury/jobs/${await id('job', 7)}/runs`,
        deep: middle('other'),
      },
    },
  },
  {
    fills: ['batches', 'bookings', 'debits', 'credits', 'events', 'mails'],
    lists: {
      '/bookings': {
        path: () => '/bookings',
        deep: (_id, n) => String(n / 2),
        queries: several(
          words('type=EXECUTION', 'type=MANUAL'),
          window('from', 'to'),
          async (id) => [
            `account_id=${await id('account', 7)}`,
            `account_id=${await id('account', 5_000)}`,
            `account_id=${await id('account', 7)}&type=DEPOSIT`,
            `reference_id=${await id('execution', 77)}`,
          ],
        ),
      },
      '/bookings/accounts/:id/statement': {
        path: async (id) =>
          `/bookings/accounts/${await id('account', 7)}/statement?from=${day(0.02)}`,
        queries: words('assets=EUR'),
      },
      '/events': {
        path: () => '/events',
        queries: several(
          words('type=withdrawal.failed', 'type=deposit.assigned,execution.filled'),
          async (id, n) => [`after=${n}`, `resource_id=${await id('deposit', 77)}`],
        ),
        deep: (_id, n) => String(n),
      },
      '/mails': {
        path: () => '/mails',
        queries: several(words('state=SENT', 'state=PENDING'), async (id) => [
          `customer_id=${await id('customer', 7)}`,
        ]),
        deep: middle('other'),
      },
    },
  },
  {
    fills: [
      'price_routes',
      'quotes',
      'executions',
      'execution_customers',
      'orders',
      'fills',
      'settlements',
    ],
    lists: {
      '/price-stream/routes': { path: () => '/price-stream/routes', deep: middle('price_route') },
      '/price-stream/quotes': { path: () => '/price-stream/quotes', deep: middle('quote') },
      '/executions': {
        path: () => '/executions',
        queries: several(
          words('state=DONE', 'state=PROCESSING', 'stuck=true', 'stuck=false', 'client_ref=ref777'),
          window('created_at_from', 'created_at_to'),
          async (id) => [`customer_id=${await id('customer', 7)}`],
        ),
        deep: middle('execution'),
      },
      '/executions/:id/orders': {
        path: async (id, n) => `/executions/${await id('execution', n / 2)}/orders`,
      },
      '/executions/:id/orders/fills': {
        path: async (id, n) => `/executions/${await id('execution', n / 2)}/orders/fills`,
      },
      '/toms/:id/fills': {
        path: async (id) => `/toms/${await id('service', 1)}/fills`,
        queries: window('from', 'to'),
        deep: middle('fill'),
      },
      '/settlements': {
        path: () => '/settlements',
        queries: words('state=SETTLED', 'state=PREPARING'),
        deep: middle('settlement'),
      },
      '/settlements/:id/fills': {
        path: async (id) => `/settlements/${await id('settlement', 1)}/fills`,
        deep: middle('fill'),
      },
      '/settlements/:id/available-fills': {
        path: async (id) =>
          `/settlements/${await id('settlement', 1)}/available-fills?venue_id=` +
          `${await id('venue', 2)}`,
        deep: middle('fill'),
      },
    },
  },
  {
    fills: ['breaks', 'halts'],
    lists: {
      '/desk/breaks': {
        path: () => '/desk/breaks',
        queries: several(
          words('state=CLOSED', 'state=OPEN', 'asset=EUR', 'cause=FEE'),
          async (id) => [`venue_id=${await id('venue', 2)}`],
        ),
        deep: middle('other'),
      },
      '/desk/halts': {
        path: () => '/desk/halts',
        queries: words('state=RELEASED'),
        deep: middle('other'),
      },
    },
  },
  { fills: [], lists: { '/venues': { path: () => '/venues', deep: middle('venue') } } },
]
