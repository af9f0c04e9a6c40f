/** Wallets, routes, withdrawals and transfer jobs. */
import { newId } from '../../../src/core/ids.ts'
import { BTC_ADDRESS, OTHER_BTC_ADDRESS } from '../../simulated/config.ts'
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'
import { generousCustomer, known, parameterOf, withdrawalThat } from './fit.ts'
import type { Fits } from './fit.ts'

export const TREASURY: Fits = {
  'POST /treasury/wallets': (body, author) => {
    const customer = known(author, 'customer_id')
    for (const name of ['venue_id', 'service_id', 'configuration']) delete body[name]
    Object.assign(body, {
      type: 'CUSTOMER',
      access_type: 'EXTERNAL',
      asset: 'BTC',
      address: author.draws.pick([BTC_ADDRESS, OTHER_BTC_ADDRESS]),
      account_id: customer?.['account_id'] ?? newId(),
      customer_id: customer?.['id'] ?? newId(),
    })
  },
  'POST /treasury/wallets/routes': (body, author) => {
    const coins = (fits: (record: JsonRecord) => boolean = () => true) =>
      known(author, 'wallet_id', (record) => record['asset'] === 'BTC' && fits(record))?.['id'] ??
      newId()
    // Whatever it is called by now: a wallet of the exchange has no configuration.
    const isOfExchange = ({ access_type, configuration }: JsonRecord) =>
      access_type === 'INTERNAL' && Object.keys(configuration ?? {}).length === 0
    Object.assign(body, {
      from_wallet_id: coins(isOfExchange),
      to_wallet_id: coins(),
      protocol: 'BTC',
      transfer: { from: { key: 'k' } },
    })
  },
  'POST /treasury/wallets/routes/:treasury_route_id/withdrawals': (body, author) => {
    const customer = generousCustomer(author)
    for (const name of ['account', 'fee', 'account_id']) delete body[name]
    Object.assign(body, {
      quantity: '0.5',
      speed_level: author.draws.pick(['DEFAULT', 'FAST']),
      third_party: author.draws.once(2),
      ...(author.draws.once(2) ? { account_id: customer?.['account_id'] } : {}),
    })
    const route = known(author, 'route_id', (record) => record['from_wallet_id'] !== undefined)?.[
      'id'
    ]
    return route === undefined ? undefined : { treasury_route_id: String(route) }
  },
  'POST /treasury/withdrawals/batch/submit': (body, author) => {
    body['withdrawals'] = [known(author, 'prepare_id') ?? {}]
  },
  'POST /treasury/batches/:batch_id/give-up': (body, author) => {
    delete body['version']
    // Just prepared: soon the requests are submitted, too.
    const prepared = author.own.newest('prepare_id', () => true)
    return parameterOf('batch_id', prepared?.['prepare_id'])
  },
  'POST /treasury/withdrawals/:withdrawal_id/cancel': (_body, author) =>
    withdrawalThat(
      author,
      (record) => record['state'] === 'PENDING' && record['submitted_at'] === null,
    ),
  'POST /treasury/withdrawals/:withdrawal_id/recheck': (_body, author) =>
    withdrawalThat(
      author,
      (record) => record['state'] === 'PENDING' || record['state'] === 'UNKNOWN',
    ),
  'POST /treasury/withdrawals/:withdrawal_id/resolve': (body, author) => {
    for (const name of ['foreign_id', 'transaction_hash', 'fee', 'version']) delete body[name]
    return withdrawalThat(author, (record) => record['state'] === 'UNKNOWN')
  },
  'POST /venues/:venue_id/push': (_body, author) =>
    parameterOf(
      'venue_id',
      known(author, 'venue_id', (record) => record['kind'] === 'CUSTODY_VAULT')?.['id'],
    ),
  'PUT /treasury/wallets/routes/:route_id/allow': (body, author) => {
    for (const name of Object.keys(body)) delete body[name]
    return parameterOf(
      'route_id',
      known(author, 'route_id', (record) => String(record['label']).startsWith('Vault to'))?.['id'],
    )
  },
  'POST /treasury/jobs': job,
  'PUT /treasury/jobs': job,
  'POST /treasury/payments': payment,
  'POST /treasury/payments/preview': payment,
  'POST /treasury/payments/:payment_id/cancel': (_body, author) =>
    parameterOf(
      'payment_id',
      known(author, 'payment_id', (record) => record['state'] === 'WAITING')?.['id'],
    ),
}

function payment(body: JsonRecord, author: Author): void {
  for (const name of ['from_wallet_id', 'protocol', 'payee', 'reference', 'third_party'])
    delete body[name]
  Object.assign(body, {
    route_id:
      known(author, 'route_id', (record) => record['from_wallet_id'] !== undefined)?.['id'] ??
      newId(),
    account_id: generousCustomer(author)?.['account_id'],
    quantity: '0.5',
    send_at: Date.now() + DAY_MILLISECONDS,
  })
}

const DAY_MILLISECONDS = 86_400_000

function job(body: JsonRecord, author: Author): void {
  for (const name of ['fee', 'quantity', 'version']) delete body[name]
  const route =
    known(author, 'route_id', (record) => record['from_wallet_id'] !== undefined)?.['id'] ?? newId()
  Object.assign(body, {
    route,
    condition_type: 'SWEEPING',
    interval: 15,
    speed_level: 'DEFAULT',
    min_quantity: '0.1',
    conditions: [{ target: '3' }],
  })
}
